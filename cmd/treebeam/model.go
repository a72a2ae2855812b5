package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
)

const modelAbout = `
Prints where a model comes from: treebank, release, license, the command that trains it
again, its scores on dev, and the sizes of its parts. Without FILE, it describes the
accurate English model in the program; the fast one is embedded.`

// newModel is treebeam model.
func newModel() *cobra.Command {
	cmd := newCommand("model info [FILE] [--json]", "show where a model comes from, its sizes, scores and license", modelAbout)
	fs := cmd.Flags()
	asJSON := fs.Bool("json", false, "print JSON")
	cmd.ValidArgsFunction = completeWords("info")
	cmd.Example = `
  treebeam model info
  treebeam model info french.tbm --json`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		if len(others) == 0 || others[0] != "info" {
			return refuse("write treebeam model info [FILE]")
		}
		if len(others) > 2 {
			return refuse("model info takes one file, got %q", others[1:])
		}
		uri := ""
		if len(others) == 2 {
			uri = others[1]
		}
		m, err := model.Open(uri)
		if errors.Is(err, model.ErrMany) {
			return describeWorld(uri, *asJSON)
		}
		if err != nil {
			return &refusal{err}
		}
		if *asJSON {
			return encodeJSON(stdout, modelReport{m.Digest, m.Size, m.Info, m.Decoder.Families().String(), componentsOf(m.Sections)}, "  ")
		}
		printModel(stdout, m)
		return nil
	}
	return cmd
}

// describeWorld prints what a model file of many languages is.
func describeWorld(uri string, asJSON bool) error {
	w, err := model.OpenWorld(uri)
	if err != nil {
		return &refusal{err}
	}
	if asJSON {
		return encodeJSON(stdout, modelReport{w.Digest, w.Size, w.Info, "", componentsOf(w.Sections())}, "  ")
	}
	out, line := lines(stdout)
	i := w.Info
	line("digest", w.Digest)
	line("size", megabytes(w.Size))
	line("licence", i.Licence)
	line("command", i.Command)
	line("seed", fmt.Sprint(i.Seed))
	line("code", i.Code)
	line("created", i.Created)
	printParts(i.Parts, line)
	printEncoder("encoder", "tuned", i.Encoder, line)
	out.Flush()
	if i.Calibration != nil {
		fmt.Fprintln(stdout)
		printCalibration(stdout, i.Calibration)
	}
	fmt.Fprintln(stdout, "\nlanguages: words learned from; F1 on dev of words, UPOS and LAS from raw text; sources")
	for _, l := range w.Languages() {
		score := rawScore(&l)
		fmt.Fprintf(out, "%s\t%s\t%d\t%.2f\t%.2f\t%.2f\t%s\n", l.Code, l.Name, l.TrainWords, score.Words, score.UPOS, score.LAS, sourcesOf(&l))
	}
	return out.Flush()
}

// lines returns what writes a name and a value, if there is one, on a line, in columns
// that are written by Flush.
func lines(out io.Writer) (w *tabwriter.Writer, line func(name, value string)) {
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	return w, func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
}

func megabytes(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }

// A modelReport is what is printed of a model as JSON.
type modelReport struct {
	Digest     string      `json:"digest"`
	Bytes      int         `json:"bytes"`
	Info       model.Info  `json:"info"`
	Families   string      `json:"families,omitempty"` // of a model of one language
	Components []component `json:"components"`
}

// sourcesOf names the treebanks of a language with their licences.
func sourcesOf(l *model.Language) string {
	var list []string
	for _, s := range l.Treebanks {
		list = append(list, s.Name+" ("+s.Licence+")")
	}
	return strings.Join(list, "; ")
}

// A component is one part of a model with the bytes of its sections.
type component struct {
	Name     string `json:"name"`
	Bytes    int    `json:"bytes"`
	Sections int    `json:"sections"`
}

func componentsOf(sections []pack.Section) []component {
	var list []component
	for _, s := range sections {
		name, _, _ := strings.Cut(s.Name, ".")
		at := slices.IndexFunc(list, func(c component) bool { return c.Name == name })
		if at < 0 {
			at = len(list)
			list = append(list, component{Name: name})
		}
		list[at].Bytes += len(s.Data)
		list[at].Sections++
	}
	return list
}

func printModel(out io.Writer, m *model.Model) {
	w, line := lines(out)
	i := m.Info
	line("digest", m.Digest)
	line("size", megabytes(m.Size))
	line("language", i.Language)
	line("treebank", strings.TrimSpace(i.Treebank+" "+i.Release))
	line("licence", i.Licence)
	line("command", i.Command)
	for _, name := range slices.Sorted(maps.Keys(i.Options)) {
		line("  "+name, i.Options[name])
	}
	line("families", m.Decoder.Families().String())
	line("seed", fmt.Sprint(i.Seed))
	line("code", i.Code)
	line("created", i.Created)
	data := func(name string, list ...model.Data) {
		for _, d := range list {
			line(name, dataLine(d))
		}
	}
	data("train", append([]model.Data{i.Train}, i.More...)...)
	data("dev", i.Dev)
	data("silver", i.Silver...)
	printParts(i.Parts, line)
	for _, a := range i.Adapted {
		line("adapted from", a.From)
		data("  trees", a.Trees...)
		line("  share", fmt.Sprint(a.Share))
		line("  seed", fmt.Sprint(a.Seed))
		line("  code", a.Code)
		line("  created", a.Created)
	}
	printEncoder("small network, pieces of", "new", i.Network, line)
	printEncoder("encoder", "tuned", i.Encoder, line)
	w.Flush()

	for _, a := range i.Adapted {
		fmt.Fprintln(out)
		printAdaptation(out, &a)
	}
	printScores(out, "scores on dev (CoNLL-18 F1)", i.Scores)
	if i.Calibration != nil {
		fmt.Fprintln(out)
		printCalibration(out, i.Calibration)
	}
	if e := i.Encoder; e != nil {
		printScores(out, "scores on dev without the encoder (--effort 0)", e.Fast)
		if e.FastCalibration != nil {
			fmt.Fprintln(out)
			printCalibration(out, e.FastCalibration)
		}
		printMix(out, "encoder", &m.Mix, m)
	}
	if i.Network != nil {
		printMix(out, "small network", &m.NetworkMix, m)
	}

	fmt.Fprintln(out, "\nparts")
	for _, c := range componentsOf(m.Sections) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.Name, megabytes(c.Bytes), view.Many(c.Sections, "section"))
	}
	w.Flush()
}

// printParts writes how parts of a model were trained again.
func printParts(parts []model.Part, line func(name, value string)) {
	for _, p := range parts {
		line(p.Name, p.Command)
		line("  made for", p.From)
		line("  seed", fmt.Sprint(p.Seed))
		line("  code", p.Code)
		line("  created", p.Created)
		for _, d := range append([]model.Data{p.Train}, p.More...) {
			line("  train", dataLine(d))
		}
		for _, d := range p.Silver {
			line("  silver", dataLine(d))
		}
		if p.Dev.File != "" {
			line("  dev", dataLine(p.Dev))
		}
	}
}

// printScores writes a table of scores, if there are any.
func printScores(out io.Writer, title string, scores []model.Score) {
	if len(scores) == 0 {
		return
	}
	fmt.Fprintln(out, "\n"+title)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ttokens\tsentences\twords\tUPOS\tXPOS\tFEATS\tlemmas\tUAS\tLAS\tCLAS")
	for _, s := range scores {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", s.Setting, s.Tokens,
			s.Sentences, s.Words, s.UPOS, s.XPOS, s.Feats, s.Lemmas, s.UAS, s.LAS, s.CLAS)
	}
	w.Flush()
}

func dataLine(d model.Data) string {
	return fmt.Sprintf("%s, %s, %s, sha256 %s", d.File, view.Many(d.Sentences, "sentence"), view.Many(d.Words, "word"), d.SHA256)
}

// printEncoder writes what the provenance says of an encoder, if there is one. how says
// where its layers come from. line writes a name and a value.
func printEncoder(what, how string, e *model.Encoded, line func(name, value string)) {
	if e == nil {
		return
	}
	line(what, e.Name)
	line("  source", e.Source)
	line("  licence", e.Licence)
	notice, _, _ := strings.Cut(e.Notice, "\n")
	line("  notice", notice)
	line("  file", fmt.Sprintf("%s, sha256 %s", e.File, e.SHA256))
	epochs := "as many as usual"
	if e.Epochs > 0 {
		epochs = fmt.Sprint(e.Epochs)
	}
	if e.Average > 1 {
		how = fmt.Sprintf("the average of %d that were tuned", e.Average)
	}
	line("  layers", fmt.Sprintf("%d, %s, seed %d, epochs: %s", e.Layers, how, e.Seed, epochs))
	line("  pieces", fmt.Sprint(e.Pieces))
	for _, t := range e.Texts {
		line("  text", fmt.Sprintf("%s, %s, sha256 %s", t.File, view.Many(t.Words, "word"), t.SHA256))
	}
	line("  made for", e.Sparse)
}

// printMix writes what dense scores count in the stages.
func printMix(out io.Writer, whose string, x *model.Mix, m *model.Model) {
	part := func(f int32) float64 { return float64(f) / model.MixOne }
	fmt.Fprintf(out, "\nfactors of the %s: tags %.3f, feats %.3f, arcs in the pruner %.3f, in the parser %.3f, labels %.3f, sentence ends %.3f\n",
		whose, part(x.Tags), part(x.Feats), part(x.Prune), part(x.Parse), part(x.Labels), part(x.Starts.Factor))
}
