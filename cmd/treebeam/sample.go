package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
)

const sampleAbout = `
Writes sentences of an output folder, or of what is current in a state, as CoNLL-U for you
to correct, with confidence in MISC as with --conf, and a comment treebeam_sample that
says why each was chosen.

--uncertain N takes the sentences with the most to correct per word read: those with the
largest share of words expected to be wrong (1 - deprel_conf, without punctuation, as if
each sentence had five more words that are right). Lengths follow the output, no document
gives more than a tenth of the N unless the others have too few, and equal texts come
once. Correct these to train on them. They are worse than the rest of the text, so do not
measure or calibrate with them.

--random N draws sentences at random. Correct these to measure (treebeam eval) and to
calibrate (treebeam calibrate): only these are like the text. --seed S draws others.
--paragraphs draws whole paragraphs, which show the context of a sentence and also let
you correct and measure where sentences end.

In the next round, --without FILE leaves out what an earlier round had. Sentences are in
the order of the input; sent_id and "# newdoc id" say where they come from. If the model
is not calibrated, --uncertain uses head_marginal instead and says so.`

// sampleFlags are the options of treebeam sample.
type sampleFlags struct {
	pick.Sample
	output  string
	without list
}

// newSample is treebeam sample.
func newSample() *cobra.Command {
	cmd := newCommand("sample FOLDER --uncertain N | --random N", "write sentences to correct, as CoNLL-U", sampleAbout)
	fs := cmd.Flags()
	var f sampleFlags
	fs.IntVar(&f.Uncertain, "uncertain", 0, "write the `N` sentences most worth correcting")
	fs.IntVar(&f.Random, "random", 0, "write `N` random sentences, each as likely as any other")
	fs.Uint64Var(&f.Seed, "seed", 0, "with --random: seed `S`; other seeds draw other sentences")
	fs.BoolVar(&f.Paragraphs, "paragraphs", false, "with --random: draw whole paragraphs that together have N sentences, and parts of long ones")
	fs.IntVar(&f.MinWords, "min-words", 0, "leave out sentences of fewer than `N` words, punctuation not counted (4 with --uncertain)")
	fs.IntVar(&f.MaxWords, "max-words", 0, "leave out sentences of more than `N` words (60 with --uncertain)")
	fs.Var(&f.without, "without", "leave out the sentences of a CoNLL-U `FILE`, such as an earlier sample; repeatable")
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE` (standard output)")
	cmd.Example = `
  treebeam sample out --uncertain 200 -o correct.conllu
  treebeam sample out --random 300 -o dev.conllu`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		set := map[string]bool{}
		fs.Visit(func(f *pflag.Flag) { set[f.Name] = true })
		if err := f.check(set); err != nil {
			return err
		}
		from, err := openOne(ctx, others, f.output)
		if err != nil {
			return err
		}
		if f.Without, err = f.readWithout(); err != nil {
			return err
		}
		var drawn *pick.Drawn
		if err := writeOutput("--output", f.output, func(out io.Writer) (err error) {
			drawn, err = f.Draw(ctx, from, func(r *output.Row) ([]byte, error) { return pipeline.AppendForCorrection(nil, r) })
			if err != nil {
				return err
			}
			if len(drawn.Chosen) == 0 {
				return refuse("%s has no sentence to choose: %s", others[0], drawn.Left())
			}
			return drawn.Write(out)
		}); err != nil {
			return err
		}
		f.report(drawn)
		return nil
	})
	return cmd
}

// check refuses options that do not go together. set has the options that are given.
func (f *sampleFlags) check(set map[string]bool) error {
	switch {
	case set["uncertain"] == set["random"]:
		return refuse("give --uncertain N or --random N: they are two samples, for two purposes")
	case set["uncertain"] && (f.Uncertain < 1 || f.Uncertain > pick.MaxSample), set["random"] && (f.Random < 1 || f.Random > pick.MaxSample):
		return refuse("--uncertain and --random must be from 1 to %d", pick.MaxSample)
	case set["seed"] && set["uncertain"]:
		return refuse("--seed needs --random: --uncertain draws nothing at random")
	case f.Paragraphs && (set["uncertain"] || set["min-words"] || set["max-words"]):
		return refuse("--paragraphs belongs to --random, and takes sentences of all lengths")
	case f.MinWords < 0 || f.MaxWords < 0:
		return refuse("--min-words and --max-words must not be negative")
	}
	if set["uncertain"] && !set["min-words"] {
		f.MinWords = 4
	}
	if !set["max-words"] {
		f.MaxWords = syntax.MaxWords
		if set["uncertain"] {
			f.MaxWords = 60
		}
	}
	if f.MinWords > f.MaxWords {
		return refuse("--min-words %d is more than --max-words %d", f.MinWords, f.MaxWords)
	}
	return cmp.Or(checkOnly("--output", f.output, ".conllu", ".txt"), notAmong("--output", f.output, "a file of --without", f.without...))
}

// readWithout reads the files of --without.
func (f *sampleFlags) readWithout() (*pick.Exclusion, error) {
	e := new(pick.Exclusion)
	for _, file := range f.without {
		sentences, err := treebank.Trees(file, conllu.Options{NoHeads: true})
		if err != nil {
			if unread := new(fs.PathError); errors.As(err, &unread) {
				return nil, refuse("--without %s: %w", file, unread.Err)
			}
			return nil, refuse("--without: %w", err)
		}
		e.Add(sentences)
	}
	return e, nil
}

// report says what the sample is, and what it is for.
func (f *sampleFlags) report(drawn *pick.Drawn) {
	sum := drawn.Totals()
	say(os.Stderr, "%s of %d, from %s; %.0f of their %s are expected to be wrong\n", view.Many(len(drawn.Chosen), "sentence"), drawn.Trees,
		view.Many(sum.Documents, "document"), sum.Doubt.Expected(), view.Many(sum.Doubt.Words, "word"))
	if len(drawn.Chosen) < max(f.Uncertain, f.Random) {
		say(os.Stderr, "no more than that can be chosen: %s\n", drawn.Left())
	}
	if sum.Raw {
		say(os.Stderr, "the model is not calibrated: sentences are ordered by head_marginal, whose order is good but whose numbers are no probabilities; treebeam calibrate makes some\n")
	}
	if f.Uncertain > 0 {
		say(os.Stderr, "correct them to train on; to measure or to calibrate take --random\n")
	}
}

// warnOfUncertain says that gold sentences were chosen for their doubts, if any
// were: what is found on them does not hold for other text.
func warnOfUncertain(file string, gold []syntax.Sentence) {
	if n := pick.ChosenForDoubts(gold); n > 0 {
		say(os.Stderr, "%s: sentences that were chosen because they are uncertain: %d; figures and probabilities from them apply to no other text: take a random sample (treebeam sample --random)\n", file, n)
	}
}
