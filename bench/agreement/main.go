// Command agreement says whether a second parser's opinion helps to tell what is
// right (Liang, Taskar and Klein 2006): whether it has the same head, and how sure
// it is of its own. Two parsers parse the words of a treebank with tags of their
// own. A logistic regression of all signals of the first gives the probability
// that its heads are right, another one has the second parser's opinion too; each
// half of the treebank is judged by a fit to the other half. Printed are AURC and
// ECE in percent (package eval), and processor time for a word.
//
//	agreement [-model FILE] -second FILE[,FILE...] -gold FILE.conllu
//
// The second parser "fast" is the first one without its encoder.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func main() {
	path := flag.String("model", "embedded", "model file, embedded or embedded-accurate")
	second := flag.String("second", "", "model files of second parsers, with commas between")
	gold := flag.String("gold", "", "treebank")
	flag.Parse()
	if err := run(os.Stdout, *path, strings.Split(*second, ","), *gold); err != nil {
		fmt.Fprintln(os.Stderr, "agreement:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, path string, seconds []string, treebank string) error {
	gold, err := conllu.ReadAll(treebank)
	if err != nil {
		return err
	}
	first, cost, err := parse(path, 1, gold)
	if err != nil {
		return err
	}
	alone, err := judge(gold, first, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-26s UAS %.2f, AURC %.2f, ECE %.2f; %.0f us per word\n", path, 100*float64(alone.Right)/float64(alone.Cases), 100*alone.AURC, 100*alone.ECE, cost)
	for _, name := range seconds {
		other, effort := name, 1.0
		if name == "fast" {
			other, effort = path, 0
		}
		second, more, err := parse(other, effort, gold)
		if err != nil {
			return err
		}
		both, err := judge(gold, first, second)
		if err != nil {
			return err
		}
		same, right := 0, 0
		for k := range first {
			for i, x := range first[k].Words {
				if x.Head == second[k].Words[i].Head {
					same++
				} else if x.Head == gold[k].Words[i].Head {
					right++
				}
			}
		}
		fmt.Fprintf(w, "  %-24s agrees on %.1f %%; where not, %.1f %% are right; with it AURC %.2f (%+.1f %%), ECE %.2f; %.0f us (%+.0f %%)\n", name,
			100*float64(same)/float64(both.Cases), 100*float64(right)/float64(max(both.Cases-same, 1)), 100*both.AURC, 100*(both.AURC/alone.AURC-1), 100*both.ECE, more, 100*more/cost)
	}
	return nil
}

// parse returns the sentences as a model parses them, with its encoder at effort
// 1 and without at 0, and the microseconds of processor time for a word.
func parse(path string, effort float64, gold []syntax.Sentence) (out []syntax.Sentence, cost float64, err error) {
	m, err := model.Open(path)
	if err != nil {
		return nil, 0, err
	}
	used := func() time.Duration {
		var u syscall.Rusage
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began, words := used(), 0
	out, _, err = train.PredictAt(m, effort, search.Options{Seed: train.SearchSeed}, gold, nil, train.GoldTokens, 1)
	took := used() - began
	for i := range out {
		words += len(out[i].Words)
	}
	return out, took.Seconds() * 1e6 / float64(max(words, 1)), err
}

// A sample is a word: its signals, and whether its head is right.
type sample struct {
	x     []float64
	right bool
}

// judge sets HeadConf of first, and measures it. second may be nil.
func judge(gold, first, second []syntax.Sentence) (eval.Reliability, error) {
	const folds = 20 // dealt out to the two halves in turn
	bounds := hash.Folds(gold, folds)
	var halves [2][]sample
	for k := range first {
		half := hash.FoldOf(bounds, k) % 2
		for i, w := range first[k].Words {
			s := sample{signals(&first[k], i), w.Head == gold[k].Words[i].Head}
			if second != nil {
				odds, same := doubt(second[k].Confidence.HeadDoubt[i]), flagged(w.Head == second[k].Words[i].Head)
				s.x = append(s.x, same, same*odds, (1-same)*odds)
			}
			halves[half] = append(halves[half], s)
		}
	}
	weights, at := [2][]float64{fit(halves[1]), fit(halves[0])}, [2]int{}
	for k := range first {
		half, conf := hash.FoldOf(bounds, k)%2, make([]float32, len(first[k].Words))
		for i := range conf {
			conf[i] = float32(sigmoid(halves[half][at[half]].x, weights[half]))
			at[half]++
		}
		first[k].Confidence.HeadConf = conf
	}
	list, err := eval.Reliabilities(gold, first)
	for _, r := range list {
		if r.Column == "head_conf" && r.Of == "head" {
			return r, err
		}
	}
	return eval.Reliability{}, err
}

// signals returns what the first parser says of word i.
func signals(s *syntax.Sentence, i int) []float64 {
	c, tags := &s.Confidence, 0.0
	for _, p := range s.TagProb {
		tags += math.Log(float64(p)) / float64(len(s.Words))
	}
	margin := min(float64(c.HeadMargin[i]), 64)
	return []float64{
		1, doubt(c.HeadDoubt[i]), doubt(c.FirstDoubt[i]), doubt(1 - c.LabelProb[i]), doubt(1 - s.TagProb[i]), tags,
		float64(s.Unknown) / float64(max(s.Lexical, 1)), margin / (1 + margin), math.Log1p(margin), flagged(margin == 64),
		flagged(c.Restarts == 0), flagged(s.Words[i].Head == syntax.Root), math.Log(float64(len(s.Words))),
	}
}

func flagged(x bool) float64 {
	if x {
		return 1
	}
	return 0
}

// doubt returns the log-odds of what is wrong with probability p.
func doubt(p float32) float64 {
	q := min(max(float64(p), 1e-9), 1-1.0/8192)
	return math.Log(q / (1 - q))
}

func sigmoid(x, w []float64) float64 {
	z := 0.0
	for i := range x {
		z += x[i] * w[i]
	}
	return 1 / (1 + math.Exp(-z))
}

// fit returns the weights under which samples are likeliest, by Newton's method
// with a little L2.
func fit(samples []sample) []float64 {
	const ridge, rounds = 1e-3, 25
	w := make([]float64, len(samples[0].x))
	for range rounds {
		a := make([][]float64, len(w)) // Hessian, and behind it the gradient
		for i := range a {
			a[i] = make([]float64, len(w)+1)
			a[i][i], a[i][len(w)] = ridge, -ridge*w[i]
		}
		for k := range samples {
			p := sigmoid(samples[k].x, w)
			for i, x := range samples[k].x {
				a[i][len(w)] += (flagged(samples[k].right) - p) * x
				for j, y := range samples[k].x {
					a[i][j] += p * (1 - p) * x * y
				}
			}
		}
		for i := range a { // Gauss and Jordan; it is positive definite
			for r := range a {
				f := a[r][i] / a[i][i]
				for c := i; c <= len(w) && r != i; c++ {
					a[r][c] -= f * a[i][c]
				}
			}
		}
		for i := range w {
			w[i] += a[i][len(w)] / a[i][i]
		}
	}
	return w
}
