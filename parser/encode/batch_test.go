package encode

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// bound returns a random model, bound to some order.
func bound(t testing.TB, z sizes, seed uint64) *Model {
	p, h := random(z, seed)
	return quantized(t, p, h).Bind(append(slices.Clone(h.Labels), "unheard"),
		[][2]string{{"VERB", "UH"}, {"NOUN", ""}, {"X", "NN"}}, []string{"", "Case=Acc|Number=Sing", "Number=Dual"})
}

// corpus returns sentences of all lengths, some without words, and some of
// several windows.
func corpus(z sizes) (out []*syntax.Sentence) {
	r := hash.Rand(77)
	for i := range 30 {
		out = append(out, sentence(&r, i%17, z.pieces, 1+i%5))
	}
	for _, n := range []int{38, 39, 60, 150} { // some need several windows of 40 positions
		out = append(out, sentence(&r, n, z.pieces, 4), sentence(&r, n, z.pieces, 1))
	}
	return append(out, sentence(&r, 20, z.pieces, 30)) // words of as many pieces as are read
}

func clones(list []*syntax.Sentence) (out []*syntax.Sentence) {
	for _, s := range list {
		c := *s
		c.Dense = syntax.Dense{}
		out = append(out, &c)
	}
	return out
}

// What a sentence gets does not depend on what is in a batch, on its order, or
// on the number of goroutines.
func TestBatchesAreIndependent(t *testing.T) {
	m := bound(t, small, 21)
	alone := corpus(small)
	for _, s := range alone {
		m.Encode([]*syntax.Sentence{s})
		m.Labels(s)
	}
	same := func(what string, list []*syntax.Sentence) {
		t.Helper()
		for i, s := range list {
			if !reflect.DeepEqual(s.Dense, alone[i].Dense) {
				t.Errorf("%s: sentence %d of %d words has other scores", what, i, len(s.Words))
			}
		}
	}
	together := clones(alone)
	m.Encode(together)
	for _, s := range together {
		m.Labels(s)
	}
	same("in a batch", together)

	reversed := clones(alone)
	slices.Reverse(reversed)
	m.Encode(reversed)
	slices.Reverse(reversed)
	for _, s := range reversed {
		m.Labels(s)
	}
	same("reversed", reversed)

	parallel := clones(alone)
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			var mine []*syntax.Sentence
			for i := g; i < len(parallel); i += 8 {
				mine = append(mine, parallel[i])
			}
			m.Encode(mine)
			for _, s := range mine {
				m.Labels(s)
			}
		})
	}
	wait.Wait()
	same("by 8 goroutines", parallel)

	for i, s := range alone {
		if n := len(s.Words); (n == 0) != (s.Dense.Arcs == nil) || len(s.Dense.Tags) != 3*n || len(s.Dense.Labels) != 12*n {
			t.Errorf("sentence %d of %d words: %d arcs, %d tags, %d labels", i, n, len(s.Dense.Arcs), len(s.Dense.Tags),
				len(s.Dense.Labels))
		}
	}
	long := &syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWholeWords+1), Dense: syntax.Dense{Arcs: []int32{1}}}
	m.Encode([]*syntax.Sentence{long})
	m.Labels(long)
	if !reflect.DeepEqual(long.Dense, syntax.Dense{}) {
		t.Error("a sentence over the limit has scores")
	}
}

// A word of a long sentence has the vector of the window in which it is
// furthest from an edge; the first of two that are equal.
func TestWindows(t *testing.T) {
	m := bound(t, small, 22)
	r := hash.Rand(5)
	room, w := small.Positions-2, small.Width
	for _, longest := range []int{1, 3, 30} {
		s := sentence(&r, 70, small.pieces, longest)
		n := len(s.Words)
		ids, ends := m.pieces.Sentence(nil, nil, s)
		start := func(i int) int { return int(append([]int32{0}, ends...)[i]) }
		want, best := make([][]float32, n+1), slices.Repeat([]int{-1}, n)
		x := m.get()
		for first, last := 0, 0; last < n; {
			for last = first; last < n && start(last+1)-start(first) <= room; last++ {
			}
			x.begin()
			x.addPieces(m, ids[start(first):start(last)])
			x.forward(m)
			if first == 0 {
				want[0] = slices.Clone(x.mixed[:w])
			}
			for i := first; i < last; i++ {
				if edge := min(start(i)-start(first), start(last)-start(i+1)); edge > best[i] {
					best[i], want[i+1] = edge, make([]float32, w)
					x.mean(want[i+1], 1+start(i)-start(first), 1+start(i+1)-start(first))
				}
			}
			for half := start(first) + room/2; first < last && start(first) < half; first++ {
			}
		}
		x.begin()
		x.cut(m, s)
		x.long(m, s)
		for i, v := range want {
			if !slices.Equal(v, x.vectors[i*w:(i+1)*w]) {
				t.Errorf("words of up to %d pieces: word %d of %d has another vector", longest, i, n)
			}
		}
	}
}

// Nothing but the scores is allocated once scratch has grown.
func TestAllocations(t *testing.T) {
	m := bound(t, small, 23)
	list := corpus(small)[20:30]
	run := func() {
		m.Encode(list)
		for _, s := range list {
			m.Labels(s)
		}
	}
	run()
	words := 0
	for _, s := range list {
		if len(s.Words) > 0 {
			words++
		}
	}
	// Arcs, Labels, Tags, Feats, Vectors, Scales.
	if got := testing.AllocsPerRun(20, run); !underRace && got > float64(6*words)+1 {
		t.Errorf("%v allocations for %d sentences", got, words)
	}
}

// golden is the digest of what a random model says of random sentences: on
// every processor, with vector instructions and without.
const golden = "40b5b011d0f76eff83742e36"

func digest(t *testing.T) string {
	h := sha256.New()
	for _, z := range []sizes{small, local, {Shape{48, 3, 80, 64, 1e-6, 0}, 3, 30, 32, 16, 32}} {
		m := bound(t, z, 24)
		list := corpus(z)
		m.Encode(list)
		for _, s := range list {
			m.Labels(s)
			d := &s.Dense
			for _, x := range []any{d.Arcs, d.Labels, d.Tags, d.Feats, d.Vectors, d.Scales} {
				if err := binary.Write(h, binary.LittleEndian, x); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := binary.Write(h, binary.LittleEndian, m.Hidden([]int32{0, 5, 6, 7, 8, 9, 1})); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

func TestGolden(t *testing.T) {
	if got := digest(t); got != golden {
		t.Errorf("the digest on %s is %s, want %s", runtime.GOARCH, got, golden)
	}
}

// The digest is the same without what this processor has: GODEBUG takes it
// away from a process.
func TestGoldenWithoutInstructions(t *testing.T) {
	if runtime.GOARCH != "amd64" || underRace {
		t.Skip("no vector instructions are used, or it takes long")
	}
	for _, off := range []string{"cpu.avx2=off", "cpu.avx512vnni=off", "cpu.all=off"} {
		c := exec.Command(os.Args[0], "-test.run=^TestGolden$", "-test.count=1")
		c.Env = append(os.Environ(), "GODEBUG="+off)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", off, err, strings.TrimSpace(string(out)))
		}
	}
}
