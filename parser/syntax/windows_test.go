package syntax

import (
	"fmt"
	"slices"
	"testing"
)

// Every word is in the middle of one window, with words around it.
func TestWindows(t *testing.T) {
	for _, n := range []int{0, 1, MaxWholeWords, MaxWholeWords + 1, 2345} {
		s := Sentence{Words: make([]Word, n)}
		for i := range s.Words {
			s.Words[i].Form = []string{"w", ",", "w", "w", "."}[(i*i/7)%5]
		}
		if s.Whole() != (n <= MaxWholeWords) {
			t.Errorf("%d words: whole %v", n, s.Whole())
		}
		at := 0
		for _, w := range s.Windows() {
			if w.From != at || w.To <= w.From || w.To-w.From > windowWords || w.To < n && w.To-w.From < windowWords/2 {
				t.Fatalf("%d words: %+v after word %d", n, w, at)
			}
			if w.Lo != max(w.From-aroundWindow, 0) || w.Hi != min(w.To+aroundWindow, n) {
				t.Errorf("%d words: %+v", n, w)
			}
			at = w.To
		}
		if at != n {
			t.Errorf("%d of %d words", at, n)
		}
	}
}

// A window has the candidates that lie inside, renumbered, and no others.
func TestWindowKeepsTheCandidatesInside(t *testing.T) {
	s := Sentence{Status: Repaired}
	s.Candidates.Start = []int32{0}
	heads := [][]int32{{0, 2}, {1, 3, 5}, {0, 2, 4, 6}, {1, 5}, {1, 6}, {0, 1, 3, 4, 5}}
	for m, list := range heads {
		s.Words = append(s.Words, Word{Form: fmt.Sprint("w", m+1), Head: list[0]})
		for _, h := range list {
			s.Candidates.Heads = append(s.Candidates.Heads, h)
			s.Candidates.LogOdds = append(s.Candidates.LogOdds, -10*int32(m+1)-h)
		}
		s.Candidates.Start = append(s.Candidates.Start, int32(len(s.Candidates.Heads)))
		s.Candidates.Lost = append(s.Candidates.Lost, float32(m))
	}
	for lo := range 6 {
		for hi := lo + 1; hi <= 6; hi++ {
			w := s.Window(lo, hi)
			if len(w.Words) != hi-lo || len(w.Candidates.Start) != hi-lo+1 || w.Status != Repaired {
				t.Fatalf("%d to %d: %+v", lo, hi, w)
			}
			for m := lo + 1; m <= hi; m++ {
				var want, odds []int32
				for _, h := range heads[m-1] {
					switch {
					case h == Root:
						want, odds = append(want, Root), append(odds, -10*int32(m)-h)
					case int(h) > lo && int(h) <= hi:
						want, odds = append(want, h-int32(lo)), append(odds, -10*int32(m)-h)
					}
				}
				from, to := w.Candidates.Start[m-lo-1], w.Candidates.Start[m-lo]
				if !slices.Equal(w.Candidates.Of(m-lo), want) || !slices.Equal(w.Candidates.LogOdds[from:to], odds) {
					t.Errorf("window %d to %d, word %d: heads %v, want %v", lo, hi, m, w.Candidates.Of(m-lo), want)
				}
			}
			if !slices.Equal(w.Candidates.Lost, s.Candidates.Lost[lo:hi]) {
				t.Errorf("window %d to %d lost %v", lo, hi, w.Candidates.Lost)
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

// A window has the dense scores of its words, and no memo of the whole.
func TestWindowOfDenseScores(t *testing.T) {
	const n, labels, tags, feats = 5, 3, 2, 4
	s := Sentence{Words: make([]Word, n)}
	s.SetMemo("whole")
	s.Dense.Network = true
	for i := range int32((n + 1) * (n + 1)) {
		s.Dense.Arcs = append(s.Dense.Arcs, i)
	}
	for i := range int32(n * labels) {
		s.Dense.Labels = append(s.Dense.Labels, i)
	}
	for i := range int32(n * tags) {
		s.Dense.Tags = append(s.Dense.Tags, i)
	}
	for i := range int32(n * feats) {
		s.Dense.Feats = append(s.Dense.Feats, i)
	}
	for i := range 2 * (n + 1) {
		s.Dense.Vectors, s.Dense.Scales = append(s.Dense.Vectors, int8(2*i), int8(2*i+1)), append(s.Dense.Scales, float32(i))
	}
	for lo := range n {
		for hi := lo + 1; hi <= n; hi++ {
			w := s.Window(lo, hi)
			k := hi - lo
			if len(w.Dense.Arcs) != (k+1)*(k+1) || len(w.Dense.Labels) != k*labels || len(w.Dense.Tags) != k*tags ||
				len(w.Dense.Feats) != k*feats || len(w.Dense.Vectors) != 4*(k+1) || len(w.Dense.Scales) != 2*(k+1) ||
				!w.Dense.Network || w.Memo() != nil {
				t.Fatalf("%d to %d: %+v, memo %v", lo, hi, w.Dense, w.Memo())
			}
			for m := 1; m <= k; m++ {
				for h := 0; h <= k; h++ {
					whole := h
					if h > 0 {
						whole += lo
					}
					if got, want := w.Dense.Arcs[h*(k+1)+m], s.Dense.Arcs[whole*(n+1)+m+lo]; got != want {
						t.Errorf("%d to %d: arc %d -> %d is %d, want %d", lo, hi, h, m, got, want)
					}
				}
			}
			for m := 0; m <= k; m++ {
				whole := m
				if m > 0 {
					whole += lo
				}
				if !slices.Equal(w.Dense.Vectors[4*m:4*m+4], s.Dense.Vectors[4*whole:4*whole+4]) ||
					!slices.Equal(w.Dense.Scales[2*m:2*m+2], s.Dense.Scales[2*whole:2*whole+2]) {
					t.Errorf("%d to %d: the vectors of word %d are others", lo, hi, m)
				}
			}
			if w.Dense.Labels[0] != s.Dense.Labels[lo*labels] || w.Dense.Tags[0] != s.Dense.Tags[lo*tags] ||
				w.Dense.Feats[0] != s.Dense.Feats[lo*feats] {
				t.Errorf("%d to %d: labels, tags or FEATS of other words", lo, hi)
			}
		}
	}
	bare := Sentence{Words: s.Words}
	if d := bare.Window(1, 3).Dense; d.Arcs != nil || d.Labels != nil || d.Tags != nil || d.Feats != nil ||
		d.Vectors != nil || d.Scales != nil {
		t.Error("a window of a sentence without dense scores has some")
	}
}
