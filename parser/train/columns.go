package train

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// packTags packs the predicted tags and lemmas of all words in order.
func packTags(sents []syntax.Sentence) []pack.Section {
	var upos, xpos, feats, lemma []string
	for i := range sents {
		for _, w := range sents[i].Words {
			upos, xpos = append(upos, w.UPOS), append(xpos, w.XPOS)
			feats, lemma = append(feats, w.Feats), append(lemma, w.Lemma)
		}
	}
	var b pack.Builder
	s := b.Sub("tags")
	s.PutStrings("upos", upos)
	s.PutStrings("xpos", xpos)
	s.PutStrings("feats", feats)
	s.PutStrings("lemma", lemma)
	return b.Sections
}

// setTags puts packed tags into sentences with as many words.
func setTags(sents []syntax.Sentence, v *pack.View) error {
	words := 0
	for i := range sents {
		words += sents[i].Len()
	}
	var columns [4][]string
	for i, name := range []string{"upos", "xpos", "feats", "lemma"} {
		var err error
		if columns[i], err = v.GetStrings("tags", name); err != nil {
			return err
		}
		if len(columns[i]) != words {
			return fmt.Errorf("jackknifed %s for %d words, the treebank has %d", name, len(columns[i]), words)
		}
	}
	at := 0
	for i := range sents {
		for j := range sents[i].Words {
			w := &sents[i].Words[j]
			w.UPOS, w.XPOS = columns[0][at], columns[1][at]
			w.Feats, w.Lemma = columns[2][at], columns[3][at]
			at++
		}
	}
	return nil
}

// packCandidates packs the candidate heads of all sentences in order.
func packCandidates(sents []syntax.Sentence) ([]pack.Section, error) {
	var start, heads, logOdds []int32
	for i := range sents {
		c := &sents[i].Candidates
		if len(c.Start) != sents[i].Len()+1 || len(c.LogOdds) != len(c.Heads) || int(c.Start[sents[i].Len()]) != len(c.Heads) {
			return nil, fmt.Errorf("sentence %d (%s): jackknifing set no candidate heads", i+1, sents[i].ID)
		}
		start = append(start, c.Start...)
		heads, logOdds = append(heads, c.Heads...), append(logOdds, c.LogOdds...)
	}
	var b pack.Builder
	s := b.Sub("candidates")
	pack.Put(s, "start", start)
	pack.Put(s, "heads", heads)
	pack.Put(s, "logodds", logOdds)
	return b.Sections, nil
}

// setCandidates gives sentences what packCandidates packed of them. The
// lists are shared with the view and must not be changed.
func setCandidates(sents []syntax.Sentence, v *pack.View) error {
	start, err := pack.Get[int32](v, "candidates", "start")
	if err != nil {
		return err
	}
	heads, err := pack.Get[int32](v, "candidates", "heads")
	if err != nil {
		return err
	}
	logOdds, err := pack.Get[int32](v, "candidates", "logodds")
	if err != nil {
		return err
	}
	misfit := fmt.Errorf("jackknifed candidate heads do not fit the treebank")
	for i := range sents {
		n := sents[i].Len()
		if len(start) < n+1 {
			return misfit
		}
		k := int(start[n])
		if k < 0 || k > len(heads) || k > len(logOdds) {
			return misfit
		}
		sents[i].Candidates = syntax.Candidates{
			Start: start[: n+1 : n+1], Heads: heads[:k:k], LogOdds: logOdds[:k:k]}
		start, heads, logOdds = start[n+1:], heads[k:], logOdds[k:]
	}
	if len(start)+len(heads)+len(logOdds) != 0 {
		return misfit
	}
	return nil
}
