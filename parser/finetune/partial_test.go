package finetune

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An encoder learns neither open heads nor open relations.
func TestOpenHeadsAndRelations(t *testing.T) {
	s := syntax.Sentence{Words: []syntax.Word{
		{Head: 2, Deprel: "nsubj"}, {Head: syntax.Root}, {Head: syntax.NoHead, Deprel: "obl"}, {Head: 2},
	}}
	if got := syntax.GoldRelations([]syntax.Sentence{s}); !slices.Equal(got, []string{"nsubj", "root", "dep"}) {
		t.Errorf("relations %v", got)
	}
	for m, want := range map[int]int{1: 2, 2: 0, 3: -1, 4: 2} {
		if got := goldHead(&s, m); got != want {
			t.Errorf("head of word %d is %d, want %d", m, got, want)
		}
	}
	if s.Words[1].Head = syntax.NoHead; !oneRoot(&s) {
		t.Error("a tree whose root is open is left out")
	}
	if s.Words[0].Head, s.Words[1].Head = syntax.Root, syntax.Root; oneRoot(&s) {
		t.Error("a tree with two roots is not left out")
	}
}
