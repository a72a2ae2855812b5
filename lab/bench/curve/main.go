// Package curve prints what the pruner of a model leaves under several
// cuts, and what the parser behind it makes of that, as rows of a table:
//
//	cut in nats | heads per word | recall of gold heads | sentences with all
//	of them | UAS | LAS | pruner and parser in us per word
//
// Nothing is trained: the parser is the one that was trained with the cut
// that the model has for training, marked by a plus; a star marks the one
// that it has for parsing. Words are gold and tags
// the model's own, or gold with -gold-tags. UAS and LAS are of all words,
// subtypes of relations ignored. Times are of one goroutine.
//
//	curve -model FILE -gold FILE.conllu [-gold-tags] [-cuts 3,4,5] [-parse=false]
package curve

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("model", "", "model file, or embedded")
	gold := flag.String("gold", "", "treebank")
	goldTags := flag.Bool("gold-tags", false, "prune and parse by gold tags and lemmas")
	list := flag.String("cuts", "3,4,4.5,5,5.5,6,7,8", "cuts in nats")
	parse := flag.Bool("parse", true, "parse under every cut")
	flag.Parse()
	return run(os.Stdout, *path, *gold, *goldTags, *list, *parse)
}

func run(w io.Writer, path, gold string, goldTags bool, list string, parse bool) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	cuts := []float64{m.Pruner.Cut(), m.Pruner.TrainCut()}
	for _, field := range strings.Split(list, ",") {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return fmt.Errorf("cut %q: %w", field, err)
		}
		cuts = append(cuts, x)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	trees, err := conllu.ReadAllWith(gold, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	if !goldTags {
		for i := range trees {
			m.Tag(&trees[i], true)
		}
	}
	dense, curve := m.Pruner.Curve(trees, cuts)
	fmt.Fprintf(w, "dense tables: %.2f heads per word, recall %.2f %%\n", dense.HeadsPerWord(), 100*dense.Recall())
	for _, r := range curve {
		mark := ""
		if r.Cut == m.Pruner.Cut() {
			mark = "*"
		}
		if r.Cut == m.Pruner.TrainCut() {
			mark += "+"
		}
		fmt.Fprintf(w, "| %.2f%s | %.2f | %.2f | %.1f |", r.Cut, mark, r.HeadsPerWord(), 100*r.Recall(), 100*float64(r.Trees)/float64(max(r.Sentences, 1)))
		if parse {
			if err := measure(w, m, trees, r.Cut); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// measure parses copies of the tagged trees under a cut.
func measure(w io.Writer, m *model.Model, trees []syntax.Sentence, cut float64) error {
	c := *m
	c.Pruner = m.Pruner.WithCut(cut)
	var pruning, parsing time.Duration
	words, heads, labels := 0, 0, 0
	for i := range trees {
		s := trees[i]
		s.Words = slices.Clone(s.Words)
		for k := range s.Words {
			s.Words[k].Head, s.Words[k].Deprel = syntax.NoHead, ""
		}
		at := time.Now()
		c.Prune(&s)
		pruning += time.Since(at)
		at = time.Now()
		if err := c.Parse(&s, search.Options{Seed: eval.SearchSeed}); err != nil {
			return fmt.Errorf("sentence %d: %w", i+1, err)
		}
		parsing += time.Since(at)
		for k := range s.Words {
			words++
			if g := &trees[i].Words[k]; s.Words[k].Head == g.Head {
				heads++
				if universal(s.Words[k].Deprel) == universal(g.Deprel) {
					labels++
				}
			}
		}
	}
	n := float64(max(words, 1))
	fmt.Fprintf(w, " %.2f | %.2f | %.1f | %.1f |", 100*float64(heads)/n, 100*float64(labels)/n, pruning.Seconds()*1e6/n, parsing.Seconds()*1e6/n)
	return nil
}

// universal returns a relation without its subtype.
func universal(deprel string) string {
	deprel, _, _ = strings.Cut(deprel, ":")
	return deprel
}
