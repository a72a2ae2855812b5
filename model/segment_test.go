package model

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A speller is an encoder that knows where words begin: at capitals.
type speller struct {
	noise
	reach, read int // read: words that Starts was asked about
}

func (x *speller) Reach() int { return x.reach }

// Starts says that sentences begin at words of one letter.
func (x *speller) Starts(dst []int32, windows []*syntax.Sentence) []int32 {
	for _, s := range windows {
		x.read += len(s.Words)
		for _, w := range s.Words {
			odds := int32(-9 * score.Unit)
			if len(w.Form) == 1 && unicode.IsLetter(rune(w.Form[0])) {
				odds = -odds
			}
			dst = append(dst, odds)
		}
	}
	return dst
}

func (*speller) Begins(dst []int32, text string) []int32 {
	for _, r := range text {
		odds := int32(-9 * score.Unit)
		if unicode.IsUpper(r) || unicode.IsPunct(r) {
			odds = -odds
		}
		dst = append(dst, odds)
	}
	return dst
}

// A segmenter of words that spaces hide asks the encoder of the model, and segments without
// one, too.
func TestSegmentAsksTheEncoder(t *testing.T) {
	m := openNoisy(t, Mix{})
	block := "Ada sees pears."
	before := m.Segment(block, 0)
	x := &speller{noise: noise{m}}
	m.Encoder = x
	if got := m.Segment(block, 0); !reflect.DeepEqual(got, before) {
		t.Errorf("a segmenter without Begins cuts %v, not %v", got, before)
	}
	var list []syntax.Sentence
	r := hash.Rand(1)
	for range 60 {
		var s syntax.Sentence
		for range 4 {
			form := string(rune('A' + r.Below(26)))
			for range r.Below(4) {
				form += string(rune('a' + r.Below(26)))
			}
			s.Words = append(s.Words, syntax.Word{Form: form, Misc: "SpaceAfter=No"})
		}
		list = append(list, syntax.Sentence{Words: append(s.Words, syntax.Word{Form: "."})})
	}
	// Without capitals, which the classifiers would learn from.
	lower := syntax.Clone(list)
	for i := range lower {
		for k := range lower[i].Words {
			lower[i].Words[k].Form = strings.ToLower(lower[i].Words[k].Form)
		}
	}
	m.Segmenter = must(segment.Train(lower, list, segment.Options{Begins: x.Begins}))
	if !m.Segmenter.UsesBegins() {
		t.Fatal("the segmenter does not use what knows all")
	}
	words := func() (all []string) {
		for _, s := range m.Segment("QabcZxX. Yo.", 0) {
			for _, w := range s.Words {
				all = append(all, w.Form)
			}
		}
		return all
	}
	if got := words(); !slices.Equal(got, []string{"Qabc", "Zx", "X", ".", "Yo", "."}) {
		t.Errorf("words %q", got)
	}
	m.Encoder = nil
	if got := strings.Join(words(), ""); got != "QabcZxX.Yo." {
		t.Errorf("words %q without the encoder", got)
	}
}

// Where sentences end, the encoder is asked if the mix gives it a portion, and reads plain
// forms.
func TestSegmentAsksForStarts(t *testing.T) {
	m := openNoisy(t, Mix{})
	var list []syntax.Sentence
	r := hash.Rand(2)
	for range 200 { // nothing but chance shows where these end
		var s syntax.Sentence
		for len(s.Words) == 0 || r.Below(3) > 0 {
			form := ""
			for range 6 {
				form += string(rune('a' + r.Below(26)))
			}
			s.Words = append(s.Words, syntax.Word{Form: form})
		}
		list = append(list, s)
	}
	m.Segmenter = must(segment.Train(list, nil, segment.Options{}))
	m.Encoder = &speller{noise: noise{m}}
	const block = "ab cd ef a bc de fa b ac df b"
	sentences := func() (all []string) {
		for _, s := range m.Segment(block, 0) {
			all = append(all, s.Text)
		}
		return all
	}
	alone := sentences()
	if m.Mix.Starts = (segment.Portion{Factor: 256}); !slices.Equal(sentences(), []string{"ab cd ef", "a bc de fa", "b ac df", "b"}) {
		t.Errorf("sentences %q", sentences())
	}
	if got := m.SegmentFast(block, 0); len(got) != len(alone) || got[0].Text != alone[0] {
		t.Errorf("fast: %v, want %q", got, alone)
	}
	if got := m.SegmentLine(block, 0); len(got) != 1 {
		t.Errorf("a line of %d sentences", len(got))
	}
	m.Network, m.Encoder = m.Encoder, &noise{m}
	m.NetworkMix.Starts = segment.Portion{Factor: 256}
	if got := m.SegmentFast(block, 0); len(got) != 4 {
		t.Errorf("fast, with a small network: %d sentences", len(got))
	}
	if !slices.Equal(sentences(), alone) {
		t.Errorf("sentences %q by an encoder that knows none, want %q", sentences(), alone)
	}
	if m.Encoder = nil; len(sentences()) != 4 {
		t.Errorf("with a small network alone: sentences %q", sentences())
	}
	near, far := &speller{noise: noise{m}, reach: 2}, &speller{noise: noise{m}}
	for _, x := range []*speller{near, far} {
		m.Network = x
		m.SegmentFast(strings.Repeat(block+" ", 20), 0)
	}
	if near.read == 0 || near.read >= far.read {
		t.Errorf("a network with a reach of 2 is asked about %d words, one that reads all about %d", near.read, far.read)
	}
	m.Network, m.Encoder = nil, &speller{noise: noise{m}}
	if m.Mix.Starts = (segment.Portion{Bias: 100}); !slices.Equal(sentences(), alone) {
		t.Errorf("sentences %q without a factor, want %q", sentences(), alone)
	}
	var mix, read Mix
	mix.Starts = segment.Portion{Factor: 96, Bias: -256}
	var b pack.Builder
	mix.Pack(b.Sub(MixName))
	if read = must(openMix(pack.NewView(b.Sections), MixName)); read != mix {
		t.Errorf("read %+v, want %+v", read, mix)
	}
}
