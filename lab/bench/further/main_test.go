package further

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

func TestTuned(t *testing.T) {
	p, h := encode.Tiny(1, []string{"root", "det"}, encode.Classifier{Name: "upos", Values: []string{"DET", "NOUN"}})
	p.Banks, p.Bank = []string{"xa", "xb", encode.Anywhere}, make([]float32, 3*p.Width)
	p.Coarse, p.Word = encode.NewCodes(p.Word, p.Width, 20), nil
	m, err := encode.Quantize(p, h)
	if err != nil {
		t.Fatal(err)
	}
	var b pack.Builder
	m.Pack(b.Sub(model.EncodeName))
	other := pack.Section{Name: "other", Kind: pack.Bytes, Data: []byte("stays")}
	before, err := model.Encode(model.Info{Language: "mul"}, append(b.Sections, other))
	if err != nil {
		t.Fatal(err)
	}
	tree := syntax.Sentence{Words: []syntax.Word{{Form: "a", UPOS: "DET", Head: 2, Deprel: "det"}, {Form: "b", UPOS: "NOUN", Deprel: "root"}}}
	list := []train.Language{{Code: "xb", Train: train.Treebank{Sentences: []syntax.Sentence{tree, tree}}}}
	quiet := func(string, ...any) {}
	r := run{finetune.Options{Epochs: 2, Seed: 3, Many: true, Again: true, Log: quiet}, list, model.Part{Train: model.Data{File: "LIST"}}}
	after, err := r.tuned(before)
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	banks := func(data []byte) ([]float32, *model.File) {
		f, err := model.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := encode.Open(pack.NewView(f.Sections), model.EncodeName)
		if err != nil {
			t.Fatal(err)
		}
		if m.HasStarts() {
			starts++
		}
		p, _ := m.Floats()
		return p.Bank, f
	}
	x, _ := banks(before)
	y, f := banks(after)
	if w := p.Width; !slices.Equal(x[:w], y[:w]) || slices.Equal(x[w:2*w], y[w:2*w]) {
		t.Error("the treebank xb alone should have learned")
	}
	if starts != 1 {
		t.Error("the world alone that has learned should know where sentences begin")
	}
	at := slices.IndexFunc(f.Sections, func(s pack.Section) bool { return s.Name == "other" })
	if at < 0 || !bytes.Equal(f.Sections[at].Data, other.Data) || f.Info.Language != "mul" {
		t.Error("what is no encoder has changed")
	}
	want := model.Part{Name: "encoder", From: sum(before), Command: "bench further -epochs 2 -seed 3", Seed: 3,
		Train: model.Data{File: "LIST"}}
	if !reflect.DeepEqual(f.Info.Parts, []model.Part{want}) {
		t.Errorf("provenance %+v, want %+v", f.Info.Parts, want)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name, forms string) string {
		var b strings.Builder
		for i, form := range strings.Fields(forms) {
			fmt.Fprintf(&b, "%d\t%s\t_\tX\t_\t_\t%d\t%s\t_\t_\n", i+1, form, i, []string{"root", "dep"}[min(i, 1)])
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(b.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var r run
	if err := r.read([]string{path("a.conllu", "one two"), path("b.conllu", "three")}); err != nil {
		t.Fatal(err)
	}
	if list := trees(r.list); r.Many || len(list) != 2 || list[1].Words[0].Form != "three" {
		t.Errorf("many: %v, trees %+v", r.Many, list)
	}
	if a, b := r.from.Train, r.from.More; a.File != "a.conllu" || a.Words != 2 || len(b) != 1 || b[0].File != "b.conllu" || b[0].Sentences != 1 {
		t.Errorf("provenance %+v and %+v", a, b)
	}
	if err := r.read([]string{"LIST.tsv", "a.conllu"}); err == nil {
		t.Error("a list beside a file is no error")
	}
}

func TestMeasured(t *testing.T) {
	before, err := modeltest.World()
	if err != nil {
		t.Fatal(err)
	}
	w, err := model.OpenWorldBytes(before)
	if err != nil {
		t.Fatal(err)
	}
	var r run
	for _, l := range w.Languages() {
		m, err := w.Language(l.Code)
		if err != nil {
			t.Fatal(err)
		}
		var gold []*syntax.Sentence
		sents := m.Segment(modeltest.Text(l.Code, 30), 1000)
		for i := range sents {
			gold = append(gold, &sents[i])
		}
		if err := m.Run(t.Context(), gold, model.Request{Effort: 1}); err != nil {
			t.Fatal(err)
		}
		own := train.Treebank{Sentences: sents}
		r.list = append(r.list, train.Language{Code: l.Code, Name: l.Name, Train: own, Dev: own})
	}
	r.list = append(r.list, train.Language{Code: "en"}) // only the encoder learns from it
	r.Many, r.Log = true, func(string, ...any) {}
	tuned, err := r.tuned(before)
	if err != nil {
		t.Fatal(err)
	}
	after, err := r.measured(tuned)
	if err != nil {
		t.Fatal(err)
	}
	if w, err = model.OpenWorldBytes(after); err != nil {
		t.Fatal(err)
	}
	for _, l := range w.Languages() {
		m, err := w.Language(l.Code)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(segmenter(t, before, l.Code), segmenter(t, after, l.Code)) {
			t.Errorf("%s has its old segmenter", l.Code)
		}
		// The trees are those of the old factors, which are among the ones tried.
		if len(l.Scores) != 3 || l.Scores[1].LAS < 95 || !slices.Equal(m.Info.Scores, l.Scores) {
			t.Errorf("%s: scores %+v, the model's %+v", l.Code, l.Scores, m.Info.Scores)
		}
	}
}

// segmenter returns the bytes of a language's segmenter.
func segmenter(t *testing.T, world []byte, code string) (all []byte) {
	t.Helper()
	f, err := model.Decode(world)
	if err != nil {
		t.Fatal(err)
	}
	own, err := f.Own(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range own.Sections {
		if strings.HasPrefix(s.Name, model.SegmentName+".") {
			all = append(all, s.Data...)
		}
	}
	return all
}
