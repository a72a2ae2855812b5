// Package eval parses sentences with gold trees (Predict) and scores the results by the
// rules of the CoNLL 2018 shared task (Evaluate; Zeman et al. 2018, section 4). System
// words are aligned with gold words by their characters, so sentences, tokens and words
// may differ. Every metric is an F1 score. The figures agree with udeval in udtools
// 0.2.9 to the last digit.
//
// In addition, the package counts attachment without and on punctuation, by sentence length,
// on crossing arcs and with full deprels. It finds the stage that lost each point
// (FindLosses), compares two systems by a paired bootstrap, measures how well columns of
// confidence tell right from wrong (Reliabilities), compares expected with true scores
// (Forecasts), and fits calibrators (Measure, Recalibrate).
package eval

import "github.com/treebeam/treebeam/parser/syntax"

// A Score holds the counts behind one metric.
type Score struct {
	Gold    int `json:"gold"`
	System  int `json:"system"`
	Correct int `json:"correct"`
	// Aligned counts the aligned words that the metric looks at. It is -1 for metrics on spans
	// and for Words.
	Aligned int `json:"aligned"`
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

func (s *Score) add(t Score) {
	s.Gold += t.Gold
	s.System += t.System
	s.Correct += t.Correct
	s.Aligned += t.Aligned
}

func ratio(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// A Metric is the name of a score in tables and JSON.
type Metric string

// Metrics. MLAS and BLEX count content words, like CLAS. The metrics on enhanced graphs, which
// udeval prints unless given --no-enhanced, are missing: the parser makes no such graphs.
//
// The metrics from LASFull on are not in udeval. UAS and LAS "without punctuation" skip
// words whose forms consist only of Unicode punctuation (category P). "On punctuation"
// skips all other words. "Full" compares deprels with their subtypes.
const (
	Tokens         Metric = "Tokens"
	Sentences      Metric = "Sentences"
	Words          Metric = "Words"
	UPOS           Metric = "UPOS"
	XPOS           Metric = "XPOS"
	UFeats         Metric = "UFeats"
	AllTags        Metric = "AllTags"
	Lemmas         Metric = "Lemmas"
	UAS            Metric = "UAS"
	LAS            Metric = "LAS"
	CLAS           Metric = "CLAS"
	MLAS           Metric = "MLAS"
	BLEX           Metric = "BLEX"
	LASFull        Metric = "LAS-full"
	UASNoPunct     Metric = "UAS-nopunct"
	LASNoPunct     Metric = "LAS-nopunct"
	LASFullNoPunct Metric = "LAS-full-nopunct"
	UASPunct       Metric = "UAS-punct"
	LASPunct       Metric = "LAS-punct"
)

// The metrics of each table, in order.
var (
	shared = []Metric{Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX}
	ours   = []Metric{LASFull, UASNoPunct, LASNoPunct, LASFullNoPunct, UASPunct, LASPunct}
)

// A Result is the outcome of Evaluate. Report writes it as JSON.
type Result struct {
	Scores   map[Metric]Score `json:"metrics"`
	Lengths  []LengthBin      `json:"by_length"`
	Crossing Crossing         `json:"crossing_arcs"`
	// GoldMultiRoot and SystemMultiRoot count sentences that do not have exactly one root.
	GoldMultiRoot   int `json:"gold_sentences_without_one_root"`
	SystemMultiRoot int `json:"system_sentences_without_one_root"`
	// Losses is nil unless the caller sets it to the result of FindLosses.
	Losses *Losses `json:"losses,omitempty"`
	// Forecast is nil unless the caller sets it to the result of Forecasts.
	Forecast []Forecast `json:"forecast,omitempty"`
	// Confidence is nil unless the caller sets it to the result of Reliabilities.
	Confidence []Reliability `json:"confidence,omitempty"`

	sentences map[Metric][]Score // by gold sentence; without metrics on spans
}

// Evaluate scores system against gold. Both must hold the same characters
// apart from spaces (category Zs); otherwise the error says where they differ.
// A word without a head, or with one outside its sentence, counts as wrongly
// attached. Neither slice is changed or kept.
func Evaluate(gold, system []syntax.Sentence) (*Result, error) {
	g, s, err := align(gold, system)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Scores: map[Metric]Score{Tokens: scoreSpans(g.tokens, s.tokens),
			Sentences: scoreSpans(g.sentences, s.sentences)},
		sentences:       map[Metric][]Score{},
		GoldMultiRoot:   g.multiRoot,
		SystemMultiRoot: s.multiRoot,
	}
	for _, m := range wordMetrics {
		r.Scores[m.metric], r.sentences[m.metric] = scoreWords(g, s, m.over, m.same)
	}
	words := r.Scores[Words]
	words.Aligned = -1
	r.Scores[Words] = words
	r.Lengths = r.byLength(gold)
	r.Crossing = scoreCrossing(g, s)
	return r, nil
}

// scoreSpans counts the spans that both sides have.
func scoreSpans(gold, system []span) Score {
	score := Score{Gold: len(gold), System: len(system), Aligned: -1}
	in := map[span]bool{}
	for _, g := range gold {
		in[g] = true
	}
	for _, s := range system {
		if in[s] {
			score.Correct++
		}
	}
	return score
}
