// Package syntax holds the records that the stages pass on: a Sentence with its
// words and the results of each stage, and the Failure rows that replace what
// could not be done. It imports nothing of ours.
//
// All exported fields are plain data, so that every record survives an
// encoder between any two stages.
package syntax

import (
	"math"
	"slices"
)

// Root is the head of the one root word of a sentence. Words are numbered
// from 1, as in CoNLL-U; Words[i-1] is word i.
const Root = 0

// NoHead is the head of a word whose head is not known ("_" in CoNLL-U).
const NoHead = -1

// A Status says how a sentence was parsed.
type Status uint8

const (
	OK       Status = iota
	Repaired        // its input was mended (invalid bytes are now U+FFFD); a warning row says where
	Long            // cut by the segmenter, or parsed in windows
	Budget          // the work limit forced a cheaper search
)

var statusNames = [...]string{"ok", "repaired", "long", "budget"}

// String returns the name used in the status column.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

// A Word is a syntactic word. An absent value ("_" in CoNLL-U) is the empty
// string; a FORM (or LEMMA) that is a literal underscore is "_".
type Word struct {
	Form   string
	Lemma  string
	UPOS   string
	XPOS   string
	Feats  string // "A=b|C=d", sorted as CoNLL-U wants it
	Head   int32  // 0 is the root, 1..n a word, NoHead unknown
	Deprel string
	Deps   string
	Misc   string
	// StartChar and EndChar are code points into Sentence.Text, half open.
	// The words of a multiword token share its span. Both are 0 when the
	// text is unknown.
	StartChar, EndChar int32
}

// A MultiwordToken is a surface token that covers words First..Last.
type MultiwordToken struct {
	First, Last int32
	Form        string
	Feats       string
	Misc        string
	// Rest is "" unless the line breaks the rule that its other columns are
	// "_": then it holds LEMMA, UPOS, XPOS, HEAD, DEPREL and DEPS as written,
	// joined by tabs, so that the line can be written back exactly.
	Rest string
}

// An EmptyNode is a node "After.Index" of the enhanced graph; After may be 0.
type EmptyNode struct {
	After, Index              int32
	Form, Lemma, UPOS, XPOS   string
	Feats, Head, Deprel, Deps string
	Misc                      string
}

// A Sentence is what every stage after the segmenter works on. A stage fills
// in only what was empty and never changes what an earlier one set.
type Sentence struct {
	ID       string   // sent_id of the input; "" if it has none
	Text     string   // one line; "" if unknown
	Comments []string // whole comment lines of the input ("# text = ..."), in order
	Words    []Word
	MWTs     []MultiwordToken // by First
	Empty    []EmptyNode      // by (After, Index)

	StartByte, EndByte int64 // in the decompressed source, half open
	Line               int64 // 1-based first line in the source, 0 unknown

	Status Status

	// Segmented says that the words and the bounds of the sentence are the
	// segmenter's, not the input's. Segment sets it. TagsGiven says that every UPOS
	// is from the input or from exceptions, and none from the tagger. Tag sets it.
	// The calibrator reads both: given columns count as right.
	Segmented, TagsGiven bool

	// Given says which other columns the tagger has left as in the input. Tag sets
	// it. Later stages must not change these columns, either.
	Given Given

	// TagProb is the probability of each word's UPOS under the tagger, by word
	// minus 1, in multiples of 1/65536. It is 1 if, and only if, the UPOS was
	// given by the input or by the caller's exceptions (tag.Exceptions). Tag sets
	// it; it is nil before.
	TagProb []float32

	// Lexical is the number of words that begin with a letter, and Unknown the
	// number of these that the model has not seen in training: many of them are
	// a sign of another language. Tag sets both.
	Lexical, Unknown int32

	Dense      Dense      // set by the encoder, before the stage that adds them
	Candidates Candidates // set by Prune
	Confidence Confidence // set by Parse

	// Weight multiplies the training steps of silver sentences, whose tags and
	// trees are from a parser, and is above 0 there. Gold sentences have 0 and
	// count fully.
	Weight float32

	memo any
}

// Given are the columns that came with the input: XPOS of one word or more, and
// FEATS and lemmas, which are given for all words of a sentence or for none.
type Given struct{ XPOS, Feats, Lemmas bool }

// Gold reports whether the sentence is no silver one.
func (s *Sentence) Gold() bool { return s.Weight == 0 }

// Step returns the factor of a training step: the Weight of a silver sentence,
// 1 for gold.
func (s *Sentence) Step() float32 {
	if s.Gold() {
		return 1
	}
	return s.Weight
}

// Gold returns the gold sentences of a list: the list itself if all are.
func Gold(list []Sentence) []Sentence {
	silver := func(s Sentence) bool { return !s.Gold() }
	if !slices.ContainsFunc(list, silver) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), silver)
}

// Memo returns the value that SetMemo has stored with the sentence, or nil: a
// result of one stage that the next may use. It is lost when the sentence is
// encoded. Words may have changed since, so a reader must check that the value
// fits. Copies of a sentence share the value, so it must not be changed.
func (s *Sentence) Memo() any { return s.memo }

// SetMemo stores x with the sentence, in place of an earlier value.
func (s *Sentence) SetMemo(x any) { s.memo = x }

// Dense holds scores that are added to the model's scores, in units of
// 1/score.Unit nat, for a sentence of n words. A nil slice adds nothing.
type Dense struct {
	Arcs   []int32 // [h*(n+1)+m]: of the arc h -> m, 0 <= h <= n, 1 <= m <= n; length (n+1)*(n+1)
	Labels []int32 // [(m-1)*L+l]: of label l of the arc into word m, L labels in the model's order
	Tags   []int32 // [(m-1)*T+t]: of tag t of word m, T tags in the model's order
	Feats  []int32 // [(m-1)*F+f]: of the FEATS with number f of word m, F of them in the model's order

	// Vectors are what an encoder needs to score labels once heads are known:
	// [(2*i+k)*B+j] times Scales[2*i+k] is element j of the vector of word i, 0
	// the root, as a modifier (k = 0) or as a head (k = 1).
	Vectors []int8
	Scales  []float32
}

// Candidates are the heads that the pruner leaves to each word, as one list:
// the heads of word m are Heads[Start[m-1]:Start[m]], increasing. LogOdds are
// the log-odds of each head against the head that the pruner prefers for the
// word, in units of 1/1024 nat, at most 0. All are empty before Prune.
type Candidates struct {
	Start   []int32 // length n+1, Start[0] == 0
	Heads   []int32
	LogOdds []int32

	// Lost is the pruner's probability that the head of a word is not among its
	// candidates, by word minus 1, not rounded. It is nil if unknown.
	Lost []float32

	// Gains holds, in 1/1024 nat, what the tree of the search would gain with
	// each head in place of the word's head, by the first-order model around the
	// tree. The search sets it, except in sentences that are searched in windows,
	// where it is nil.
	Gains []int32
}

// Of returns the candidate heads of word m, 1 <= m <= n.
func (c *Candidates) Of(m int) []int32 { return c.Heads[c.Start[m-1]:c.Start[m]] }

// Confidence holds the raw signals of the search and what the calibrator makes
// of them, all indexed by word minus 1. Probabilities are multiples of 1/4096 in
// [0,1]. Nil slices are null columns.
type Confidence struct {
	HeadMarginal []float32 // probability of the chosen head under the model of the search
	FirstOrder   []float32 // the same under the pruner: its single-root marginal; no column
	HeadDoubt    []float32 // 1 minus HeadMarginal, not rounded, so that small values stay distinct; no column
	FirstDoubt   []float32 // 1 minus FirstOrder, not rounded; no column
	HeadMargin   []float32 // score of the tree minus the best tree that differs in one head, in score units, >= 0
	LabelProb    []float32 // marginal of the chosen deprel, given the tree
	TreeMargin   float32   // score minus the score of the second best local optimum, 0 if only one was found
	TreeScore    float32
	Restarts     int32 // climbs; 0 if all trees were scored
	NCandidates  int32 // candidate arcs of the sentence
	Weighed      int64 // heads that the search weighed: its work; no column

	// Certificate says why no other tree over the candidates scores higher, or
	// Uncertain.
	Certificate Certificate

	// Set by the calibrator; nil and empty without one.
	HeadConf    []float32 // probability that the head is right
	DeprelConf  []float32 // probability that head and deprel are right
	UPOSConf    []float32 // probability that the UPOS is right; 1 where it was given
	TreeConf    float32   // probability that all heads and deprels are right
	HasTreeConf bool
	Expected    Expected
}

// Expected holds how many words of a sentence are expected to be right: to have
// the right UPOS, the right head (UAS), the right head and deprel (LAS), by the
// calibrated probabilities. Sums of it over sentences are exact, in any order;
// 10^12 words do not overflow them, even if all words of sentences of 9,000
// should be right or wrong together. It is zero without calibrated
// probabilities.
type Expected struct {
	Words          int64 // that have probabilities
	UPOS, UAS, LAS Estimate
}

// An Estimate is the expectation of a number of words, and its variance, which
// accounts for errors that occur together in a sentence. Both are in units of
// 1/4096.
type Estimate struct{ Right, Variance int64 }

// Share returns the expected share of n words that are right, in [0,1], and its
// standard error. n is over 0.
func (e Estimate) Share(n int64) (share, stderr float64) {
	return float64(e.Right) / 4096 / float64(n), math.Sqrt(float64(e.Variance)/4096) / float64(n)
}

// Estimates returns UPOS, UAS and LAS.
func (x *Expected) Estimates() [3]*Estimate { return [...]*Estimate{&x.UPOS, &x.UAS, &x.LAS} }

// Add adds y to x.
func (x *Expected) Add(y *Expected) {
	x.Words += y.Words
	for k, from := range y.Estimates() {
		to := x.Estimates()[k]
		to.Right += from.Right
		to.Variance += from.Variance
	}
}

// A Certificate says why a tree is known to score highest.
type Certificate uint8

const (
	Uncertain Certificate = iota
	All                   // every tree over the candidates was scored
	Bound                 // a bound shows that no other tree scores higher
)

// String returns the name used in the certificate column, "" of Uncertain.
func (c Certificate) String() string { return [...]string{"", "all", "bound"}[min(c, Bound)] }

// Attributes of MISC that hold HeadConf, DeprelConf and UPOSConf where CoNLL-U
// does.
const (
	HeadConfKey   = "HeadConf"
	DeprelConfKey = "DeprelConf"
	UPOSConfKey   = "UPOSConf"
)

// Len returns the number of words n.
func (s *Sentence) Len() int { return len(s.Words) }

// Clone returns copies of sentences with words of their own; all else is
// shared.
func Clone(sents []Sentence) []Sentence {
	out := slices.Clone(sents)
	for i := range out {
		out[i].Words = slices.Clone(out[i].Words)
	}
	return out
}
