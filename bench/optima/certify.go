package main

import (
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// steps are dials of --certify: none, the default, and more.
var steps = []int{-1, 0, 10_000, 30_000, 100_000, 300_000, 1_000_000, 10_000_000}

// byLength is the dial of the table by length.
const byLength = 1_000_000

// A tally sums what a dial did to some sentences. The search had found the
// tree of a proof if it ends in one of that score without.
type tally struct {
	sentences, words  int
	all, bound, found int
	better            int // sentences with a better tree than without proofs
	right             int
	work              search.Counters
	micro             float64
}

func (t *tally) add(words int, plain, proof *trial) {
	t.sentences++
	t.words += words
	t.right += proof.right
	t.work.Add(proof.work)
	t.micro += float64(proof.elapsed.Nanoseconds()) / 1000
	if proof.score > plain.score {
		t.better++
	}
	switch proof.certificate {
	case syntax.All:
		t.all++
	case syntax.Bound:
		t.bound++
	default:
		return
	}
	if plain.score == proof.score {
		t.found++
	}
}

// certified returns the sentences with a certificate in percent.
func (t *tally) certified() float64 { return percent(t.all+t.bound, t.sentences) }

// certificates reports on proofs that no better tree exists.
func (a *analysis) certificates(banks []*bank) error {
	results := make([][][]trial, len(banks)) // [bank][sentence][dial]
	for k, b := range banks {
		var err error
		if results[k], err = a.prove(b); err != nil {
			return err
		}
	}
	d := &a.pages
	d.section("By steps", "The search of treebeam parse with `--certify` N; -1 means none, 0 the default. Certified: percent of the sentences for which all trees were scored, for which a bound shows that no better one exists, and both. "+
		"Found: percent of the certified sentences for which the search without proofs ends in a tree with the same score. Better: percent of all sentences whose tree scores higher than without proofs. Times are measured, the best of three.")
	d.header("treebank", "sentences", "words", "steps", "all", "bound", "certified", "found", "better", "UAS", "climbs per sentence", "look-ups per word", "steps per word", "us per word")
	curve := panel{title: "sentences"}
	p := figure{name: "steps", title: "Sentences with a certificate", x: "steps at most", y: "percent", logX: true}
	for k, b := range banks {
		p.keys = append(p.keys, b.name)
		var line plotter.XYs
		for at, n := range steps {
			t := sum(b.sample, results[k], at, func(int) bool { return true })
			if n > 0 {
				line = append(line, plotter.XY{X: float64(n), Y: t.certified()})
			}
			words := float64(t.words)
			d.row(b.name, t.sentences, t.words, n, percent(t.all, t.sentences), percent(t.bound, t.sentences), t.certified(),
				percent(t.found, t.all+t.bound), percent(t.better, t.sentences), percent(t.right, t.words),
				float64(t.work.Climbs)/float64(t.sentences), fmt.Sprintf("%.0f", float64(t.work.Lookups)/words),
				fmt.Sprintf("%.0f", float64(t.work.Steps)/words), t.micro/words)
		}
		curve.lines = append(curve.lines, line)
	}
	p.panels = []panel{curve}
	d.figures = append(d.figures, p)
	a.certifiedByLength(banks, results)
	return nil
}

// prove parses the sentences of a bank with every dial, [sentence][dial]: all
// of them three times, for a sentence that was just parsed takes less time.
func (a *analysis) prove(b *bank) ([][]trial, error) {
	trials := make([][]trial, len(b.sample))
	for i := range trials {
		trials[i] = make([]trial, len(steps))
	}
	for round := range 3 {
		for at, n := range steps {
			a.each(len(trials), func(i int) {
				t := b.sample[i].parse(b.model.Decoder, search.Options{Seed: a.seed, Certify: n})
				if best := &trials[i][at]; round == 0 || t.elapsed < best.elapsed {
					*best = t
				}
			})
		}
	}
	for _, of := range trials {
		for _, t := range of {
			if t.err != nil {
				return nil, t.err
			}
		}
	}
	return trials, nil
}

// certifiedByLength has a row for every group of sentences of similar length.
func (a *analysis) certifiedByLength(banks []*bank, results [][][]trial) {
	d := &a.pages
	d.section("By length", fmt.Sprintf("The same, with the default and with %d steps.", byLength))
	d.header("treebank", "words", "sentences", "default: all", "bound", "certified", fmt.Sprintf("%d: bound", byLength), "certified", "found", "better", "steps per word", "us per word")
	for k, b := range banks {
		least := 1
		for i, most := range sizeBins {
			within := func(words int) bool { return words >= least && words <= most }
			few, many := sum(b.sample, results[k], at(0), within), sum(b.sample, results[k], at(byLength), within)
			if few.sentences > 0 {
				words := float64(many.words)
				d.row(b.name, sizeName[i], few.sentences, percent(few.all, few.sentences), percent(few.bound, few.sentences), few.certified(),
					percent(many.bound, many.sentences), many.certified(), percent(many.found, many.all+many.bound), percent(many.better, many.sentences),
					fmt.Sprintf("%.0f", float64(many.work.Steps)/words), many.micro/words)
			}
			least = most + 1
		}
	}
}

// at returns the place of a dial.
func at(dial int) int {
	for i, n := range steps {
		if n == dial {
			return i
		}
	}
	return -1
}

// sum adds up what one dial did to the sentences of some lengths.
func sum(sents []*tested, trials [][]trial, at int, within func(words int) bool) (t tally) {
	for i, s := range sents {
		if n := len(s.Words); within(n) {
			t.add(n, &trials[i][0], &trials[i][at])
		}
	}
	return t
}
