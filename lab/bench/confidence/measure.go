package confidence

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A pair is a model, and a treebank to parse with it.
type pair struct{ treebank, name, model, gold string }

// parsePair reads TREEBANK/NAME=MODEL:GOLD.
func parsePair(arg string) (p pair, err error) {
	name, files, ok := strings.Cut(arg, "=")
	colon := strings.LastIndexByte(files, ':')
	if p.treebank, p.name, _ = strings.Cut(name, "/"); !ok || colon < 0 || p.treebank == "" || p.name == "" {
		return p, fmt.Errorf("%q: want TREEBANK/NAME=MODEL:GOLD, as in en_ewt/fast=embedded:en_ewt-ud-test.conllu", arg)
	}
	p.model, p.gold = files[:colon], files[colon+1:]
	if strings.ContainsAny(name, "\t\n|") || p.gold == "" {
		return p, fmt.Errorf("%q: names without tabs and bars, please, and a gold file behind the colon", arg)
	}
	return p, nil
}

// A report is what is measured of all pairs.
type report struct {
	figures, expected, documents, certificates, thresholds, bins, coverage *table
}

// newReport makes empty tables.
func newReport() *report {
	named := func(name, columns string) *table { return &table{name: name, columns: strings.Fields(columns)} }
	return &report{
		figures:      named("figures", "treebank model column cases right mean ECE ECE_by_chance AURC AURC_of_perfect_order AUC surest_80 surest_50"),
		expected:     named("expected", "treebank model of words expected standard_error true difference"),
		documents:    named("documents", "treebank model of documents mean_distance mean_standard_error within_1 within_2"),
		certificates: named("certificates", "treebank model certificate sentences of_all words_a_sentence right tree_conf"),
		thresholds:   named("thresholds", "treebank model column threshold kept right"),
		bins:         named("bins", "treebank model column bin cases mean right"),
		coverage:     named("coverage", "treebank model kept wrong"),
	}
}

// short are the tables for a page, long those that figures are drawn of.
func (r *report) short() []*table {
	return []*table{r.figures, r.expected, r.documents, r.certificates, r.thresholds}
}
func (r *report) long() []*table { return []*table{r.bins, r.coverage} }

// none stands where there is no figure.
const none = "-"

// thresholds are the values for which the report says what is kept.
var thresholds = []float64{.5, .8, .9, .95, .99}

// curveSteps is the number of points of a curve of risk and coverage.
const curveSteps = 100

// measure parses the treebank of a pair and adds it to the tables.
func (r *report) measure(p pair, setting eval.Setting, o search.Options, workers int) error {
	m, err := model.Open(p.model)
	if err != nil {
		return err
	}
	gold, err := conllu.ReadAll(p.gold)
	if err != nil {
		return err
	}
	var blocks []string
	if setting == eval.Raw {
		if blocks, err = rawBlocks(gold); err != nil {
			return err
		}
	}
	system, err := eval.Predict(m, o, gold, blocks, setting, workers)
	if err != nil {
		return err
	}
	return r.add(p, setting, gold, system)
}

// add adds parses of a treebank.
func (r *report) add(p pair, setting eval.Setting, gold, system []syntax.Sentence) error {
	judgements, err := eval.Judge(gold, system)
	if err != nil {
		return err
	}
	for _, c := range columnsOf(system, judgements) {
		if len(c.list) > 0 {
			r.addColumn(p, c.name, rank(c.list))
		}
	}
	r.addCertificates(p, system, judgements)
	result, err := eval.Evaluate(gold, system)
	if err != nil {
		return err
	}
	var e syntax.Expected
	for i := range system {
		e.Add(&system[i].Confidence.Expected)
	}
	if e.Words == 0 {
		return nil
	}
	for _, of := range []struct {
		metric eval.Metric
		said   syntax.Estimate
	}{{eval.UPOS, e.UPOS}, {eval.UAS, e.UAS}, {eval.LAS, e.LAS}} {
		var all estimate
		all.add(e.Words, of.said, 0)
		said, spread, is := all.expected/all.words, all.spread/all.words, result.Scores[of.metric].F1()
		r.expected.add(p.treebank, p.name, of.metric, e.Words, percent(said), percent(spread), percent(is), percent(said-is))
	}
	if setting != eval.Raw {
		r.addDocuments(p, gold, system, judgements)
	}
	return nil
}

// addCertificates adds what is right of the sentences with each certificate.
func (r *report) addCertificates(p pair, system []syntax.Sentence, judgements []calibrate.Judgement) {
	for _, of := range []syntax.Certificate{syntax.All, syntax.Bound, syntax.Uncertain} {
		sentences, words, right, said := 0.0, 0.0, 0.0, 0.0
		for k := range system {
			c := &system[k].Confidence
			if c.Certificate != of {
				continue
			}
			sentences++
			words += float64(len(system[k].Words))
			said += float64(c.TreeConf)
			if judgements[k].Tree {
				right++
			}
		}
		name := of.String()
		if of == syntax.Uncertain {
			name = none
		}
		if sentences > 0 {
			r.certificates.add(p.treebank, p.name, name, sentences, percent(sentences/float64(len(system))),
				strconv.FormatFloat(words/sentences, 'f', 1, 64), percent(right/sentences), percent(said/sentences))
		}
	}
}

// A column is what it said of all cases that it has a value for.
type column struct {
	name string
	list []judged
}

// headConf is the column that curves and thresholds are of.
const headConf = "head_conf"

// drawn are the columns that have a diagram.
var drawn = []string{headConf, "deprel_conf", "upos_conf", "tree_conf"}

// columnsOf returns the columns of system: those that are drawn, and
// head_marginal, to compare with.
func columnsOf(system []syntax.Sentence, judgements []calibrate.Judgement) []column {
	heads, deprels, upos, trees, marginals := column{name: drawn[0]}, column{name: drawn[1]}, column{name: drawn[2]}, column{name: drawn[3]}, column{name: "head_marginal"}
	for k := range system {
		c, j := &system[k].Confidence, &judgements[k]
		heads.add(c.HeadConf, j.Head)
		deprels.add(c.DeprelConf, j.Deprel)
		upos.add(c.UPOSConf, j.UPOS)
		marginals.add(c.HeadMarginal, j.Head)
		if c.HasTreeConf {
			trees.add([]float32{c.TreeConf}, []bool{j.Tree})
		}
	}
	return []column{heads, deprels, upos, trees, marginals}
}

// add adds values of words, if there are any.
func (c *column) add(values []float32, right []bool) {
	for i, v := range values {
		c.list = append(c.list, judged{float64(v), right[i]})
	}
}

// addColumn adds a column to the tables.
func (r *report) addColumn(p pair, name string, k *ranking) {
	auc := none // of all right or all wrong
	if right := k.accuracy(); right > 0 && right < 1 {
		auc = strconv.FormatFloat(k.auc(), 'f', 3, 64)
	}
	r.figures.add(p.treebank, p.name, name, len(k.list), percent(k.accuracy()), percent(k.mean()), percent(k.ece()), percent(k.chance()),
		percent(k.aurc()), percent(k.best()), auc, percent(k.surest(.8)), percent(k.surest(.5)))
	if name == "head_marginal" {
		return
	}
	for i, b := range k.bins() {
		if b.cases > 0 {
			n := float64(b.cases)
			r.bins.add(p.treebank, p.name, name, i+1, b.cases, part(b.sum/n), part(float64(b.right)/n))
		}
	}
	for _, t := range thresholds {
		kept, right := k.above(t)
		of := percent(right)
		if kept == 0 {
			of = none
		}
		r.thresholds.add(p.treebank, p.name, name, t, percent(kept), of)
	}
	if name == headConf {
		for i := 1; i <= curveSteps; i++ {
			share := float64(i) / curveSteps
			r.coverage.add(p.treebank, p.name, part(share), part(1-k.surest(share)))
		}
	}
}

// rawBlocks makes raw text of sentences and cuts it into blocks, as treebeam
// eval does.
func rawBlocks(sents []syntax.Sentence) (blocks []string, err error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil {
		return nil, err
	}
	return text.Blocks(raw.String(), raw.Len(), text.Options{Lines: text.Paragraph})
}
