package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/projective"
	"github.com/treebeam/treebeam/parser/prune"
	weights "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// judged are the searches that the third-order programs judge: all but the
// last without crossing arcs.
var judged = []struct {
	name    string
	options search.Options
}{
	{"1 climb", search.Options{Restarts: 1, Exact: -1, Certify: -1}},
	{"default without proofs", search.Options{Exact: -1, Certify: -1}},
	{"default", search.Options{}},
	{"100 climbs", search.Options{Restarts: 100, Patience: 100, Exact: -1, Certify: -1}},
	{"1,000,000 steps of proof", search.Options{Certify: 1_000_000}},
	{"default, with crossing arcs", search.Options{}},
}

// A judge is a decoder that finds the best projective tree. It is for one
// sentence.
type judge struct {
	result projective.Result
	steps  int64
}

var charts = sync.Pool{New: func() any { return new(projective.Chart) }}

// Decode implements search.Decoder.
func (j *judge) Decode(x *search.Search) bool {
	head := make([]int32, x.Scores.N+1)
	chart := charts.Get().(*projective.Chart)
	_, j.steps, j.result = chart.Best(&x.Scores, 1<<40, head)
	charts.Put(chart)
	if j.result != projective.Found {
		return false
	}
	x.Tree.Set(&x.Scores.Arcs, head)
	x.Offer()
	return true
}

// fitting are the families that have a third-order program.
func fitting() part.Families {
	on, err := part.Families(0).With("+gp,+cs,+gs,+ts,+hb,+cross")
	if err != nil {
		panic(err)
	}
	return on
}

// A verdict sums what one search did to some sentences.
type verdict struct {
	sentences, words, right int
	found, above, proofs    int // above: scores higher than the best projective tree
	loss, micro             float64
	lookups, steps          int64
}

func (v *verdict) add(words int, t, best *trial) {
	v.sentences++
	v.words += words
	v.right += t.right
	v.micro += float64(t.elapsed.Nanoseconds()) / 1000
	v.lookups += t.work.Lookups
	v.steps += t.work.Steps
	switch {
	case t.score == best.score:
		v.found++
	case t.score > best.score:
		v.above++
	default:
		v.loss += float64(best.score-t.score) / weights.Unit
	}
	if t.certificate != syntax.Uncertain {
		v.proofs++
	}
}

// third reports on how often the search finds the best projective tree.
func (a *analysis) third(banks []*bank) error {
	d := &a.pages
	d.section("Third-order projective trees", "Koo and Collins (2010) find the best projective tree over the candidates exactly. The search, with `--projective` and the same scores, finds it or ends below. "+
		"Found: percent of the sentences. Loss: below the optimum, in units of one wrong head, of the sentences where it is not found. Times are measured, the least of three.")
	d.header("treebank", "families", "search", "sentences", "words", "found", "higher", "mean loss of the others", "certified", "UAS", "look-ups per word", "steps per word", "us per word")
	type length struct{ climb, exact verdict }
	lengths := make([][]length, len(banks))
	for k, b := range banks {
		m := b.model.Decoder.Restricted(fitting())
		name := "`" + strings.ReplaceAll(m.Families().String(), ",", "` `") + "`"
		trials, large, err := a.judge(m, b)
		if err != nil {
			return err
		}
		lengths[k] = make([]length, len(sizeBins))
		sums := make([]verdict, len(judged)+1)
		for i, of := range trials {
			if of == nil {
				continue
			}
			words := len(b.sample[i].Words)
			for at := range of {
				sums[at].add(words, &of[at], &of[len(judged)])
			}
			at, _ := slices.BinarySearch(sizeBins, words)
			lengths[k][at].climb.add(words, &of[1], &of[len(judged)])
			lengths[k][at].exact.add(words, &of[len(judged)], &of[len(judged)])
		}
		for at, v := range sums {
			search := fmt.Sprintf("exact (%d sentences were too large)", large)
			if at < len(judged) {
				search = judged[at].name
			}
			d.row(b.name, name, search, v.sentences, v.words, percent(v.found, v.sentences), percent(v.above, v.sentences), v.loss/float64(max(1, v.sentences-v.found-v.above)),
				percent(v.proofs, v.sentences), percent(v.right, v.words), fmt.Sprintf("%.0f", float64(v.lookups)/float64(v.words)), fmt.Sprintf("%.0f", float64(v.steps)/float64(v.words)), v.micro/float64(v.words))
		}
	}
	d.section("By length", fmt.Sprintf("The same: %s, and exact.", judged[1].name))
	d.header("treebank", "words", "sentences", "found", "mean loss of the others", "us per word, climbs", "us per word, exact", "steps per word, exact")
	for k, b := range banks {
		for i, l := range lengths[k] {
			if v := &l.climb; v.sentences > 0 {
				d.row(b.name, sizeName[i], v.sentences, percent(v.found, v.sentences), v.loss/float64(max(1, v.sentences-v.found)),
					v.micro/float64(v.words), l.exact.micro/float64(v.words), fmt.Sprintf("%.0f", float64(l.exact.steps)/float64(v.words)))
			}
		}
	}
	return nil
}

// judge parses the sentences of a bank by every search, the exact one last:
// [sentence][search], nil for sentences that are too large for it, which it
// counts. A projective tree above the exact one is an error.
func (a *analysis) judge(m *search.Model, b *bank) (trials [][]trial, large int, err error) {
	trials = make([][]trial, len(b.sample))
	errs := make([]error, len(trials))
	for round := range 3 {
		a.each(len(trials), func(i int) {
			plain := b.sample[i]
			plane := *plain
			plane.Candidates = clone(&plain.Candidates)
			if errs[i] = prune.Project(&plane.Sentence, nil); errs[i] != nil || round > 0 && trials[i] == nil {
				return
			}
			var now []trial
			for at, j := range judged {
				s := &plane
				if j.options.Projective = at < len(judged)-1; !j.options.Projective {
					s = plain
				}
				j.options.Seed = a.seed
				now = append(now, s.parse(m, j.options))
			}
			exact := new(judge)
			now = append(now, plane.parse(m, search.Options{Decoder: exact}))
			now[len(judged)].work.Steps = exact.steps
			if exact.result == projective.TooLarge {
				return
			}
			for at := range now {
				t, best := &now[at], &now[len(judged)]
				if t.err != nil {
					errs[i] = t.err
				} else if at < len(judged)-1 && (t.score > best.score || t.certificate != syntax.Uncertain && t.score != best.score) {
					errs[i] = fmt.Errorf("%s: %s ends at %d, certificate %q, the best projective tree has %d", plain.ID, judged[at].name, t.score, t.certificate, best.score)
				}
				if round > 0 {
					t.elapsed = min(t.elapsed, trials[i][at].elapsed)
				}
			}
			trials[i] = now
		})
	}
	for i, of := range trials {
		if errs[i] != nil {
			return nil, 0, errs[i]
		}
		if of == nil {
			large++
		}
	}
	return trials, large, nil
}

func clone(c *syntax.Candidates) syntax.Candidates {
	copied := *c
	copied.Start, copied.Heads, copied.LogOdds = slices.Clone(c.Start), slices.Clone(c.Heads), slices.Clone(c.LogOdds)
	return copied
}
