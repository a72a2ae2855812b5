package syntax

import (
	"fmt"
	"slices"
	"testing"
)

// A window has the candidates that lie inside, renumbered, and no others.
func TestWindowKeepsTheCandidatesInside(t *testing.T) {
	s := Sentence{Status: Repaired}
	s.Candidates.Start = []int32{0}
	heads := [][]int32{{0, 2}, {1, 3, 5}, {0, 2, 4, 6}, {1, 5}, {1, 6}, {0, 1, 3, 4, 5}}
	for m, list := range heads {
		s.Words = append(s.Words, Word{Form: fmt.Sprint("w", m+1), Head: list[0]})
		for _, h := range list {
			s.Candidates.Heads = append(s.Candidates.Heads, h)
			s.Candidates.LogProb = append(s.Candidates.LogProb, -10*int32(m+1)-h)
		}
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
	}
	for lo := range 6 {
		for hi := lo + 1; hi <= 6; hi++ {
			w := s.Window(lo, hi)
			if len(w.Words) != hi-lo || len(w.Candidates.Start) != hi-lo+1 || w.Status != Repaired {
				t.Fatalf("%d to %d: %+v", lo, hi, w)
			}
			for m := lo + 1; m <= hi; m++ {
				var want, logProb []int32
				for _, h := range heads[m-1] {
					switch {
					case h == Root:
						want, logProb = append(want, Root), append(logProb, -10*int32(m)-h)
					case int(h) > lo && int(h) <= hi:
						want, logProb = append(want, h-int32(lo)), append(logProb, -10*int32(m)-h)
					}
				}
				from, to := w.Candidates.Start[m-lo-1], w.Candidates.Start[m-lo]
				if !slices.Equal(w.Candidates.Of(m-lo), want) || !slices.Equal(w.Candidates.LogProb[from:to], logProb) {
					t.Errorf("window %d to %d, word %d: heads %v, want %v", lo, hi, m, w.Candidates.Of(m-lo), want)
				}
			}
			w.Words[0].Head = 99
			if s.Words[lo].Head == 99 {
				t.Fatal("the window shares the words of the sentence")
			}
		}
	}
	var bare Sentence
	bare.Words = s.Words
	if w := bare.Window(2, 4); len(w.Candidates.Start) != 0 {
		t.Error("a window of a sentence without candidates has some")
	}
}
