package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A climb begins with no word in line, whatever the one before it has left
// there: a word that is marked, but not in line, would not be visited again.
func TestClimbVisitsWordsLeftInLine(t *testing.T) {
	r := hash.Rand(22)
	left := 0
	for range 200 {
		s := randomSentence(12, 3, &r)
		x := newSearch(s, 500, part.Standard)
		if !x.First() {
			t.Fatal("no tree")
		}
		if x.reroot() > 0 { // as the last thing that a climb does at its limit of sweeps
			left++
		}
		x.climb()
		if w := slices.Index(x.queued, true); w >= 0 || len(x.queue) > 0 {
			t.Fatalf("word %d is still marked, %d are in line", w, len(x.queue))
		}
	}
	if left < 20 {
		t.Errorf("only %d climbs left words in line: the test sees too little", left)
	}
}

// A window that the candidates leave a word without a head in is an error
// that names it, not a panic.
func TestWindowWithoutCandidates(t *testing.T) {
	m := newModel(noise(300), part.Standard)
	n := syntax.MaxWholeWords + 100
	s := &syntax.Sentence{}
	c := &s.Candidates
	c.Start = []int32{0}
	for w := 1; w <= n; w++ {
		h := int32(0)
		if w == 700 {
			h = 2
		}
		s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: "NOUN", Head: syntax.NoHead})
		c.Heads, c.LogOdds = append(c.Heads, h), append(c.LogOdds, 0)
		if w > 1 && w != 700 && w%300 != 1 {
			c.Heads, c.LogOdds = append(c.Heads, int32(w-1)), append(c.LogOdds, 0)
		}
		c.Start = append(c.Start, int32(len(c.Heads)))
	}
	err := m.Parse(s, Options{Restarts: 1})
	if err == nil || !strings.Contains(err.Error(), "words 601 to 900: word 100 has no candidate head") {
		t.Errorf("%v", err)
	}
}
