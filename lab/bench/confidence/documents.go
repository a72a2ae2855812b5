package confidence

import (
	"math"
	"strings"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
)

// An estimate is a number of right words that was expected, with its standard
// error, and what it is.
type estimate struct{ expected, spread, is, words float64 }

// add adds another part of the same text.
func (e *estimate) add(words int64, of syntax.Estimate, right int) {
	const unit = 4096 // of a syntax.Estimate
	e.words += float64(words)
	e.expected += float64(of.Right) / unit
	e.spread = math.Hypot(e.spread, math.Sqrt(float64(of.Variance)/unit))
	e.is += float64(right)
}

// pieceSize is the number of sentences of a document where a treebank does not
// say where they begin.
const pieceSize = 20

// beginsDocument says of every sentence whether it begins a document, or a piece
// if there are no two documents.
func beginsDocument(gold []syntax.Sentence) []bool {
	begins, documents := make([]bool, len(gold)), 0
	for i := range gold {
		for _, c := range gold[i].Comments {
			name := strings.TrimSpace(strings.TrimLeft(c, "#"))
			begins[i] = begins[i] || name == "newdoc" || strings.HasPrefix(name, "newdoc ")
		}
		if begins[i] {
			documents++
		}
	}
	for i := range begins {
		begins[i] = i == 0 || begins[i] && documents > 1 || documents < 2 && i%pieceSize == 0
	}
	return begins
}

// addDocuments adds what is expected of single documents beside what is true of
// them: sentences of system are those of gold.
func (r *report) addDocuments(p pair, gold, system []syntax.Sentence, judgements []calibrate.Judgement) {
	var lists [3][]estimate // UPOS, UAS, LAS
	for i, begins := range beginsDocument(gold) {
		e, j := &system[i].Confidence.Expected, &judgements[i]
		for k, of := range []struct {
			said  syntax.Estimate
			right []bool
		}{{e.UPOS, j.UPOS}, {e.UAS, j.Head}, {e.LAS, j.LAS}} {
			if begins {
				lists[k] = append(lists[k], estimate{})
			}
			right := 0
			for _, is := range of.right {
				if is {
					right++
				}
			}
			if e.Words > 0 {
				lists[k][len(lists[k])-1].add(e.Words, of.said, right)
			}
		}
	}
	for k, of := range []eval.Metric{eval.UPOS, eval.UAS, eval.LAS} {
		distance, spread, within, twice, n := 0.0, 0.0, 0.0, 0.0, 0.0
		for _, e := range lists[k] {
			if e.words == 0 {
				continue
			}
			n++
			d := math.Abs(e.expected - e.is)
			distance += d / e.words
			spread += e.spread / e.words
			if d <= e.spread {
				within++
			}
			if d <= 2*e.spread {
				twice++
			}
		}
		if n > 0 {
			r.documents.add(p.treebank, p.name, of, n, percent(distance/n), percent(spread/n), percent(within/n), percent(twice/n))
		}
	}
}
