package spill

import (
	"cmp"
	"encoding/gob"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func sorter(limit int) *Sorter[int] {
	return &Sorter[int]{
		Compare: func(a, b *int) int { return cmp.Compare(*a, *b) }, Size: func(*int) int { return 2 }, Limit: limit,
		Encoder: func(w io.Writer) func(*int) error {
			e := gob.NewEncoder(w)
			return func(v *int) error { return e.Encode(v) }
		},
		Decoder: func(r io.Reader) func(*int) error {
			d := gob.NewDecoder(r)
			return func(v *int) error { return d.Decode(v) }
		},
	}
}

// However much is held in memory, all values come in order, as often as they are asked
// for, and no file is left.
func TestSorter(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 9, 10, 11, 1000} {
		values := make([]int, n)
		for i := range values {
			values[i] = rng.IntN(n)
		}
		for _, limit := range []int{1, 20, 22, 700, 1 << 20} {
			s := sorter(limit)
			for _, v := range values {
				if err := s.Add(v); err != nil {
					t.Fatal(err)
				}
			}
			if (s.file.File != nil) != (2*n >= limit) {
				t.Errorf("%d values, limit %d: a file is there: %v", n, limit, s.file.File != nil)
			}
			for range 2 {
				var got []int
				for v, err := range s.All() {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, *v)
				}
				if !slices.Equal(got, slices.Sorted(slices.Values(values))) {
					t.Errorf("%d values, limit %d: got %v", n, limit, got)
				}
			}
			for range s.All() {
				break // a consumer that has enough
			}
			s.Close()
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// What is wrong with the file is said at once and in the end.
func TestNoFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	s := sorter(10)
	failed := 0
	for v := range 20 {
		if s.Add(v) != nil {
			failed++
		}
	}
	var last error
	for _, err := range s.All() {
		last = err
	}
	if failed != 16 || last == nil {
		t.Errorf("%d errors, the last %v", failed, last)
	}
	s.Close()
}
