package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/decode"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func init() {
	commands = append(commands, command{"analyze", "analyze optima|search --input F.conllu", "local optima, restarts and convergence of the search", runAnalyze})
}

const analyzeAbout = `
Measures the search on sentences with gold trees, and prints a table. Words are
the gold ones; tags are the model's own unless --gold-tags is given.

  analyze search   how often the default search, and searches of so many climbs,
                   reach the best tree that --restarts climbs find, and their
                   accuracy and time
  analyze optima   the same with a first-order model: how many local optima
                   there are, where climbs start, and how often they find the
                   exact optimum

With --output the tables are also written to FOLDER/NAME.md, and plots of them
to FOLDER/NAME-*.svg. Times are measured; all else is the same in every run.`

// An analysis holds the options of treebeam analyze.
type analysis struct {
	model, input, output, name string
	goldTags                   bool
	sample, maxWords           int
	restarts, workers          int
	seed                       uint64
}

func runAnalyze(_ context.Context, args []string) error {
	fs := newFlags("analyze", "analyze optima|search --model M --input F.conllu [flags]", analyzeAbout)
	var a analysis
	fs.StringVar(&a.model, "model", "", "model `FILE` (the embedded English one)")
	fs.StringVar(&a.input, "input", "", "gold trees, a CoNLL-U `FILE`")
	fs.StringVar(&a.output, "output", "", "write tables and plots into `FOLDER`, too")
	fs.StringVar(&a.name, "name", "", "`NAME` of these sentences in tables and of the files (the input's)")
	fs.BoolVar(&a.goldTags, "gold-tags", false, "parse with the tags and lemmas of the input")
	fs.IntVar(&a.sample, "sample", 200, "use `N` sentences, evenly spread over the input; 0 is all")
	fs.IntVar(&a.maxWords, "max-words", 100, "leave out sentences longer than `N` words")
	fs.IntVar(&a.restarts, "restarts", 3000, "`N` climbs are held to find the best tree")
	fs.IntVar(&a.workers, "workers", 0, "`N` goroutines; 0 is one per core")
	fs.Uint64Var(&a.seed, "seed", train.SearchSeed, "`N` that the random choices depend on")
	others, err := parseFlags(fs, args)
	if err != nil {
		return err
	}
	if len(others) != 1 || others[0] != "optima" && others[0] != "search" {
		return refuse("want treebeam analyze optima or treebeam analyze search, with --input FILE")
	}
	if err := a.validate(); err != nil {
		return err
	}
	return a.run(others[0], os.Stdout)
}

func (a *analysis) validate() error {
	switch {
	case a.input == "":
		return refuse("want --input FILE, CoNLL-U with gold trees")
	case a.sample < 0 || a.maxWords < 1 || a.maxWords > syntax.MaxWholeWords:
		return refuse("--sample must not be negative, --max-words from 1 to %d", syntax.MaxWholeWords)
	case a.restarts < 1:
		return refuse("--restarts %d: want at least 1", a.restarts)
	}
	return nil
}

func (a *analysis) run(what string, out io.Writer) error {
	m, err := model.Open(a.model)
	if err != nil {
		return &refusal{err}
	}
	sents, err := a.sentences(m)
	if err != nil {
		return err
	}
	if what == "search" {
		return a.search(m.Decoder, sents, out)
	}
	return refuse("not yet")
}

// A tested sentence has tags and candidates; gold holds its heads, by word
// minus 1.
type tested struct {
	syntax.Sentence
	gold []int32
}

// sentences reads the input and returns the sample of it, tagged and pruned.
func (a *analysis) sentences(m *model.Model) ([]tested, error) {
	all, err := conllu.ReadAllWith(a.input, conllu.Options{MultipleRoots: true})
	if err != nil {
		return nil, &refusal{err}
	}
	var fit []tested
	for _, s := range all {
		if n := len(s.Words); n > 0 && n <= a.maxWords {
			fit = append(fit, tested{Sentence: s})
		}
	}
	if len(fit) == 0 {
		return nil, refuse("%s holds no sentence of 1 to %d words", a.input, a.maxWords)
	}
	if k := a.sample; k > 0 && k < len(fit) {
		for i := range k { // i-th of k equal shares: its middle
			fit[i] = fit[(2*i+1)*len(fit)/(2*k)]
		}
		fit = fit[:k]
	}
	a.each(len(fit), func(i int) {
		s := &fit[i]
		s.gold = headsOf(&s.Sentence)
		if !a.goldTags {
			for w := range s.Words {
				s.Words[w].Lemma, s.Words[w].UPOS, s.Words[w].XPOS, s.Words[w].Feats = "", "", "", ""
			}
			m.Tag(&s.Sentence, true)
		}
		m.Prune(&s.Sentence)
	})
	return fit, nil
}

// headsOf copies the heads of a sentence, by word minus 1.
func headsOf(s *syntax.Sentence) []int32 {
	heads := make([]int32, len(s.Words))
	for i := range s.Words {
		heads[i] = s.Words[i].Head
	}
	return heads
}

// right counts the heads that agree with gold.
func (s *tested) right(heads []int32) int {
	right := 0
	for i, h := range heads {
		if h == s.gold[i] {
			right++
		}
	}
	return right
}

// each calls f(0..n-1) on the workers.
func (a *analysis) each(n int, f func(i int)) {
	workers := a.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// parsed is one search of one sentence.
func parsed(m *decode.Model, s syntax.Sentence, o decode.Options) (heads []int32, score int64, c decode.Counters, err error) {
	words := make([]syntax.Word, len(s.Words))
	copy(words, s.Words)
	s.Words = words
	if c, err = m.Count(&s, o); err != nil {
		return nil, 0, c, fmt.Errorf("%s: %w", s.ID, err)
	}
	heads = headsOf(&s)
	score, _ = m.Score(&s, heads)
	return heads, score, c, nil
}
