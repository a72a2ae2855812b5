package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/train"
)

const adaptAbout = `
Teaches a finished model from trees that you have corrected, without the treebank that it was
trained on. Pruner, parser, labels and the encoder learn; tokenizer, tagger and lemmatizer do
not, but the encoder has a say in tags, and in words of text without spaces. Confidence changes
only if it becomes better. 200 trees take some minutes, and without an encoder less than one.
Trees of text like the model's own gain little.

The gain is measured on your trees: each third, or fifth without an encoder, is parsed by a
model that has learned from the others. An English model is also measured on bundled
sentences, which resemble some that it learns from again: trees of your other text, with
--home FILE, show better what it loses. If LAS falls on your trees, or by more than 0.2 on the
others, nothing is written.`

// adaptFlags are the options of treebeam adapt.
type adaptFlags struct {
	trees                      []string
	from, model, home, created string
	force                      bool
	seed                       uint64
}

// newAdapt is treebeam adapt.
func newAdapt() *cobra.Command {
	cmd := newCommand("adapt TREES.conllu... --model mine.tbm", "teach a finished model from corrected trees", adaptAbout)
	fs := cmd.Flags()
	var f adaptFlags
	fs.StringVarP(&f.model, "model", "m", "", "write the adapted model to `FILE`")
	fs.StringVar(&f.from, "from", model.Default(), "adapt the model `FILE`, embedded-accurate, embedded, which is the fast English one, or world:CODE for another language")
	fs.StringVar(&f.home, "home", "", "also measure on the gold trees of a CoNLL-U `FILE`: text like that of the model's treebank, but not used in its training")
	fs.BoolVar(&f.force, "force", false, "write the model even if it is worse")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the order in which sentences are learned, `N`")
	fs.StringVar(&f.created, "created-by", "", "record `TEXT`: who made the model, when, where")
	threadsFlag(fs)
	cmd.Example = `
  treebeam sample out --uncertain 200 -o mine.conllu    # correct these trees, then
  treebeam adapt mine.conllu -m english-mine.tbm
  treebeam parse corpus --model english-mine.tbm -o out2`
	cmd.RunE = func(_ *cobra.Command, trees []string) error {
		f.trees = trees
		switch {
		case len(trees) == 0:
			return refuse("name the files of corrected trees, in CoNLL-U")
		case f.model == "":
			return refuse("give --model FILE, the model to write")
		}
		if err := cmp.Or(notAmong("--model", f.model, "one of the files with trees", append(trees, f.home)...),
			canWrite("--model", f.model)); err != nil {
			return err
		}
		return f.run(stdout)
	}
	return cmd
}

// run adapts the model and writes it.
func (f *adaptFlags) run(out io.Writer) error {
	begun := time.Now()
	from, err := model.Open(f.from)
	if err != nil {
		return &refusal{err}
	}
	trees, err := treebank.ReadAll(f.trees)
	if err != nil {
		return &refusal{err}
	}
	a, home, err := f.adapt(from, trees, trainLog(begun))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	printAdaptation(w, &a.About)
	if line := f.unmeasured(home); line != "" {
		say(w, "%s\n", line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.write(a, begun)
}

// adapt adapts a model to trees. home is how many trees of home its loss was measured on.
func (f *adaptFlags) adapt(from *model.Model, trees train.Treebank, log func(format string, a ...any)) (a *train.Adapted, home int, err error) {
	o := train.AdaptOptions{Seed: f.seed, Code: codeVersion(), Created: f.created, Log: log}
	if from.Info.Language == "en" {
		if o.Replay, o.Home, err = treebank.English(); err != nil {
			return nil, 0, err
		}
	}
	files := append([]train.Treebank{trees}, trees.More...)
	if f.home != "" {
		home, err := treebank.Read(f.home)
		if err != nil {
			return nil, 0, &refusal{err}
		}
		if err := checkGold(f.home, home.Sentences); err != nil {
			return nil, 0, err
		}
		o.Home, files = home.Sentences, append(files, home)
	}
	if err := f.unseen(from, files); err != nil {
		return nil, 0, err
	}
	if a, err = train.Adapt(from, trees, o); err != nil {
		return nil, 0, &refusal{err}
	}
	return a, len(o.Home), nil
}

// unmeasured says, in a line, what so many trees of home do not show.
func (f *adaptFlags) unmeasured(home int) string {
	switch {
	case home == 0:
		return "the loss on text like the model's treebank was not measured: treebeam adapt --home FILE measures it"
	case f.home == "":
		return "the other trees are bundled ones; the model has learned again from sentences like them, so it may lose on other text: treebeam adapt --home FILE measures that"
	}
	return ""
}

// unseen refuses files that the model has learned from, or that are there twice: what it gains
// and loses could not be measured on them.
func (f *adaptFlags) unseen(from *model.Model, files []train.Treebank) error {
	seen := map[string]bool{}
	for _, t := range files {
		switch {
		case train.Learned(from, t):
			return refuse("%s has learned from %s already: name other trees", f.from, t.Name)
		case seen[t.SHA256]:
			return refuse("%s has the same trees as another file: name them once, and other trees with --home", t.Name)
		}
		seen[t.SHA256] = true
	}
	return nil
}

// write writes the model, unless it is worse than the old one.
func (f *adaptFlags) write(a *train.Adapted, begun time.Time) error {
	if err := a.Worse(); err != nil && !f.force {
		return refuse("nothing was written: %w; or write it with --force", err)
	} else if err != nil {
		say(os.Stderr, "treebeam adapt: warning: %v\n", err)
	}
	return writeMade(f.model, a.Data, begun, "adapted in %s")
}

// printAdaptation writes what has changed.
func printAdaptation(out io.Writer, a *model.Adaptation) {
	n := 0
	for _, t := range a.Trees {
		n += t.Sentences
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "F1 from gold words\tUAS before\tafter\tLAS before\tafter")
	row := func(name string, before, after *model.Score) {
		if before != nil && after != nil {
			fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\n", name, before.UAS, after.UAS, before.LAS, after.LAS)
		}
	}
	row("your "+view.Many(n, "tree"), &a.Before, &a.After)
	row("other trees", a.HomeBefore, a.HomeAfter)
	w.Flush()
	if c := a.Calibrated; c != nil {
		fmt.Fprintf(out, "the confidence was adapted: ECE of deprel_conf %.2f%% before, %.2f%% after\n", c.Before, c.After)
	}
}
