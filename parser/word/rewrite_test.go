package word

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// longestRun tries all places.
func longestRun(a, b []rune) (i, j, n int) {
	for x := range a {
		for y := range b {
			k := 0
			for x+k < len(a) && y+k < len(b) && a[x+k] == b[y+k] {
				k++
			}
			if k > n {
				i, j, n = x, y, k
			}
		}
	}
	return i, j, n
}

func TestCommonRun(t *testing.T) {
	r := hash.Rand(3)
	draw := func() (s []rune) {
		for range r.Below(12) {
			s = append(s, 'a'+rune(r.Below(3)))
		}
		return s
	}
	for range 20_000 {
		a, b := draw(), draw()
		i, j, n := CommonRun(a, b)
		if x, y, k := longestRun(a, b); i != x || j != y || n != k {
			t.Fatalf("%q and %q: %d %d %d, want %d %d %d", string(a), string(b), i, j, n, x, y, k)
		}
	}
}

// What is longer than any word that is inflected costs nothing.
func TestCommonRunIsBounded(t *testing.T) {
	xs := slices.Repeat([]rune{'x'}, 1_000_000)
	if _, _, n := CommonRun(xs[:MaxRun], xs[:MaxRun]); n != MaxRun {
		t.Errorf("%d common runes, want %d", n, MaxRun)
	}
	for _, pair := range [][2][]rune{{xs, xs}, {xs[:1], xs}, {xs, xs[:1]}} {
		if _, _, n := CommonRun(pair[0], pair[1]); n != 0 {
			t.Errorf("%d common runes of %d and %d, want 0", n, len(pair[0]), len(pair[1]))
		}
	}
}
