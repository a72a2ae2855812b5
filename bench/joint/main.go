//go:build unix

// Command joint compares parsers that choose tags and heads together with those
// that take the tagger's, and learners of parsers, on gold sentences and words.
//
//	joint -train T.conllu -dev D.conllu -cache DIR [-tags K] [-feats K] [-most NATS] [-weights 128] [-learners pa,joint,samplerank]
//	joint -model M.tbm -dev D.conllu
//
// Rows are parsers of arcs and parts, without a tensor, that learn with the tagger's tags
// (pa, passive-aggressive steps, as in the product), with joint tags or by SampleRank;
// all from gold tags and from jackknifed ones of 10 folds. Dev has the tagger's tags, gold
// tags, the best of the tagger's choices by gold, or joint tags, for each weight of the
// tagger's score in training and parsing. Times are of the processor, of tags,
// pruning, tree and labels, on one goroutine. Tagger, pruner, labels, jackknifed
// training data and parsers are kept in DIR; empty it when their code has changed.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/train"
)

// A bench is one run of the program.
type bench struct {
	model   *model.Model
	dev     []syntax.Sentence
	bounds  tag.Bounds // of choices in training
	near    tag.Bounds // and in parsing
	weights []int      // of the tagger's score in training
	decode  []int      // and in parsing

	train, cache string
	epochs       int
	c            float64
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("joint: ")
	var b bench
	uri := flag.String("model", "", "model `FILE`, without -train")
	flag.StringVar(&b.train, "train", "", "training treebank, a CoNLL-U `FILE`")
	flag.StringVar(&b.cache, "cache", "", "`DIR` for what is trained")
	decode := flag.String("decode", "128", "`LIST` of weights in parsing")
	learners := flag.String("learners", "pa,joint,samplerank", "parsers to train, of `LIST`")
	flag.IntVar(&b.epochs, "epochs", 6, "`N` epochs, of which the best on dev is kept")
	flag.Float64Var(&b.c, "c", 0, "`C` of SampleRank, the cap of a step; 0 is that of the product")
	dev := flag.String("dev", "", "gold trees, a CoNLL-U `FILE`")
	list := flag.String("weights", "128", "`LIST` of weights in training, of the tagger's score, in 1/1024 of a wrong head a nat")
	flag.IntVar(&b.bounds.Tags, "tags", 3, "`N` UPOS and XPOS of a word, at most")
	flag.IntVar(&b.bounds.Feats, "feats", 1, "`N` FEATS of a word, at most")
	most := flag.Float64("most", 3, "`NATS` that a choice may be below the best in training")
	near := flag.Float64("near", 1, "`NATS` in parsing")
	flag.Parse()
	b.near = b.bounds
	b.near.Most = int64(*near * 1024)
	b.bounds.Most = int64(*most * 1024)
	if err := b.run(os.Stdout, *uri, *dev, *list, *decode, strings.Split(*learners, ",")); err != nil {
		log.Fatal(err)
	}
}

func (b *bench) run(w io.Writer, uri, dev, list, decode string, learners []string) (err error) {
	if b.weights, err = numbers(list); err != nil {
		return fmt.Errorf("-weights %w", err)
	}
	if b.decode, err = numbers(decode); err != nil {
		return fmt.Errorf("-decode %w", err)
	}
	if b.dev, err = conllu.ReadAll(dev); err != nil {
		return err
	}
	fmt.Fprintln(w, "| parser | tags | UPOS | FEATS | MLAS | UAS | LAS | trees a sentence | us per word |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	if b.train == "" {
		if b.model, err = model.Open(uri); err != nil {
			return err
		}
		return b.rows(w, "of the model", true, true)
	}
	d, err := b.open()
	if err != nil {
		return err
	}
	for _, learner := range learners {
		weights := []int{0}
		if learner == "joint" {
			weights = b.weights
		}
		for _, weight := range weights {
			if b.model.Decoder, err = b.parser(d, learner, weight); err != nil {
				return err
			}
			name := learner
			if weight > 0 {
				name = fmt.Sprintf("%s, weight %d", learner, weight)
			}
			if err := b.rows(w, name, learner != "samplerank", learner != "samplerank"); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers reads a list of numbers from 1.
func numbers(list string) (out []int, err error) {
	for _, field := range strings.Split(list, ",") {
		k, err := strconv.Atoi(field)
		if err != nil || k < 1 {
			return nil, fmt.Errorf("%q: want numbers from 1, separated by commas", list)
		}
		out = append(out, k)
	}
	return out, nil
}

// rows prints the rows of one parser: with joint tags if joint, and, if all, with the
// best choices and with gold tags.
func (b *bench) rows(w io.Writer, name string, joint, all bool) error {
	own := func(s, _ *syntax.Sentence) int { b.model.Tag(s, true); b.model.Prune(s); return 0 }
	if err := b.row(w, name+" | the tagger's", own); err != nil {
		return err
	}
	for _, weight := range b.decode {
		if !joint {
			break
		}
		err := b.row(w, fmt.Sprint(name, " | joint, weight ", weight), func(s, gold *syntax.Sentence) int {
			own(s, gold)
			return b.model.ChooseTags(s, search.Options{Seed: train.SearchSeed}, b.near, search.JointOptions{Weight: weight})
		})
		if err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	if err := b.row(w, name+" | best choices", b.oracle); err != nil {
		return err
	}
	return b.row(w, name+" | gold", func(s, gold *syntax.Sentence) int {
		for i := range s.Words {
			to, from := &s.Words[i], &gold.Words[i]
			to.Lemma, to.UPOS, to.XPOS, to.Feats = from.Lemma, from.UPOS, from.XPOS, from.Feats
		}
		s.TagsGiven = true
		b.model.Prune(s)
		return 0
	})
}

// oracle gives every word the choice that is most like gold.
func (b *bench) oracle(s, gold *syntax.Sentence) int {
	b.model.Tag(s, true)
	c := b.model.Tagger.Choices(s, tag.Request{Retag: true}, b.near)
	c.Set(s, goldPath(&c, gold))
	b.model.Prune(s)
	return 0
}

// goldPath returns the path of the choices that are most like gold; of equal ones the
// first.
func goldPath(c *syntax.Choices, gold *syntax.Sentence) []int {
	path := make([]int, len(c.Words))
	for i := range path {
		most := -1
		for k, x := range c.Words[i] {
			if l := alike(x, &gold.Words[i]); l > most {
				most, path[i] = l, k
			}
		}
	}
	return path
}

// alike says how much of a choice is gold.
func alike(x syntax.Choice, gold *syntax.Word) int {
	n := 0
	if x.UPOS == gold.UPOS {
		n += 4
	}
	if x.Feats == gold.Feats {
		n += 2
	}
	if x.XPOS == gold.XPOS {
		n++
	}
	return n
}

// row parses dev with the tags and candidates that prepare gives, and prints how good
// that is.
func (b *bench) row(w io.Writer, name string, prepare func(s, gold *syntax.Sentence) (trees int)) error {
	work := syntax.Clone(b.dev)
	trees, words := 0, 0
	for i := range work {
		s := &work[i]
		words += len(s.Words)
		for k := range s.Words {
			x := &s.Words[k]
			x.Lemma, x.UPOS, x.XPOS, x.Feats, x.Head, x.Deprel = "", "", "", "", syntax.NoHead, ""
		}
	}
	begun := used()
	for i := range work {
		trees += prepare(&work[i], &b.dev[i])
		if err := b.model.Parse(&work[i], search.Options{Seed: train.SearchSeed}); err != nil {
			return err
		}
	}
	took := used() - begun
	r, err := eval.Evaluate(b.dev, work)
	if err != nil {
		return err
	}
	f := func(m eval.Metric) float64 { return 100 * r.Scores[m].F1() }
	_, err = fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f |\n", name, f(eval.UPOS), f(eval.UFeats), f(eval.MLAS), f(eval.UAS), f(eval.LAS),
		float64(trees)/float64(len(work)), float64(took.Microseconds())/float64(words))
	return err
}

// used returns the time of the processor that the program has used.
func used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
