// Command ablation trains parsers with different part families on the same
// candidates and prints one line a parser: its accuracy on dev with gold
// tags, and what it cost.
//
//	ablation --train T.conllu --dev D.conllu --cache F [--base standard] CHANGES...
//
// Every CHANGES is a list as of treebeam train --families, "=" is the base as
// it is, and a preset's name is that preset. Pruner, jackknifed candidates and
// labels are made once and kept in the cache file; delete it when their code
// has changed.
package main

import (
	"encoding/gob"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/decode"
	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// base is what all parsers of one treebank share.
type base struct {
	Train, Dev []syntax.Sentence // with gold tags, heads and candidates
	Labels     []pack.Section
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ablation: ")
	trainFile := flag.String("train", "", "training treebank, a CoNLL-U `FILE`")
	devFile := flag.String("dev", "", "development treebank, a CoNLL-U `FILE`")
	cache := flag.String("cache", "", "`FILE` for pruner, candidates and labels")
	from := flag.String("base", "standard", "`PRESET` that the changes begin from")
	strategy := flag.String("strategy", "", "`NAME` of the strategy of training")
	delta := flag.Int("delta", 0, "`N`, largest local loss of a move that is scored in full; 0 is the default")
	epochs := flag.Int("epochs", 0, "`N` epochs at most; 0 is the default")
	seed := flag.Uint64("seed", 1, "`N`, of training")
	verbose := flag.Bool("v", false, "print every epoch")
	flag.Parse()
	b, err := open(*cache, *trainFile, *devFile, *seed)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := label.Open(pack.NewView(b.Labels), "label")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| families | dev UAS | dev LAS | look-ups a word | gains a word | global evaluations a word | parsing, user µs a word | training, user s |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, changes := range flag.Args() {
		families, err := chosen(*from, changes)
		if err != nil {
			log.Fatal(err)
		}
		o := decode.TrainOptions{Seed: *seed, Epochs: *epochs, Families: families, Strategy: decode.Strategy(*strategy), Delta: *delta}
		if *verbose {
			o.Log = func(format string, a ...any) { fmt.Fprintf(os.Stderr, changes+": "+format+"\n", a...) }
		}
		begun := processorTime()
		m, err := decode.Train(b.Train, b.Dev, o)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("| %s | %s %.0f |\n", changes, measure(m, labels, b.Dev), (processorTime() - begun).Seconds())
	}
}

func chosen(base, changes string) (feature.Families, error) {
	if f, err := feature.Preset(changes); err == nil {
		return f, nil
	}
	f, err := feature.Preset(base)
	if err != nil || changes == "=" {
		return f, err
	}
	return f.With(changes)
}

// measure parses and labels dev and returns the cells of a row.
func measure(m *decode.Model, labels *label.Model, dev []syntax.Sentence) string {
	var sum decode.Counters
	heads, right := 0, 0
	spent := time.Duration(0)
	for i := range dev {
		s := dev[i]
		s.Words = append([]syntax.Word(nil), s.Words...)
		begun := processorTime()
		c, err := m.Count(&s, decode.Options{Seed: 1})
		spent += processorTime() - begun
		if err != nil {
			log.Fatal(err)
		}
		sum.Add(c)
		labels.Label(&s)
		for k := range s.Words {
			if s.Words[k].Head == dev[i].Words[k].Head {
				heads++
				if relation(&s.Words[k]) == relation(&dev[i].Words[k]) {
					right++
				}
			}
		}
	}
	words := float64(sum.Words)
	return fmt.Sprintf("%.2f | %.2f | %.0f | %.1f | %.2f | %.1f |", 100*float64(heads)/words, 100*float64(right)/words,
		float64(sum.Lookups)/words, float64(sum.Gains)/words, float64(sum.Globals)/words, float64(spent.Microseconds())/words)
}

// relation is the deprel without its subtype.
func relation(w *syntax.Word) string {
	name, _, _ := strings.Cut(w.Deprel, ":")
	return name
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// open reads the cache file, or makes it.
func open(cache, trainFile, devFile string, seed uint64) (*base, error) {
	b := &base{}
	if f, err := os.Open(cache); err == nil {
		defer f.Close()
		return b, gob.NewDecoder(f).Decode(b)
	}
	for _, t := range []struct {
		file string
		to   *[]syntax.Sentence
	}{{trainFile, &b.Train}, {devFile, &b.Dev}} {
		f, err := os.Open(t.file)
		if err != nil {
			return nil, err
		}
		list, err := conllu.ReadTrees(f, t.file, conllu.Options{})
		f.Close()
		if err != nil {
			return nil, err
		}
		*t.to = slices.DeleteFunc(list, func(s syntax.Sentence) bool { return roots(&s) != 1 })
	}
	p, err := prune.Train(b.Train, b.Dev, prune.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	if _, err := prune.Jackknife(b.Train, 5, p, prune.Options{Seed: seed, Log: log.Printf}); err != nil {
		return nil, err
	}
	for i := range b.Dev {
		p.Prune(&b.Dev[i])
	}
	labels, err := label.Train(b.Train, b.Dev, label.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	var packed pack.Builder
	labels.Pack(packed.Sub("label"))
	b.Labels = packed.Sections
	f, err := os.Create(cache)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(f).Encode(b); err != nil {
		return nil, err
	}
	return b, f.Close()
}

func roots(s *syntax.Sentence) int {
	n := 0
	for i := range s.Words {
		if s.Words[i].Head == syntax.Root {
			n++
		}
	}
	return n
}
