// Command cuts trains segmenters, which takes half a minute each, and says how well
// they cut the text of a dev set: F1 of sentences, tokens and words by the rules of
// CoNLL 2018, in percent. It prints a row for each way to write the text, with the
// mean over the seeds and, for sentences, the lowest and the highest:
//
//	plain   as it is (treebeam rawtext)
//	curly   typographic quotes and apostrophes
//	dashes  long dashes without spaces for -- and lone hyphens
//	dots    an ellipsis for three full stops
//	signs   pounds for dollars
//	all     all of these but the dashes' spaces
//
// With -texts, what the last segmenter makes of the lines of a file is printed, too:
// a line is a block, \n in it a line break.
//
//	cuts -train FILE.conllu [-train FILE.conllu] -dev FILE.conllu [-lexicon FILE.tsv] [-seeds 3] [-texts FILE]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

type options struct {
	train               files
	dev, lexicon, texts string
	seeds               int
}

// Files is a flag that may be repeated.
type files []string

func (f *files) String() string { return strings.Join(*f, ",") }

func (f *files) Set(path string) error {
	*f = append(*f, path)
	return nil
}

func main() {
	var o options
	flag.Var(&o.train, "train", "treebank to learn from; may be repeated")
	flag.StringVar(&o.dev, "dev", "", "treebank to cut")
	flag.StringVar(&o.lexicon, "lexicon", "", "lexicon with abbreviations to learn from")
	flag.StringVar(&o.texts, "texts", "", "file of texts to cut and print")
	flag.IntVar(&o.seeds, "seeds", 3, "number of segmenters, with the seeds 1, 2, ...")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "cuts:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, o options) error {
	if len(o.train) == 0 || o.seeds < 1 {
		return errors.New("want a training treebank, and a seed or more")
	}
	var trees [][]syntax.Sentence
	for _, path := range append(o.train, o.dev) {
		list, err := conllu.ReadAll(path)
		if err != nil {
			return err
		}
		trees = append(trees, list)
	}
	last := len(trees) - 1
	train, dev := slices.Concat(trees[:last]...), trees[last]
	options := segment.Options{Log: func(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }}
	if o.lexicon != "" {
		text, err := os.ReadFile(o.lexicon)
		if err != nil {
			return err
		}
		entries, err := tag.ReadEntries(string(text))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Form, ".") {
				options.Abbreviations = append(options.Abbreviations, e.Form)
			}
		}
	}
	sums := make([]figures, len(ways))
	var m *segment.Model
	for seed := 1; seed <= o.seeds; seed++ {
		options.Seed, options.Workers = uint64(seed), 2
		var err error
		if m, err = segment.Train(train, dev, options); err != nil {
			return err
		}
		for i, way := range ways {
			if err := sums[i].add(m, way.apply(dev)); err != nil {
				return err
			}
		}
	}
	for i := range sums {
		fmt.Fprintln(out, sums[i].row(ways[i].name, o.seeds))
	}
	if o.texts == "" {
		return nil
	}
	texts, err := os.ReadFile(o.texts)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(texts)) {
		fmt.Fprint(out, line)
		for _, s := range m.Segment(strings.ReplaceAll(strings.TrimSpace(line), `\n`, "\n"), 0) {
			fmt.Fprintln(out, "   ", describe(&s))
		}
	}
	return nil
}

// Figures are sums over seeds, in percent, and the bounds of sentences.
type figures struct {
	sentences, tokens, words float64
	low, high                float64
}

// add adds the F1 of a segmenter on the raw text of the sentences.
func (f *figures) add(m *segment.Model, gold []syntax.Sentence) error {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, gold); err != nil {
		return err
	}
	var system []syntax.Sentence
	for _, block := range strings.Split(strings.TrimSpace(raw.String()), "\n\n") {
		system = append(system, m.Segment(block, 0)...)
	}
	for i := range system { // any tree: its words are looked at alone
		for j := range system[i].Words {
			system[i].Words[j].Head = int32(j)
		}
	}
	r, err := eval.Evaluate(gold, system)
	if err != nil {
		return err
	}
	ends := 100 * r.Scores[eval.Sentences].F1()
	if f.high == 0 {
		f.low = ends
	}
	f.low, f.high = min(f.low, ends), max(f.high, ends)
	f.sentences += ends
	f.tokens += 100 * r.Scores[eval.Tokens].F1()
	f.words += 100 * r.Scores[eval.Words].F1()
	return nil
}

func (f *figures) row(name string, seeds int) string {
	n := float64(seeds)
	return fmt.Sprintf("%-7s sentences %.2f (%.2f to %.2f)  tokens %.2f  words %.2f", name, f.sentences/n, f.low, f.high, f.tokens/n, f.words/n)
}

// describe writes the words of a sentence, multiword tokens in braces.
func describe(s *syntax.Sentence) string {
	var b strings.Builder
	mwts := s.MWTs
	for i := range s.Words {
		if len(mwts) > 0 && int(mwts[0].First) == i+1 {
			fmt.Fprintf(&b, "{%s} ", mwts[0].Form)
			mwts = mwts[1:]
		}
		fmt.Fprintf(&b, "%s ", s.Words[i].Form)
	}
	return strings.TrimSpace(b.String())
}
