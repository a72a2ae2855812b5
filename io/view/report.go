package view

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Run says what made an output, for its report.
type Run struct {
	Name          string // of the output, for the title
	FP            string // fingerprint, hexadecimal; "" for a snapshot
	Snapshot      string // its name, "" for a run
	FormatVersion string
	ModelID       string
	ModelDigest   string          // SHA-256, hexadecimal
	ModelFacts    [][2]string     // more about the model, a name and a value each
	Options       json.RawMessage // those that change rows: an object
}

// A Report collects what the page of a run says, in one pass over its rows and
// with memory that does not grow with them. The same rows in the same order
// give the same bytes. It is not safe for concurrent use.
type Report struct {
	run      Run
	lowest   pick.Lowest
	examples sample

	files, empty, unreadable, stored       int64
	blocks, blocksFailed, sentences, trees int64
	words, unknown                         int64
	errors, warnings, repaired             int64
	folder                                 string // that all files are in
	formats, encodings, layouts, status    tally  // Sums: bytes, trees, words
	certificates                           tally
	forecast                               forecast
	troubled                               []*parquet.Document

	reasons    []*reason
	byReason   map[reasonKey]*reason
	moreReason int64 // rows over maxReasons

	vocabulary   vocabulary
	upos, deprel tally // Sums: wordColumns
	calibrated   bool  // a tree has head_conf
	lengths      *histogram
	signals      []*signal
}

// maxReasons is how many kinds of failures and warnings are told apart: more
// than there are, for the rows are what a file says.
const maxReasons = 200

type reasonKey struct{ severity, stage, kind string }

// A reason is a kind of failure of a stage with its first row as an example.
type reason struct {
	reasonKey
	Count   int64
	Example *parquet.Failure
}

// A signal is the distribution of a column of confidence.
type signal struct {
	Column, About, Unit string
	*histogram
	of func(*parquet.Tree, func(float64))
}

// NewReport begins the report of a run that shows the lowest least certain
// trees and as many examples drawn by the hash of where they stand.
func NewReport(run Run, lowest, examples int) *Report {
	r := &Report{run: run, lowest: pick.Lowest{N: lowest}, examples: sample{n: examples},
		byReason: map[reasonKey]*reason{}, lengths: lengths()}
	each := func(list func(*parquet.Tree) []float32) func(*parquet.Tree, func(float64)) {
		return func(t *parquet.Tree, add func(float64)) {
			for _, v := range list(t) {
				add(float64(v))
			}
		}
	}
	r.signals = []*signal{
		{"head_conf", "calibrated probability that a head is right", "words", shares(), each(func(t *parquet.Tree) []float32 { return t.HeadConf })},
		{"deprel_conf", "calibrated probability that head and label are right", "words", shares(), each(func(t *parquet.Tree) []float32 { return t.DeprelConf })},
		{"upos_conf", "calibrated probability that the part of speech is right", "words", shares(), each(func(t *parquet.Tree) []float32 { return t.UPOSConf })},
		{"tree_conf", "calibrated probability that the whole tree is right", "trees", shares(), func(t *parquet.Tree, add func(float64)) {
			if t.TreeConf != nil {
				add(float64(*t.TreeConf))
			}
		}},
		{"head_marginal", "probability of the head under the model of the search", "words", shares(), each(func(t *parquet.Tree) []float32 { return t.HeadMarginal })},
		{"head_margin", "score that the tree would lose with the word's second-best head", "words", margins(), each(func(t *parquet.Tree) []float32 { return t.HeadMargin })},
		{"tree_margin", "score over the second-best place where the search ended; 0 if there was one only", "trees", margins(), func(t *parquet.Tree, add func(float64)) { add(float64(t.TreeMargin)) }},
	}
	return r
}

// maxTroubled is how many documents with errors are named.
const maxTroubled = 10

// Document adds an input file.
func (r *Report) Document(d *parquet.Document) {
	if r.files++; r.files == 1 {
		r.folder = path.Dir(d.SourceURI)
	}
	for r.folder != "." && r.folder != "/" && !strings.HasPrefix(d.SourceURI, r.folder+"/") {
		r.folder = path.Dir(r.folder)
	}
	switch {
	case d.SourceVersion == "":
		r.unreadable++
	case d.Blocks == 0 && d.Failures == 0:
		r.empty++
	}
	r.stored += d.StoredBytes
	r.blocks += d.Blocks
	r.blocksFailed += d.BlocksFailed
	r.sentences += d.Sentences
	r.trees += d.Trees
	r.words += d.Words
	r.unknown += d.UnknownWords
	r.errors += d.Failures
	r.warnings += d.Warnings
	r.repaired += d.Repaired
	r.forecast.add(d)
	for _, of := range []struct {
		t    *tally
		name string
	}{{&r.formats, d.Format}, {&r.encodings, d.Encoding}, {&r.layouts, d.Lines}} {
		c := of.t.of(of.name)
		c.N++
		c.value(0, float64(d.StoredBytes))
		c.value(1, float64(d.Trees))
		c.value(2, float64(d.Words))
	}
	if d.Failures > 0 {
		r.troubled = append(r.troubled, d)
		slices.SortStableFunc(r.troubled, func(a, b *parquet.Document) int { return cmp.Compare(b.Failures, a.Failures) })
		r.troubled = r.troubled[:min(len(r.troubled), maxTroubled)]
	}
}

// Failure adds a row of failures/.
func (r *Report) Failure(f *parquet.Failure) {
	key := reasonKey{Clip(f.Severity, 40), Clip(f.Stage, 40), Clip(f.Kind, 40)}
	k := r.byReason[key]
	if k == nil {
		if len(r.reasons) >= maxReasons {
			r.moreReason++
			return
		}
		k = &reason{reasonKey: key, Example: f}
		r.byReason[key] = k
		r.reasons = append(r.reasons, k)
	}
	k.Count++
}

// wordColumns are those of which tables of words show means.
var wordColumns = [...]struct {
	name string
	of   func(*parquet.Tree) []float32
}{
	{"head_conf", func(t *parquet.Tree) []float32 { return t.HeadConf }},
	{"deprel_conf", func(t *parquet.Tree) []float32 { return t.DeprelConf }},
	{"upos_conf", func(t *parquet.Tree) []float32 { return t.UPOSConf }},
	{pick.Raw, func(t *parquet.Tree) []float32 { return t.HeadMarginal }},
}

// Tree adds a row of trees/, which must not change afterwards.
func (r *Report) Tree(t *parquet.Tree) {
	r.calibrated = r.calibrated || len(t.HeadConf) > 0
	r.status.of(t.Status).N++
	r.certificates.of(t.Certificate).N++
	r.lengths.add(float64(len(t.Tokens)))
	r.vocabulary.add(t)
	for _, s := range r.signals {
		s.of(t, s.add)
	}
	for i := range t.Tokens {
		for _, of := range []struct {
			t    *tally
			list []string
		}{{&r.upos, t.UPOS}, {&r.deprel, t.Deprel}} {
			c := of.t.of(at(of.list, i))
			c.N++
			for k := range wordColumns {
				if list := wordColumns[k].of(t); i < len(list) {
					c.value(k, float64(list[i]))
				}
			}
		}
	}
	if r.lowest.N > 0 {
		r.lowest.Add(t)
	}
	r.examples.add(t)
}

// sortedReasons are errors before warnings, the commonest first.
func (r *Report) sortedReasons() []*reason {
	list := slices.Clone(r.reasons)
	warning := func(k *reason) int {
		if k.severity == syntax.SeverityWarning {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b *reason) int {
		return cmp.Or(cmp.Compare(warning(a), warning(b)), cmp.Compare(b.Count, a.Count))
	})
	return list
}

// A sample keeps the n trees of a handy length whose places have the smallest
// hashes: as good as drawn by lot, but the same every time.
type sample struct {
	n     int
	hash  []uint64 // a heap, the largest on top
	trees []*parquet.Tree
}

// Lengths of example trees, in words.
const minExample, maxExample = 4, 20

func (s *sample) add(t *parquet.Tree) {
	if len(t.Tokens) < minExample || len(t.Tokens) > maxExample {
		return
	}
	h := xxhash.Sum64String(fmt.Sprintf("%s\x00%d", t.SourceURI, t.StartByte))
	if len(s.trees) >= s.n && (s.n <= 0 || h >= s.hash[0]) {
		return
	}
	heap.Push(s, hashed{h, t})
	if len(s.trees) > s.n {
		heap.Pop(s)
	}
}

// list returns the trees in the order of the input.
func (s *sample) list() []*parquet.Tree {
	list := slices.Clone(s.trees)
	slices.SortStableFunc(list, func(a, b *parquet.Tree) int {
		return cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.StartByte, b.StartByte))
	})
	return list
}

type hashed struct {
	hash uint64
	tree *parquet.Tree
}

// What follows is heap.Interface.

func (s *sample) Len() int           { return len(s.trees) }
func (s *sample) Less(i, j int) bool { return s.hash[i] > s.hash[j] }
func (s *sample) Swap(i, j int) {
	s.hash[i], s.hash[j] = s.hash[j], s.hash[i]
	s.trees[i], s.trees[j] = s.trees[j], s.trees[i]
}
func (s *sample) Push(x any) {
	h := x.(hashed)
	s.hash, s.trees = append(s.hash, h.hash), append(s.trees, h.tree)
}
func (s *sample) Pop() any {
	last := len(s.trees) - 1
	h := hashed{s.hash[last], s.trees[last]}
	s.hash, s.trees = s.hash[:last], s.trees[:last]
	return h
}

// optionRows are the options of a run by their names, sorted.
func optionRows(options json.RawMessage) [][2]string {
	var all map[string]any
	if json.Unmarshal(options, &all) != nil {
		return [][2]string{{"options", string(options)}}
	}
	var rows [][2]string
	var flatten func(prefix string, m map[string]any)
	flatten = func(prefix string, m map[string]any) {
		for name, v := range m {
			if inner, ok := v.(map[string]any); ok {
				flatten(prefix+name+".", inner)
				continue
			}
			value, err := json.Marshal(v)
			if text, ok := v.(string); ok || err != nil {
				value = []byte(text)
			}
			rows = append(rows, [2]string{prefix + name, string(value)})
		}
	}
	flatten("", all)
	slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return rows
}

// place says where in the input something stands.
func place(uri string, offset int64, line *int64) string {
	if line != nil {
		return fmt.Sprintf("%s, line %s", uri, number(*line))
	}
	return fmt.Sprintf("%s, byte %s", uri, number(offset))
}

// number writes n with commas between thousands.
func number(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// many writes a number of things.
func many(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

// percent writes a share, 0 for a share of nothing.
func percent(n, of int64) string {
	if of == 0 {
		return "0%"
	}
	share := 100 * float64(n) / float64(of)
	if share > 0 && share < 0.05 {
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", share)
}

// statusNames explains the column status.
var statusNames = map[string]string{
	syntax.OK.String():       "parsed as usual",
	syntax.Repaired.String(): "invalid bytes were replaced",
	syntax.Long.String():     "cut, or parsed in windows, for its length",
	syntax.Budget.String():   "a cheaper search was used",
}
