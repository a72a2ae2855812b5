// Package syntax holds the records that the stages of the parser pass on. A Sentence
// has its words and the results of each stage. A Failure replaces what could not be
// done. The package imports no other package of treebeam.
//
// All exported fields are plain data, so a record can be encoded and decoded between
// any two stages.
package syntax

import (
	"math"
	"slices"
)

// Root is the head of the root word of a sentence. Words are numbered from 1, as in
// CoNLL-U: Words[i-1] is word i.
const Root = 0

// NoHead is the head of a word whose head is not known ("_" in CoNLL-U).
const NoHead = -1

// A Status says how a sentence was parsed.
type Status uint8

const (
	OK       Status = iota // none of the following
	Repaired               // its input was repaired (invalid bytes became U+FFFD); a warning row says where
	Long                   // cut by the segmenter, or parsed in windows
	Budget                 // the work limit forced a cheaper search
)

var statusNames = [...]string{"ok", "repaired", "long", "budget"}

// String returns the name used in the status column.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

// A Word is a syntactic word. An absent value ("_" in CoNLL-U) is the empty string. A
// FORM or LEMMA that is a literal underscore is "_".
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
	// The word covers code points StartChar to EndChar-1 of Sentence.Text. The words of
	// a multiword token share its span. Both are 0 if the text is unknown.
	StartChar, EndChar int32
}

// A MultiwordToken is a surface token that covers words First..Last.
type MultiwordToken struct {
	First, Last int32
	Form        string
	Feats       string
	Misc        string
	// Rest is "" if LEMMA, UPOS, XPOS, HEAD, DEPREL and DEPS are all "_", as they
	// should be. Otherwise it holds these columns as written, joined by tabs, so that
	// the line can be written back exactly.
	Rest string
}

// An EmptyNode is node "After.Index" of the enhanced graph. After may be 0.
type EmptyNode struct {
	After, Index              int32
	Form, Lemma, UPOS, XPOS   string
	Feats, Head, Deprel, Deps string
	Misc                      string
}

// English is the code of English, which has models of its own.
const English = "en"

// A Sentence is the record that every stage after the segmenter reads and extends. A
// stage fills in what is empty and keeps what an earlier stage has set. There is one
// exception: labelling may change tags and heads for which no good relation exists
// (label.Help).
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

	// Language is the code of the sentence's language, such as "de"; "" if unknown. An
	// encoder of many treebanks reads it.
	Language string
	// LanguageConf is the probability of Language, in (0,1]; 0 if Language was given
	// and not identified from the text.
	LanguageConf float32

	// Segment sets Segmented: the words and bounds of the sentence are from the
	// segmenter, not from the input. Tag sets TagsGiven if no UPOS is from the tagger,
	// but each from the input or from exceptions. The calibrator reads both, and counts
	// given columns as right.
	Segmented, TagsGiven bool

	// WordOdds are the log-odds of the least certain decision of the segmenter about the
	// bounds of each word and its multiword token, indexed by word minus 1. EndOdds are
	// those about the ends of the sentence, inside and at both bounds. They are not below 0,
	// in units of 1/256. Segment sets them; without it, they are nil and 0.
	WordOdds []int32
	EndOdds  int32

	// Tag sets Given: the other columns that it has left as in the input. Later stages
	// must not change these columns either.
	Given Given

	// TagProb is the probability of each word's UPOS under the tagger, indexed by word
	// minus 1, a multiple of 1/65536. It is 1 if and only if the UPOS is from the input
	// or from the caller's exceptions (tag.Exceptions). Tag sets it; before, it is nil.
	TagProb []float32

	// Lexical is the number of words that begin with a letter, and Unknown the number
	// of these that the model has not seen in training. Many unknown words are a sign
	// of another language. Tag sets both.
	Lexical, Unknown int32

	Dense      Dense      // set by the encoder, before the stage that adds them
	Candidates Candidates // set by Prune
	Confidence Confidence // set by Parse

	// Weight is 0 for a gold sentence. For a silver sentence, whose tags and tree are
	// from a parser, it is above 0 and multiplies the training steps (Step).
	Weight float32

	memo any
}

// Given says which columns came with the input: XPOS for one word or more, FEATS and
// lemmas for all words of the sentence or for none.
type Given struct{ XPOS, Feats, Lemmas bool }

// Gold reports whether the sentence is gold, not silver.
func (s *Sentence) Gold() bool { return s.Weight == 0 }

// Step returns the factor of a training step: Weight for a silver sentence, 1 for gold.
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

// Memo returns the value that SetMemo has stored with the sentence, or nil. The value
// is a result of one stage that the next may use. Encoding the sentence as bytes loses
// it. Words may have changed since, so a reader must check that the value fits. Copies
// of a sentence share the value, so it must not be changed.
func (s *Sentence) Memo() any { return s.memo }

// SetMemo stores x with the sentence, in place of an earlier value.
func (s *Sentence) SetMemo(x any) { s.memo = x }

// Dense holds scores that are added to the model's scores, in units of
// 1/score.Unit nat, for a sentence of n words. A nil slice adds nothing.
type Dense struct {
	Arcs   []int32 // [h*(n+1)+m]: of the arc h -> m, 0 <= h <= n, 1 <= m <= n; length (n+1)*(n+1)
	Labels []int32 // [(m-1)*L+l]: of label l of the arc into word m, L labels in the model's order
	Tags   []int32 // [(m-1)*T+t]: of tag t of word m, T tags in the model's order
	Feats  []int32 // [(m-1)*F+f]: of the FEATS with number f of word m, F in the model's order

	// An encoder scores labels from Vectors once heads are known: Vectors[(2*i+k)*B+j]
	// times Scales[2*i+k] is element j, 0 <= j < B, of the vector of word i (0 is the
	// root) as a modifier (k = 0) or as a head (k = 1).
	Vectors []int8
	Scales  []float32

	// Network says that the scores are those of the model's small network, not of its
	// encoder. The tagger does not give other tags to frequent words with one tag then.
	Network bool
}

// Lead returns by how much the best of two or more labels is better than the second best.
// scores are indexed by label.
func Lead[L uint8 | uint16](labels []L, scores []int32) int32 {
	best, second := int32(math.MinInt32/2), int32(math.MinInt32/2)
	for _, l := range labels {
		if x := scores[l]; x > best {
			best, second = x, best
		} else {
			second = max(second, x)
		}
	}
	return best - second
}

// ForgetNetwork removes the dense scores of a small network, which are as quickly made
// again.
func (s *Sentence) ForgetNetwork() {
	if s.Dense.Network {
		s.Dense = Dense{}
	}
}

// Candidates are the heads that the pruner leaves to each word. The heads of word m are
// Heads[Start[m-1]:Start[m]], in ascending order. LogOdds has the log-odds of each head
// against the head that the pruner prefers for the word, in units of 1/1024 nat, at
// most 0. All are empty before Prune.
type Candidates struct {
	Start   []int32 // length n+1, Start[0] == 0
	Heads   []int32
	LogOdds []int32

	// Lost is the pruner's probability that the head of a word is not among its
	// candidates, indexed by word minus 1, not rounded. It is nil if unknown.
	Lost []float32

	// Gains has, for each candidate, what the tree would gain with it in place of the
	// word's head, by the first-order model around the tree, in units of 1/1024 nat.
	// The search sets it, except in sentences that are searched in windows, where it is
	// nil.
	Gains []int32
}

// Of returns the candidate heads of word m, 1 <= m <= n.
func (c *Candidates) Of(m int) []int32 { return c.Heads[c.Start[m-1]:c.Start[m]] }

// Confidence holds the raw signals of the search and the calibrator's probabilities.
// Lists are indexed by word minus 1. Probabilities are multiples of 1/4096 in [0,1],
// unless not rounded. Nil slices are null columns.
type Confidence struct {
	HeadMarginal []float32 // probability of the chosen head under the model of the search
	FirstOrder   []float32 // the same under the pruner (marginal over single-root trees); no column
	HeadDoubt    []float32 // 1 minus HeadMarginal, not rounded, so that small values stay distinct; no column
	FirstDoubt   []float32 // 1 minus FirstOrder, not rounded; no column
	HeadMargin   []float32 // score of the tree minus the best with another head of the word, 1 is score.Unit; 0 to 64
	LabelProb    []float32 // marginal of the chosen deprel, given the tree
	TreeMargin   float32   // score minus the second-best score that the search found, 1 is score.Unit; 0 if there is none
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

// Expected holds how many words of a sentence are expected to have the right UPOS, the
// right head (UAS), and the right head and deprel (LAS), by the calibrated
// probabilities. Sums over sentences are exact, in any order. 10^12 words do not
// overflow them, even in sentences of 9,000 words that are all right or all wrong.
// Expected is zero without calibrated probabilities.
type Expected struct {
	Words          int64 // that have probabilities
	UPOS, UAS, LAS Estimate
}

// An Estimate is the expectation of a number of words, and its variance, which
// accounts for errors that occur together in a sentence. Both are in units of
// 1/4096.
type Estimate struct{ Right, Variance int64 }

// Share returns the expected share of n words that are right, in [0,1], and its
// standard error. n must be above 0.
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
	Uncertain Certificate = iota // that is not known
	All                          // every tree over the candidates was scored
	Bound                        // a bound shows that no other tree scores higher
)

// String returns the name in the certificate column, which is "" for Uncertain.
func (c Certificate) String() string { return [...]string{"", "all", "bound"}[min(c, Bound)] }

// Attributes of MISC that hold HeadConf, DeprelConf and UPOSConf in CoNLL-U.
const (
	HeadConfKey   = "HeadConf"
	DeprelConfKey = "DeprelConf"
	UPOSConfKey   = "UPOSConf"
)

// Len returns the number of words n.
func (s *Sentence) Len() int { return len(s.Words) }

// Clone returns copies of the sentences. Each copy has its own words and shares
// everything else.
func Clone(sents []Sentence) []Sentence {
	out := slices.Clone(sents)
	for i := range out {
		out[i].Words = slices.Clone(out[i].Words)
	}
	return out
}
