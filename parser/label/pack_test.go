package label

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

func TestPackRoundTrip(t *testing.T) {
	m := small()
	got, err := Open(pack.NewView(sections(m)), "label", vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	a, b := sample(rand.New(rand.NewPCG(1, 9)), 30, 12), sample(rand.New(rand.NewPCG(1, 9)), 30, 12)
	for i := range a {
		m.Label(&a[i], Help{})
		got.Label(&b[i], Help{})
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("a model that was packed and opened labels otherwise")
	}
}

// aligned copies a section so that it can be damaged.
func aligned(s pack.Section) pack.Section {
	s.Data = append(make([]byte, 0, len(s.Data)+8), s.Data...)
	return s
}

// TestCorrupt: every missing or shortened section is an error.
func TestCorrupt(t *testing.T) {
	good := sections(small())
	for i := range good {
		without := append(append([]pack.Section(nil), good[:i]...), good[i+1:]...)
		if _, err := Open(pack.NewView(without), "label", vocabulary()); err == nil {
			t.Errorf("no error without section %s", good[i].Name)
		}
		for _, cut := range []int{0, 8, len(good[i].Data) / 16 * 8} {
			short := append([]pack.Section(nil), good...)
			short[i].Data = short[i].Data[:min(cut, len(short[i].Data)-1)]
			if _, err := Open(pack.NewView(short), "label", vocabulary()); err == nil {
				t.Errorf("no error with %d bytes of section %s", cut, good[i].Name)
			}
		}
	}
}

// FuzzOpen: whatever byte of a model is damaged, Open fails or Label works.
func FuzzOpen(f *testing.F) {
	good := sections(small())
	for i := range good {
		f.Add(uint8(i), uint32(3), uint8(255))
		f.Add(uint8(i), uint32(1<<30), uint8(128))
	}
	sents := sample(rand.New(rand.NewPCG(2, 9)), 5, 12)
	f.Fuzz(func(t *testing.T, section uint8, at uint32, flip uint8) {
		list := append([]pack.Section(nil), good...)
		i := int(section) % len(list)
		list[i] = aligned(list[i])
		if n := len(list[i].Data); n > 0 {
			list[i].Data[int(at)%n] ^= flip
		}
		m, err := Open(pack.NewView(list), "label", vocabulary())
		if err != nil {
			return
		}
		for _, s := range sents {
			s.Words = append([]syntax.Word(nil), s.Words...)
			m.Label(&s, Help{})
		}
	})
}
