package part

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// What a panic left half done in the scratch does not reach the next sentence.
func TestPrepareForgetsOpenQuestions(t *testing.T) {
	r := hash.Rand(17)
	for k := range 50 {
		s := randomSentence(3+k%8, 5, &r)
		x := newScratch(s, 400, All)
		x.t.deferred = true
		for c := range int32(3) {
			x.t.Score(kindOf("gp").Part(c, 2, 1, 0))
		}
		next := randomSentence(3+k%5, 5, &r)
		x.t.Prepare(&Source{Vocabulary: word.Learn(nil), Parts: noise(400), Families: All}, next)
		fresh := newScratch(next, 400, All)
		if !slices.Equal(x.t.Arcs.Score, fresh.t.Arcs.Score) {
			t.Fatal("scores of arcs are not those of fresh scratch")
		}
		x.chain()
		if got, want := x.t.Total(&x.y), x.t.FromScratch(&x.y); got != want {
			t.Fatalf("total %d, from scratch %d", got, want)
		}
	}
}
