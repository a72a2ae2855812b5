package eval

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

func TestAttribute(t *testing.T) {
	gold := []syntax.Sentence{
		sentenceOf("a/2/x:s/0", "b/0/root/0", "c/2/y/0", "d/2/x/0"),
		sentenceOf("e/0/root/0", "f/1/y/0"),
	}
	raw := []syntax.Sentence{ // f is cut off, a and c hang wrong, d has the wrong relation
		sentenceOf("a/3/x/0", "b/0/root/0", "c/1/y/0", "d/2/z/0"),
		sentenceOf("e/0/root/0"), sentenceOf("f/0/root/0"),
	}
	tokens := []syntax.Sentence{ // f is right; b, right before, is wrong from here on
		sentenceOf("a/3/x/0", "b/3/z/0", "c/0/root/0", "d/2/z/0"),
		sentenceOf("e/0/root/0", "f/1/y/0"),
	}
	tags := []syntax.Sentence{ // a is right
		sentenceOf("a/2/x:t/0", "b/3/z/0", "c/0/root/0", "d/2/z/0"),
		sentenceOf("e/0/root/0", "f/1/y/0"),
	}
	given := []syntax.Sentence{ // c is right, d has the wrong relation still
		sentenceOf("a/2/x/0", "b/0/root/0", "c/2/y/0", "d/2/z/0"),
		sentenceOf("e/0/root/0", "f/1/y/0"),
	}
	runs := []run{{SegmentationStage, raw}, {TaggingStage, tokens}, {PruningStage, tags}, {LabelStage, given}}
	l, err := attribute(gold, runs)
	if err != nil {
		t.Fatal(err)
	}
	want := &Losses{Gold: 6, Lost: 4,
		Stages: []Loss{
			{SegmentationStage, 2. / 6, 1, 1. / 6}, {TaggingStage, 2. / 6, 1, 1. / 6},
			{PruningStage, 3. / 6, 1, 1. / 6}, {LabelStage, 5. / 6, 1, 1. / 6},
		},
		ByGold: []RelationLoss{
			{"x", 2, 2, []int{0, 1, 0, 1}}, {"y", 2, 2, []int{1, 0, 1, 0}},
		},
	}
	if !reflect.DeepEqual(l, want) {
		t.Errorf("got %+v, want %+v", l, want)
	}

	// A head that cannot be given is lost by pruning.
	runs[3].sentences = tags
	if l, err = attribute(gold, runs); err != nil || l.Stages[2].Words != 1 || l.Stages[3].Words != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	var b bytes.Buffer
	l.write(&b)
	if text := b.String(); !strings.Contains(text,
		"segmentation     |         1 |     16.67 |     33.33 |████") ||
		!strings.Contains(text, "all              |         4 |     66.67 |") {
		t.Error(text)
	}
	if _, err := attribute(gold, []run{{TaggingStage, gold[1:]}}); err == nil ||
		!strings.HasPrefix(err.Error(), "tags: ") {
		t.Errorf("texts that differ: %v", err)
	}
	if l, err := attribute(gold, []run{{LabelStage, gold}}); err != nil || l.Lost != 0 || len(l.ByGold) != 0 ||
		l.Stages[0].LAS != 1 {
		t.Errorf("gold against itself: %+v, %v", l, err)
	}
}

// crossing agrees with looking at all pairs of arcs, in all trees of few words.
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
		if got := slices.Contains(crossing(heads), true); got != want {
			t.Errorf("heads %v cross: %v, want %v", heads, got, want)
		}
	}
	if count[true]+count[false] != 125 || count[true] < 10 {
		t.Errorf("%d trees with crossing arcs, %d without, want 125 of both", count[true], count[false])
	}
}
