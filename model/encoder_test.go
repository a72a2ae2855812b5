package model

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// A noise encoder gives scores by chance, which depend on the forms.
type noise struct{ m *Model }

func (x *noise) Encode(sents []*syntax.Sentence) {
	for _, s := range sents {
		n := len(s.Words)
		s.Dense = syntax.Dense{
			Arcs: chance(s, 1, (n+1)*(n+1)), Tags: chance(s, 2, n*x.m.Tagger.NumTags()), Feats: chance(s, 3, n*x.m.Tagger.NumFeats()),
		}
	}
}

func (x *noise) Labels(s *syntax.Sentence) {
	s.Dense.Labels = chance(s, 4, len(s.Words)*len(x.m.Labeler.Relations()))
}

func (*noise) Starts(dst []int32, _ []*syntax.Sentence) []int32 { return dst }

func (*noise) Reach() int { return 0 }

func (*noise) Begins(dst []int32, text string) []int32 {
	return append(dst, make([]int32, utf8.RuneCountInString(text))...)
}

// chance returns n numbers from -8 to 0 nats.
func chance(s *syntax.Sentence, seed uint64, n int) []int32 {
	for i := range s.Words {
		seed = hash.Pair(seed, hash.String(s.Words[i].Form))
	}
	r, list := hash.Rand(seed), make([]int32, n)
	for i := range list {
		list[i] = -int32(r.Below(8 * 4096))
	}
	return list
}

// openNoisy returns a model that was trained on toySentences, with a noise
// encoder.
func openNoisy(t *testing.T, mix Mix) *Model {
	t.Helper()
	m := must(New(&File{Info: Info{Templates: pack.Templates}, Sections: smallModel(t)}))
	m.Encoder, m.Mix = &noise{m}, mix
	return m
}

// parsed returns copies of sentences after all stages of m, encoded if asked.
func parsed(t *testing.T, m *Model, encode bool) []syntax.Sentence {
	t.Helper()
	out := syntax.Clone(toySentences())
	for i := range out {
		s := &out[i]
		if encode {
			m.Encode([]*syntax.Sentence{s})
		}
		before := s.Dense
		m.Tag(s, true)
		m.Prune(s)
		if err := m.Parse(s, search.Options{Seed: 1}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Dense, before) {
			t.Error("a stage changed the scores of the encoder")
		}
	}
	return out
}

func times(list []int32, factor int32) []int32 {
	out := slices.Clone(list)
	for i := range out {
		out[i] = int32(int64(out[i]) * int64(factor) / MixOne)
	}
	return out
}

// byHand is parsed for sentences that are encoded, with scores that are scaled
// by hand for every stage.
func byHand(t *testing.T, m *Model) []syntax.Sentence {
	t.Helper()
	out := syntax.Clone(toySentences())
	for i := range out {
		s := &out[i]
		n := len(s.Words)
		s.Dense = syntax.Dense{
			Tags:  times(chance(s, 2, n*m.Tagger.NumTags()), m.Mix.Tags),
			Feats: times(chance(s, 3, n*m.Tagger.NumFeats()), m.Mix.Feats),
		}
		m.Tagger.Tag(s, tag.Request{Retag: true, Temperature: sequence.TemperatureUnit + temperatureOfTags*m.Mix.Tags*sequence.TemperatureUnit/MixOne})
		s.Dense.Arcs = times(chance(s, 1, (n+1)*(n+1)), m.Mix.Prune)
		m.Pruner.Prune(s)
		s.Dense.Arcs = times(chance(s, 1, (n+1)*(n+1)), m.Mix.Parse)
		if err := m.Decoder.Parse(s, search.Options{Seed: 1}); err != nil {
			t.Fatal(err)
		}
		s.Dense.Labels = times(chance(s, 4, n*len(m.Labeler.Relations())), m.Mix.Labels)
		m.Labeler.LabelFreely(s)
		s.Candidates.Gains = nil
	}
	return out
}

// agree reports whether sentences are the same but for their scores.
func agree(a, b []syntax.Sentence) bool {
	return slices.EqualFunc(a, b, func(a, b syntax.Sentence) bool {
		return reflect.DeepEqual(a.Words, b.Words) && reflect.DeepEqual(a.Candidates, b.Candidates) &&
			reflect.DeepEqual(a.Confidence, b.Confidence) && a.Lexical == b.Lexical && a.Unknown == b.Unknown && a.Status == b.Status &&
			slices.Equal(a.TagProb, b.TagProb) && a.TagsGiven == b.TagsGiven
	})
}

// Every stage gets the encoder's scores times its own factor.
func TestMixOfScores(t *testing.T) {
	free := Custom{Unconstrained: true} // byHand knows of no rules
	fast := parsed(t, openNoisy(t, Mix{}).With(free), false)
	if got := parsed(t, openNoisy(t, Mix{}).With(free), true); !agree(got, fast) {
		t.Error("factors of 0 change something")
	}
	for _, mix := range []Mix{
		{Tags: 2 * MixOne}, {Feats: MixOne}, {Prune: 4 * MixOne}, {Parse: 4 * MixOne}, {Labels: 4 * MixOne},
		{Tags: 300, Feats: 200, Prune: 250, Parse: 30, Labels: 700},
	} {
		m := openNoisy(t, mix).With(free)
		got := parsed(t, m, true)
		if !agree(got, byHand(t, m)) {
			t.Errorf("%+v: the stages do not add what the factors say", mix)
		}
		if agree(got, fast) && mix.Feats != MixOne { // the treebank has no FEATS
			t.Errorf("%+v changes nothing", mix)
		}
		if !agree(parsed(t, m, false), fast) {
			t.Errorf("%+v: sentences that were not encoded changed", mix)
		}
		for i := range got {
			s := &got[i]
			var heads []int32
			for j := range s.Words {
				heads = append(heads, s.Words[j].Head)
			}
			if score, ok := m.Score(s, heads); !ok || float32(float64(score)/4096) != s.Confidence.TreeScore {
				t.Errorf("%+v: the tree of sentence %d scores %d, and scored %v in the search", mix, i+1, score, s.Confidence.TreeScore)
			}
		}
	}
}

// withTiny returns the sections of a model that was trained on toySentences and
// has a tiny encoder.
func withTiny(t *testing.T, mix Mix) []pack.Section {
	t.Helper()
	encoder, err := encode.Quantize(encode.Tiny(3, strings.Fields("det nsubj obj root punct dep"),
		encode.Classifier{Name: "upos", Values: strings.Fields("ADP DET NOUN PUNCT VERB")}))
	if err != nil {
		t.Fatal(err)
	}
	b := pack.Builder{Sections: smallModel(t)}
	encoder.Pack(b.Sub(EncodeName))
	mix.Pack(b.Sub(MixName))
	return b.Sections
}

// An encoder that is in a file is bound to the tags and relations of the rest,
// and what its scores change does not depend on how sentences are grouped.
func TestOpenEncoder(t *testing.T) {
	one := Mix{Tags: MixOne, Feats: MixOne, Prune: MixOne, Parse: MixOne, Labels: MixOne}
	data := must(Encode(Info{Treebank: t.Name()}, withTiny(t, one)))
	m := must(OpenBytes(data))
	if m.Mix != one || m.CanChoose() {
		t.Errorf("%+v, %v", m.Mix, m.FastCalibrator)
	}
	alone := parsed(t, m, true)
	if agree(alone, parsed(t, m, false)) {
		t.Error("the encoder changes nothing")
	}
	together := syntax.Clone(toySentences())
	list := []*syntax.Sentence{{}, {Words: make([]syntax.Word, syntax.MaxWholeWords+1)}}
	for i := range together {
		list = append(list, &together[i])
	}
	m.Encode(list)
	for _, s := range list[2:] {
		n := len(s.Words)
		if len(s.Dense.Tags) != n*m.Tagger.NumTags() {
			t.Errorf("%d scores of tags for %d words", len(s.Dense.Tags), n)
		}
		m.Tag(s, true)
		m.Prune(s)
		if err := m.Parse(s, search.Options{Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if !agree(together, alone) {
		t.Error("the sentences of a group change each other")
	}
	if m.encoded(list[0]) || m.encoded(list[1]) || !m.encoded(list[2]) {
		t.Error("a sentence without words, or one that is parsed in windows, was encoded")
	}
}

// An encoder without factors, or a damaged one, is an error that names it.
func TestOpenEncoderRefuses(t *testing.T) {
	for name, drop := range map[string]string{"component mix": "mix.prune", "component encode": "encode.mix"} {
		sections := slices.DeleteFunc(withTiny(t, Mix{}), func(s pack.Section) bool { return s.Name == drop })
		if _, err := New(&File{Info: Info{Templates: pack.Templates}, Sections: sections}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", drop, err)
		}
	}
}

// The accurate model is opened of two files, and its digest covers both; it
// parses as if it were one file.
func TestOpenOverlay(t *testing.T) {
	one := Mix{Tags: MixOne, Feats: MixOne, Prune: MixOne, Parse: MixOne, Labels: MixOne}
	whole := &File{Info: Info{Templates: pack.Templates, Encoder: &Encoded{Name: "tiny"}}, Sections: withTiny(t, one)}
	want := must(New(whole))
	sparse := must(Encode(Info{Treebank: t.Name()}, smallModel(t)))
	overlay := must(EncodeOverlay(whole, Digest(sparse)))
	if _, err := openExtra(sparse, extra{overlay: overlay[:len(overlay)-1]}); err == nil {
		t.Error("half an overlay")
	}
	m := must(openExtra(sparse, extra{overlay: aligned(overlay)}))
	if m.Digest != Digest(slices.Concat(sparse, overlay)) || m.Size != len(sparse)+len(overlay) || m.Info.Encoder.Name != "tiny" || m.Mix != one {
		t.Errorf("%+v, %d bytes, %+v", m.Digest, m.Size, m.Info.Encoder)
	}
	if !agree(parsed(t, m, true), parsed(t, want, true)) || !agree(parsed(t, m, false), parsed(t, want, false)) {
		t.Error("two files parse otherwise than one")
	}
}

// The accurate model's calibrator is a file of its own, bound to both others; its
// parses without the encoder have the calibrator of the sparse model.
func TestOverlaysCalibrator(t *testing.T) {
	whole := &File{Info: Info{Templates: pack.Templates, Encoder: &Encoded{Name: "tiny"}}, Sections: withTiny(t, Mix{Tags: MixOne, Feats: MixOne, Prune: MixOne, Parse: MixOne, Labels: MixOne})}
	sparse := must(Encode(Info{Treebank: t.Name()}, smallModel(t)))
	overlay := must(EncodeOverlay(whole, Digest(sparse)))
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.tbm"), filepath.Join(dir, "b.tbm")
	for path, data := range map[string][]byte{a: sparse, b: overlay} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bare, err := OpenOverlay(a, b)
	if err != nil || bare.Calibrator != nil || bare.CanChoose() {
		t.Fatalf("%+v, %v", bare, err)
	}
	if _, err := OpenOverlay(b, a); err == nil {
		t.Error("files in the wrong order")
	}
	encode := func(name, digest string) []byte {
		data := must(EncodeCalibrator(smallCalibrator(t, bare), Calibration{Model: digest, Gold: Data{File: name}}))
		return aligned(data)
	}
	fast, slow := encode("fast", Digest(sparse)), encode("slow", bare.Digest)
	m := must(openExtra(sparse, extra{calibrator: fast, overlay: aligned(overlay), overlayCalibrator: slow}))
	if m.Calibrator == nil || !m.CanChoose() || m.Info.Calibration.Gold.File != "slow" || m.Info.Encoder.FastCalibration.Gold.File != "fast" {
		t.Errorf("%+v, %+v", m.Info.Calibration, m.Info.Encoder)
	}
	if m.Digest == bare.Digest || m.Size != len(sparse)+len(overlay)+len(fast)+len(slow) {
		t.Errorf("%s, %d bytes", m.Digest, m.Size)
	}
	if _, err := openExtra(sparse, extra{calibrator: fast, overlay: aligned(overlay), overlayCalibrator: fast}); err == nil || !strings.Contains(err.Error(), "make calibrate") {
		t.Errorf("the sparse model's calibrator for the overlay's: %v", err)
	}
}

// The accurate model of the program, if it is there: it has an encoder, can
// choose, and is laid over the fast one.
func TestEmbeddedAccurate(t *testing.T) {
	m, err := Open(EmbeddedAccurate)
	if errors.Is(err, ErrNoAccurate) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	fast := must(Open(Embedded))
	if !m.CanChoose() || m.Calibrator == nil || m.Info.Encoder == nil || m.Info.Encoder.Licence == "" || fast.Encodes() || fast.Digest == m.Digest {
		t.Errorf("%+v", m.Info)
	}
	if size := m.Size - len(english); size > 40<<20 {
		t.Errorf("the accurate model has %d bytes beside the fast one, over 40 MB", size)
	}
}

// A sentence is sure if the mean of its confidence says so; parses with the
// encoder have another calibrator than those without.
func TestSureAndCalibrators(t *testing.T) {
	s := &syntax.Sentence{Words: make([]syntax.Word, 2)}
	if sure(s, 0) {
		t.Error("a sentence without confidence is sure")
	}
	s.Confidence.DeprelConf = []float32{0.5, 0.75}
	if !sure(s, 0.625) || sure(s, 0.626) || !sure(&syntax.Sentence{}, 1) || !sure(&syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWholeWords+1)}, 1) {
		t.Error("the mean of 0.5 and 0.75 is 0.625")
	}
	m := openNoisy(t, Mix{})
	if m.CanChoose() {
		t.Error("a model without a calibrator can choose")
	}
	c := smallCalibrator(t, m)
	for _, fast := range []bool{false, true} {
		x := *m
		if x.Calibrator = c; fast {
			x.Calibrator, x.FastCalibrator = nil, c
		}
		for _, encode := range []bool{false, true} {
			for _, s := range parsed(t, &x, encode) {
				if got := s.Confidence.HasTreeConf; got == (encode == fast) {
					t.Errorf("fast calibrator %v, encoded %v: calibrated %v", fast, encode, got)
				}
			}
		}
	}
}

// What was typed for an apostrophe or a dash changes no score, nor does a whole
// sentence in capitals; forms stay as they are.
func TestEncodeReadsPlainForms(t *testing.T) {
	m := openNoisy(t, Mix{Tags: MixOne})
	for _, c := range []struct {
		typed, plain string
		same         bool
	}{
		{"it’s — so", "it's -- so", true},
		{"THE DOG’S 2 CATS", "the dog's 2 cats", true},
		{"Α ΣΑΣ ΛΕΣ", "α σας λες", true},
		{"NATO 2 USA", "nato 2 usa", false}, // names, perhaps
		{"THE DOG sees CATS", "the dog sees cats", false},
		{"The Dog Sees", "the dog sees", false},
	} {
		typed, plain := of(c.typed), of(c.plain)
		list := []*syntax.Sentence{&plain, &typed, {}}
		m.Encode(list)
		if list[1] != &typed || len(typed.Dense.Arcs) == 0 || reflect.DeepEqual(typed.Dense, plain.Dense) != c.same {
			t.Errorf("%q has the scores of %q: want %t", c.typed, c.plain, c.same)
		}
		if want := of(c.typed); !reflect.DeepEqual(typed.Words, want.Words) {
			t.Errorf("words are %+v now", typed.Words)
		}
	}
	if s := of("ILIK SU İÇ"); Encodable(&s, true).Words[0].Form != "ılık" || Encodable(&s, true).Words[2].Form != "iç" {
		t.Errorf("Turkish: %+v", Encodable(&s, true).Words)
	}
}

// of returns a sentence of forms.
func of(text string) (s syntax.Sentence) {
	for form := range strings.FieldsSeq(text) {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	return s
}

func TestMix(t *testing.T) {
	want := Mix{Tags: 1, Feats: 2, Prune: MixOne, Parse: 0, Labels: maxMix}
	read := func(x Mix) (Mix, error) {
		var b pack.Builder
		x.Pack(b.Sub(MixName))
		return openMix(pack.NewView(b.Sections), MixName)
	}
	if got, err := read(want); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
	for name, x := range map[string]Mix{"prune": {Prune: maxMix + 1}, "labels": {Labels: -1}} {
		if _, err := read(x); err == nil || !strings.Contains(err.Error(), `"mix.`+name+`"`) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if _, err := openMix(pack.NewView(nil), MixName); err == nil {
		t.Error("a mix that is not there was read")
	}
}

func openMix(v *pack.View, component string) (x Mix, err error) {
	err = pack.Read(v, component, x.layout)
	return x, err
}
