// Package rerank measures how much choosing among the parser's trees can gain: the oracle of
// the k best, boosting, and the model with hidden classes.
//
// It trains tagger, pruner, labels and a parser on the training data; and, fold by fold, parsers
// that have not seen the fold, whose trees the rerankers learn from. Numbers of rounds and
// factors are chosen on the first half of dev; figures are of the second half, with
// gold tokens and own tags.
//
//	rerank -train tr_imst-ud-train.conllu -dev tr_imst-ud-dev.conllu
package rerank

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/lab/family/rerank"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	var b bench
	trainPath := flag.String("train", "", "treebank to learn from")
	devPath := flag.String("dev", "", "treebank to choose and measure on")
	flag.IntVar(&b.folds, "folds", 4, "folds of the training data")
	flag.IntVar(&b.epochs, "epochs", 6, "epochs of each parser")
	flag.IntVar(&b.climbs, "climbs", 50, "climbs from random trees")
	flag.IntVar(&b.k, "k", 20, "trees to choose from")
	flag.IntVar(&b.rounds, "rounds", 4000, "rounds of boosting, at most")
	flag.IntVar(&b.workers, "workers", 2, "goroutines")
	flag.Parse()
	return b.run(os.Stdout, *trainPath, *devPath)
}

type bench struct {
	folds, epochs, climbs, k, rounds, workers int
	words                                     *word.Vocabulary
	labels                                    *label.Model
	numbers                                   *rerank.Numbering
	train, dev                                []example
}

// An example is a sentence with its trees.
type example struct {
	syntax.Sentence               // tagged and pruned; heads are gold
	gold            []int32       // heads by word minus 1
	goldWords       []syntax.Word // as annotated
	optima, others  []rerank.Tree // from climbs; without an arc of the best
	certified       bool          // the second best of others is that of all
	choice          bool          // a word has more than one candidate
	list            []rerank.Tree // the k best of both
	flat            rerank.List   // for boosting
	hidden          []rerank.HiddenTree
	took            time.Duration // to find the trees
	single          time.Duration // to find one
}

func (b *bench) run(w io.Writer, trainPath, devPath string) error {
	train, err := read(trainPath)
	if err != nil {
		return err
	}
	dev, err := read(devPath)
	if err != nil {
		return err
	}
	if err := b.prepare(train, dev); err != nil {
		return err
	}
	b.oracles(w)
	return b.compare(w)
}

// read returns the sentences that have one root.
func read(path string) ([]syntax.Sentence, error) {
	list, err := conllu.ReadAllWith(path, conllu.Options{MultipleRoots: true})
	return slices.DeleteFunc(list, func(s syntax.Sentence) bool {
		roots := 0
		for i := range s.Words {
			if s.Words[i].Head == 0 {
				roots++
			}
		}
		return roots != 1 || len(s.Words) > syntax.MaxWholeWords
	}), err
}

// prepare trains everything and finds the trees.
func (b *bench) prepare(train, dev []syntax.Sentence) error {
	options := tag.Options{Seed: 1, Workers: b.workers}
	tagger, err := tag.Train(train, nil, options)
	if err != nil {
		return err
	}
	tagged, err := tag.Jackknife(train, nil, b.folds, options)
	if err != nil {
		return err
	}
	own := syntax.Clone(dev)
	for i := range own {
		tagger.Tag(&own[i], tag.Request{Retag: true})
	}
	b.words = word.Learn(train)
	pruner, err := prune.Train(b.words, tagged, own, prune.Options{Seed: 1, Workers: b.workers})
	if err != nil {
		return err
	}
	if b.labels, err = label.Train(b.words, tagged, own, label.Options{Seed: 1, Workers: b.workers}); err != nil {
		return err
	}
	plain := syntax.Clone(tagged)
	if _, err := prune.Jackknife(tagged, b.folds, pruner, prune.Options{Seed: 1, Workers: b.workers}); err != nil {
		return err
	}
	for i := range own {
		pruner.Prune(&own[i])
	}
	o := search.TrainOptions{Seed: 1, Workers: b.workers, Epochs: b.epochs}
	bounds := linear.Folds(tagged, b.folds)
	b.train = make([]example, len(tagged))
	for f := range len(bounds) - 1 {
		lo, hi := bounds[f], bounds[f+1]
		m, err := search.Train(b.words, slices.Concat(tagged[:lo], tagged[hi:]), own, o)
		if err != nil {
			return err
		}
		// The fold's own candidates are those of parsing: gold heads may be missing.
		p, err := prune.Train(b.words, slices.Concat(plain[:lo], plain[hi:]), own, prune.Options{Seed: 1, Workers: b.workers})
		if err != nil {
			return err
		}
		fold := make([]example, hi-lo)
		for i := range fold {
			p.Prune(&plain[lo+i])
			fold[i].Sentence, fold[i].goldWords = plain[lo+i], train[lo+i].Words
		}
		if err := b.find(m, fold); err != nil {
			return err
		}
		copy(b.train[lo:hi], fold)
		fmt.Fprintf(os.Stderr, "fold %d of %d\n", f+1, len(bounds)-1)
	}
	m, err := search.Train(b.words, tagged, own, o)
	if err != nil {
		return err
	}
	b.dev = make([]example, len(own))
	for i := range own {
		b.dev[i].Sentence, b.dev[i].goldWords = own[i], dev[i].Words
	}
	if err := b.find(m, b.dev); err != nil {
		return err
	}
	b.features()
	return nil
}

// find finds the trees of the examples.
func (b *bench) find(m *search.Model, list []example) error {
	errs := make([]error, len(list))
	linear.Parallel(len(list), b.workers, func(_, i int) {
		x := &list[i]
		o := search.Options{Seed: 1}
		for k := range x.goldWords {
			x.gold = append(x.gold, x.goldWords[k].Head)
		}
		begin := time.Now()
		if _, errs[i] = rerank.Optima(m, &x.Sentence, o, 0); errs[i] != nil {
			return
		}
		x.single = time.Since(begin)
		if x.optima, errs[i] = rerank.Optima(m, &x.Sentence, o, b.climbs); errs[i] != nil {
			return
		}
		var tried, certified int
		x.others, tried, certified, errs[i] = rerank.Alternatives(m, &x.Sentence, o)
		x.took = time.Since(begin)
		x.choice, x.certified = tried > 0, tried > 0 && tried == certified
		x.list = rerank.Merge(x.optima, x.others, b.k)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// right counts the words of a tree with the gold head.
func (x *example) right(t *rerank.Tree) int {
	n := 0
	for i, h := range t.Heads {
		if h == x.gold[i] {
			n++
		}
	}
	return n
}

// features fills flat and hidden of all examples.
func (b *bench) features() {
	numbers := rerank.NewNumbering()
	for _, list := range [][]example{b.train, b.dev} {
		for i := range list {
			x := &list[i]
			for k := range x.list {
				t := &x.list[k]
				base := float64(t.Score) / score.Unit
				x.flat = append(x.flat, rerank.Candidate{Base: base, Right: x.right(t), Features: rerank.Indicators(&x.Sentence, t.Heads)})
				x.hidden = append(x.hidden, numbers.Hidden(&x.Sentence, t.Heads, base, x.right(t)))
			}
		}
		numbers.Close()
	}
	b.numbers = numbers
}

// oracles prints how good the best of k trees is.
func (b *bench) oracles(w io.Writer) {
	words, certified, choices, sentences := 0, 0, 0, 0
	var took, single time.Duration
	for i := range b.dev {
		words += len(b.dev[i].gold)
		sentences++
		if b.dev[i].choice {
			choices++
		}
		if b.dev[i].certified {
			certified++
		}
		took += b.dev[i].took
		single += b.dev[i].single
	}
	fmt.Fprintf(w, "%d sentences, %d words; second best tree certified in %.1f %% of those with several; all candidates take %.1f times as long as one tree\n\n", sentences, words, 100*float64(certified)/float64(max(choices, 1)), float64(took)/float64(single))
	fmt.Fprintln(w, "| UAS of the best of k trees | 1 | 2 | 5 | 20 | 50 | trees a sentence |\n|---|---|---|---|---|---|---|")
	for _, kind := range []struct {
		name string
		of   func(x *example) []rerank.Tree
	}{
		{"local optima", func(x *example) []rerank.Tree { return x.optima }},
		{"best without one arc", func(x *example) []rerank.Tree { return x.others }},
		{"both", func(x *example) []rerank.Tree { return rerank.Merge(x.optima, x.others, 1<<20) }},
	} {
		fmt.Fprintf(w, "| %s |", kind.name)
		trees := 0
		for _, k := range []int{1, 2, 5, 20, 50} {
			right := 0
			for i := range b.dev {
				list, best := kind.of(&b.dev[i]), 0
				if k == 1 {
					trees += len(list)
				}
				for j := range list[:min(k, len(list))] {
					best = max(best, b.dev[i].right(&list[j]))
				}
				right += best
			}
			fmt.Fprintf(w, " %.2f |", 100*float64(right)/float64(words))
		}
		fmt.Fprintf(w, " %.1f |\n", float64(trees)/float64(sentences))
	}
}
