//go:build unix

// Command posterior compares signals of how sure a head is, on sentences with gold
// trees: what they tell, and what they cost. Words are the gold ones, tags the
// model's own.
//
//	posterior -input F.conllu [-model M.tbm] [-sweeps 1,4,16] [-times N] [-calibrated]
//	posterior -decoders -input F.conllu [-model M.tbm] [-times N]
//
// With -decoders it compares what finds trees. Else a row is a signal: the pruner's first-order marginal; the softmax of what every
// single change of head loses, with the heads that a single change can reach; the
// marginal around the best tree, which is head_marginal; and what so many sweeps
// of a sampler say: Gibbs sampling of single heads, blocks of words, both, or the
// mean of the marginals around the trees that both lead to. ECE and AURC are those
// of the signal as it is and, with -calibrated, of a calibrator that has it for
// head_marginal, each half of the sentences by a fit to the other. Time, of the
// processor, and gain evaluations are what a parse takes beyond one without samples,
// on one goroutine; -times N takes the least of N. -input and -model may be repeated:
// the first model parses the first input, and so on.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func main() {
	var b bench
	flag.Func("input", "gold trees, a CoNLL-U `FILE`; may be repeated", func(v string) error { b.inputs = append(b.inputs, v); return nil })
	flag.Func("model", "model `FILE` (the embedded English one); may be repeated", func(v string) error { b.models = append(b.models, v); return nil })
	list := flag.String("sweeps", "1,4,16", "numbers of sweeps")
	flag.IntVar(&b.times, "times", 1, "parse so often, and print the least time")
	flag.BoolVar(&b.calibrated, "calibrated", false, "fit a calibrator to every signal, too")
	flag.BoolVar(&b.decode, "decoders", false, "compare decoders instead: accuracy, score of their trees a word, and what they cost")
	flag.Parse()
	if err := b.run(os.Stdout, *list); err != nil {
		fmt.Fprintln(os.Stderr, "posterior:", err)
		os.Exit(1)
	}
}

type bench struct {
	inputs, models []string
	calibrated     bool
	decode         bool
	sweeps         []int
	times          int
}

func (b *bench) run(w io.Writer, sweeps string) error {
	for _, field := range strings.Split(sweeps, ",") {
		k, err := strconv.Atoi(field)
		if err != nil || k < 1 {
			return fmt.Errorf("-sweeps %q: want numbers from 1, separated by commas", sweeps)
		}
		b.sweeps = append(b.sweeps, k)
	}
	switch {
	case len(b.inputs) == 0:
		return fmt.Errorf("want -input FILE, CoNLL-U with gold trees")
	case len(b.models) > 1 && len(b.models) != len(b.inputs):
		return fmt.Errorf("%d models for %d inputs: give one model for all, or one for each in the same order", len(b.models), len(b.inputs))
	}
	if b.decode {
		fmt.Fprintln(w, "| treebank | decoder | UAS | LAS | score per word | gains per word | us per word, with labels and confidence |")
		fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
		return b.each(w, b.decoders)
	}
	fmt.Fprintln(w, "| treebank | signal | ECE | AURC | calibrated: ECE | AURC | us per word more | gains per word more |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	return b.each(w, b.measure)
}

// each opens the inputs, one after the other, and calls f with them.
func (b *bench) each(w io.Writer, f func(io.Writer, *bank) error) error {
	for i, path := range b.inputs {
		uri := ""
		if len(b.models) > 0 {
			uri = b.models[min(i, len(b.models)-1)]
		}
		in, err := open(uri, path)
		if err == nil {
			err = f(w, in)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// A bank is an input that is ready to be parsed.
type bank struct {
	name         string
	model        *model.Model
	gold, pruned []syntax.Sentence
	words        int
}

func open(uri, path string) (*bank, error) {
	m, err := model.Open(uri)
	if err != nil {
		return nil, err
	}
	gold, err := conllu.ReadAll(path)
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(path), "-ud-")
	b := &bank{name: name, model: m, gold: gold, pruned: syntax.Clone(gold)}
	for i := range b.pruned {
		s := &b.pruned[i]
		b.words += len(s.Words)
		for w := range s.Words {
			s.Words[w].Lemma, s.Words[w].UPOS, s.Words[w].XPOS, s.Words[w].Feats = "", "", "", ""
			s.Words[w].Head, s.Words[w].Deprel = syntax.NoHead, ""
		}
		if m.Encodes() {
			m.Encode([]*syntax.Sentence{s})
		}
		m.Tag(s, true)
		m.Prune(s)
	}
	return b, nil
}

// A trial is a parse of all sentences.
type trial struct {
	sents []syntax.Sentence
	gains int64
	took  time.Duration
}

func (b *bank) parse(o search.Options, times int) (t trial, err error) {
	for i := range times {
		sents := syntax.Clone(b.pruned)
		begin := used()
		for k := range sents {
			if err := b.model.Parse(&sents[k], o); err != nil {
				return t, err
			}
		}
		took := used() - begin
		if i == 0 || took < t.took {
			t.took = took
		}
		t.sents = sents
	}
	for k := range t.sents {
		t.gains += t.sents[k].Confidence.Weighed
	}
	return t, nil
}

// used returns the time of the processor that the program has used.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (b *bench) measure(w io.Writer, in *bank) error {
	plain, err := in.parse(search.Options{Seed: train.SearchSeed}, b.times)
	if err != nil {
		return err
	}
	row := func(name string, t *trial, cost string) error {
		raw, conf, err := qualities(in.gold, t.sents, b.calibrated)
		if err != nil {
			return err
		}
		calibrated := "- | -"
		if b.calibrated {
			calibrated = fmt.Sprintf("%.2f | %.2f", 100*conf.ECE, 100*conf.AURC)
		}
		_, err = fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %s | %s |\n", in.name, name, 100*raw.ECE, 100*raw.AURC, calibrated, cost)
		return err
	}
	first := trial{sents: slices.Clone(plain.sents)}
	for i := range first.sents {
		c := &first.sents[i].Confidence
		c.HeadMarginal, c.HeadDoubt = c.FirstOrder, c.FirstDoubt
	}
	if err := row("first order", &first, "0 | 0"); err != nil {
		return err
	}
	soft := trial{sents: slices.Clone(plain.sents)}
	for i := range soft.sents {
		in.soften(&soft.sents[i], &in.pruned[i])
	}
	if err := row("softmax of gains", &soft, "- | -"); err != nil {
		return err
	}
	if err := row("around the best tree", &plain, "0 | 0"); err != nil {
		return err
	}
	for _, by := range []struct {
		name string
		kind search.Estimate
	}{{"heads", search.Heads}, {"blocks", search.Blocks}, {"blocks and heads", search.Mixed}, {"around samples", search.Around}} {
		for _, k := range b.sweeps {
			t, err := in.parse(search.Options{Seed: train.SearchSeed, Samples: k, Estimate: by.kind}, b.times)
			if err != nil {
				return err
			}
			cost := fmt.Sprintf("%.1f | %.1f", float64((t.took-plain.took).Nanoseconds())/1000/float64(in.words), float64(t.gains-plain.gains)/float64(in.words))
			if err := row(fmt.Sprintf("%s, %d", by.name, k), &t, cost); err != nil {
				return err
			}
		}
	}
	return nil
}

// softTemperature is the best one for the softmax on dev, of 1, 1.4 and 2.
const softTemperature = 1.4 * score.Unit

// soften makes the signals of s those of the softmax of what single changes of
// its heads lose. pruned has the candidates.
func (b *bank) soften(s, pruned *syntax.Sentence) {
	c := &s.Confidence
	c.HeadMarginal, c.HeadDoubt = slices.Clone(c.HeadMarginal), slices.Clone(c.HeadDoubt)
	heads := make([]int32, len(s.Words))
	for i := range heads {
		heads[i] = s.Words[i].Head
	}
	best, _ := b.model.Score(pruned, heads)
	for i := range heads {
		others := 0.0
		for _, h := range pruned.Candidates.Of(i + 1) {
			was := heads[i]
			if heads[i] = h; h != was {
				if value, reachable := b.model.Score(pruned, heads); reachable {
					others += graph.Exp(max(float64(value-best)/softTemperature, -600))
				}
			}
			heads[i] = was
		}
		lost := float64(pruned.Candidates.Lost[i])
		doubt := 1 - (1-lost)/(1+others)
		c.HeadDoubt[i], c.HeadMarginal[i] = float32(doubt), float32(1-doubt)
	}
}

// qualities returns those of the head_marginal of sents and, if asked for, of a
// calibrator on it.
func qualities(gold, sents []syntax.Sentence, calibrated bool) (raw, conf eval.Reliability, err error) {
	sents = slices.Clone(sents)
	for i := range sents {
		c := &sents[i].Confidence
		c.HeadMarginal = slices.Clone(c.HeadMarginal)
		for w, d := range c.HeadDoubt {
			c.HeadMarginal[w] = 1 - d
		}
	}
	if calibrated {
		if err := crossCalibrate(gold, sents); err != nil {
			return raw, conf, err
		}
	}
	list, err := eval.Reliabilities(gold, sents)
	for _, r := range list {
		switch {
		case r.Column == "head_marginal" && r.Of == "head":
			raw = r
		case r.Column == "head_conf" && r.Of == "head":
			conf = r
		}
	}
	return raw, conf, err
}

// crossCalibrate calibrates each half of the sentences by a fit to the other.
func crossCalibrate(gold, sents []syntax.Sentence) error {
	const run = 50 // sentences that stand together, and may be of one document
	right, err := eval.Judge(gold, sents)
	if err != nil {
		return err
	}
	var half [2][]calibrate.Example
	at := func(i int) int { return i / run % 2 }
	for i := range sents {
		half[at(i)] = append(half[at(i)], calibrate.Example{Sentence: &sents[i], Right: &right[i], Group: i / run, Weight: 16})
	}
	var fits [2]*calibrate.Model
	for k := range fits {
		if fits[k], err = calibrate.Fit(half[1-k]); err != nil {
			return err
		}
	}
	for i := range sents {
		fits[at(i)].Apply(&sents[i])
	}
	return nil
}
