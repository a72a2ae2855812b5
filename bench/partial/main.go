// Command partial measures what partial trees teach. It opens heads and relations
// of a treebank, learns the trees of a fast model from what is left, and prints a row for each of
// the conditions that the arguments name:
//
//	condition | heads known | trees with any | UAS | LAS on dev
//
//	partial -train T.conllu -dev D.conllu [-sample S.conllu -start N] CONDITION...
//
// Conditions are:
//
//	all           all heads
//	random:P      each head is open with a chance of P percent, drawn with -seed
//	heads:P       likewise, but relations stay; for -write alone
//	drop:P        likewise, and sentences that lack a head have none
//	start         the first -start sentences have all their heads, the others none
//	unsure:K      start, and the K heads of the sample of which its parser is least sure
//	any:K         start, and K heads of the sample, drawn with -seed
//	whole:K       start, and whole sentences in the order of the sample, up to K heads
//	kept:K        unsure:K, and the other heads of the sample as its parser has them
//
// -sample is CoNLL-U from "treebeam sample" over a parse of the sentences behind the
// first -start, by their sent_id. Known heads are always gold, but for those of
// kept. Pruner, parser and labels learn with gold tags, and dev has gold tokens and
// tags, so that the rows differ in heads and relations alone. Sentences without any
// head are left out. -write FILE writes the treebank of the last condition and trains nothing.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func main() {
	var b bench
	flag.StringVar(&b.train, "train", "", "treebank to open")
	flag.StringVar(&b.dev, "dev", "", "treebank to measure on")
	flag.StringVar(&b.sample, "sample", "", "what treebeam sample chose, with HeadConf")
	flag.IntVar(&b.start, "start", 400, "sentences that have all heads in the conditions with a sample")
	flag.Uint64Var(&b.seed, "seed", 1, "of what is drawn")
	flag.Uint64Var(&b.trainSeed, "train-seed", 1, "of the training")
	flag.StringVar(&b.strategy, "strategy", "", "of the parser's training")
	flag.IntVar(&b.batch, "batch", 16, "of the parser's training: sentences that share the weights they are decoded with")
	flag.IntVar(&b.folds, "folds", 5, "of jackknifed candidates")
	flag.StringVar(&b.write, "write", "", "write the treebank of the last condition to a file")
	flag.BoolVar(&b.verbose, "v", false, "print the progress of trainings")
	flag.Parse()
	if err := b.run(os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "partial:", err)
		os.Exit(1)
	}
}

type bench struct {
	train, dev, sample, strategy, write string
	start, folds, batch                 int
	seed, trainSeed                     uint64
	verbose                             bool
}

func (b *bench) run(w io.Writer, conditions []string) error {
	bank, err := treebank.Read(b.train)
	if err != nil {
		return err
	}
	var chosen []syntax.Sentence
	if b.sample != "" {
		f, err := os.Open(b.sample)
		if err != nil {
			return err
		}
		defer f.Close()
		if chosen, err = conllu.ReadTrees(f, b.sample, conllu.Options{MultipleRoots: true}); err != nil {
			return err
		}
	}
	for _, condition := range conditions {
		open, err := b.opened(condition, bank.Sentences, chosen)
		if err != nil {
			return err
		}
		if b.write != "" {
			if err := writeTrees(b.write, open); err != nil {
				return err
			}
			continue
		}
		if err := b.row(w, condition, open); err != nil {
			return fmt.Errorf("%s: %w", condition, err)
		}
	}
	return nil
}

func writeTrees(path string, list []syntax.Sentence) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range list {
		if err := conllu.Write(w, &list[i]); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// row learns trees from a treebank and prints what came of it.
func (b *bench) row(w io.Writer, condition string, bank []syntax.Sentence) error {
	dev, err := treebank.Read(b.dev)
	if err != nil {
		return err
	}
	known, trees := 0, []syntax.Sentence(nil)
	for i := range bank {
		open, _ := bank[i].Open()
		if known += len(bank[i].Words) - open; open < len(bank[i].Words) && len(bank[i].Words) <= syntax.MaxWholeWords {
			trees = append(trees, bank[i])
		}
	}
	parse, err := b.learn(oneRoot(trees), oneRoot(dev.Sentences))
	if err != nil {
		return err
	}
	heads, labels, words := 0, 0, 0
	for _, gold := range dev.Sentences {
		s := gold
		s.Words = slices.Clone(gold.Words)
		if err := parse(&s); err != nil {
			return err
		}
		for i := range s.Words {
			words++
			if x, y := &s.Words[i], &gold.Words[i]; x.Head == y.Head {
				heads++
				if universal(x.Deprel) == universal(y.Deprel) {
					labels++
				}
			}
		}
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(words, 1)) }
	fmt.Fprintf(w, "| %s | %d | %d | %.2f | %.2f |\n", condition, known, len(trees), percent(heads), percent(labels))
	return nil
}

func universal(deprel string) string {
	head, _, _ := strings.Cut(deprel, ":")
	return head
}

// oneRoot returns copies of the sentences with one root, or none yet.
func oneRoot(list []syntax.Sentence) []syntax.Sentence {
	return slices.DeleteFunc(syntax.Clone(list), func(s syntax.Sentence) bool {
		roots := 0
		for i := range s.Words {
			if s.Words[i].Head == syntax.Root {
				roots++
			}
		}
		return roots > 1 || roots == 0 && !s.Partial()
	})
}

// learn trains pruner, parser and labels as parser/train does, on gold tags, and
// returns what parses a sentence.
func (b *bench) learn(list, dev []syntax.Sentence) (parse func(*syntax.Sentence) error, err error) {
	log := func(format string, a ...any) {
		if b.verbose {
			fmt.Fprintf(os.Stderr, format+"\n", a...)
		}
	}
	workers, words := runtime.GOMAXPROCS(0), word.Learn(list)
	o := prune.Options{Seed: b.trainSeed, Workers: workers, Cut: 3, Log: log}
	pruner, err := prune.Train(words, list, dev, o)
	if err != nil {
		return nil, err
	}
	if _, err := prune.Jackknife(list, b.folds, pruner, o); err != nil {
		return nil, err
	}
	for i := range dev {
		pruner.Prune(&dev[i])
	}
	fast, err := part.Preset("fast")
	if err != nil {
		return nil, err
	}
	parser, err := search.Train(words, list, dev, search.TrainOptions{Seed: b.trainSeed, Workers: workers, Families: fast, Batch: b.batch, Strategy: search.Strategy(b.strategy), Log: log})
	if err != nil {
		return nil, err
	}
	for i := range list {
		prune.Complete(&list[i])
	}
	labels, err := label.Train(words, list, dev, label.Options{Seed: b.trainSeed, Workers: workers, Log: log})
	if err != nil {
		return nil, err
	}
	return func(s *syntax.Sentence) error {
		pruner.Prune(s)
		if err := parser.Parse(s, search.Options{}); err != nil {
			return err
		}
		labels.Label(s)
		return nil
	}, nil
}
