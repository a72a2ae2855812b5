package hash

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
)

// Models are found by these numbers on every machine.
func TestGolden(t *testing.T) {
	r := Rand(1)
	for name, c := range map[string]struct{ got, want uint64 }{
		"String": {String("Straße"), 0x6265ae07e770cd96},
		"empty":  {String(""), 0x1c0e845cf241fcb9},
		"Key3":   {Key3(7, 1, 2, String("x")), 0xfd7dedba3d567550},
		"Pair":   {Pair(1, 2), 0xac2a3d55ec3a4ab9},
		"Next":   {r.Next(), 0x910a2dec89025cc1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, want %#x", name, c.got, c.want)
		}
	}
	if got := Shuffled(8, 3); !slices.Equal(got, []int{3, 6, 0, 4, 2, 7, 1, 5}) {
		t.Errorf("Shuffled: %v", got)
	}
}

func TestStrings(t *testing.T) {
	for _, s := range []string{"", "a", "İstanbul", "ΣΑΣ", "日本語", "a\u0301", "😀"} {
		rs := []rune(s)
		if String(s) != Runes(rs) {
			t.Errorf("%q: String and Runes differ", s)
		}
		h := uint64(Start)
		for i, r := range rs { // every prefix in one pass
			h = Step(h, r)
			if Mix(h) != String(string(rs[:i+1])) {
				t.Errorf("%q: prefix %d", s, i+1)
			}
		}
	}
}

// Keys of small numbers in all roles and templates are all different.
func TestKeysDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	note := func(k Key) {
		if seen[k] {
			t.Fatalf("key %#x twice", k)
		}
		seen[k] = true
	}
	for id := uint64(1000); id < 1005; id++ {
		note(Key0(id))
		for a := uint64(1); a < 9; a++ {
			note(Key1(id, a))
			for b := uint64(1); b < 9; b++ {
				note(Key2(id, a, b))
				for c := uint64(1); c < 9; c++ {
					note(Key3(id, a, b, c))
					note(Key4(id, a, b, c, a))
					note(Mix(Sum3(id, a, b, c) + Flag(b)))
				}
			}
		}
	}
}

// Beside keeps the upper half, and its lower one is as good as any.
func TestBeside(t *testing.T) {
	lower := map[uint32]bool{}
	for a := range uint64(3000) {
		k := Key1(3, a)
		b := Beside(k, Sum1(3, a)+Flag(2))
		if b>>32 != k>>32 || b == k {
			t.Fatalf("%#x beside %#x", b, k)
		}
		lower[uint32(b)] = true
	}
	if len(lower) < 2998 {
		t.Errorf("%d different lower halves of 3000", len(lower))
	}
}

// Keys of small numbers are spread as evenly as chance over the upper half,
// which picks a place in a table, and over the lower one, which tells them
// apart.
func TestKeysSpread(t *testing.T) {
	const buckets = 1 << 12
	parts := map[string]func(k Key) uint64{
		"top":    func(k Key) uint64 { return k >> 52 },
		"low":    func(k Key) uint64 { return k % buckets },
		"print":  func(k Key) uint64 { return k >> 20 % buckets },
		"middle": func(k Key) uint64 { return k >> 32 % buckets },
	}
	for name, part := range parts {
		var count [buckets]int
		n := 0
		for id := range uint64(16) {
			for a := range uint64(32) {
				for b := range uint64(32) {
					for c := range uint64(8) {
						count[part(Key3(id, a, b, c))]++
						n++
					}
				}
			}
		}
		square, mean := 0.0, float64(n)/buckets
		for _, k := range count {
			square += (float64(k) - mean) * (float64(k) - mean) / mean
		}
		// chi-squared of 4095 degrees of freedom: 4095 +- 90
		if square > 4095+6*90 {
			t.Errorf("%s: chi-squared is %.0f, want about %d", name, square, buckets-1)
		}
	}
}

func TestRand(t *testing.T) {
	r := Rand(9)
	var count [7]int
	sum := 0.0
	for range 70000 {
		count[r.Below(7)]++
		x := r.Float()
		if x < 0 || x >= 1 {
			t.Fatal(x)
		}
		sum += x
	}
	for i, n := range count {
		if n < 9500 || n > 10500 {
			t.Errorf("%d came %d times of 70000", i, n)
		}
	}
	if sum < 34500 || sum > 35500 {
		t.Errorf("the mean of Float is %.3f", sum/70000)
	}
}

func TestShuffled(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		a := Shuffled(n, 4)
		if !slices.Equal(a, Shuffled(n, 4)) {
			t.Errorf("%d: not the same twice", n)
		}
		slices.Sort(a)
		for i, x := range a {
			if i != x {
				t.Fatalf("%d: no permutation", n)
			}
		}
	}
	if slices.Equal(Shuffled(100, 1), Shuffled(100, 2)) {
		t.Error("the seed changes nothing")
	}
}

func TestSet(t *testing.T) {
	r := Rand(2)
	var keys []Key
	in := map[Key]int{}
	for range 5000 {
		k := r.Next()
		if k%7 == 0 && len(keys) > 0 {
			k = keys[len(keys)/2] // cannot be told apart from an earlier one
		}
		keys = append(keys, k)
	}
	values := make([]uint16, len(keys))
	for i := range values {
		values[i] = uint16(i)
	}
	m := NewMap(keys, values, false)
	s, places := NewSet(keys, false)
	for i, k := range keys {
		if at, twice := in[k]; twice {
			if places[i] != -1 || s.Find(k) != at {
				t.Fatalf("key %d is there twice", i)
			}
			continue
		}
		if v, found := m.Find(k); places[i] >= 0 && (!found || v != values[i]) {
			t.Fatalf("key %d has the value %d", i, v)
		}
		in[k] = places[i]
		if places[i] >= 0 && s.Find(k) != places[i] {
			t.Fatalf("key %d: place %d, found %d", i, places[i], s.Find(k))
		}
	}
	var mixed []Key
	for _, k := range keys {
		mixed = append(mixed, r.Next(), k)
	}
	var want []int32
	for _, k := range mixed {
		if at := s.Find(k); at >= 0 {
			want = append(want, int32(at))
		}
	}
	if got := s.FindAll(nil, mixed); !slices.Equal(got, want) {
		t.Error("FindAll does not find what Find finds")
	}
	foreign := 0
	for range 100000 {
		if k := r.Next(); s.Has(k) {
			foreign++
		}
	}
	if foreign > 1 {
		t.Errorf("%d of 100,000 foreign keys were found", foreign)
	}
	var none Set
	if none.Has(1) {
		t.Error("the empty set has a key")
	}
}

// A narrow set finds all of its keys, and few others. It survives writing and reading, as
// a wide one does, and no set without an empty place is read.
func TestSetLayout(t *testing.T) {
	r := Rand(3)
	var keys []Key
	for range 3000 {
		keys = append(keys, r.Next())
	}
	for _, narrow := range []bool{false, true} {
		made, places := NewSet(keys, narrow)
		lost := 0
		for i, k := range keys {
			if places[i] < 0 {
				lost++
			} else if made.Find(k) != places[i] {
				t.Fatalf("key %d is not at its place", i)
			}
		}
		var b pack.Builder
		pack.Write(b.Sub("c"), func(l *pack.Layout) { made.Layout(l, "set") })
		var s Set
		if err := pack.Read(pack.NewView(b.Sections), "c", func(l *pack.Layout) { s.Layout(l, "set") }); err != nil || !s.Equal(&made) {
			t.Errorf("narrow %t: read back another set, or %v", narrow, err)
		}
		foreign := 0
		for range 100_000 {
			if s.Has(r.Next()) {
				foreign++
			}
		}
		if most := map[bool]int{false: 1, true: 300}[narrow]; foreign > most || lost > 30 {
			t.Errorf("narrow %t: %d of 100,000 foreign keys were found, %d keys lost", narrow, foreign, lost)
		}
	}
	full := Set{prints: []uint32{1, 3}}
	var b pack.Builder
	pack.Write(b.Sub("c"), func(l *pack.Layout) { full.Layout(l, "set") })
	if err := pack.Read(pack.NewView(b.Sections), "c", func(l *pack.Layout) { full.Layout(l, "set") }); err == nil {
		t.Error("a set without an empty place was read")
	}
}
