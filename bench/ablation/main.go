//go:build unix

// Command ablation trains parsers with different part families on the same
// candidates and prints one line a parser: its accuracy on dev with gold
// tags, and what it costs.
//
//	ablation --train T.conllu --dev D.conllu --cache DIR [--base standard] -- CHANGES...
//
// Every CHANGES is a list as of treebeam train --families; "=" stands for the
// base, which is always trained and printed first, and "tensor:R:G:S" for the base
// with a tensor of rank R, gamma G and start S (svd or random). Pruner, jackknifed
// candidates, labels and parsers are kept in DIR, so that an interrupted run
// goes on where it stopped; empty it when their code has changed. Times are
// processor time of parsing dev, as a ratio to the base: both parsers take
// turns in one process, sentence by sentence, so that other work on the machine
// disturbs both alike. Every parser is that of the last epoch.
package main

import (
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// data is what all parsers of one treebank share.
type data struct {
	Train, Dev []syntax.Sentence // with gold tags, heads and candidates
	Labels     []pack.Section
}

// An ablation is one run of the program.
type ablation struct {
	trainFile, devFile, dir, base string
	o                             search.TrainOptions
	data                          *data
	words                         *word.Vocabulary
	labels                        *label.Model
	noTags                        bool
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ablation: ")
	var a ablation
	flag.StringVar(&a.trainFile, "train", "", "training treebank, a CoNLL-U `FILE`")
	flag.StringVar(&a.devFile, "dev", "", "development treebank, a CoNLL-U `FILE`")
	flag.StringVar(&a.dir, "cache", "", "`DIR` for what is trained")
	flag.StringVar(&a.base, "base", "standard", "`PRESET` that the changes begin from")
	strategy := flag.String("strategy", string(search.DefaultStrategy), "`NAME` of the strategy of training")
	flag.IntVar(&a.o.Delta, "delta", search.DefaultDelta, "`N`, largest local loss of a move that is scored in full")
	flag.IntVar(&a.o.Epochs, "epochs", 2, "`N` epochs")
	flag.Uint64Var(&a.o.Seed, "seed", 1, "`N`, of training")
	flag.BoolVar(&a.noTags, "no-pos", false, "without tags and lemmas; wants a cache of its own")
	flag.Parse()
	a.o.Strategy = search.Strategy(*strategy)
	if err := a.run(flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func (a *ablation) run(list []string) error {
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return err
	}
	if err := a.open(); err != nil {
		return err
	}
	reference, _, err := a.parser("=", search.TrainOptions{Seed: a.o.Seed, Epochs: a.o.Epochs, Strategy: search.DefaultStrategy, Delta: search.DefaultDelta})
	if err != nil {
		return err
	}
	fmt.Println("| families | dev UAS | dev LAS | look-ups per word | gains per word | global scores per word | time | training, s |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, changes := range append([]string{"="}, list...) {
		m, seconds, err := a.parser(changes, a.o)
		if err != nil {
			return err
		}
		row, err := a.measure(m, reference)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s %.0f |\n", changes, row, seconds)
	}
	return nil
}

// A kept parser with the seconds that it was trained in.
type kept struct {
	Sections []pack.Section
	Seconds  float64
}

// parser trains the parser of some changes, or takes it from the cache.
func (a *ablation) parser(changes string, o search.TrainOptions) (*search.Model, float64, error) {
	families, t, err := chosen(a.base, changes)
	if err != nil {
		return nil, 0, err
	}
	o.Families = families
	name := fmt.Sprintf("%s seed %d epochs %d %s delta %d", families, o.Seed, o.Epochs, o.Strategy, o.Delta)
	if !families.Any(part.Globals) {
		name = fmt.Sprintf("%s seed %d epochs %d %s", families, o.Seed, o.Epochs, o.Strategy)
	}
	if o.Tensor = t; t != nil {
		name += fmt.Sprintf(" tensor %d %g %s", t.Rank, t.Gamma, t.Start)
	}
	o.Log = func(format string, args ...any) { log.Printf("%s: "+format, append([]any{name}, args...)...) }
	var k kept
	err = a.cached(name, &k, func() error {
		begun := processorTime()
		m, err := search.Train(a.words, a.data.Train, nil, o)
		if err != nil {
			return err
		}
		k.Seconds = (processorTime() - begun).Seconds()
		var b pack.Builder
		m.Pack(b.Sub("parse"))
		k.Sections = b.Sections
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	m, err := search.Open(pack.NewView(k.Sections), "parse", a.words)
	return m, k.Seconds, err
}

// cached reads an entry of the cache into to, or lets work fill it and keeps
// it.
func (a *ablation) cached(name string, to any, work func() error) error {
	path := filepath.Join(a.dir, strings.ReplaceAll(name, " ", "-")+".gob")
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		return gob.NewDecoder(f).Decode(to)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	if f, err = os.Create(path + ".new"); err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(f).Encode(to), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// chosen returns the families and the tensor, or nil, that some changes mean.
func chosen(base, changes string) (part.Families, *score.TensorOptions, error) {
	if f, err := part.Preset(changes); err == nil {
		return f, nil, nil
	}
	f, err := part.Preset(base)
	if err != nil || changes == "=" {
		return f, nil, err
	}
	if numbers, ok := strings.CutPrefix(changes, "tensor:"); ok {
		var t score.TensorOptions
		if _, err := fmt.Sscanf(strings.ReplaceAll(numbers, ":", " "), "%d %g %s", &t.Rank, &t.Gamma, &t.Start); err != nil {
			return f, nil, fmt.Errorf("%s: want tensor:R:G:S, such as tensor:16:0.5:svd", changes)
		}
		return f, &t, nil
	}
	f, err = f.With(changes)
	return f, nil, err
}

// measure parses and labels dev and returns the cells of a row. The reference
// parses it too, in turns.
func (a *ablation) measure(m, reference *search.Model) (string, error) {
	var sum search.Counters
	heads, right := 0, 0
	var spent [2]time.Duration
	for i := range a.data.Dev {
		gold := &a.data.Dev[i]
		var s syntax.Sentence
		for turn := range 4 { // reference, m, m, reference
			model, of := reference, 0
			if turn == 1 || turn == 2 {
				model, of = m, 1
			}
			work := *gold
			work.Words = slices.Clone(gold.Words)
			begun := processorTime()
			c, err := model.Count(&work, search.Options{Seed: 1})
			if err != nil {
				return "", err
			}
			spent[of] += processorTime() - begun
			if turn == 1 {
				sum.Add(c)
				s = work
			}
		}
		a.labels.Label(&s)
		for k := range s.Words {
			if s.Words[k].Head == gold.Words[k].Head {
				heads++
				if relation(&s.Words[k]) == relation(&gold.Words[k]) {
					right++
				}
			}
		}
	}
	words := float64(sum.Words)
	return fmt.Sprintf("%.2f | %.2f | %.0f | %.1f | %.2f | %.2f |", 100*float64(heads)/words, 100*float64(right)/words,
		float64(sum.Lookups)/words, float64(sum.Gains)/words, float64(sum.Globals)/words,
		spent[1].Seconds()/spent[0].Seconds()), nil
}

// relation is the deprel without its subtype.
func relation(w *syntax.Word) string {
	name, _, _ := strings.Cut(w.Deprel, ":")
	return name
}

// processorTime is that of the whole process, in user mode and in the system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// open loads or makes what all parsers share.
func (a *ablation) open() error {
	a.data = &data{}
	err := a.cached(fmt.Sprintf("data seed %d", a.o.Seed), a.data, func() error {
		return a.data.make(a.trainFile, a.devFile, a.o.Seed, a.noTags)
	})
	if err != nil {
		return err
	}
	a.words = word.Learn(a.data.Train)
	a.labels, err = label.Open(pack.NewView(a.data.Labels), "label", a.words)
	return err
}

// forgetTags removes what a model of treebeam train --no-pos does not see.
func forgetTags(list []syntax.Sentence) {
	for i := range list {
		for j := range list[i].Words {
			w := &list[i].Words[j]
			w.UPOS, w.XPOS, w.Feats, w.Lemma = "", "", "", ""
		}
	}
}

func (d *data) make(trainFile, devFile string, seed uint64, noTags bool) error {
	var err error
	if d.Train, err = read(trainFile); err != nil {
		return err
	}
	if d.Dev, err = read(devFile); err != nil {
		return err
	}
	if noTags {
		forgetTags(d.Train)
		forgetTags(d.Dev)
	}
	words := word.Learn(d.Train)
	p, err := prune.Train(words, d.Train, d.Dev, prune.Options{Seed: seed, Log: log.Printf})
	if err != nil {
		return err
	}
	if _, err := prune.Jackknife(d.Train, 5, p, prune.Options{Seed: seed, Log: log.Printf}); err != nil {
		return err
	}
	for i := range d.Dev {
		p.Prune(&d.Dev[i])
	}
	labels, err := label.Train(words, d.Train, d.Dev, label.Options{Seed: seed})
	if err != nil {
		return err
	}
	var b pack.Builder
	labels.Pack(b.Sub("label"))
	d.Labels = b.Sections
	return nil
}

// read returns the sentences of a treebank that have one root.
func read(path string) ([]syntax.Sentence, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := conllu.ReadTrees(f, path, conllu.Options{})
	return slices.DeleteFunc(list, func(s syntax.Sentence) bool {
		roots := 0
		for i := range s.Words {
			if s.Words[i].Head == syntax.Root {
				roots++
			}
		}
		return roots != 1
	}), err
}
