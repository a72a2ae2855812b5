// Package shift says what a parser's expectation of its own accuracy is worth on
// text that is unlike what it was calibrated on. It writes the raw text of a
// treebank in several ways, parses each as treebeam parse does, with --lines
// auto, and prints a row a way: F1 of UPOS, UAS and LAS against the gold trees
// whose forms were changed alike, by the rules of CoNLL 2018, and behind each what
// was expected without gold, in percent, with a standard error.
//
//	plain     a paragraph a line, as it is (treebeam rawtext)
//	wrapped   broken at 72 columns
//	lower     in lower case
//	upper     in upper case
//	curly     with typographic quotes and apostrophes for straight ones
//	dashes    with — for --, and no spaces around it
//	signs     with … for ... and € for $
//	printed   with all of the last three
//
// Cases change by the rules of the language that the name of the treebank's file
// begins with. With -gold-tokens words and sentences are given, so that no error
// of the segmenter counts, and there is no way "wrapped".
//
//	shift [-model FILE] [-gold-tokens] [-only WAY] -gold tr_imst-ud-dev.conllu
package shift

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/language"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("model", "embedded", "model file, embedded or embedded-accurate")
	gold := flag.String("gold", "", "treebank, whose name begins with its language")
	only := flag.String("only", "", "do only this way")
	tokens := flag.Bool("gold-tokens", false, "give sentences and words")
	flag.Parse()
	return run(os.Stdout, *path, *gold, *only, *tokens)
}

func run(w io.Writer, path, gold, only string, tokens bool) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	sents, err := conllu.ReadAll(gold)
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(filepath.Base(gold), "_")
	tag, err := language.Parse(name)
	if err != nil {
		return fmt.Errorf("%s: its name does not begin with a language: %w", gold, err)
	}
	fmt.Fprintf(w, "%-8s %9s %6s", "text", "sentences", "words")
	for _, of := range []eval.Metric{eval.UPOS, eval.UAS, eval.LAS} {
		fmt.Fprintf(w, " | %6s %15s %6s", of, "expected", "off")
	}
	fmt.Fprintln(w)
	for _, x := range ways(tag) {
		if only != "" && only != x.name || tokens && x.wrapped {
			continue
		}
		if err := x.row(w, m, sents, tokens); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

// row writes what is right and what was expected of one way.
func (x *way) row(w io.Writer, m *model.Model, sents []syntax.Sentence, tokens bool) error {
	gold, setting := x.apply(sents), eval.GoldTokens
	var blocks []string
	if !tokens {
		raw, err := x.text(gold)
		if err != nil {
			return err
		}
		if blocks, err = read(raw); err != nil {
			return err
		}
		setting = eval.Raw
	}
	system, err := eval.Predict(m, search.Options{Seed: eval.SearchSeed}, gold, blocks, setting, 0)
	if err != nil {
		return err
	}
	r, err := eval.Evaluate(gold, system)
	if err != nil {
		return err
	}
	var sum syntax.Expected
	for i := range system {
		sum.Add(&system[i].Confidence.Expected)
	}
	if sum.Words == 0 {
		return errors.New("the model has no calibrator: nothing is expected")
	}
	f1 := func(m eval.Metric) float64 { return 100 * r.Scores[m].F1() }
	fmt.Fprintf(w, "%-8s %9.2f %6.2f", x.name, f1(eval.Sentences), f1(eval.Words))
	for _, c := range []struct {
		of eval.Metric
		e  syntax.Estimate
	}{{eval.UPOS, sum.UPOS}, {eval.UAS, sum.UAS}, {eval.LAS, sum.LAS}} {
		share, deviation := c.e.Share(sum.Words)
		fmt.Fprintf(w, " | %6.2f %8.2f ± %4.2f %+6.2f", f1(c.of), 100*share, 100*deviation, 100*share-f1(c.of))
	}
	fmt.Fprintln(w)
	return nil
}

// read cuts a text into blocks as treebeam parse does.
func read(raw []byte) (blocks []string, err error) {
	return text.Blocks(string(raw), source.HeadBytes, text.Options{Lines: text.AutoLines})
}
