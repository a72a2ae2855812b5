//go:build unix

// Package effort prints what the encoder of a model is worth where it is left
// to the sentences that need it, a row for each effort (treebeam parse --effort):
//
//	effort | words in encoded sentences | UAS | LAS | of the gain in LAS | words/s
//
// Sentences and words are gold and tags the model's own. Words a second are of
// the processor's time, for tags, lemmas, trees and labels, on one goroutine.
//
//	effort -model FILE -gold FILE.conllu [-efforts 0,0.5,1] [-times N]
package effort

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/lab/bench/process"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	path := flag.String("model", model.EmbeddedAccurate, "model file with an encoder")
	gold := flag.String("gold", "", "treebank")
	list := flag.String("efforts", "0,0.7,0.75,0.78,0.8,0.82,0.84,0.86,0.88,0.9,1", "efforts, from 0 to 1")
	times := flag.Int("times", 1, "parse so often, and print the least time")
	flag.Parse()
	return run(os.Stdout, *path, *gold, *list, *times)
}

// A row is what was measured at one effort.
type row struct {
	effort   float64
	words    int // of all sentences as they were parsed
	encoded  int // of those that were encoded
	uas, las float64
	took     float64 // seconds of the processor
}

func run(w io.Writer, path, gold, list string, times int) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	sents, err := conllu.ReadAll(gold)
	if err != nil {
		return err
	}
	efforts := []float64{0, 1}
	for _, field := range strings.Split(list, ",") {
		p, err := strconv.ParseFloat(field, 64)
		if err != nil || !(p >= 0 && p <= 1) {
			return fmt.Errorf("effort %q: want a number from 0 to 1", field)
		}
		efforts = append(efforts, p)
	}
	slices.Sort(efforts)
	rows := make([]row, 0, len(efforts))
	for _, p := range slices.Compact(efforts) {
		r, err := measure(m, p, sents, times)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	first, last := rows[0].las, rows[len(rows)-1].las
	fmt.Fprintln(w, "| effort | words encoded | UAS | LAS | of the gain | words/s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range rows {
		gain := 0.0
		if r.las != first {
			gain = 100 * (r.las - first) / (last - first)
		}
		fmt.Fprintf(w, "| %v | %.1f %% | %.2f | %.2f | %.0f %% | %.0f |\n", r.effort, 100*float64(r.encoded)/float64(r.words),
			r.uas, r.las, gain, float64(r.words)/r.took)
	}
	return nil
}

// measure parses the sentences so often.
func measure(m *model.Model, effort float64, gold []syntax.Sentence, times int) (row, error) {
	r := row{effort: effort}
	for i := range max(times, 1) {
		before := process.Self()
		system, encoded, err := eval.PredictAt(m, effort, search.Options{Seed: eval.SearchSeed}, gold, nil, eval.GoldTokens, 1)
		took := process.Self().CPU() - before.CPU()
		if err != nil {
			return r, err
		}
		if i == 0 || took < r.took {
			r.took = took
		}
		if i > 0 {
			continue
		}
		result, err := eval.Evaluate(gold, system)
		if err != nil {
			return r, err
		}
		r.encoded, r.uas, r.las = encoded, 100*result.Scores[eval.UAS].F1(), 100*result.Scores[eval.LAS].F1()
		for k := range system {
			r.words += len(system[k].Words)
		}
	}
	return r, nil
}
