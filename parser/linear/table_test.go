package linear

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// A feature is one of a list.
type feature struct {
	key     hash.Key
	classes []uint16
	weights []float32
}

func all(list []feature) Features {
	return func(yield func(hash.Key, []uint16, []float32)) {
		for _, f := range list {
			yield(f.key, f.classes, f.weights)
		}
	}
}

// someFeatures returns n features of 0 to 6 classes below the given number.
func someFeatures(n, classes int, seed uint64) []feature {
	r := hash.Rand(seed)
	var list []feature
	for i := range n {
		f := feature{key: hash.Key2(1, uint64(i), seed)}
		for range r.Below(7) {
			if c := uint16(r.Below(uint32(classes))); !slices.Contains(f.classes, c) {
				f.classes, f.weights = append(f.classes, c), append(f.weights, float32(r.Below(4001))/1000-2)
			}
		}
		list = append(list, f)
	}
	return list
}

// A Table answers as a map of rounded weights would.
func TestTableIsAMap(t *testing.T) {
	for _, classes := range []int{1, 40, 40000} { // with rows in slots only, both, and classes too large for them
		list := someFeatures(3000, classes, 7)
		table := Pack(all(list), Packing{Unit: 1024})
		rows := make([]uint64, 100)
		for at := 0; at < len(list); at += 100 {
			keys := []hash.Key{hash.Mix(uint64(at)), hash.Mix(uint64(at + 1))} // unknown ones
			want, got := make([]int32, classes), make([]int32, classes)
			for _, f := range list[at : at+98] {
				keys = append(keys, f.key)
				for j, c := range f.classes {
					want[c] += int32(math.Round(float64(f.weights[j]) * 1024))
				}
			}
			table.Sum(keys, got, rows)
			if !slices.Equal(got, want) {
				t.Fatalf("%d classes: features from %d on: sums differ", classes, at)
			}
			if classes == 1 && table.Score(keys) != want[0] {
				t.Fatalf("features from %d on: score %d, want %d", at, table.Score(keys), want[0])
			}
			if n := testing.AllocsPerRun(5, func() { table.Sum(keys, got, rows) }); n != 0 {
				t.Errorf("Sum allocates %g times", n)
			}
		}
	}
	var empty Table
	if empty.Sum([]hash.Key{1}, nil, make([]uint64, 1)); empty.Score([]hash.Key{1}) != 0 {
		t.Error("an empty table knows a key")
	}
}

func TestForeignKeysAreRare(t *testing.T) {
	list := someFeatures(50000, 1, 3)
	for narrow, most := range map[bool]int{false: 15, true: 3000} {
		table := Pack(all(list), Packing{Unit: 1024, Narrow: narrow})
		foreign := 0
		for i := range uint64(1_000_000) {
			if table.Score([]hash.Key{hash.Key1(2, i)}) != 0 {
				foreign++
			}
		}
		if foreign > most {
			t.Errorf("narrow %t: %d of a million unknown keys have a weight", narrow, foreign)
		}
	}
}

// A narrow table that was written and read sums as before, and nearly as a wide one.
func TestNarrowTables(t *testing.T) {
	for _, classes := range []int{1, 40, 40000} {
		list := someFeatures(3000, classes, 7)
		made, wide := Pack(all(list), Packing{Unit: 1024, Narrow: true}), Pack(all(list), Packing{Unit: 1024})
		sections := sections(func(l *pack.Layout) { made.Layout(l, "t", classes) })
		var read Table
		if err := pack.Read(pack.NewView(sections), "c", func(l *pack.Layout) { read.Layout(l, "t", classes) }); err != nil {
			t.Fatal(err)
		}
		rows, far := make([]uint64, 1), 0
		for _, f := range list {
			a, b, c := make([]int32, classes), make([]int32, classes), make([]int32, classes)
			made.Sum([]hash.Key{f.key}, a, rows)
			read.Sum([]hash.Key{f.key}, b, rows)
			wide.Sum([]hash.Key{f.key}, c, rows)
			if !slices.Equal(a, b) {
				t.Fatalf("%d classes: a row that was read differs", classes)
			}
			for i := range a {
				if d := a[i] - c[i]; d > 1<<made.shift || -d > 1<<made.shift {
					far++
				}
			}
		}
		if far > 30 {
			t.Errorf("%d classes: %d weights are off", classes, far)
		}
	}
}

// The heaviest stay, the light go, and of two features with one key the first
// counts.
func TestPacking(t *testing.T) {
	var list []feature
	for i := range 1000 {
		list = append(list, feature{hash.Key1(9, uint64(i)), []uint16{0, 1},
			[]float32{float32(i+1) / 1000, -float32(i+1) / 2000}})
	}
	list = append(list, feature{list[999].key, []uint16{0}, []float32{0.9}})
	kept := func(p Packing) (n int) {
		p.Unit = 1024
		table := Pack(all(list), p)
		for i, f := range list[:1000] {
			var acc [2]int32
			table.Sum([]hash.Key{f.key}, acc[:], make([]uint64, 1))
			for j, q := range acc {
				if q != 0 {
					n++
					if w := float64(f.weights[j]) * 1024; math.Abs(w-float64(q)) > 0.51 {
						t.Fatalf("feature %d weighs %d, not %.2f", i, q, w)
					}
				}
			}
		}
		return n
	}
	if n := kept(Packing{}); n < 1998 { // but those of half a step
		t.Errorf("%d weights of 2000 are kept", n)
	}
	if n := kept(Packing{Limit: 500}); n > 500 || n < 497 {
		t.Errorf("%d weights are kept, limit 500", n)
	}
	if n := kept(Packing{Least: 0.5}); n < 498 || n > 504 {
		t.Errorf("%d weights are kept, about 500 are over a half", n)
	}
}

// One outlier does not take the steps of all others.
func TestScale(t *testing.T) {
	sizes := make([]float32, 10000)
	for i := range sizes {
		sizes[i] = float32(i+1) / 10000
	}
	if got := Scale(sizes, 127); got != 6 {
		t.Errorf("weights up to 1 in 127 steps: 2^-%d, want 2^-6", got)
	}
	sizes[len(sizes)-1] = 4
	if got := Scale(sizes, 127); got != 4 {
		t.Errorf("one of 4: 2^-%d, want 2^-4", got)
	}
	sizes[len(sizes)-1] = 1e6
	if got := Scale(sizes, 127); got != 3 {
		t.Errorf("one of a million: 2^-%d, want 2^-3", got)
	}
	if Scale(nil, 127) != 0 || Floor(sizes, 0) != 0 || Floor(sizes, 10000) != 0 || Floor(sizes, 2) != sizes[9997] {
		t.Error("Floor")
	}
	// In a table: the outlier is cut, the others keep their units.
	list := []feature{{hash.Mix(1), []uint16{0}, []float32{1e9}}}
	for i := range uint64(5000) {
		list = append(list, feature{hash.Mix(i + 2), []uint16{0}, []float32{0.5}})
	}
	table := Pack(all(list), Packing{Unit: 1024})
	if a, b := table.Score([]hash.Key{hash.Mix(2)}), table.Score([]hash.Key{hash.Mix(1)}); a != 512 || b != math.MaxInt16 {
		t.Errorf("scores %d and %d of the outlier, want 512 and %d", a, b, math.MaxInt16)
	}
}

func TestRowsMakeATable(t *testing.T) {
	rows := NewRows(3)
	rows.Add(0, 2, 1, 1)
	rows.Add(2, 0, -0.5, 1)
	rows.Add(2, 1, 0.25, 1)
	keys := []hash.Key{hash.Mix(1), hash.Mix(2), hash.Mix(3)}
	table := Pack(rows.Each(keys), Packing{Unit: 1 << 10})
	var acc [3]int32
	table.Sum(keys, acc[:], make([]uint64, 3))
	if acc != [3]int32{-512, 256, 1024} {
		t.Errorf("sums %v", acc)
	}
}

// Damaged tables are refused, or every search in them ends within them.
func FuzzTable(f *testing.F) {
	list := someFeatures(60, 9, 1)
	table := Pack(all(list), Packing{Unit: 1024})
	good := sections(func(l *pack.Layout) { table.Layout(l, "t", 9) })
	f.Add(uint8(0), uint16(3), uint64(1<<63))
	f.Add(uint8(0), uint16(0), uint64(1<<29))
	f.Add(uint8(1), uint16(5), uint64(1<<30))
	f.Add(uint8(2), uint16(0), uint64(0xff))
	f.Fuzz(func(t *testing.T, section uint8, at uint16, x uint64) {
		list := slices.Clone(good)
		s := &list[int(section)%len(list)]
		s.Data = slices.Clone(s.Data)
		if i := int(at) % (len(s.Data)/8 + 1) * 8; i+8 <= len(s.Data) {
			binary.LittleEndian.PutUint64(s.Data[i:], binary.LittleEndian.Uint64(s.Data[i:])^x)
		} else if len(s.Data) > 0 {
			s.Data[0] ^= byte(x)
		}
		var table Table
		if err := pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { table.Layout(l, "t", 9) }); err != nil {
			return
		}
		for i := range uint64(200) {
			var acc [9]int32
			k := []hash.Key{hash.Key2(1, i, 1), hash.Mix(i)}
			table.Sum(k, acc[:], make([]uint64, 2))
			table.Score(k)
		}
	})
}

// Sections that do not fit together are errors.
func TestDamagedTables(t *testing.T) {
	table := Pack(all(someFeatures(60, 9, 1)), Packing{Unit: 1024})
	read := func(x Table, classes int) error {
		list := sections(func(l *pack.Layout) { x.Layout(l, "t", classes) })
		return pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { new(Table).Layout(l, "t", classes) })
	}
	if err := read(*table, 9); err != nil {
		t.Fatal(err)
	}
	full := slices.Repeat([]uint64{1 << 63}, 8)
	for what, x := range map[string]Table{
		"full":      {slots: full},
		"shift":     {slots: table.slots, cells: table.cells, shift: 16},
		"few cells": {slots: table.slots, cells: table.cells[:3]},
		"no cells":  {slots: table.slots},
	} {
		if read(x, 9) == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	narrow := Pack(all(someFeatures(60, 9, 1)), Packing{Unit: 1024, Narrow: true})
	if err := read(*narrow, 9); err != nil {
		t.Error(err)
	}
	if read(*narrow, 8) == nil || read(*narrow, 1) == nil {
		t.Error("a class beyond the last was accepted in a narrow table")
	}
	// A row of one cell whose class is too large for a slot, as if it were in one.
	wide := Pack(all([]feature{{hash.Mix(1), []uint16{1 << 14}, []float32{1}}}), Packing{Unit: 1024, Narrow: true})
	list := sections(func(l *pack.Layout) { wide.Layout(l, "t", 1<<15) })
	for i := range list {
		if strings.HasSuffix(list[i].Name, ".counts") {
			clear(list[i].Data)
		}
	}
	var x Table
	if pack.Read(pack.NewView(list), "c", func(l *pack.Layout) { x.Layout(l, "t", 1<<15) }) == nil {
		x.Sum([]hash.Key{hash.Mix(1)}, make([]int32, 1<<15), make([]uint64, 1))
	}
	if read(*table, 8) == nil || read(*table, 1) == nil {
		t.Error("a class beyond the last was accepted")
	}
}

// A changed table answers as the sum of two maps would, wide or narrow; what it has no room
// for is left out, the lightest first, and searches still end.
func TestTableWithChanges(t *testing.T) {
	for _, narrow := range []bool{false, true} {
		const classes, unit = 40, 1024
		list := someFeatures(3000, classes, 7)
		table := Pack(all(list), Packing{Unit: unit, Narrow: narrow})
		changes := someFeatures(300, classes, 8) // new keys
		for i := range 300 {
			changes = append(changes, feature{list[i].key, []uint16{uint16(i % classes), 39 - uint16(i%classes)}, []float32{0.5, -0.25}})
		}
		got := table.With(all(changes), 0.5, unit)
		sums := func(t *Table, key hash.Key) []int32 {
			acc := make([]int32, classes)
			t.Sum([]hash.Key{key}, acc, make([]uint64, 1))
			return acc
		}
		wrong := 0
		for _, f := range changes {
			want, step := sums(table, f.key), int32(1)<<table.shift
			for j, c := range f.classes {
				want[c] += int32(math.Round(float64(f.weights[j]) * unit / 2))
			}
			for c, x := range sums(got, f.key) {
				if limit := step * narrowSteps; narrow {
					want[c] = max(-limit, min(limit, want[c]))
				}
				if d := x - want[c]; d > step || d < -step {
					wrong++
					break
				}
			}
		}
		if wrong > len(changes)/50 { // foreign rows
			t.Errorf("narrow %v: %d of %d changed rows are wrong", narrow, wrong, len(changes))
		}
		if full := table.With(all(someFeatures(20000, classes, 9)), 1, unit); !slices.Contains(full.slots, 0) {
			t.Error("no slot is left")
		}
		for _, share := range []float64{0, 1e-6} { // of half a step at most
			same := table.With(all(changes), share, unit)
			if !slices.Equal(same.slots, table.slots) || !slices.Equal(same.cells, table.cells) {
				t.Errorf("narrow %v: without changes the table differs", narrow)
			}
		}
		again := table.With(all(list), 0.5, unit)
		if len(again.cells) != len(table.cells) || slices.Equal(again.cells, table.cells) {
			t.Errorf("narrow %v: rows of the same classes take %d cells in place of %d", narrow, len(again.cells), len(table.cells))
		}
	}
}
