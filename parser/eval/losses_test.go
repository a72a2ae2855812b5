package eval

import (
	"bytes"
	"reflect"
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
	runs := []Run{{SegmentationStage, raw}, {TaggingStage, tokens}, {PruningStage, tags}, {LabelStage, given}}
	l, err := Attribute(gold, runs)
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
	runs[3].Sentences = tags
	if l, err = Attribute(gold, runs); err != nil || l.Stages[2].Words != 1 || l.Stages[3].Words != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	var b bytes.Buffer
	l.write(&b)
	if text := b.String(); !strings.Contains(text, "segmentation     |         1 |     16.67 |      33.33 |████") || !strings.Contains(text, "all              |         4 |     66.67 |") {
		t.Error(text)
	}
	if _, err := Attribute(gold, []Run{{TaggingStage, gold[1:]}}); err == nil || !strings.HasPrefix(err.Error(), "tags: ") {
		t.Errorf("texts that differ: %v", err)
	}
	if _, err := Attribute(gold, nil); err == nil {
		t.Error("no runs")
	}
	if l, err := Attribute(gold, []Run{{LabelStage, gold}}); err != nil || l.Lost != 0 || len(l.ByGold) != 0 || l.Stages[0].LAS != 1 {
		t.Errorf("gold against itself: %+v, %v", l, err)
	}
}
