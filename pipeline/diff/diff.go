// Package diff compares two outputs of the parser, such as those of two nights or two
// models. Compare reports the documents that were added, removed or changed, the arcs
// that changed in the sentences that both have, and the change in confidence. It reads
// both outputs once, side by side, in bounded memory.
package diff

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Side is one of two outputs. Documents are sorted by source_uri, Trees by
// (source_uri, start_byte); both may be read more than once. The pair with an
// error is the last.
type Side struct {
	Name      string
	Documents iter.Seq2[*parquet.Document, error]
	Trees     iter.Seq2[*parquet.Tree, error]
}

// window is how many sentences of a file are held of each side while it is compared.
// Tests make it smaller.
var window = 10000

// shown is how many documents are named as examples.
const shown = 10

// A Report says how B differs from A.
type Report struct {
	A          string     `json:"a"`
	B          string     `json:"b"`
	Documents  Documents  `json:"documents"`
	Sentences  Sentences  `json:"sentences"`
	Words      Words      `json:"words"`
	Confidence Confidence `json:"confidence"`
	// Migrations are the most frequent kinds of changed arcs.
	Migrations []Migration `json:"migrations"`
}

// Documents counts input files. Examples are a few of their ids.
type Documents struct {
	Same     int64    `json:"same"`
	Changed  int64    `json:"changed"` // the source file differs
	Added    int64    `json:"added"`
	Removed  int64    `json:"removed"`
	Examples Examples `json:"examples"`
}

// Examples are the first documents of each kind, at most ten.
type Examples struct {
	Changed []string `json:"changed,omitempty"`
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
}

// Sentences counts trees. A sentence is in both outputs if both have a tree with the
// same document id and text.
type Sentences struct {
	Both        int64 `json:"both"`
	Added       int64 `json:"added"`
	Removed     int64 `json:"removed"`
	Retokenised int64 `json:"retokenised"` // of the sentences in both: other words, not compared further
}

// Words counts the words of sentences that both outputs have, with the same words.
type Words struct {
	Compared int64 `json:"compared"`
	Arcs     int64 `json:"arcs"`   // another head or another label
	Heads    int64 `json:"heads"`  // another head
	Labels   int64 `json:"labels"` // another label
	Tags     int64 `json:"tags"`   // another UPOS
}

// Percent is the share of n in the words compared, from 0 to 100.
func (w *Words) Percent(n int64) float64 { return 100 * float64(n) / float64(max(w.Compared, 1)) }

// Confidence has the means of two raw signals, over all sentences of each side and over
// the sentences that are in both.
type Confidence struct {
	HeadMarginal Means `json:"head_marginal"` // over words, in [0,1]
	TreeMargin   Means `json:"tree_margin"`   // over sentences, in units of score, at most 64
	InBoth       struct {
		HeadMarginal Means `json:"head_marginal"`
		TreeMargin   Means `json:"tree_margin"`
	} `json:"in_both"`
}

// Means are the means of a signal on both sides.
type Means struct {
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Drift float64 `json:"drift"` // B - A; 0 if one side has no values

	sum   [2]float64
	count [2]int64
}

func (m *Means) add(side int, value float32) {
	m.sum[side] += float64(value)
	m.count[side]++
}

func (m *Means) finish() {
	m.A = m.sum[0] / float64(max(m.count[0], 1))
	m.B = m.sum[1] / float64(max(m.count[1], 1))
	if m.count[0] > 0 && m.count[1] > 0 {
		m.Drift = m.B - m.A
	}
}

// OneSided reports whether only one of the compared sides has values, so that there is no
// drift. It knows of a report of Compare.
func (m *Means) OneSided() bool { return (m.count[0] == 0) != (m.count[1] == 0) }

// Compare compares b with a. top is how many migrations the report has. Compare is
// deterministic.
func Compare(ctx context.Context, a, b Side, top int) (*Report, error) {
	key, err := keyOf(a, b)
	if err != nil {
		return nil, err
	}
	c := &comparison{report: Report{A: a.Name, B: b.Name, Migrations: []Migration{}}, key: key, migrations: migrations{}}
	c.sides[0], c.sides[1] = newReader(a), newReader(b)
	defer c.sides[0].close()
	defer c.sides[1].close()
	if err := c.documents(ctx); err != nil {
		return nil, err
	}
	c.report.Migrations = append(c.report.Migrations, c.migrations.top(top)...)
	d := &c.report.Confidence
	for _, m := range []*Means{&d.HeadMarginal, &d.TreeMargin, &d.InBoth.HeadMarginal, &d.InBoth.TreeMargin} {
		m.finish()
	}
	return &c.report, nil
}

// keyOf returns by what documents of both sides are matched: by their ids, if
// these are in order on both sides, as they are for outputs of one folder each,
// wherever it was; otherwise by source_uri, which always is.
func keyOf(sides ...Side) (func(*parquet.Document) string, error) {
	for _, s := range sides {
		last := ""
		for d, err := range s.Documents {
			if err != nil {
				return nil, err
			}
			if d.DocID < last {
				return func(d *parquet.Document) string { return d.SourceURI }, nil
			}
			last = d.DocID
		}
	}
	return func(d *parquet.Document) string { return d.DocID }, nil
}

type comparison struct {
	report     Report
	sides      [2]*reader
	key        func(*parquet.Document) string
	migrations migrations
}

// documents goes through both sides document by document.
func (c *comparison) documents(ctx context.Context) error {
	a, b := c.sides[0], c.sides[1]
	d := &c.report.Documents
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := cmp.Or(a.err, b.err); err != nil {
			return err
		}
		order := 0
		switch {
		case a.doc == nil && b.doc == nil:
			return cmp.Or(a.stray("at the end"), b.stray("at the end"))
		case b.doc == nil:
			order = -1
		case a.doc != nil:
			order = strings.Compare(c.key(a.doc), c.key(b.doc))
		default:
			order = 1
		}
		var err error
		switch {
		case order < 0:
			note(&d.Removed, &d.Examples.Removed, a.doc)
			err = c.only(0, &c.report.Sentences.Removed)
		case order > 0:
			note(&d.Added, &d.Examples.Added, b.doc)
			err = c.only(1, &c.report.Sentences.Added)
		default:
			if a.doc.SourceVersion == b.doc.SourceVersion {
				d.Same++
			} else {
				note(&d.Changed, &d.Examples.Changed, b.doc)
			}
			err = c.both()
		}
		if err != nil {
			return err
		}
		if order <= 0 {
			a.nextDocument()
		}
		if order >= 0 {
			b.nextDocument()
		}
	}
}

func note(count *int64, examples *[]string, d *parquet.Document) {
	if *count++; len(*examples) < shown {
		*examples = append(*examples, d.DocID)
	}
}

// only goes over the sentences of a document that one side has.
func (c *comparison) only(side int, count *int64) error {
	for t, err := range c.sides[side].sentences() {
		if err != nil {
			return err
		}
		c.signals(side, t)
		*count++
	}
	return nil
}

// both matches the sentences of a document that both sides have by their texts.
// The sides are read in step; a sentence waits until the other side has its
// like, or until there are too many that wait.
func (c *comparison) both() error {
	var next [2]func() (*parquet.Tree, error, bool)
	for side := range next {
		var stop func()
		next[side], stop = iter.Pull2(c.sides[side].sentences())
		defer stop()
	}
	waits := [2]*queue{newQueue(window), newQueue(window)}
	unmatched := [2]*int64{&c.report.Sentences.Removed, &c.report.Sentences.Added}
	for more := [2]bool{true, true}; more[0] || more[1]; {
		for side := range next {
			if !more[side] {
				continue
			}
			t, err, ok := next[side]()
			if more[side] = ok; !ok {
				continue
			}
			if err != nil {
				return err
			}
			c.signals(side, t)
			key := matchKey(t)
			if other := waits[1-side].take(key); other != nil {
				if side == 0 {
					t, other = other, t
				}
				c.sentence(other, t)
			} else if waits[side].put(key, t) {
				*unmatched[side]++
			}
		}
	}
	for side := range waits {
		*unmatched[side] += int64(waits[side].size)
	}
	return nil
}

// matchKey is what sentences are matched by.
func matchKey(t *parquet.Tree) string {
	text := t.Text
	if text == "" {
		text = strings.Join(t.Tokens, " ")
	}
	return t.DocID + "\x00" + text
}

// signals adds the confidence of a sentence to the means of its side.
func (c *comparison) signals(side int, t *parquet.Tree) {
	addSignals(side, t, &c.report.Confidence.HeadMarginal, &c.report.Confidence.TreeMargin)
}

func addSignals(side int, t *parquet.Tree, marginal, margin *Means) {
	for _, p := range t.HeadMarginal {
		marginal.add(side, p)
	}
	margin.add(side, t.TreeMargin)
}

// sentence compares a sentence that both sides have.
func (c *comparison) sentence(a, b *parquet.Tree) {
	c.report.Sentences.Both++
	in := &c.report.Confidence.InBoth
	addSignals(0, a, &in.HeadMarginal, &in.TreeMargin)
	addSignals(1, b, &in.HeadMarginal, &in.TreeMargin)
	if !slices.Equal(a.Tokens, b.Tokens) {
		c.report.Sentences.Retokenised++
		return
	}
	w := &c.report.Words
	for i := range a.Tokens {
		w.Compared++
		head, label, tag := a.Head[i] != b.Head[i], a.Deprel[i] != b.Deprel[i], a.UPOS[i] != b.UPOS[i]
		w.Heads += one(head)
		w.Labels += one(label)
		w.Tags += one(tag)
		if head || label {
			w.Arcs++
			c.migrations.add(a, b, i)
		}
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// A reader goes through one side, document by document.
type reader struct {
	name     string
	document func() (*parquet.Document, error, bool)
	tree     func() (*parquet.Tree, error, bool)
	stops    [2]func()

	doc *parquet.Document // nil at the end
	row *parquet.Tree     // the next, nil at the end
	err error
}

func newReader(s Side) *reader {
	r := &reader{name: s.Name}
	r.document, r.stops[0] = iter.Pull2(s.Documents)
	r.tree, r.stops[1] = iter.Pull2(s.Trees)
	r.nextDocument()
	r.err = cmp.Or(r.err, r.nextTree())
	return r
}

func (r *reader) close() {
	r.stops[0]()
	r.stops[1]()
}

func (r *reader) nextDocument() {
	d, err, ok := r.document()
	if !ok {
		d = nil
	}
	r.doc, r.err = d, err
}

func (r *reader) nextTree() error {
	t, err, ok := r.tree()
	if !ok {
		t = nil
	}
	r.row = t
	return err
}

// stray is the error of trees that belong to no document.
func (r *reader) stray(where string) error {
	if r.row == nil {
		return nil
	}
	return fmt.Errorf("%s: there are trees of %s, but no such document %s: the output is damaged", r.name, r.row.SourceURI, where)
}

// sentences yields the trees of the document, from the first that was not
// read.
func (r *reader) sentences() iter.Seq2[*parquet.Tree, error] {
	uri := r.doc.SourceURI
	return func(yield func(*parquet.Tree, error) bool) {
		for r.row != nil && r.row.SourceURI == uri {
			t := r.row
			if err := r.nextTree(); err != nil {
				yield(nil, err)
				return
			}
			if err := wellFormed(t); err != nil {
				yield(nil, fmt.Errorf("%s: %w", r.name, err))
				return
			}
			if !yield(t, nil) {
				return
			}
		}
		if r.row != nil && r.row.SourceURI < uri {
			yield(nil, r.stray("before "+uri))
		}
	}
}

// wellFormed returns an error unless the lists of the words have one length
// and all heads are words or the root.
func wellFormed(t *parquet.Tree) error {
	n := len(t.Tokens)
	if len(t.Head) != n || len(t.Deprel) != n || len(t.UPOS) != n {
		return fmt.Errorf("%s at byte %d: the lists of its words differ in length", t.SourceURI, t.StartByte)
	}
	for _, h := range t.Head {
		if h < 0 || int(h) > n {
			return fmt.Errorf("%s at byte %d: head %d of %d words", t.SourceURI, t.StartByte, h, n)
		}
	}
	return nil
}

// A queue holds sentences that wait for their like, the first of a key first.
type queue struct {
	limit, size int
	byKey       map[string][]*waiting
	order       []*waiting // as they came; some may be gone
}

// A waiting is a sentence of a queue, without a tree once it is gone.
type waiting struct {
	key  string
	tree *parquet.Tree
}

func newQueue(limit int) *queue { return &queue{limit: limit, byKey: map[string][]*waiting{}} }

// take removes and returns the first sentence of a key, or nil.
func (q *queue) take(key string) *parquet.Tree {
	list := q.byKey[key]
	if len(list) == 0 {
		return nil
	}
	if len(list) == 1 {
		delete(q.byKey, key)
	} else {
		q.byKey[key] = list[1:]
	}
	q.size--
	t := list[0].tree
	list[0].tree = nil
	return t
}

// put adds a sentence and says whether another one had to go for it.
func (q *queue) put(key string, t *parquet.Tree) (dropped bool) {
	w := &waiting{key, t}
	q.byKey[key] = append(q.byKey[key], w)
	q.order = append(q.order, w)
	q.size++
	if len(q.order) > 2*q.limit+16 { // most are gone, or it is full
		q.order = slices.DeleteFunc(q.order, func(w *waiting) bool { return w.tree == nil })
	}
	for q.size > q.limit {
		oldest := q.order[0]
		q.order = q.order[1:]
		if oldest.tree != nil {
			q.take(oldest.key)
			dropped = true
		}
	}
	return dropped
}
