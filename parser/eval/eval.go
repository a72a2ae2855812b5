// Package eval scores parses against gold trees by the rules of the CoNLL
// 2018 shared task (Zeman et al. 2018, section 4): system words are aligned
// with gold words by their characters, so that sentences, tokens and words
// may differ, and every metric is an F1 over aligned words. The figures are
// those of udeval in udtools 0.2.9 to the last digit.
//
// Beyond these it counts attachment without and on punctuation, by sentence
// length, on crossing arcs and with full deprels, tells what wrong trees come from
// (Blame), compares two systems by a paired bootstrap, and says how well
// columns of confidence tell right from wrong (Reliabilities).
package eval

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Score holds the counts behind one metric.
type Score struct {
	Gold, System, Correct int
	// Aligned counts the aligned words that the metric looks at; -1 for
	// metrics on spans and for Words.
	Aligned int
}

// Precision is Correct / System in [0,1], 0 if System is 0.
func (s Score) Precision() float64 { return ratio(s.Correct, s.System) }

// Recall is Correct / Gold in [0,1], 0 if Gold is 0.
func (s Score) Recall() float64 { return ratio(s.Correct, s.Gold) }

// F1 is the harmonic mean of precision and recall.
func (s Score) F1() float64 { return ratio(2*s.Correct, s.System+s.Gold) }

// AlignedAccuracy is Correct / Aligned; ok is false if the metric has none.
func (s Score) AlignedAccuracy() (accuracy float64, ok bool) {
	return ratio(s.Correct, s.Aligned), s.Aligned >= 0
}

func ratio(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// A Metric is the place of a score in Result.Scores.
type Metric int

// Metrics, in the order of udeval's table. MLAS and BLEX are on content
// words as CLAS is. ELAS and EULAS, on enhanced graphs, come from the IWPT
// 2020 shared task; udeval prints them unless given --no-enhanced.
//
// The metrics from LASFull on are our own. UAS and LAS "without punctuation"
// pass over words whose forms consist of Unicode punctuation (category P)
// only, "on punctuation" over the others. "Full" compares deprels with their
// subtypes.
const (
	Tokens Metric = iota
	Sentences
	Words
	UPOS
	XPOS
	UFeats
	AllTags
	Lemmas
	UAS
	LAS
	CLAS
	MLAS
	BLEX
	ELAS
	EULAS
	LASFull
	UASNoPunct
	LASNoPunct
	LASFullNoPunct
	UASPunct
	LASPunct
	numMetrics
)

var metricNames = [numMetrics]string{
	"Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
	"UAS", "LAS", "CLAS", "MLAS", "BLEX", "ELAS", "EULAS",
	"LAS-full", "UAS-nopunct", "LAS-nopunct", "LAS-full-nopunct", "UAS-punct", "LAS-punct",
}

// String returns the name in tables and JSON.
func (m Metric) String() string { return metricNames[m] }

// A Result is the outcome of Evaluate.
type Result struct {
	Scores   [numMetrics]Score
	Lengths  []LengthBin
	Crossing Crossing
	// GoldMultiRoot and SystemMultiRoot count sentences that have not exactly
	// one root.
	GoldMultiRoot, SystemMultiRoot int
	// Errors is nil unless the caller sets it, to what Blame found.
	Errors *TreeErrors
	// Confidence is nil unless the caller sets it, to what Reliabilities found.
	Confidence []Reliability

	sentences [numMetrics][]sentenceCount // nil for metrics on spans and graphs
}

// sentenceCount is the share of one gold sentence in a Score.
type sentenceCount struct{ gold, system, correct int32 }

// Evaluate scores system against gold. Both must hold the same characters
// apart from spaces (category Zs); otherwise the error is a *MismatchError.
// A word without a head, or with one outside its sentence, counts as wrongly
// attached. Neither slice is changed or kept.
func Evaluate(gold, system []syntax.Sentence) (*Result, error) {
	e, err := aligned(gold, system)
	if err != nil {
		return nil, err
	}
	g, s := e.gold, e.system
	e.r.Scores[Tokens] = scoreSpans(g.tokens, s.tokens)
	e.r.Scores[Sentences] = scoreSpans(g.sentences, s.sentences)
	e.scoreWords()
	e.scoreGraphs()
	e.scoreLengths()
	e.scoreCrossing()
	e.r.GoldMultiRoot, e.r.SystemMultiRoot = g.multiRoot, s.multiRoot
	return e.r, nil
}

// aligned returns the alignment of two corpora of the same characters.
func aligned(gold, system []syntax.Sentence) (*evaluator, error) {
	g, err := newCorpus(gold, "gold")
	if err != nil {
		return nil, err
	}
	s, err := newCorpus(system, "system")
	if err != nil {
		return nil, err
	}
	if err := compareCharacters(g, s); err != nil {
		return nil, err
	}
	e := &evaluator{gold: g, system: s, r: &Result{}}
	e.align()
	return e, nil
}

// scoreSpans counts the spans that both sides have.
func scoreSpans(gold, system []span) Score {
	score := Score{Gold: len(gold), System: len(system), Aligned: -1}
	for g, s := 0, 0; g < len(gold) && s < len(system); {
		switch {
		case system[s].start < gold[g].start:
			s++
		case gold[g].start < system[s].start:
			g++
		default:
			if gold[g].end == system[s].end {
				score.Correct++
			}
			g++
			s++
		}
	}
	return score
}

// A MismatchError says where the characters of two corpora part.
type MismatchError struct {
	Gold, System Place
}

// A Place is where a corpus continues in a way that the other does not.
type Place struct {
	Sentence string // sent_id; "" if it has none or at the end
	Number   int    // of the sentence, from 1
	Line     int64  // where the sentence begins in its file, 0 if unknown
	Next     string // up to 20 characters, without spaces
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("gold and system texts differ: gold continues %q in %s, system %q in %s: are they of the same text?",
		e.Gold.Next, e.Gold, e.System.Next, e.System)
}

// String names the sentence.
func (p Place) String() string {
	if p.Next == "" {
		return "nothing, at its end"
	}
	s := fmt.Sprintf("sentence %d", p.Number)
	if p.Sentence != "" {
		s += " (" + p.Sentence + ")"
	}
	if p.Line > 0 {
		s += fmt.Sprintf(" at line %d", p.Line)
	}
	return s
}
