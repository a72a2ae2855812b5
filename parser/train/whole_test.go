package train

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// grammar makes sentences of our own such as "the old dog sees a cat in it ."
// with gold trees.
func grammar(name string, n int, seed uint64) Treebank {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(list string) string {
		words := strings.Fields(list)
		return words[r.IntN(len(words))]
	}
	t := Treebank{Name: name, File: name, SHA256: hashKey(name, fmt.Sprint(n, seed))}
	for i := range n {
		s := syntax.Sentence{ID: fmt.Sprint(name, i), Comments: []string{"# text = x"}}
		if i%5 == 0 {
			s.Comments = append(s.Comments, "# newpar")
		}
		add := func(form, upos, feats, deprel string, head int) int {
			s.Words = append(s.Words, syntax.Word{Form: form, Lemma: strings.ToLower(form), UPOS: upos, XPOS: upos[:1],
				Feats: feats, Deprel: deprel, Head: int32(head)})
			return len(s.Words)
		}
		noun := func(deprel string, head int) int {
			at := len(s.Words)
			size := 2 + r.IntN(2)
			add(pick("the a this"), "DET", "", "det", at+size)
			if size == 3 {
				add(pick("old red small"), "ADJ", "Degree=Pos", "amod", at+size)
			}
			return add(pick("dog cat house bird man"), "NOUN", "Number=Sing", deprel, head)
		}
		subject := noun("nsubj", 0)
		verb := add(pick("sees likes finds"), "VERB", "Number=Sing", "root", 0)
		s.Words[subject-1].Head = int32(verb)
		noun("obj", verb)
		if r.IntN(2) == 0 {
			in := add(pick("in near"), "ADP", "", "case", 0)
			s.Words[in-1].Head = int32(noun("obl", verb))
		}
		add(".", "PUNCT", "", "punct", verb)
		s.Words[len(s.Words)-2].Misc = "SpaceAfter=No"
		t.Sentences = append(t.Sentences, s)
	}
	return t
}

// blocksOf joins the forms of a paragraph, as io/conllu does.
func blocksOf(sents []syntax.Sentence) ([]string, error) {
	var blocks []string
	for i := range sents {
		var b strings.Builder
		for _, w := range sents[i].Words {
			b.WriteString(w.Form)
			if w.Misc == "" {
				b.WriteByte(' ')
			}
		}
		blocks = append(blocks, strings.TrimSpace(b.String()))
	}
	return blocks, nil
}

// The smallest treebanks that pass Check are trained on: one sentence, a
// sentence beside one without tags, one beside one that is too long to learn
// from.
func TestTinyTreebanks(t *testing.T) {
	bare := grammar("bare", 2, 1)
	for i := range bare.Sentences[1].Words {
		bare.Sentences[1].Words[i].UPOS = ""
	}
	long := grammar("long", 2, 1)
	for s := &long.Sentences[1]; s.Len() <= syntax.MaxWholeWords; {
		s.Words = append(s.Words, s.Words[0])
	}
	for _, train := range []Treebank{grammar("one", 1, 1), bare, long,
		{Name: "very long", Sentences: long.Sentences[1:]}} {
		dev := grammar("dev", 1, 2)
		if err := Check(train, dev).Fatal(); err != nil {
			t.Fatal(err)
		}
		data, err := Run(train, dev, Options{Seed: 1, Blocks: blocksOf})
		if err != nil {
			t.Errorf("%s: %v", train.Name, err)
			continue
		}
		m, err := model.OpenBytes(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range m.Segment("the old dog sees a cat .", 100) {
			m.Tag(&s, true)
			m.Prune(&s)
			if err := m.Parse(&s, search.Options{}); err != nil || s.Words[0].Deprel == "" {
				t.Errorf("%s: %v, %+v", train.Name, err, s.Words[0])
			}
		}
	}
}

// TestWholeTraining trains the real components: the same bytes for 1 and 4
// workers, after an interruption inside the parser's training, and a model
// that has learned the grammar.
func TestWholeTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("trains whole models")
	}
	train, dev := grammar("train", 60, 1), grammar("dev", 120, 2)
	o := Options{Seed: 5, Folds: 2, Workers: 1, Blocks: blocksOf}
	want, err := Run(train, dev, o)
	if err != nil {
		t.Fatal(err)
	}

	o.Workers = 4
	store := &failing{memory{}, "parser.epoch", 3}
	o.Store = store
	if _, err := Run(train, dev, o); !errors.Is(err, errBroken) {
		t.Fatalf("broke off with %v", err)
	}
	o.Store = store.memory
	got, err := Run(train, dev, o)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("4 workers and an interruption gave other bytes than 1 worker in one run")
	}

	f, err := model.Decode(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Info.Scores) != len(eval.Settings) {
		t.Fatalf("scores %+v", f.Info.Scores)
	}
	for _, s := range f.Info.Scores {
		if s.UPOS < 95 || s.UAS < 90 || s.LAS < 90 {
			t.Errorf("%s: UPOS %.2f, UAS %.2f, LAS %.2f on a toy grammar", s.Setting, s.UPOS, s.UAS, s.LAS)
		}
	}
	m, err := model.New(f)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Info.Calibration
	if m.Calibrator == nil || c == nil || c.Gold != f.Info.Dev || len(c.Measured) < 15 || len(c.Expected) < 12 {
		t.Errorf("calibrator %v, %+v", m.Calibrator, c)
	}
}

// A treebank whose dev set is small gives a model without calibrator, and says why.
func TestTooFewSentencesToCalibrate(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	var log strings.Builder
	data, err := Run(grammar("train", 60, 1), grammar("dev", 20, 2),
		Options{Seed: 5, Tensor: 4,
			Log: func(format string, a ...any) { fmt.Fprintf(&log, format+"\n", a...) }})
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if o := f.Info.Options; !strings.Contains(o["tensor"], "rank 4") {
		t.Errorf("options %v", o)
	}
	m, err := model.New(f)
	if err != nil {
		t.Fatal(err)
	}
	if m.Calibrator != nil || f.Info.Calibration != nil ||
		!strings.Contains(log.String(), "too few sentences to fit a calibrator to: 20, want at least 50") {
		t.Errorf("calibrator %v of 20 sentences\n%s", m.Calibrator, &log)
	}
}

// TestDamagedSectionsNeverPanic damages every section of a small model in
// several ways, with checksums that fit: opening it must fail, or every stage
// must run.
func TestDamagedSectionsNeverPanic(t *testing.T) {
	if testing.Short() {
		t.Skip("trains a whole model")
	}
	data, err := Run(grammar("train", 40, 1), grammar("dev", 10, 2),
		Options{Seed: 5, Folds: 2, Tensor: 4})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := model.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	dev := grammar("dev", 3, 9).Sentences
	blocks, err := blocksOf(dev)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i, s := range whole.Sections {
		for name, bad := range damages(s.Data, s.Kind.Size(), r) {
			f := &model.File{Info: whole.Info, Sections: slices.Clone(whole.Sections)}
			f.Sections[i].Data = bad
			for _, setting := range []eval.Setting{eval.Raw, eval.GoldTokens} {
				m, err := openGuarded(f)
				if err == nil {
					_, err = eval.Predict(m, search.Options{}, dev, blocks, setting, 1)
				}
				if err != nil && strings.Contains(err.Error(), "internal:") {
					t.Errorf("section %s, %s: %.1500v", s.Name, name, err)
					break
				}
			}
		}
	}
}

// openGuarded is model.New with a panic as an error.
func openGuarded(f *model.File) (m *model.Model, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal: opening: %v\n%s", p, debug.Stack())
		}
	}()
	return model.New(f)
}

// damages returns spoiled copies of a section's data, still whole elements at
// an aligned address.
func damages(data []byte, size int, r *rand.Rand) map[string][]byte {
	fill := func(n int, f func(i int) byte) []byte {
		words := make([]uint64, (n+7)/8+1)
		out := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	more := append(data[:len(data):len(data)], 1)
	half := len(data) / 2 / size * size
	flips := map[int]byte{}
	for range 8 {
		flips[r.IntN(len(data)+1)] = byte(1 << r.IntN(8))
	}
	return map[string][]byte{
		"empty":   nil,
		"half":    fill(half, func(i int) byte { return data[i] }),
		"longer":  fill(len(data)+size, func(i int) byte { return more[i%len(more)] }),
		"zero":    fill(len(data), func(int) byte { return 0 }),
		"ones":    fill(len(data), func(int) byte { return 0xff }),
		"large":   fill(len(data), func(i int) byte { return byte(0x7f * ((i + 1) % size % 2)) }),
		"noise":   fill(len(data), func(int) byte { return byte(r.Uint32()) }),
		"flipped": fill(len(data), func(i int) byte { return data[i] ^ flips[i] }),
	}
}
