package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

const calibrateAbout = `
Fits the calibrator of a model to gold trees that the model has not learned from. The
calibrator turns the parser's signals into the columns head_conf, deprel_conf, upos_conf
and tree_conf, and into the expected accuracy of documents. Nothing else in the model
changes: trees stay the same.

treebeam train does this by itself, with its dev treebank. If the probabilities are far off
on another kind of text, do it again with random sentences of that text (treebeam sample
--random). If they are nearly right, a few hundred sentences can make them worse. A
calibrator that was fitted to more sentences than yours is adapted to yours: its log-odds
are scaled and shifted. --anew fits a new one to yours alone.

The sentences are parsed as raw text, with their words, with their words and tags, and in
lowercase and in capitals, so that one calibrator serves all of these. The printed figures
are measured on each half of the sentences, with a fit to the other half.`

// calibratorSuffix marks a calibrator's own file.
const calibratorSuffix = ".cal"

// calibrateFlags are the options of treebeam calibrate.
type calibrateFlags struct {
	model, overlay, dev, treebanks, output string
	anew                                   bool
}

// newCalibrate is treebeam calibrate.
func newCalibrate() *cobra.Command {
	cmd := newCommand("calibrate --model M.tbm --dev D.conllu", "recalibrate a model's confidence on gold sentences of yours", calibrateAbout)
	fs := cmd.Flags()
	var f calibrateFlags
	fs.StringVarP(&f.model, "model", "m", "", "calibrate the model `FILE`, embedded-accurate, or embedded, which is the fast English one")
	fs.StringVar(&f.dev, "dev", "", "fit to the gold trees of a CoNLL-U `FILE` that the model was not trained on")
	fs.StringVar(&f.treebanks, "treebanks", "", "calibrate a model of many languages on the dev treebanks of a `LIST`, as of train --treebanks; writes only a calibrator")
	fs.StringVarP(&f.output, "output", "o", "", "write the whole model to `FILE`, or only the calibrator if the name ends in .cal (default: replace the file of --model)")
	fs.StringVar(&f.overlay, "overlay", "", "calibrate the model that this `FILE` of train --overlay makes of --model; writes only a calibrator")
	fs.BoolVar(&f.anew, "anew", false, "fit to these sentences alone, however few")
	threadsFlag(fs)
	noArguments(cmd, "name the files with --model and --dev")
	cmd.Example = `
  treebeam calibrate --model embedded-accurate --dev mine.conllu -o mine.tbm`
	cmd.RunE = func(*cobra.Command, []string) error {
		if f.output == "" {
			f.output = f.model
		}
		embedded := f.model != "" && model.IsEmbedded(f.model)
		alone := strings.HasSuffix(f.output, calibratorSuffix)
		switch {
		case f.treebanks != "":
			if f.dev != "" || f.overlay != "" || f.anew || f.model == "" || embedded || !alone {
				return refuse("--treebanks goes with the file of a model of many languages and with --output X%s, a calibrator alone", calibratorSuffix)
			}
		case f.model == "" || f.dev == "":
			return refuse("give --model FILE and --dev FILE")
		case f.overlay != "" && (embedded || !alone):
			return refuse("--overlay goes with the file of a model and with --output X%s, a calibrator alone", calibratorSuffix)
		case embedded && f.output == f.model:
			return refuse("the embedded model cannot be replaced: name a file to write with --output, and parse with --model and that file")
		case embedded && alone:
			return refuse("--output %s: a calibrator's own file is made for a model's file; name that with --model", f.output)
		}
		if err := cmp.Or(notAmong("--output", f.output, "the treebank", f.dev), canWrite("--output", f.output)); err != nil {
			return err
		}
		if f.treebanks != "" {
			return f.runLanguages(stdout)
		}
		return f.run(stdout)
	}
	return cmd
}

// runLanguages fits the calibrator of a world and writes it.
func (f *calibrateFlags) runLanguages(out io.Writer) error {
	w, err := model.OpenWorld(f.model)
	if err != nil {
		return &refusal{err}
	}
	list, err := treebank.ReadList(f.treebanks)
	if err != nil {
		return &refusal{err}
	}
	var banks []eval.Bank
	for _, l := range list {
		if l.Name == "" {
			continue
		}
		m, err := w.Language(l.Code)
		if err != nil {
			return refuse("%s: %w", f.model, err)
		}
		if err := checkGold(l.Dev.Name, l.Dev.Sentences); err != nil {
			return err
		}
		if train.Learned(m, l.Dev) {
			return refuse("%s: %s was trained on %s", f.treebanks, f.model, l.Dev.File)
		}
		banks = append(banks, eval.Bank{Name: l.Code, Model: m, Gold: l.Dev.Sentences})
	}
	data, about, err := eval.RecalibrateWorld(banks, w.Digest, eval.ParseOptions{Blocks: treebank.Blocks})
	if err != nil {
		return err
	}
	return f.write(out, data, about)
}

// write writes the file and says what it is worth.
func (f *calibrateFlags) write(out io.Writer, data []byte, about ...model.Calibration) error {
	if err := writeModel(f.output, data); err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for k := range about {
		if k > 0 {
			say(w, "without the encoder:\n")
		}
		printCalibration(w, &about[k])
	}
	say(w, "%s: %d bytes, sha256 %s\n", f.output, len(data), model.Digest(data))
	return w.Flush()
}

// run fits the calibrator and writes it.
func (f *calibrateFlags) run(out io.Writer) error {
	gold, err := treebank.Read(f.dev)
	if err != nil {
		return &refusal{err}
	}
	if err := checkGold(f.dev, gold.Sentences); err != nil {
		return err
	}
	warnOfUncertain(f.dev, gold.Sentences)
	m, err := f.open()
	if err != nil {
		return &refusal{err}
	}
	if train.Learned(m, gold) {
		return refuse("%s is the treebank that %s was trained on, where its scores are far too high: name another one with --dev", f.dev, f.model)
	}
	alone := strings.HasSuffix(f.output, calibratorSuffix)
	if m.Encoder != nil && alone && f.overlay == "" {
		return refuse("--output %s: %s has an encoder and so two calibrators, which cannot be written to one file; name a model", f.output, f.model)
	}
	data, about, err := eval.Recalibrate(m, gold.Sentences, gold.Data(), eval.RecalibrateOptions{
		ParseOptions: eval.ParseOptions{Blocks: treebank.Blocks}, Anew: f.anew, Alone: alone,
	})
	if errors.Is(err, calibrate.ErrTooFew) {
		return refuse("%s: %w", f.dev, err)
	}
	if err != nil {
		return err
	}
	return f.write(out, data, about...)
}

// checkGold refuses gold trees with words that lack UPOS or DEPREL.
func checkGold(name string, gold []syntax.Sentence) error {
	upos, deprel := 0, 0
	for w := range syntax.Words(gold) {
		if w.UPOS == "" {
			upos++
		}
		if w.Deprel == "" {
			deprel++
		}
	}
	if column, n := "UPOS", upos; upos+deprel > 0 {
		if upos == 0 {
			column, n = "DEPREL", deprel
		}
		return refuse("%s has %s without %s, and every %[3]s of the parser would count as wrong: put gold ones in the column", name, view.Many(n, "word"), column)
	}
	return nil
}

// open opens the model that is to be calibrated.
func (f *calibrateFlags) open() (*model.Model, error) {
	if f.overlay != "" {
		return model.OpenOverlay(f.model, f.overlay)
	}
	return model.Open(f.model)
}

// printCalibration says where a calibrator comes from and what it is worth.
func printCalibration(out io.Writer, c *model.Calibration) {
	say(out, "calibrated on %s, %s, %s\n", cmp.Or(c.Gold.File, "dev"), view.Many(c.Gold.Sentences, "sentence"), view.Many(c.Gold.Words, "word"))
	if a := c.Adapted; a != nil {
		say(out, "adapted to %s, %s, %s\n", a.File, view.Many(a.Sentences, "sentence"), view.Many(a.Words, "word"))
	}
	if len(c.Measured) == 0 {
		return
	}
	fmt.Fprintln(out, "each half with a fit to the other half, in percent:")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "parsed from\tcolumn\tof\tcases\tright\tmean\tECE\tAURC")
	for _, r := range c.Measured {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\n", r.Setting, r.Column, r.Of, r.Cases, r.Right, r.Mean, r.ECE, r.AURC)
	}
	w.Flush()
	if len(c.Expected) == 0 {
		return
	}
	fmt.Fprintln(w, "parsed from\tof\tright\texpected\tdeviation")
	for _, e := range c.Expected {
		fmt.Fprintf(w, "%s\t%s\t%.2f\t%.2f\t%.2f\n", e.Setting, e.Of, e.Right, e.Expected, e.Deviation)
	}
	w.Flush()
}
