package model_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/syntax"
)

// toyWorld writes the toy world to a file.
func toyWorld(t testing.TB) (path string, data []byte) {
	t.Helper()
	data, err := modeltest.World()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "world.tbm")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, data
}

// parsed parses a text from raw text to trees.
func parsed(t *testing.T, m *model.Model, text string) []syntax.Sentence {
	t.Helper()
	sents := m.Segment(text, 1000)
	var list []*syntax.Sentence
	for i := range sents {
		list = append(list, &sents[i])
	}
	if err := m.Run(context.Background(), list, model.Request{Effort: 1}); err != nil {
		t.Fatal(err)
	}
	return sents
}

func TestWorldOpensLanguagesOnce(t *testing.T) {
	path, data := toyWorld(t)
	before := model.Loads()
	w, err := model.OpenWorld(path)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, l := range w.Languages() {
		codes = append(codes, l.Code)
		if l.Name == "" || l.Example == "" || l.TrainWords == 0 || len(l.Treebanks) != 1 {
			t.Errorf("%+v: something is missing", l)
		}
	}
	if got := strings.Join(codes, " "); got != "xa xb xc" {
		t.Errorf("languages %s", got)
	}
	if n := model.Loads() - before; n != 0 {
		t.Errorf("opening the world has opened %d models", n)
	}
	names, err := w.Identifier()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range w.Languages() {
		if g := names.Identify(modeltest.Text(l.Code, 20)); g.Code != l.Code {
			t.Errorf("text in %s is named %s", l.Code, g.Code)
		}
	}
	models := make([]*model.Model, 8)
	var wg sync.WaitGroup
	for i := range models {
		wg.Go(func() {
			m, err := model.Open(path + "#xb")
			if err != nil {
				t.Error(err)
			}
			models[i] = m
		})
	}
	wg.Wait()
	if n := model.Loads() - before; n != 1 {
		t.Errorf("%d models were opened, want 1", n)
	}
	for _, m := range models {
		if m != models[0] {
			t.Error("a second model of one language")
		}
	}
	if again, err := model.OpenWorldBytes(data); err != nil || again.Digest != w.Digest {
		t.Errorf("the same bytes have another digest, or %v", err)
	}
	xa, err := w.Language("xa")
	if err != nil {
		t.Fatal(err)
	}
	und, err := w.Language(model.Undetermined)
	if err != nil {
		t.Fatal(err)
	}
	if b := models[0]; xa.Pruner != b.Pruner || xa.Decoder != b.Decoder || xa.Digest == b.Digest || und.Digest == xa.Digest {
		t.Error("languages do not share their parser, or share their digest")
	}
}

func TestWorldParses(t *testing.T) {
	_, data := toyWorld(t)
	w, err := model.OpenWorldBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"xa", "xb", "xc", model.Undetermined} {
		m, err := w.Language(code)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Encodes() {
			t.Error("no encoder")
		}
		text := modeltest.Text(strings.Replace(code, model.Undetermined, "xa", 1), 5)
		sents := parsed(t, m, text)
		if len(sents) != 5 {
			t.Errorf("%s: %d sentences, want 5", code, len(sents))
		}
		for i := range sents {
			if err := syntax.CheckTree(sents[i].Words); err != nil {
				t.Errorf("%s: %v", code, err)
			}
			if last := sents[i].Words[len(sents[i].Words)-1]; last.UPOS != "PUNCT" || last.Lemma != "." {
				t.Errorf("%s: %+v", code, last)
			}
		}
	}
}

// A language in a file of its own, as treebeam adapt writes it, reads text as in the world.
func TestLanguageAlone(t *testing.T) {
	m, err := model.Open(model.EmbeddedWorld + ":fr")
	if errors.Is(err, model.ErrNoWorld) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := model.Encode(m.Info, m.Sections)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := model.OpenBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	tagged := func(m *model.Model) *syntax.Sentence {
		s := &m.Segment("Seuls deux gendres ont lu « Lessons » avec le Dr Bureau.", 100)[0]
		m.Encode([]*syntax.Sentence{s})
		m.Tag(s, true)
		return s
	}
	if want, got := tagged(m), tagged(alone); len(want.Dense.Arcs) == 0 || !slices.Equal(got.Dense.Arcs, want.Dense.Arcs) || !slices.Equal(got.TagProb, want.TagProb) {
		t.Errorf("%v\nwant\n%v", got.TagProb, want.TagProb)
	}
}

// Damage is found where it is: in the table at once, in a part when it is opened.
func TestDamagedWorld(t *testing.T) {
	_, data := toyWorld(t)
	damaged := func(at int) []byte {
		c := append([]byte{}, data...)
		c[at] ^= 1
		return c
	}
	if _, err := model.OpenWorldBytes(damaged(70)); err == nil {
		t.Error("a damaged table was read")
	}
	w, err := model.OpenWorldBytes(damaged(len(data) - 1)) // of xc, the last part
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Language("xa"); err != nil {
		t.Error(err)
	}
	if _, err := w.Language("xc"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged language: %v", err)
	}
}

// The name of a model may have the sign that stands before a language.
func TestSignInName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "en#2.tbm")
	data, err := os.ReadFile("english.tbm")
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Open(path); err != nil {
		t.Error(err)
	}
}

func TestWorldRefuses(t *testing.T) {
	path, data := toyWorld(t)
	refused := func(what string, err error, says string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", what, err, says)
		}
	}
	_, err := model.Open(path)
	refused("a world as a model", err, "FILE#de")
	_, err = model.Open(path + "#xx")
	refused("a language that is not there", err, "xa, xb, xc")
	_, err = model.OpenBytes(data)
	refused("the bytes of a world as a model", err, "FILE#de")
	_, err = model.Open("world")
	refused("the embedded world as a model", err, "world:de")
	_, err = model.OpenWorld("english.tbm")
	refused("a model as a world", err, "one language")
}

// A calibrator of a separate file takes the place of the world's, in all languages, and of
// nothing else. It belongs to one world.
func TestWorldCalibrator(t *testing.T) {
	_, data := toyWorld(t)
	bare, err := model.OpenWorldBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	var examples []calibrate.Example
	before := map[string][]syntax.Sentence{}
	for _, l := range bare.Languages() {
		m, err := bare.Language(l.Code)
		if err != nil {
			t.Fatal(err)
		}
		before[l.Code] = parsed(t, m, modeltest.Text(l.Code, 40))
		for i := range before[l.Code] {
			s := &before[l.Code][i]
			right := slices.Repeat([]bool{l.Code != "xc"}, len(s.Words)) // all of xc is said to be wrong
			examples = append(examples, calibrate.Example{Sentence: s, Group: i % 5, Language: l.Code, Weight: 16,
				Right: &calibrate.Judgement{UPOS: right, Head: right, LAS: right, Deprel: right, Tree: right[0], Sentence: len(examples)}})
		}
	}
	fitted, err := calibrate.Fit(examples)
	if err != nil {
		t.Fatal(err)
	}
	about := model.Calibration{Model: bare.Digest, Gold: model.Data{Sentences: len(examples)}}
	cal, err := model.EncodeCalibrator(fitted, about)
	if err != nil {
		t.Fatal(err)
	}
	w, err := model.OpenWorldWith(data, cal)
	if err != nil {
		t.Fatal(err)
	}
	if w.Digest == bare.Digest || w.Size != len(data)+len(cal) || w.Info.Calibration.Gold != about.Gold {
		t.Errorf("digest %s, size %d, %+v", w.Digest, w.Size, w.Info.Calibration)
	}
	for code, list := range before {
		m, err := w.Language(code)
		if err != nil {
			t.Fatal(err)
		}
		var sum syntax.Expected
		for i, s := range parsed(t, m, modeltest.Text(code, 40)) {
			if !slices.Equal(list[i].Words, s.Words) {
				t.Errorf("%s: a calibrator changed a tree", code)
			}
			sum.Add(&s.Confidence.Expected)
		}
		if share, _ := sum.UAS.Share(sum.Words); code == "xc" && share > 0.2 || code != "xc" && share < 0.8 {
			t.Errorf("%s: %.2f of the heads are expected to be right", code, share)
		}
	}
	other, err := model.EncodeCalibrator(fitted, model.Calibration{Model: w.Digest})
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string][]byte{"cut": cal[:len(cal)/2], "a world": data, "of another world": other} {
		if _, err := model.OpenWorldWith(data, wrong); err == nil || !strings.Contains(err.Error(), "make calibrate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A training starts from the encoder of the language that is named, or of the treebank's
// language, or of none.
func TestStart(t *testing.T) {
	path, _ := toyWorld(t)
	base := filepath.Base(path)
	for _, c := range []struct{ uri, code, want string }{
		{path, "xb", "xb"}, {path, "zz", model.Undetermined}, {path, "", model.Undetermined}, {path + "#xa", "xb", "xa"},
	} {
		s, err := model.OpenStart(c.uri, c.code)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Open(path + "#" + c.want)
		if err != nil {
			t.Fatal(err)
		}
		if s.Model != base+"#"+c.want || s.Digest != m.Digest || !slices.Contains(s.Heads.Labels, "nsubj") {
			t.Errorf("%s and %q: %s, digest %s, relations %v", c.uri, c.code, s.Model, s.Digest, s.Heads.Labels)
		}
		if p := s.Params; p.Name != base || p.Licence != "CC0, MIT (tiny)" || !strings.Contains(p.Notice, "nobody\nTuned on:\nXalan-Toy (CC0)\n") {
			t.Errorf("provenance %q %q %q", p.Name, p.Licence, p.Notice)
		}
	}
	for uri, says := range map[string]string{path + "#zz": "xa, xb, xc", path + "x": "no such file", "english.tbm": "one language"} {
		if _, err := model.OpenStart(uri, "xa"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", uri, err, says)
		}
	}
	if model.IsStart("e5-small.tbe") || !model.IsStart("world") || !model.IsStart("world:de") || !model.IsStart(path) {
		t.Error("takes a start for another encoder, or another way round")
	}
}
