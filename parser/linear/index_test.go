package linear

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// An Index numbers as a map would, however it counts.
func TestIndexIsAMap(t *testing.T) {
	indexIsAMap(t, func(x *Index, keys []hash.Key) {
		for _, k := range keys {
			x.Count(k)
		}
	})
	indexIsAMap(t, func(x *Index, keys []hash.Key) { x.CountRepeated(keys[:7], nil, keys[7:]) })
}

// Of keys that occur once, CountRepeated keeps few.
func TestIndexForgetsSingleKeys(t *testing.T) {
	var keys []hash.Key
	for i := range 100_000 {
		keys = append(keys, hash.Mix(uint64(i)))
	}
	var x Index
	x.CountRepeated(append(keys, keys[:1000]...))
	if n := len(x.state); n < 1000 || n > 30_000 {
		t.Errorf("%d of 100,000 keys are counted, 1,000 of which are repeated", n)
	}
}

func indexIsAMap(t *testing.T, counting func(*Index, []hash.Key)) {
	r := hash.Rand(1)
	var keys []hash.Key
	for range 40000 {
		keys = append(keys, hash.Mix(uint64(r.Below(20000))))
	}
	keys = append(keys, 0, 0, 0)
	var x Index
	if x.ID(5) != -1 {
		t.Error("an empty index knows a key")
	}
	count := map[hash.Key]int{}
	for _, k := range keys {
		count[k]++
	}
	counting(&x, keys)
	x.Cut(3)
	want := map[hash.Key]int32{}
	var order []hash.Key
	for _, k := range keys {
		id, known := want[k]
		if !known {
			id = -1
			if count[k] >= 3 {
				id = int32(len(order))
				order = append(order, k)
			}
			want[k] = id
		}
		if got := x.ID(k); got != id || x.ID(k) != id {
			t.Fatalf("key %#x, %d times: %d, want %d", k, count[k], got, id)
		}
	}
	if !slices.Equal(x.Keys(), order) || x.Len() != len(order) {
		t.Error("Keys are not by number")
	}
	if x.ID(hash.Mix(1<<40)) != -1 {
		t.Error("a key that was never counted has a number")
	}
}
