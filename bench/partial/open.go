package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// opened returns copies of the sentences under a condition.
func (b *bench) opened(condition string, list, chosen []syntax.Sentence) ([]syntax.Sentence, error) {
	out := syntax.Clone(list)
	name, number, _ := strings.Cut(condition, ":")
	n, err := strconv.Atoi(number)
	if number == "" {
		n, err = 0, nil
	}
	switch {
	case err != nil || n < 0:
		return nil, fmt.Errorf("condition %q: want a number behind the colon", condition)
	case name == "all":
		return out, nil
	case name == "heads" && b.write == "":
		return nil, fmt.Errorf("condition %q is for -write: treebeam train finds these heads by a first parser", condition)
	case name == "random" || name == "drop" || name == "heads":
		openRandom(out, n, b.seed, name)
		return out, nil
	}
	return out, b.openSample(out, list, chosen, name, n)
}

// openWord takes head and relation away.
func openWord(w *syntax.Word) { w.Head, w.Deprel, w.Deps = syntax.NoHead, "", "" }

// openRandom opens each head with a chance of so many percent, which depends on the
// seed and the places of sentence and word alone; with drop, all heads of a
// sentence that lacks one; with heads, relations stay.
func openRandom(list []syntax.Sentence, percent int, seed uint64, name string) {
	for i := range list {
		s := &list[i]
		for j := range s.Words {
			r := hash.Rand(hash.Pair(hash.Pair(seed, uint64(i)), uint64(j)))
			if int(r.Below(100)) < percent {
				deprel := s.Words[j].Deprel
				openWord(&s.Words[j])
				if name == "heads" {
					s.Words[j].Deprel = deprel
				}
			}
		}
		for j := range s.Words {
			if name == "drop" && s.Partial() {
				openWord(&s.Words[j])
			}
		}
	}
}

// A spot is a word of the sample.
type spot struct {
	sentence, word int     // in the treebank
	order          float64 // by which heads are chosen
	parsed         syntax.Word
}

// openSample opens all heads behind the first sentences but those that the
// condition chooses from the sample.
func (b *bench) openSample(out, gold, chosen []syntax.Sentence, name string, n int) error {
	number := map[string]int{}
	for i := range out {
		number[out[i].ID] = i
		for j := range out[i].Words {
			if i >= b.start {
				openWord(&out[i].Words[j])
			}
		}
	}
	if name == "start" {
		return nil
	}
	var spots []spot
	for k := range chosen {
		i, ok := number[chosen[k].ID]
		if !ok || i < b.start || len(chosen[k].Words) != len(out[i].Words) {
			return fmt.Errorf("sentence %q of the sample is none of those behind the first %d", chosen[k].ID, b.start)
		}
		for j, w := range chosen[k].Words {
			x := spot{i, j, 0, w}
			switch r := hash.Rand(hash.Pair(hash.Pair(b.seed, uint64(i)), uint64(j))); name {
			case "unsure", "kept":
				var err error
				if x.order, err = headConf(&w); err != nil {
					return fmt.Errorf("sentence %q of the sample: %w", chosen[k].ID, err)
				}
			case "any":
				x.order = r.Float()
			case "whole":
				x.order = rank(&chosen[k])
			default:
				return fmt.Errorf("unknown condition %q", name)
			}
			spots = append(spots, x)
		}
	}
	slices.SortStableFunc(spots, func(x, y spot) int { return cmp.Compare(x.order, y.order) })
	for k, x := range spots {
		w, from := &out[x.sentence].Words[x.word], &gold[x.sentence].Words[x.word]
		switch {
		case k < n:
			w.Head, w.Deprel = from.Head, from.Deprel
		case name == "whole" && k > 0 && spots[k-1].order == x.order && out[spots[k-1].sentence].Words[spots[k-1].word].Head != syntax.NoHead:
			w.Head, w.Deprel = from.Head, from.Deprel // the rest of a sentence
		case name == "kept":
			w.Head, w.Deprel = x.parsed.Head, x.parsed.Deprel
		}
	}
	if name == "kept" {
		settle(out, gold)
	}
	return nil
}

// settle opens the heads of trees that corrections and the parser's heads make
// none of: those that the parser gave, as a person would who sees the cycle.
func settle(out, gold []syntax.Sentence) {
	for i := range out {
		s := &out[i]
		if s.Partial() || isTree(s) {
			continue
		}
		for j := range s.Words {
			if s.Words[j].Head != gold[i].Words[j].Head {
				openWord(&s.Words[j])
			}
		}
	}
}

// isTree reports whether all words hang on one root word.
func isTree(s *syntax.Sentence) bool {
	roots := 0
	for m := range s.Words {
		if s.Words[m].Head == syntax.Root {
			roots++
		}
		at, steps := int32(m+1), 0
		for ; at > 0 && steps <= len(s.Words); steps++ {
			at = s.Words[at-1].Head
		}
		if at != syntax.Root {
			return false
		}
	}
	return roots == 1
}

// rank is the place of a sentence in the sample's order, which a comment says.
func rank(s *syntax.Sentence) (n float64) {
	for _, line := range s.Comments {
		if _, text, ok := strings.Cut(line, "treebeam_sample = uncertain, "); ok {
			fmt.Sscan(text, &n)
		}
	}
	return n
}

// headConf reads how sure a parser is of a head.
func headConf(w *syntax.Word) (float64, error) {
	for item := range strings.SplitSeq(w.Misc, "|") {
		if value, ok := strings.CutPrefix(item, syntax.HeadConfKey+"="); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("word %q has no %s: parse with a calibrated model", w.Form, syntax.HeadConfKey)
}
