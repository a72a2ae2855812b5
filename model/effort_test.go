package model

import (
	"fmt"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

func TestGroups(t *testing.T) {
	r := hash.Rand(5)
	for _, n := range []int{0, 1, 7, 500} {
		for _, workers := range []int{0, 1, 64} {
			words := make([]int, n)
			for i := range words {
				words[i] = int(r.Below(60))
				if r.Below(50) == 0 {
					words[i] = 900
				}
			}
			seen, last := make([]bool, n), 1<<30
			for _, group := range Groups(n, workers, func(i int) int { return words[i] }) {
				size := 0
				for _, i := range group {
					if seen[i] || words[i] > last {
						t.Fatalf("%d sentences, %d workers: %d is there twice or out of order", n, workers, i)
					}
					seen[i], last = true, words[i]
					size += words[i]
				}
				if len(group) == 0 || len(group) > 1 && size > mostGroup {
					t.Errorf("%d sentences, %d workers: a group of %d with %d words", n, workers, len(group), size)
				}
			}
			if slices.Contains(seen, false) {
				t.Errorf("%d sentences, %d workers: some are in no group", n, workers)
			}
		}
	}
}

// Sentences that are not sure enough are encoded, each once, and lose their
// scores again; the others have what they get without. What is given stays what
// it was for the second parse.
func TestEffort(t *testing.T) {
	const n = 50
	for _, least := range []float64{0, 0.25, 0.8, 1} {
		var sents []*syntax.Sentence
		for i := range n {
			s := &syntax.Sentence{ID: fmt.Sprint(i), Words: make([]syntax.Word, i%9)}
			for k := range s.Words {
				s.Words[k].Head = syntax.NoHead
			}
			sents = append(sents, s)
		}
		met, ways := make([]int, n), make([]string, n)
		e := Effort{Least: least,
			Encode: func(which []int, list []*syntax.Sentence) {
				for k, s := range list {
					if s != sents[which[k]] {
						t.Fatalf("sentence %d is number %s", which[k], s.ID)
					}
					met[which[k]]++
					s.Dense.Arcs = []int32{1}
				}
			},
			Parse: func(i int, s *syntax.Sentence) bool {
				ways[i] = "fast"
				if s.Dense.Arcs != nil {
					ways[i] = "accurate"
				}
				for k := range s.Words {
					if s.Words[k].Head != syntax.NoHead {
						t.Errorf("sentence %d was parsed before", i)
					}
					s.Words[k].Head = 0
					s.Confidence.DeprelConf = append(s.Confidence.DeprelConf, float32(i)/n)
				}
				return i != n-1 || s.Dense.Arcs != nil // the last one fails the fast way
			}}
		words, want := e.Run(sents), 0
		for i, s := range sents {
			accurate := least == 1 || least > 0 && (i == n-1 || len(s.Words) > 0 && float64(float32(i)/n) < least)
			if accurate {
				want += len(s.Words)
			}
			if accurate != (ways[i] == "accurate") || accurate != (met[i] == 1) || met[i] > 1 || s.Dense.Arcs != nil ||
				len(s.Confidence.DeprelConf) != len(s.Words) {
				t.Errorf("least %v: sentence %d was encoded %d times, and parsed the %s way: %+v", least, i, met[i], ways[i], s)
			}
		}
		if words != want {
			t.Errorf("least %v: %d words were encoded, want %d", least, words, want)
		}
	}
}
