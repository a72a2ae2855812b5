package segment

import (
	"strings"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Begins appends to dst, for each code point of a plain text (word.Plain), the log-odds
// that it begins a word, in units of 1/score.Unit nat, or 0 if unknown
// (encode.Model.Begins). It is deterministic and safe for concurrent use.
type Begins = func(dst []int32, text string) []int32

// A mixture says what the log-odds of Begins count beside the classifiers. The zero value
// leaves them out.
type mixture struct{ token, join Portion }

// A Portion adds Factor times the log-odds of an encoder and a bias to the score of a
// classifier: a product of experts (Hinton 2002). The zero value adds nothing.
type Portion struct {
	Factor int32 // in 1/256
	Bias   int32 // in 1/512 nat
}

func (x *mixture) layout(l *pack.Layout, name string) {
	list := []int32{x.token.Factor, x.token.Bias, x.join.Factor, x.join.Bias}
	pack.Array(l, name, &list)
	if l.Check(name, len(list) == 4, "are not four numbers"); l.Reading() {
		*x = mixture{Portion{list[0], list[1]}, Portion{list[2], list[3]}}
	}
}

// add returns the score of a classifier with log-odds that say the same.
func (s Portion) add(of int32, odds int32) int32 {
	if odds == 0 || s.Factor == 0 {
		return of
	}
	const scale = 256 * score.Unit / unit
	sum := int64(of) + int64(s.Bias) + int64(s.Factor)*int64(odds)/scale
	return int32(max(-1<<30, min(sum, 1<<30)))
}

// UsesBegins reports whether Segment uses Request.Begins.
func (m *Model) UsesBegins() bool { return m.begins != mixture{} }

// askBegins fills w.odds.
func (w *workspace) askBegins(begins Begins) {
	l := &w.layout
	var text strings.Builder
	places := make([]int32, len(l.class)) // of the code points in the plain text
	n := int32(0)
	for i := range places {
		places[i] = n
		plain := word.Plain(l.block[l.at[i]:l.at[i+1]])
		text.WriteString(plain)
		n += runes(plain)
	}
	odds := begins(nil, text.String())
	for _, place := range places {
		w.odds = append(w.odds, odds[place])
	}
}

// spacedShare is the share of tokens with a space inside from which on any two words may
// be joined.
const spacedShare = 0.05

// manySpaces reports whether many tokens have a space inside.
func manySpaces(all []paragraph) bool {
	tokens, spaced := 0, 0
	for _, p := range all {
		for i := range p {
			if tokens++; strings.ContainsRune(p[i].form, ' ') {
				spaced++
			}
		}
	}
	return float64(spaced) > spacedShare*float64(tokens)
}

// remembered returns a Begins that asks another one for each text once.
func remembered(begins Begins) Begins {
	known := map[string][]int32{}
	return func(dst []int32, text string) []int32 {
		if _, ok := known[text]; !ok {
			known[text] = begins(nil, text)
		}
		return append(dst, known[text]...)
	}
}

// Factors in 1/256 and biases in quarters of a nat that mix and FitStarts try.
var (
	factors = []int32{0, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048}
	biases  = []int32{0, -1, 1, -2, 2, -3, 3, -4, 4, -6, 6, -8, 8}
)

// least is what the F1 of words must rise for an encoder to be used.
const leastGain = 0.002

// mix sets the portions of Begins by the F1 of tokens on dev.
func (m *Model) mix(dev []syntax.Sentence, o Options) {
	all := paragraphs(dev)
	alone := m.tokenF1(all, &Request{})
	best := alone
	try := func(x *int32, list []int32, unit int32) {
		best = tryEach(x, list, unit, best, func() float64 { return m.tokenF1(all, &Request{Begins: o.Begins}) })
	}
	for range 2 {
		try(&m.begins.token.Factor, factors, 1)
		try(&m.begins.token.Bias, biases, unit/4)
		if m.spaces {
			try(&m.begins.join.Factor, factors, 1)
			try(&m.begins.join.Bias, biases, unit/4)
		}
	}
	if best < alone+leastGain {
		m.begins = mixture{}
	}
	o.log("segmenter: token F1 on dev %.2f, with the encoder %.2f, by %+v", 100*alone, 100*best, m.begins)
}

// tryEach sets x to the value of the list, times unit, with the highest F1, if that is more
// than best. It returns the F1.
func tryEach(x *int32, list []int32, unit int32, best float64, f1 func() float64) float64 {
	chosen := *x
	for _, v := range list {
		*x = v * unit
		if f := f1(); f > best {
			best, chosen = f, *x
		}
	}
	*x = chosen
	return best
}

// tokenF1 cuts the text of the paragraphs and compares tokens.
func (m *Model) tokenF1(all []paragraph, r *Request) float64 {
	w := &workspace{}
	right, total := 0, 0
	for _, p := range all {
		b, want := newGoldBlock(p), map[span]bool{}
		for _, t := range b.tokens {
			want[t.span] = true
		}
		w.read(m, b.layout.block, r)
		total += len(b.tokens) + len(w.tokens)
		for _, t := range w.tokens {
			if want[t.span] {
				right++
			}
		}
	}
	return 2 * float64(right) / float64(max(1, total))
}
