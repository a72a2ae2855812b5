package model

import (
	"testing"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A parser that was trained without tags scores a tree of words with tags as
// if they had none.
func TestScoreWithoutTags(t *testing.T) {
	forms := []string{"a", "b", "c", "d"}
	var train []syntax.Sentence
	for k := range 24 { // "d" is the root; the others hang on the word behind
		s := syntax.Sentence{Candidates: syntax.Candidates{Start: []int32{0}}}
		n := 3 + k%2
		for m := 1; m <= n; m++ {
			w := syntax.Word{Form: forms[(k+m*m)%3], Head: int32(m + 1)}
			if m == n {
				w = syntax.Word{Form: "d"}
			}
			s.Words = append(s.Words, w)
			for h := range int32(n + 1) {
				if int(h) != m {
					s.Candidates.Heads, s.Candidates.LogOdds = append(s.Candidates.Heads, h), append(s.Candidates.LogOdds, 0)
				}
			}
			s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
		}
		train = append(train, s)
	}
	parser, err := search.Train(word.Learn(train), train, nil, search.TrainOptions{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := train[0]
	tagged := WithoutTags(&s)
	heads := make([]int32, len(s.Words))
	for i := range heads {
		heads[i] = s.Words[i].Head
		tagged.Words[i].UPOS, tagged.Words[i].Lemma = "NOUN", "x"
	}
	want, ok := parser.Score(&s, heads)
	if shown, _ := parser.Score(&tagged, heads); !ok || shown == want {
		t.Fatalf("score %d (%t), the same with tags: the test sees nothing", want, ok)
	}
	m := &Model{Decoder: parser, noTags: true}
	if got, ok := m.Score(&tagged, heads); !ok || got != want {
		t.Errorf("score %d (%t), want %d", got, ok, want)
	}
	m.noTags = false
	if got, _ := m.Score(&tagged, heads); got == want {
		t.Error("a model with tags does not see them")
	}
}
