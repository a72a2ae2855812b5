package diff

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// An output is what a Side reads: trees by document.
type output map[string][]parquet.Tree

func (o output) side(name, root string) Side {
	ids := slices.Sorted(maps.Keys(o))
	return Side{name,
		func(yield func(*parquet.Document, error) bool) {
			for _, id := range ids {
				version := fmt.Sprint(len(o[id]))
				for _, t := range o[id] {
					version += t.Text
				}
				if !yield(&parquet.Document{DocID: id, SourceURI: root + id, SourceVersion: version}, nil) {
					return
				}
			}
		},
		func(yield func(*parquet.Tree, error) bool) {
			for _, id := range ids {
				for i, t := range o[id] {
					t.DocID, t.SourceURI, t.StartByte = id, root+id, int64(i)
					if !yield(&t, nil) {
						return
					}
				}
			}
		}}
}

// sentence makes a tree over words of the given tags, every word on the one
// before it.
func sentence(text string, upos ...string) parquet.Tree {
	t := parquet.Tree{Text: text, UPOS: upos, TreeMargin: 2}
	for i := range upos {
		t.Tokens = append(t.Tokens, fmt.Sprintf("w%d", i))
		t.Head = append(t.Head, int32(i))
		t.Deprel = append(t.Deprel, "dep")
		t.HeadMarginal = append(t.HeadMarginal, 0.5)
	}
	return t
}

func (o output) clone() output {
	c := output{}
	for id, trees := range o {
		for _, t := range trees {
			t.Head, t.Deprel, t.UPOS, t.HeadMarginal, t.Tokens =
				slices.Clone(t.Head), slices.Clone(t.Deprel), slices.Clone(t.UPOS), slices.Clone(t.HeadMarginal), slices.Clone(t.Tokens)
			c[id] = append(c[id], t)
		}
		if len(trees) == 0 {
			c[id] = nil
		}
	}
	return c
}

// within is compare with a small window.
func within(t *testing.T, sentences int, a, b output) *Report {
	t.Helper()
	defer func(before int) { window = before }(window)
	window = sentences
	return compare(t, a, b)
}

func compare(t *testing.T, a, b output) *Report {
	t.Helper()
	r, err := Compare(context.Background(), a.side("a", "old/"), b.side("b", "new/top/"), 10)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var tags = []string{"NOUN", "VERB", "ADP", "DET"}

func random(rng *rand.Rand, documents int) output {
	o := output{}
	for d := range documents {
		id := fmt.Sprintf("d%03d.txt", d)
		o[id] = nil
		for s := range rng.IntN(8) {
			upos := make([]string, 1+rng.IntN(9))
			for i := range upos {
				upos[i] = tags[rng.IntN(len(tags))]
			}
			text := fmt.Sprintf("text %d of %d", s, d)
			if rng.IntN(5) == 0 {
				text = "again and again" // of which a document may have several
				upos = tags
			}
			o[id] = append(o[id], sentence(text, upos...))
		}
	}
	return o
}

// Random changes are counted as they were made.
func TestCounts(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 0))
		a := random(rng, 20)
		b := a.clone()
		var want Report
		for _, id := range slices.Sorted(maps.Keys(a)) {
			switch rng.IntN(6) {
			case 0:
				delete(b, id)
				want.Documents.Removed++
				want.Sentences.Removed += int64(len(a[id]))
				continue
			case 1:
				other := "x" + id
				b[other] = []parquet.Tree{sentence("new", "NOUN", "VERB")}
				want.Documents.Added++
				want.Sentences.Added++
			case 2: // a sentence more, in front
				b[id] = append([]parquet.Tree{sentence("one more", "DET")}, b[id]...)
				want.Sentences.Added++
				want.Documents.Changed++
				want.Documents.Same--
			}
			want.Documents.Same++
			for i := range b[id] {
				tree := &b[id][i]
				if tree.Text == "one more" {
					continue
				}
				want.Sentences.Both++
				if rng.IntN(10) == 0 && tree.Text != "again and again" {
					tree.Tokens[0] += "x"
					want.Sentences.Retokenised++
					continue
				}
				for m := range tree.Tokens {
					want.Words.Compared++
					head, label, tag := rng.IntN(6) == 0, rng.IntN(6) == 0, rng.IntN(8) == 0
					if head {
						tree.Head[m] = (tree.Head[m] + 1) % int32(len(tree.Tokens)+1)
					}
					if label {
						tree.Deprel[m] = "other"
					}
					if tag {
						tree.UPOS[m] = "X"
					}
					want.Words.Heads += one(head)
					want.Words.Labels += one(label)
					want.Words.Tags += one(tag)
					want.Words.Arcs += one(head || label)
				}
			}
		}
		got := compare(t, a, b)
		got.Documents.Examples = Examples{}
		if !reflect.DeepEqual(got.Documents, want.Documents) || got.Sentences != want.Sentences || got.Words != want.Words {
			t.Fatalf("seed %d: got %+v %+v %+v\nwant %+v %+v %+v", seed, got.Documents, got.Sentences, got.Words,
				want.Documents, want.Sentences, want.Words)
		}
		same := compare(t, a, a)
		if w := same.Words; same.Documents.Same != int64(len(a)) || w.Arcs+w.Tags != 0 || len(same.Migrations) > 0 || same.Sentences.Added+same.Sentences.Removed != 0 {
			t.Fatalf("seed %d: an output differs from itself: %+v", seed, same)
		}
		again := compare(t, a, b)
		again.Documents.Examples = Examples{}
		if !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: two reports differ", seed)
		}
	}
}

// A change that is planted comes out first.
func TestPlantedMigration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	a := output{}
	b := output{}
	planted := 0
	for d := range 60 {
		id := fmt.Sprintf("d%03d.txt", d)
		// 1 saw(root) 2 dog(obj) 3 with(case of 4) 4 hat(nmod of 2)
		tree := sentence(fmt.Sprintf("text %d", d), "VERB", "NOUN", "ADP", "NOUN")
		tree.Head = []int32{0, 1, 4, 2}
		tree.Deprel = []string{"root", "obj", "case", "nmod"}
		a[id] = []parquet.Tree{tree}
		moved := output{id: a[id]}.clone()[id]
		switch {
		case d%3 != 0: // the phrase goes to the verb
			moved[0].Head[3], moved[0].Deprel[3] = 1, "obl"
			planted++
			if rng.IntN(4) == 0 { // and something else besides
				moved[0].Head[2] = 1 + int32(rng.IntN(2))
			}
		case d%6 == 0:
			moved[0].Deprel[1] = "iobj"
		}
		b[id] = moved
	}
	r := compare(t, a, b)
	if len(r.Migrations) == 0 {
		t.Fatal("no migrations")
	}
	m := r.Migrations[0]
	want := Migration{From: Shape{"NOUN", "nmod", "NOUN", "right"}, To: Shape{"VERB", "obl", "NOUN", "right"}, Head: "left", Count: int64(planted)}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
	if second := r.Migrations[1]; second.From.Label != "obj" || second.To.Label != "iobj" || second.Head != "same" || second.Count != 10 {
		t.Errorf("second is %+v", second)
	}
	sum := int64(0)
	for _, m := range r.Migrations {
		sum += m.Count
	}
	if sum != r.Words.Arcs {
		t.Errorf("%d migrations of %d arcs", sum, r.Words.Arcs)
	}
}

// Sentences are found again as long as they have not moved by more than the
// window; what is held is bounded by it.
func TestWindow(t *testing.T) {
	a, b := output{}, output{}
	for i := range 1000 {
		a["d"] = append(a["d"], sentence(fmt.Sprint("text ", i), "NOUN"))
	}
	b["d"] = a["d"][40:]
	if r := within(t, 50, a, b); r.Sentences != (Sentences{Both: 960, Removed: 40}) {
		t.Errorf("got %+v", r.Sentences)
	}
	if r := within(t, 50, b, a); r.Sentences != (Sentences{Both: 960, Added: 40}) {
		t.Errorf("got %+v", r.Sentences)
	}
	if r := within(t, 20, a, b); r.Sentences.Both > 20 || r.Sentences.Both+r.Sentences.Removed != 1000 || r.Sentences.Both+r.Sentences.Added != 960 {
		t.Errorf("got %+v", r.Sentences)
	}
	q := newQueue(10)
	for i := range 1000 {
		full := q.size == 10
		if dropped := q.put(fmt.Sprint(i%37), &a["d"][0]); dropped != full {
			t.Fatalf("sentence %d: dropped %v", i, dropped)
		}
		if i%3 == 0 {
			q.put("x", &a["d"][1])
			if q.take("x") != &a["d"][1] {
				t.Fatal("what was put is not there")
			}
			q.put(fmt.Sprint(i%37), &a["d"][0])
		}
		if q.size > 10 || len(q.order) > 40 {
			t.Fatalf("%d held under %d keys", q.size, len(q.order))
		}
	}
}

func TestConfidence(t *testing.T) {
	a := output{"x": {sentence("one", "NOUN", "VERB")}, "y": {sentence("two", "NOUN")}}
	b := a.clone()
	b["x"][0].HeadMarginal = []float32{0.75, 1}
	b["x"][0].TreeMargin = 5
	b["z"] = []parquet.Tree{sentence("three", "NOUN")}
	b["z"][0].HeadMarginal = nil
	r := compare(t, a, b)
	c := r.Confidence
	if c.HeadMarginal.A != 0.5 || c.HeadMarginal.B != 0.75 || c.HeadMarginal.Drift != 0.25 || c.InBoth.HeadMarginal.B != 0.75 ||
		c.TreeMargin.A != 2 || c.TreeMargin.B != 3 || c.InBoth.TreeMargin.Drift != 1.5 {
		t.Errorf("got %+v", c)
	}
	if empty := compare(t, output{}, b); empty.Confidence.HeadMarginal.Drift != 0 || empty.Documents.Added != 3 {
		t.Errorf("got %+v", empty)
	}
}

// Documents whose ids are not in the order of their URIs, as those of several
// roots, are matched by their URIs.
func TestSeveralRoots(t *testing.T) {
	trees := output{"q.txt": {sentence("one", "NOUN")}, "r/a.txt": {sentence("two", "NOUN")}}
	s := trees.side("a", "")
	documents := s.Documents
	s.Documents = func(yield func(*parquet.Document, error) bool) {
		for d := range documents {
			d.DocID = strings.TrimPrefix(d.DocID, "r/")
			if !yield(d, nil) {
				return
			}
		}
	}
	r, err := Compare(context.Background(), s, s, 10)
	if err != nil || r.Documents.Same != 2 || r.Sentences.Both != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is damaged is an error, not a count.
func TestDamaged(t *testing.T) {
	good := output{"x": {sentence("one", "NOUN", "VERB")}, "y": {sentence("two", "NOUN")}}
	short := good.clone()
	short["y"][0].Head = nil
	wild := good.clone()
	wild["x"][0].Head[0] = 7
	failing := good.side("f", "")
	failing.Trees = func(yield func(*parquet.Tree, error) bool) { yield(nil, errors.New("torn")) }
	stray := good.side("s", "")
	stray.Documents = func(yield func(*parquet.Document, error) bool) {
		yield(&parquet.Document{DocID: "y", SourceURI: "y"}, nil)
	}
	last := good.side("l", "")
	last.Documents = func(yield func(*parquet.Document, error) bool) {
		yield(&parquet.Document{DocID: "x", SourceURI: "x"}, nil)
	}
	none := good.side("n", "")
	none.Documents = func(func(*parquet.Document, error) bool) {}
	for want, s := range map[string]Side{
		"differ in length": short.side("b", ""), "head 7": wild.side("b", ""), "torn": failing, "no such document before y": stray,
		"trees of y, but no such document at the end": last, "trees of x, but no such document at the end": none,
	} {
		if _, err := Compare(context.Background(), good.side("a", ""), s, 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, good.side("a", ""), good.side("b", ""), 10); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// However often the same sentence comes and goes, the queue holds those that wait.
func TestSameAgainAndAgain(t *testing.T) {
	q := newQueue(10)
	for i := range 1000 {
		q.put("yes", &parquet.Tree{StartByte: int64(i)})
		if i > 0 && q.take("yes").StartByte != int64(i-1) {
			t.Fatal("not the first")
		}
	}
	if len(q.order) > 2*q.limit+16 {
		t.Errorf("%d places for %d sentences", len(q.order), q.size)
	}
}

// Changes that are equally frequent are in one order, though relations have spaces.
func TestOrderOfMigrations(t *testing.T) {
	c := migrations{}
	for _, s := range []Shape{{"A", "b c", "d", ""}, {"A b", "c", "d", ""}, {"A", "b", "c d", ""}} {
		c[Migration{From: s}]++
	}
	first := fmt.Sprintf("%+v", c.top(3))
	for range 20 {
		if got := fmt.Sprintf("%+v", c.top(3)); got != first {
			t.Fatalf("%s, then %s", first, got)
		}
	}
}
