package eval

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// headed makes a sentence with these heads whose candidates are given by word.
func headed(heads []int32, candidates ...[]int32) syntax.Sentence {
	s := syntax.Sentence{Candidates: syntax.Candidates{Start: []int32{0}}}
	for _, h := range heads {
		s.Words = append(s.Words, syntax.Word{Form: "w", Head: h})
	}
	for _, c := range candidates {
		s.Candidates.Heads = append(s.Candidates.Heads, c...)
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
	}
	return s
}

func TestBlame(t *testing.T) {
	all := [][]int32{{0, 2, 3}, {0, 1, 3}, {0, 1, 2}}
	gold := []syntax.Sentence{headed([]int32{0, 1, 1}), headed([]int32{0, 1, 1}), headed([]int32{0, 1, 1}), headed([]int32{0, 1, 1}), headed([]int32{0, 0, 1})}
	found := []syntax.Sentence{
		headed([]int32{0, 1, 1}, all...), // right
		headed([]int32{0, 1, 2}, all...), // gold is better
		headed([]int32{2, 0, 2}, all...), // gold is as good
		headed([]int32{0, 3, 1}, []int32{0}, []int32{3}, []int32{1}),
		headed([]int32{0, 1, 1}, all...), // gold has two roots
	}
	score := func(s *syntax.Sentence, heads []int32) (int64, bool) {
		roots := 0
		for i, h := range heads {
			if h == 0 {
				roots++
			}
			if !slices.Contains(s.Candidates.Of(i+1), h) {
				return 0, false
			}
		}
		if roots != 1 {
			return 0, false
		}
		return map[string]int64{"\x00\x01\x01": 7, "\x00\x01\x02": 6, "\x02\x00\x02": 7, "\x00\x03\x01": 9}[text(heads)], true
	}
	e, err := Blame(gold, found, score)
	if err != nil {
		t.Fatal(err)
	}
	want := TreeErrors{
		Causes: map[Cause]CauseCount{NoError: {1, 3, 0}, PruningError: {2, 6, 2}, SearchError: {1, 3, 1}, ModelError: {1, 3, 3}},
		Pruned: 1,
	}
	if !reflect.DeepEqual(*e, want) {
		t.Errorf("got %+v, want %+v", *e, want)
	}
	var out bytes.Buffer
	e.writeCauses(&out)
	if !strings.Contains(out.String(), "search           |         1 |     20.00 |         1 |      6.67") ||
		!strings.Contains(out.String(), "pruned: 1 (6.67 %)") {
		t.Errorf("table:\n%s", out.String())
	}
	if _, err := Blame(gold, found[1:], score); err == nil {
		t.Error("a parse with fewer sentences was accepted")
	}
	found[1].Candidates = syntax.Candidates{}
	if _, err := Blame(gold, found, score); err == nil {
		t.Error("a parse without candidates was accepted")
	}
}

func text(heads []int32) string {
	b := make([]byte, len(heads))
	for i, h := range heads {
		b[i] = byte(h)
	}
	return string(b)
}

// Crosses agrees with looking at all pairs of arcs, in all trees of few words.
func TestCrosses(t *testing.T) {
	heads := make([]int32, 4)
	count := map[bool]int{}
	for code := range 5 * 5 * 5 * 5 {
		for i := range heads {
			heads[i], code = int32(code%5), code/5
		}
		want, tree := false, true
		for i, h := range heads {
			u := int32(i + 1)
			for steps := 0; u != 0 && steps <= len(heads); steps++ {
				u = heads[u-1]
			}
			tree = tree && u == 0
			for j, g := range heads {
				a, b := min(h, int32(i+1)), max(h, int32(i+1))
				c, d := min(g, int32(j+1)), max(g, int32(j+1))
				want = want || a < c && c < b && b < d
			}
		}
		if !tree {
			continue
		}
		count[want]++
		if got := Crosses(heads); got != want {
			t.Errorf("heads %v cross: %v, want %v", heads, got, want)
		}
	}
	if count[true]+count[false] != 125 || count[true] < 10 {
		t.Errorf("%d trees with crossing arcs, %d without, want 125 of both", count[true], count[false])
	}
}
