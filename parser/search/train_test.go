package search

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// grammar makes sentences whose heads follow from their tags: determiners
// and adjectives on the next noun, nouns on the verb, punctuation too.
func grammar(count int, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
	var list []syntax.Sentence
	for len(list) < count {
		var s syntax.Sentence
		n := 4 + int(r.Below(8))
		verb := 2 + int(r.Below(uint32(n-2)))
		for m := 1; m <= n; m++ {
			tag := []string{"NOUN", "DET", "ADJ", "NOUN"}[r.Below(4)]
			switch m {
			case verb:
				tag = "VERB"
			case verb - 1, n:
				tag = "NOUN"
			}
			w := fmt.Sprintf("%s%d", tag, r.Below(6))
			s.Words = append(s.Words, syntax.Word{Form: w, Lemma: w, UPOS: tag, Head: int32(verb)})
		}
		s.Words[verb-1].Head = 0
		for m := n; m >= 1; m-- {
			if t := s.Words[m-1].UPOS; t == "DET" || t == "ADJ" {
				k := m
				for s.Words[k].UPOS != "NOUN" {
					k++
				}
				s.Words[m-1].Head = int32(k + 1)
			}
		}
		c := &s.Candidates
		c.Start = []int32{0}
		for m := 1; m <= n; m++ {
			for h := 0; h <= n; h++ {
				if h != m {
					c.Heads, c.LogOdds = append(c.Heads, int32(h)), append(c.LogOdds, -int32(r.Below(2000)))
				}
			}
			c.Start = append(c.Start, int32(len(c.Heads)))
		}
		list = append(list, s)
	}
	return list
}

// written and reader keep and bring a checkpoint.
func written(layout func(*pack.Layout)) []pack.Section {
	var b pack.Builder
	pack.Write(b.Sub("c"), layout)
	for i, s := range b.Sections { // the training goes on
		words := make([]uint64, len(s.Data)/8+1)
		b.Sections[i].Data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(s.Data))
		copy(b.Sections[i].Data, s.Data)
	}
	return b.Sections
}

func reader(state []pack.Section) func(func(*pack.Layout)) (bool, error) {
	return func(layout func(*pack.Layout)) (bool, error) {
		return true, pack.Read(pack.NewView(state), "c", layout)
	}
}

func packed(m *Model) []byte {
	var b pack.Builder
	m.Pack(b.Sub("p"))
	var all []byte
	for _, s := range b.Sections {
		all = append(append(all, s.Name...), s.Data...)
	}
	return all
}

// trainings are what the tests of trainings train: with all families, and with a tensor.
var trainings = map[string]TrainOptions{"families": {Families: part.All}, "tensor": {Tensor: 4}}

func TestTrainingFitsAGrammar(t *testing.T) {
	train, dev := grammar(60, 1), grammar(30, 2)
	for name, o := range trainings {
		o.Epochs = 4
		m, err := Train(word.Learn(train), train, dev, o)
		if err != nil {
			t.Fatal(err)
		}
		if uas := m.uas(dev, 2); uas < 0.98 {
			t.Errorf("%s: dev UAS %.3f", name, uas)
		}
		var b pack.Builder
		m.Pack(b.Sub("p"))
		opened, err := Open(pack.NewView(b.Sections), "p", m.source.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range dev {
			x, y := s, s
			x.Words, y.Words = append([]syntax.Word(nil), s.Words...), append([]syntax.Word(nil), s.Words...)
			if m.Parse(&x, Options{}) != nil || opened.Parse(&y, Options{}) != nil ||
				fmt.Sprint(x.Words, x.Confidence) != fmt.Sprint(y.Words, y.Confidence) {
				t.Fatalf("%s: a saved and a fresh model differ", name)
			}
		}
	}
}

func TestTrainingDoesNotDependOnWorkersNorInterruption(t *testing.T) {
	train, dev := grammar(50, 3), grammar(10, 4)
	for name, o := range trainings {
		o.Epochs, o.Workers = 3, 1
		trained := func(o TrainOptions) []byte {
			m, err := Train(word.Learn(train), train, dev, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return packed(m)
		}
		want := trained(o)
		o.Workers = 4
		if !bytes.Equal(trained(o), want) {
			t.Errorf("%s: 1 and 4 workers give different models", name)
		}
		var state []pack.Section
		stop := fmt.Errorf("stopped")
		o.Checkpoint = func(epoch int, layout func(*pack.Layout)) error {
			state = written(layout)
			return stop
		}
		if _, err := Train(word.Learn(train), train, dev, o); err != stop || state == nil {
			t.Fatalf("%s: interrupted training returned %v", name, err)
		}
		o.Checkpoint = nil
		o.Resume = reader(state)
		if !bytes.Equal(trained(o), want) {
			t.Errorf("%s: a resumed training differs from one that was not interrupted", name)
		}
		o.Resume = reader(state[:len(state)/2])
		if _, err := Train(word.Learn(train), train, dev, o); err == nil {
			t.Errorf("%s: damaged checkpoint: no error", name)
		}
		o.Resume = reader(state)
		o.Tensor = 4 - o.Tensor
		if _, err := Train(word.Learn(train), train, dev, o); err == nil {
			t.Errorf("%s: a checkpoint was taken by a training that differs in the tensor", name)
		}
	}
}

func TestTrainRefusesUnknownOptions(t *testing.T) {
	for _, o := range []TrainOptions{{Families: 1 << 30}} {
		if _, err := Train(word.Learn(grammar(2, 1)), grammar(2, 1), nil, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// A model keeps its families and delta, and cannot be opened without them.
func TestFamiliesAreKept(t *testing.T) {
	m, err := Train(word.Learn(grammar(5, 1)), grammar(5, 1), nil,
		TrainOptions{Epochs: 1, Families: part.All})
	if err != nil {
		t.Fatal(err)
	}
	m.delta = 1234
	var b pack.Builder
	m.Pack(b.Sub("p"))
	opened, err := Open(pack.NewView(b.Sections), "p", m.source.Vocabulary)
	if err != nil || opened.Families() != part.All || opened.delta != 1234 {
		t.Fatalf("%v, %v, %v", opened.Families(), opened.delta, err)
	}
	at := slices.IndexFunc(b.Sections, func(s pack.Section) bool { return s.Name == "p.families" })
	for _, bad := range [][]byte{{}, {1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0x40}} {
		broken := slices.Clone(b.Sections)
		broken[at].Data = bad
		if _, err := Open(pack.NewView(broken), "p", m.source.Vocabulary); err == nil {
			t.Errorf("families %v: no error", bad)
		}
	}
	if _, err := Open(pack.NewView(slices.Delete(b.Sections, at, at+1)), "p", m.source.Vocabulary); err == nil {
		t.Error("a model without families: no error")
	}
}
