package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Run is the provenance of an output, for its report.
type Run struct {
	Name          string // of the output, for the title
	FP            string // fingerprint, hexadecimal; "" for a snapshot
	Snapshot      string // its name, "" for a run
	FormatVersion string
	ModelID       string
	ModelDigest   string            // SHA-256, hexadecimal
	ModelFacts    [][2]string       // more about the model, a name and a value each
	Treebanks     map[string]string // of the models of other languages, by code, with their licences
	Options       map[string]string // the ones that change rows
}

// A Report collects the contents of the page of a run, in one pass over its rows and in
// bounded memory. The same rows in the same order give the same bytes. It is not safe
// for concurrent use.
type Report struct {
	run      Run
	lowest   *pick.Lowest
	examples pick.Best[example]

	sum                        parquet.Document // the counts of all files
	expected                   syntax.Expected
	files, empty, unreadable   int64
	folder                     string // that all files are in; "." is the working directory
	several                    bool   // no folder has them all
	formats, encodings, layout tally  // Sums: bytes, trees, words
	languages                  tally  // likewise
	troubled, worst            pick.Best[*parquet.Document]

	reasons    map[reasonKey]*reason
	moreReason int64 // rows over maxReasons

	status, certificates tally
	upos, deprel         tally                  // Sums: signals of words
	words                map[string]*vocabulary // by language
	lengths              *histogram
	signals              [len(signals)]*histogram
}

// A vocabulary counts the words of a language other than punctuation.
type vocabulary struct{ forms, lemmas, content tally }

// maxLanguages is how many languages have a vocabulary of their own; those met later have
// one together.
const maxLanguages = 20

// vocabularyOf is the vocabulary for the words of a language.
func (r *Report) vocabularyOf(language string) *vocabulary {
	v := r.words[language]
	if v == nil && len(r.words) >= maxLanguages {
		language = moreLanguages
		v = r.words[language]
	}
	if v == nil {
		v = new(vocabulary)
		r.words[language] = v
	}
	return v
}

// moreLanguages stands for the languages over maxLanguages; no code is like it.
const moreLanguages = "other languages"

// Bounds of a report: how many documents with errors and how many with low expected
// accuracy it names, and how many kinds of failures and warnings it distinguishes.
// There are fewer kinds, but the rows come from a file and may say anything.
const maxTroubled, maxWorst, maxReasons = 10, 20, 200

// minForecast is how many words a document must have to be named before shorter
// documents: a few words may be bad by chance.
const minForecast = 50

type reasonKey struct{ severity, stage, kind string }

// A reason is a kind of failure of a stage with its first row as an example.
type reason struct {
	reasonKey
	Count   int64
	Example *parquet.Failure
	number  int // in the order of first examples
}

// An example is a tree of a handy length. The trees whose places have the smallest
// hashes are as good as a random sample, but the same every time.
type example struct {
	hash uint64
	tree *parquet.Tree
}

// Lengths of example trees, in words.
const minExample, maxExample = 4, 20

// signals are the columns of confidence. The first four say how sure words are:
// tables of tags and labels have their means.
var signals = [...]struct {
	column, about, unit string
	bins                func() *histogram
	of                  func(*parquet.Tree) []float32
}{
	{"head_conf", "calibrated probability that a head is right", "words", shares, func(t *parquet.Tree) []float32 { return t.HeadConf }},
	{"deprel_conf", "calibrated probability that head and relation are right", "words", shares, func(t *parquet.Tree) []float32 { return t.DeprelConf }},
	{"upos_conf", "calibrated probability that the part of speech is right", "words", shares, func(t *parquet.Tree) []float32 { return t.UPOSConf }},
	{pick.Raw, "probability of the head under the model of the search", "words", shares, func(t *parquet.Tree) []float32 { return t.HeadMarginal }},
	{"tree_conf", "calibrated probability that the whole tree is right", "trees", shares, func(t *parquet.Tree) []float32 {
		if t.TreeConf == nil {
			return nil
		}
		return []float32{*t.TreeConf}
	}},
	{"head_margin", "score that the tree would lose with the word's second-best head", "words", margins, func(t *parquet.Tree) []float32 { return t.HeadMargin }},
	{"tree_margin", "score over the second-best place where the search ended; 0 if there was one only", "trees", margins,
		func(t *parquet.Tree) []float32 { return []float32{t.TreeMargin} }},
}

const wordSignals = 4

// NewReport begins the report of a run. It shows the lowest least certain trees, and as
// many random examples as examples says, drawn by the hash of their places.
func NewReport(run Run, lowest, examples int) *Report {
	r := &Report{run: run, lowest: pick.NewLowest(lowest), reasons: map[reasonKey]*reason{}, words: map[string]*vocabulary{}, lengths: lengths()}
	r.examples = pick.Best[example]{N: examples, Compare: func(a, b example) int { return cmp.Compare(a.hash, b.hash) }}
	r.troubled = pick.Best[*parquet.Document]{N: maxTroubled, Compare: func(a, b *parquet.Document) int { return cmp.Compare(b.Failures, a.Failures) }}
	r.worst = pick.Best[*parquet.Document]{N: maxWorst, Compare: func(a, b *parquet.Document) int {
		if few := a.CalibratedWords < minForecast; few != (b.CalibratedWords < minForecast) {
			if few {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.ExpectedLAS, b.ExpectedLAS)
	}}
	for i := range signals {
		r.signals[i] = signals[i].bins()
	}
	return r
}

// folderOf is path.Dir for names of objects in buckets, too, which path.Dir would take for
// others: gs://a is gs:/a to it.
func folderOf(name string) string {
	switch at := strings.LastIndexByte(name, '/'); {
	case at == 0:
		return "/"
	case at < 0 || strings.HasSuffix(name[:at], ":/"):
		return "."
	default:
		return name[:at]
	}
}

// Document adds an input file.
func (r *Report) Document(d *parquet.Document) {
	if r.files++; r.files == 1 {
		r.folder = folderOf(d.SourceURI)
	}
	for r.folder != "." && r.folder != "/" && !strings.HasPrefix(d.SourceURI, r.folder+"/") {
		r.folder = folderOf(r.folder)
		r.several = r.folder == "."
	}
	r.several = r.several || r.folder == "." && folderOf(d.SourceURI) != "."
	switch {
	case d.SourceVersion == "":
		r.unreadable++
	case d.Blocks == 0 && d.Failures == 0:
		r.empty++
	}
	s := &r.sum
	s.StoredBytes += d.StoredBytes
	s.Blocks += d.Blocks
	s.Sentences += d.Sentences
	s.Trees += d.Trees
	s.Words += d.Words
	s.UnknownWords += d.UnknownWords
	s.Failures += d.Failures
	s.Warnings += d.Warnings
	s.Repaired += d.Repaired
	for t, name := range map[*tally]string{&r.formats: d.Format, &r.encodings: d.Encoding, &r.layout: d.Lines, &r.languages: d.Language} {
		c := t.of(name)
		c.N++
		c.value(0, float64(d.StoredBytes))
		c.value(1, float64(d.Trees))
		c.value(2, float64(d.Words))
	}
	if d.CalibratedWords > 0 {
		r.expected.Add(d.Expected())
		r.worst.Add(d)
	}
	if d.Failures > 0 {
		r.troubled.Add(d)
	}
}

// Failure adds a row of failures/.
func (r *Report) Failure(f *parquet.Failure) {
	key := reasonKey{Clip(f.Severity, 40), Clip(f.Stage, 40), Clip(f.Kind, 40)}
	k := r.reasons[key]
	if k == nil {
		if len(r.reasons) >= maxReasons {
			r.moreReason++
			return
		}
		k = &reason{reasonKey: key, Example: f, number: len(r.reasons)}
		r.reasons[key] = k
	}
	k.Count++
}

// isContent has the parts of speech of words that say what a text is about.
var isContent = map[string]bool{"NOUN": true, "PROPN": true, "VERB": true, "ADJ": true, "ADV": true}

// Tree adds a row of trees/, which must not change afterwards.
func (r *Report) Tree(t *parquet.Tree) {
	r.status.of(t.Status).N++
	r.certificates.of(t.Certificate).N++
	r.lengths.add(float64(len(t.Tokens)))
	for i := range signals {
		for _, v := range signals[i].of(t) {
			r.signals[i].add(float64(v))
		}
	}
	words := r.vocabularyOf(Clip(t.Language, maxLabel))
	for i := range t.Tokens {
		for _, c := range []*count{r.upos.of(at(t.UPOS, i)), r.deprel.of(at(t.Deprel, i))} {
			c.N++
			for k := range signals[:wordSignals] {
				if list := signals[k].of(t); i < len(list) {
					c.value(k, float64(list[i]))
				}
			}
		}
		if pick.IsPunctuation(t, i) {
			continue
		}
		words.forms.of(Clip(Visible(strings.ToLower(t.Tokens[i])), maxForm)).N++
		if i >= len(t.Lemmas) || t.Lemmas[i] == "" {
			continue
		}
		lemma := Clip(Visible(t.Lemmas[i]), maxForm)
		words.lemmas.of(lemma).N++
		if i < len(t.UPOS) && isContent[t.UPOS[i]] {
			words.content.of(lemma).N++
		}
	}
	r.lowest.Add(t)
	if n := len(t.Tokens); minExample <= n && n <= maxExample {
		r.examples.Add(example{xxhash.Sum64String(fmt.Sprintf("%s\x00%d", t.SourceURI, t.StartByte)), t})
	}
}

// exampleTrees are in the order of the input.
func (r *Report) exampleTrees() (list []*parquet.Tree) {
	for _, e := range r.examples.Sorted() {
		list = append(list, e.tree)
	}
	slices.SortStableFunc(list, func(a, b *parquet.Tree) int {
		return cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.StartByte, b.StartByte))
	})
	return list
}

// sortedReasons are errors before warnings, the commonest first.
func (r *Report) sortedReasons() (list []*reason) {
	for _, k := range r.reasons {
		list = append(list, k)
	}
	warning := func(k *reason) int {
		if k.severity == syntax.SeverityWarning {
			return 1
		}
		return 0
	}
	slices.SortFunc(list, func(a, b *reason) int {
		return cmp.Or(cmp.Compare(warning(a), warning(b)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.number, b.number))
	})
	return list
}
