// Command optima measures greedy search with restarts on sentences with gold
// trees. Words are the gold ones; tags are the model's own unless -gold-tags is
// given.
//
//	optima -input F.conllu [-model M.tbm]          local optima of the first-order model, counted exactly; how
//	                                               often climbs find its best tree; where climbs with the whole
//	                                               model start and end; and all of -search
//	optima -search -input F.conllu [-model M.tbm]  how often the parser's search, as it is and with so many
//	                                               climbs, reaches the best tree that -restarts climbs find;
//	                                               its accuracy and time
//	optima -certify -input F.conllu [-model M.tbm] how many trees a proof of so many steps shows to be the best
//	                                               ones, and how many of these the search had found
//	optima -third -input F.conllu [-model M.tbm]   how often the search with -projective finds the best projective
//	                                               tree of the families that the third-order programs of Koo and
//	                                               Collins (2010) fit, and how far below it ends
//
// -input and -model may be repeated: the first model parses the first input,
// and so on; one model parses all. Tables go to standard output as Markdown;
// with -output they are also written to FOLDER/optima.md (search.md, certificates.md), with
// plots beside them. Times are measured; all else is the same in every run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/durable"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

// An analysis holds the options.
type analysis struct {
	models, inputs    []string
	searchOnly        bool
	certify, tertiary bool
	output            string
	goldTags          bool
	sample, maxWords  int
	restarts, workers int
	seed              uint64

	dials []int // numbers of climbs after which things are compared
	pages document
}

// A bank is one input with the model that parses it.
type bank struct {
	name   string
	model  *model.Model
	all    []tested  // all sentences of at most maxWords words
	sample []*tested // some of them, for what takes time
	few    []*tested // every third of these, for what takes more
}

// A tested sentence has tags and candidates; gold holds its heads, by word
// minus 1.
type tested struct {
	syntax.Sentence
	gold []int32
}

func newAnalysis() *analysis {
	return &analysis{sample: 100, maxWords: 100, restarts: 3000, seed: train.SearchSeed}
}

func main() {
	a := newAnalysis()
	repeated := func(to *[]string) func(string) error {
		return func(value string) error {
			*to = append(*to, value)
			return nil
		}
	}
	flag.Func("input", "gold trees, a CoNLL-U `FILE`; may be repeated", repeated(&a.inputs))
	flag.Func("model", "model `FILE` (the embedded English one); may be repeated", repeated(&a.models))
	flag.BoolVar(&a.searchOnly, "search", false, "measure the parser's search only")
	flag.BoolVar(&a.certify, "certify", false, "measure proofs that no better tree exists")
	flag.BoolVar(&a.tertiary, "third", false, "judge the projective search by third-order dynamic programs")
	flag.StringVar(&a.output, "output", "", "write tables and plots into `FOLDER`, too")
	flag.BoolVar(&a.goldTags, "gold-tags", false, "parse with the tags and lemmas of the input")
	flag.IntVar(&a.sample, "sample", a.sample, "search in `N` sentences, evenly spread over each input; 0 is all")
	flag.IntVar(&a.maxWords, "max-words", a.maxWords, "leave out sentences longer than `N` words")
	flag.IntVar(&a.restarts, "restarts", a.restarts, "`N` climbs are held to find the best tree")
	flag.IntVar(&a.workers, "workers", 0, "`N` goroutines; 0 is one per core")
	flag.Uint64Var(&a.seed, "seed", a.seed, "`N` that the random choices depend on")
	flag.Parse()
	if err := a.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "optima:", err)
		os.Exit(1)
	}
}

func (a *analysis) validate() error {
	switch {
	case len(a.inputs) == 0:
		return fmt.Errorf("want -input FILE, CoNLL-U with gold trees")
	case len(a.models) > 1 && len(a.models) != len(a.inputs):
		return fmt.Errorf("%d models for %d inputs: give one model for all, or one for each in the same order", len(a.models), len(a.inputs))
	case a.sample < 0 || a.maxWords < 1 || a.maxWords > syntax.MaxWholeWords:
		return fmt.Errorf("-sample must not be negative, -max-words from 1 to %d", syntax.MaxWholeWords)
	case a.restarts < 1:
		return fmt.Errorf("-restarts %d: want at least 1", a.restarts)
	}
	return nil
}

// run makes the tables and writes them.
func (a *analysis) run(out io.Writer) error {
	if err := a.validate(); err != nil {
		return err
	}
	for _, d := range []int{1, 3, 10, 30, 100, 300, 1000, 3000} {
		if d < a.restarts {
			a.dials = append(a.dials, d)
		}
	}
	a.dials = append(a.dials, a.restarts)
	banks := make([]*bank, len(a.inputs))
	for i := range banks {
		var err error
		if banks[i], err = a.open(i); err != nil {
			return err
		}
	}
	a.heading(banks)
	if err := a.tables(banks); err != nil {
		return err
	}
	if _, err := out.Write(a.pages.text.Bytes()); err != nil || a.output == "" {
		return err
	}
	name := "optima"
	switch {
	case a.certify:
		name = "certificates"
	case a.tertiary:
		name = "third"
	case a.searchOnly:
		name = "search"
	}
	return a.pages.write(a.output, name)
}

// tables makes those that were asked for.
func (a *analysis) tables(banks []*bank) error {
	if a.certify {
		return a.certificates(banks)
	}
	if a.tertiary {
		return a.third(banks)
	}
	if !a.searchOnly {
		a.optima(banks)
		if err := a.starts(banks); err != nil {
			return err
		}
	}
	return a.search(banks)
}

// heading says what was measured.
func (a *analysis) heading(banks []*bank) {
	title, more := "Restarts and local optima", ""
	switch {
	case a.certify:
		title, more = "Certificates", " -certify"
	case a.tertiary:
		title, more = "Third-order projective trees", " -third"
	case a.searchOnly:
		more = " -search"
	}
	if a.goldTags {
		more += " -gold-tags"
	}
	fmt.Fprintf(&a.pages.text, "# %s\n\nMade by `go run ./bench/optima -sample %d -restarts %d -max-words %d -seed %d%s`. Models:",
		title, a.sample, a.restarts, a.maxWords, a.seed, more)
	for i, b := range banks {
		comma := ","
		if i == len(banks)-1 {
			comma = "."
		}
		fmt.Fprintf(&a.pages.text, " `%.12s` for %s%s", b.model.Digest, b.name, comma)
	}
	a.pages.text.WriteByte('\n')
}

// open reads input i and tags and prunes its sentences.
func (a *analysis) open(i int) (*bank, error) {
	uri := ""
	if len(a.models) > 0 {
		uri = a.models[min(i, len(a.models)-1)]
	}
	m, err := model.Open(uri)
	if err != nil {
		return nil, err
	}
	sents, err := conllu.ReadAllWith(a.inputs[i], conllu.Options{MultipleRoots: true})
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(a.inputs[i]), ".")
	b := &bank{name: strings.Replace(name, "-ud-", " ", 1), model: m}
	for _, s := range sents {
		if n := len(s.Words); n > 0 && n <= a.maxWords {
			b.all = append(b.all, tested{Sentence: s, gold: headsOf(&s)})
		}
	}
	if len(b.all) == 0 {
		return nil, fmt.Errorf("%s holds no sentence of 1 to %d words", a.inputs[i], a.maxWords)
	}
	size := len(b.all)
	if a.sample > 0 {
		size = min(size, a.sample)
	}
	for k := range size { // the middle of each of so many equal shares
		s := &b.all[(2*k+1)*len(b.all)/(2*size)]
		b.sample = append(b.sample, s)
		if k%3 == 1 || size < 3 {
			b.few = append(b.few, s)
		}
	}
	a.each(len(b.all), func(i int) {
		s := &b.all[i].Sentence
		if !a.goldTags {
			for w := range s.Words {
				s.Words[w].Lemma, s.Words[w].UPOS, s.Words[w].XPOS, s.Words[w].Feats = "", "", "", ""
			}
			m.Tag(s, true)
		}
		m.Prune(s)
		if m.Info.Options[model.NoTagsOption] == "true" { // the parser sees none
			*s = model.WithoutTags(s)
		}
	})
	return b, nil
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

func wordsOf(sents []*tested) int {
	n := 0
	for _, s := range sents {
		n += len(s.Words)
	}
	return n
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

// A document is the text of tables and the figures that belong to it.
type document struct {
	text    bytes.Buffer
	figures []figure
}

// section begins a section.
func (d *document) section(title, about string) {
	fmt.Fprintf(&d.text, "\n## %s\n\n%s\n\n", title, about)
}

// header begins a table.
func (d *document) header(columns ...string) {
	fmt.Fprintf(&d.text, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

// row adds to it: floats have two digits, all else is as fmt.Sprint has it.
func (d *document) row(cells ...any) {
	for _, c := range cells {
		if f, ok := c.(float64); ok {
			c = fmt.Sprintf("%.2f", f)
		}
		fmt.Fprintf(&d.text, "| %v ", c)
	}
	d.text.WriteString("|\n")
}

// write writes the text to folder/name.md and each figure to
// folder/name-FIGURE.svg, each whole or not at all.
func (d *document) write(folder, name string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	text := slices.Clone(d.text.Bytes())
	for i := range d.figures {
		f := &d.figures[i]
		svg, err := f.svg()
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.name, err)
		}
		file := name + "-" + f.name + ".svg"
		if err := durable.WriteFile(filepath.Join(folder, file), "", svg, 0o644); err != nil {
			return err
		}
		text = fmt.Appendf(text, "\n![%s](%s)\n", f.title, file)
	}
	return durable.WriteFile(filepath.Join(folder, name+".md"), "", text, 0o644)
}

// percent is part of whole in percent, 0 of nothing.
func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
