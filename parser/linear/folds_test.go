package linear

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// treebank returns n sentences of 1 to 9 words; one begins a document if its
// number is a multiple of documents.
func treebank(n, documents int) []syntax.Sentence {
	r := hash.Rand(uint64(n))
	list := make([]syntax.Sentence, n)
	for i := range list {
		for range 1 + r.Below(9) {
			list[i].Words = append(list[i].Words, syntax.Word{Form: string(rune('a' + r.Below(26)))})
		}
		if documents > 0 && i%documents == 0 {
			list[i].Comments = []string{"# newdoc id = d"}
		}
	}
	return list
}

func TestFolds(t *testing.T) {
	for _, documents := range []int{0, 3, 10} {
		list := treebank(400, documents)
		for i := 1; i < len(list); i += 2 { // twins
			list[i].Words = slices.Clone(list[i-1].Words)
			list[i].Words[0].UPOS = "X"
			if i%9 != 4 {
				list[i].Comments = nil
			}
		}
		total := 0
		for i := range list {
			total += len(list[i].Words)
		}
		for folds := 2; folds <= 12; folds++ {
			b := Folds(list, folds)
			if len(b) != folds+1 || b[0] != 0 || b[folds] != len(list) {
				t.Fatalf("%d folds: bounds %v", folds, b)
			}
			for f := range folds {
				words := 0
				for i := b[f]; i < b[f+1]; i++ {
					words += len(list[i].Words)
					if got := FoldOf(b, i); got != f {
						t.Fatalf("sentence %d of bounds %v is in fold %d", i, b, got)
					}
				}
				if want := total / folds; words*4 < want || words > 2*want {
					t.Errorf("documents %d: fold %d of %d has %d words of %d", documents, f, folds, words, total)
				}
				if at := b[f]; at > 0 && sameForms(&list[at-1], &list[at]) {
					t.Errorf("twins %d and %d are in two folds", at-1, at)
				}
			}
		}
	}
}

func TestFoldsFollowDocuments(t *testing.T) {
	list := treebank(95, 10)
	for _, at := range Folds(list, 4)[1:4] {
		if at%10 != 0 {
			t.Errorf("a fold starts inside a document, at %d", at)
		}
	}
}

func TestFewSentences(t *testing.T) {
	same := make([]syntax.Sentence, 3)
	for i := range same {
		same[i].Words = []syntax.Word{{Form: "x"}}
	}
	for _, c := range []struct {
		list []syntax.Sentence
		want []int
	}{{nil, []int{0, 0}}, {same[:1], []int{0, 1}}, {same, []int{0, 3}}, {treebank(2, 0), []int{0, 1, 2}}} {
		if got := Folds(c.list, 5); !slices.Equal(got, c.want) {
			t.Errorf("%d sentences: bounds %v, want %v", len(c.list), got, c.want)
		}
	}
}
