// Package stages prints how many microseconds a token costs in every stage of
// a model, on one goroutine, without reading and writing: a row a stage, then
// what the search did. Paragraphs of the text files are the blocks.
//
//	stages [-model FILE] [-restarts N] TEXT...
//	stages [-model FILE] [-gold-tags] -gold FILE.conllu
//
// With -gold words are given, and with -gold-tags their tags and lemmas too,
// so that only pruner, parser and labels work.
package stages

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

const maxWords = 1000 // of a sentence of raw text, as in treebeam parse

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("model", "embedded", "model file")
	gold := flag.String("gold", "", "treebank whose words are parsed")
	goldTags := flag.Bool("gold-tags", false, "with -gold: keep its tags and lemmas")
	restarts := flag.Int("restarts", 0, "climbs per sentence at most")
	flag.Parse()
	return run(*path, *gold, *goldTags, *restarts, flag.Args())
}

func run(path, gold string, goldTags bool, restarts int, files []string) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	var sentences []syntax.Sentence
	var c clock
	switch {
	case gold != "":
		sentences, err = conllu.ReadAllWith(gold, conllu.Options{MultipleRoots: true})
	case len(files) > 0:
		sentences, err = segment(m, files, &c)
	default:
		err = errors.New("what shall be parsed? name text files, or a treebank with -gold")
	}
	if err != nil {
		return err
	}
	for i := range sentences {
		c.words += len(sentences[i].Words)
	}
	if !goldTags {
		c.time("tag", func() {
			for i := range sentences {
				m.Tag(&sentences[i], true)
			}
		})
	}
	c.time("prune", func() {
		for i := range sentences {
			m.Prune(&sentences[i])
		}
	})
	var count search.Counters
	c.time("parse", func() {
		for i := range sentences {
			k, e := m.Decoder.Count(&sentences[i], search.Options{Seed: 1, Restarts: restarts})
			if e != nil && err == nil {
				err = fmt.Errorf("sentence %d: %w", i+1, e)
			}
			count.Add(k)
		}
	})
	if err != nil {
		return err
	}
	c.time("label", func() {
		for i := range sentences {
			m.Labeler.Label(&sentences[i], label.Help{})
		}
	})
	fmt.Printf("%-8s %7.1f us per token, %.0f tokens/s\n", "sum", c.sum.Seconds()*1e6/float64(c.words), float64(c.words)/c.sum.Seconds())
	w := float64(max(count.Words, 1))
	fmt.Printf("%d tokens; the search: %.0f look-ups and %.0f gain evaluations per token, %.1f climbs per sentence; all trees scored in %.1f %% of the sentences\n",
		c.words, float64(count.Lookups)/w, float64(count.Gains)/w,
		float64(count.Climbs)/float64(len(sentences)), 100*float64(count.Exact)/float64(len(sentences)))
	return nil
}

// segment cuts the paragraphs of the files into sentences.
func segment(m *model.Model, files []string, c *clock) ([]syntax.Sentence, error) {
	var blocks []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n\n")...)
	}
	var all []syntax.Sentence
	began := time.Now()
	for _, b := range blocks {
		all = append(all, m.Segment(b, maxWords)...)
	}
	taken := time.Since(began)
	words := 0
	for i := range all {
		words += len(all[i].Words)
	}
	c.print("segment", taken, words)
	return all, nil
}

// A clock adds up the stages.
type clock struct {
	words int
	sum   time.Duration
}

func (c *clock) time(stage string, work func()) {
	began := time.Now()
	work()
	c.print(stage, time.Since(began), c.words)
}

func (c *clock) print(stage string, taken time.Duration, words int) {
	c.sum += taken
	fmt.Printf("%-8s %7.1f us per token\n", stage, taken.Seconds()*1e6/float64(max(words, 1)))
}
