// Package segment cuts a block of raw text (a paragraph) into sentences, tokens and
// words (Model.Segment). It learns from a treebank of Universal Dependencies. It has
// a few rules for particular languages (english.go, french.go, portuguese.go, enclitics.go,
// armenian.go, japanese.go, spaced.go) and for all but English (written.go), and a list of
// abbreviations for most (abbreviations.txt).
//
// It makes four decisions by logistic regressions that share one read-only table of
// weights:
//
//   - token: at each gap between two characters of a chunk (a run without
//     white space), from left to right, whether a token ends there;
//   - join: at white space between two chunks that were seen inside a token
//     with spaces, whether the token goes on ("10 000");
//   - sentence: at each gap between two tokens, whether a sentence ends there;
//   - split: whether a token is split into several words, which an expansion
//     of the whole form, or of an affix, then spells out.
//
// Scores are sums of integers, so the result is the same on every machine. The time is
// linear in the length of the block.
package segment

import (
	"iter"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Model is a trained segmenter. It is read-only and safe for concurrent
// use.
type Model struct {
	weights   linear.Table // of all classifiers, in 1/unit
	lexicon   lexicon
	pairs     hash.Set // pairKey of tokens that a space may join
	split     splitter
	threshold int32 // what the score of a sentence end must exceed
	colons    bool  // no sentence ends behind a colon inside a line
	spaces    bool  // words have spaces inside so often that any two may be joined
	begins    mixture

	scratch sync.Pool // *workspace
}

// layout names the sections of the model.
func (m *Model) layout(l *pack.Layout) {
	m.weights.Layout(l, "weights", 1)
	m.lexicon.stats.Layout(l, "lexicon.keys", "lexicon.values")
	m.pairs.Layout(l, "pairs")
	m.split.layout(l, "split")
	pack.Value(l, "threshold", &m.threshold)
	if l.Optional("colons", m.colons) {
		l.Bool("colons", &m.colons)
	} else if l.Reading() { // models of 2026 have a weight instead
		m.colons = m.weights.Score(behindColon) < 0
	}
	if l.Optional("spaces", m.spaces) {
		l.Bool("spaces", &m.spaces)
	}
	if l.Optional("begins", m.UsesBegins()) {
		m.begins.layout(l, "begins")
	}
}

// behindColon is the feature of a weight that stands for Model.colons.
var behindColon = []hash.Key{hash.Key0(sColon)}

// Pack stores the model in s.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Open is the inverse of Pack. The model aliases the bytes of the view. An error names
// the section that is wrong.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	return m, pack.Read(v, component, m.layout)
}

// A workspace is the scratch memory of one call.
type workspace struct {
	layout layout
	odds   []int32 // by code point: log-odds of an encoder that a word begins there; empty without
	starts []int32 // by token: log-odds of an encoder that a sentence begins behind it, 0 if unknown; empty without
	tokens []token
	ahead  []int32 // terminal ahead of each token, see terminalAhead
	split  proposal
	buf    []hash.Key
	units  []uint8 // of a chunk, or of a token
	asked  span    // this token, see inUnit
	find   finder
	fixed  []fixedSpan
	key    []byte           // of memo
	memo   word.Memo[[]cut] // of a chunk between two classes
}

// A Request says how to segment a block.
type Request struct {
	MaxWords int    // longer sentences are cut at the likeliest gaps and have the status Long; below 1: no limit
	Line     bool   // the block is one sentence, cut only if it has more than MaxWords words
	Rules    *Rules // nil: none
	Begins   Begins // an encoder's, if the model UsesBegins; nil: none
	Starts   Starts // an encoder's; nil: none
	Language string // a code; some have rules of their own

	// Of Starts: what they count beside the classifier, and how many tokens on either side of
	// the two at a gap they depend on; 0: on all.
	Portion Portion
	Reach   int
}

// Segment cuts a block into sentences. For each sentence it sets Text (the slice of the
// block with every line break as one space), StartByte and EndByte (relative to the
// block, half open), Words (Form, Misc, StartChar, EndChar; Head is NoHead) and MWTs.
// If a token is not followed by a single space, MISC has SpaceAfter=No, or SpacesAfter
// as UDPipe writes it, except at the end of the block.
//
// Segment accepts any text. A block of white space has no sentences. Invalid UTF-8 is
// kept byte for byte. Forms alias the block. Segment is safe for concurrent use.
func (m *Model) Segment(block string, r Request) []syntax.Sentence {
	w, _ := m.scratch.Get().(*workspace)
	if w == nil {
		w = &workspace{}
	}
	w.read(m, block, &r)
	var list []syntax.Sentence
	if len(w.tokens) > 0 {
		w.cutAll(m, &r)
		if r.Line {
			for i := range len(w.tokens) - 1 {
				w.tokens[i].last = inside
			}
		}
		for s := range sentences(w.tokens) {
			w.expand(m, s, r.Language)
			if r.MaxWords > 0 {
				limit(s, r.MaxWords)
			}
		}
		list = w.emit()
	}
	// After a panic the workspace does not go back to the pool.
	w.layout.block = ""
	clear(w.tokens)
	m.scratch.Put(w)
	return list
}

// read fills w.tokens.
func (w *workspace) read(m *Model, block string, r *Request) {
	w.layout.read(block)
	if m.lexicon.counts == nil { // not while it learns
		m.readMarks(&w.layout)
	}
	w.tokens, w.odds, w.starts = w.tokens[:0], w.odds[:0], w.starts[:0]
	if r.Begins != nil && m.UsesBegins() {
		w.askBegins(r.Begins)
	}
	for i := range w.layout.chunks {
		w.tokenize(m, i)
	}
	marks, own := spaced[r.Language]
	if !own {
		marks = quotation
	}
	if marks != "" {
		w.splitMarks(m, marks)
	}
	w.join(m)
	switch r.Language {
	case "fr":
		w.splitFrench()
	case "pt":
		w.splitPortuguese()
	}
	if strings.IndexByte(block, '`') >= 0 {
		w.quoteCode()
	}
	if own := abbreviationsOf()[r.Language]; r.Rules != nil || own != nil {
		w.applyRules(r.Rules, own)
	}
	for i := range w.tokens {
		w.tokens[i].recall(m.lexicon.look(w.tokens[i].word))
	}
	w.layout.setGaps(w.tokens)
}

// sentences yields the tokens of each sentence, which ends with the first token
// that is not inside.
func sentences(toks []token) iter.Seq[[]token] {
	return func(yield func([]token) bool) {
		start := 0
		for i := range toks {
			if toks[i].last != inside {
				if !yield(toks[start : i+1]) {
					return
				}
				start = i + 1
			}
		}
	}
}

// limit cuts a sentence of more than maxWords words where the score of a
// sentence end is highest, within the second half of the words allowed.
func limit(s []token, maxWords int) {
	for {
		n, words := 0, 0
		for n < len(s) && (n == 0 || words+s[n].size() <= maxWords) {
			words += s[n].size()
			n++
		}
		if n == len(s) {
			return
		}
		best := n
		for i := max(1, n/2); i < n; i++ {
			if s[i-1].score > s[best-1].score {
				best = i
			}
		}
		s[best-1].last, s[len(s)-1].last = ofPiece, ofPiece
		s = s[best:]
	}
}
