package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
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

// maxSample bounds what a sample has in memory: some 16 times so many sentences.
const maxSample = 10_000

// maxStretch is how many sentences of a paragraph are drawn together.
const maxStretch = 20

// sampleFlags are the options of treebeam sample.
type sampleFlags struct {
	uncertain, random  int
	seed               uint64
	paragraphs         bool
	minWords, maxWords int
	output             string
	without            list
}

// newSample is treebeam sample.
func newSample() *cobra.Command {
	cmd := newCommand("sample FOLDER --uncertain N | --random N", "write write sentences to correct, as CoNLL-U", sampleAbout)
	fs := cmd.Flags()
	var f sampleFlags
	fs.IntVar(&f.uncertain, "uncertain", 0, "write the `N` sentences most worth correcting")
	fs.IntVar(&f.random, "random", 0, "write `N` random sentences, each as likely as any other")
	fs.Uint64Var(&f.seed, "seed", 0, "with --random: seed `S`; another one draws other sentences")
	fs.BoolVar(&f.paragraphs, "paragraphs", false, "with --random: draw whole paragraphs that together have N sentences, and parts of long ones")
	fs.IntVar(&f.minWords, "min-words", 0, "leave out sentences of fewer than `N` words, punctuation not counted (4 with --uncertain)")
	fs.IntVar(&f.maxWords, "max-words", 0, "leave out sentences of more than `N` words (60 with --uncertain)")
	fs.Var(&f.without, "without", "leave out the sentences of a CoNLL-U `FILE`, such as an earlier sample; repeatable")
	fs.StringVarP(&f.output, "output", "o", "", "`FILE` to write (standard output)")
	cmd.Example = `
  treebeam sample out --uncertain 200 -o correct.conllu
  treebeam sample out --random 300 -o dev.conllu`
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		set := map[string]bool{}
		fs.Visit(func(f *pflag.Flag) { set[f.Name] = true })
		if err := f.check(set); err != nil {
			return err
		}
		from, err := openOne(ctx, others)
		if err != nil {
			return err
		}
		if f.output != "" && f.output != "-" {
			if err := errOr(output.CheckTarget("--output", f.output, false), from.NotAnInput("--output", f.output)); err != nil {
				return err
			}
		}
		earlier, err := f.readWithout()
		if err != nil {
			return err
		}
		ctx, stop := interruptible(ctx)
		defer stop()
		s, err := f.draw(ctx, from, earlier)
		if ctx.Err() != nil {
			return exitCode(exitInterrupted)
		}
		if err != nil {
			return err
		}
		if len(s.chosen) == 0 {
			return refuse("%s has no sentence to choose: %s", others[0], s.left(&f))
		}
		if err := s.writeTo(f.output); err != nil {
			return err
		}
		s.report(&f)
		return nil
	}
	return cmd
}

// check refuses options that do not go together. set has those that are given.
func (f *sampleFlags) check(set map[string]bool) error {
	switch {
	case set["uncertain"] == set["random"]:
		return refuse("want --uncertain N or --random N: they are two samples, for two purposes")
	case set["uncertain"] && (f.uncertain < 1 || f.uncertain > maxSample), set["random"] && (f.random < 1 || f.random > maxSample):
		return refuse("--uncertain and --random must be from 1 to %d", maxSample)
	case set["seed"] && set["uncertain"]:
		return refuse("--seed belongs to --random: nothing in --uncertain is drawn by lot")
	case f.paragraphs && (set["uncertain"] || set["min-words"] || set["max-words"]):
		return refuse("--paragraphs belongs to --random, and takes sentences of all lengths")
	case f.minWords < 0 || f.maxWords < 0:
		return refuse("--min-words and --max-words must not be negative")
	}
	if set["uncertain"] && !set["min-words"] {
		f.minWords = 4
	}
	if !set["max-words"] {
		f.maxWords = syntax.MaxWords
		if set["uncertain"] {
			f.maxWords = 60
		}
	}
	if f.minWords > f.maxWords {
		return refuse("--min-words %d is more than --max-words %d", f.minWords, f.maxWords)
	}
	for _, file := range f.without {
		if output.SameFile(f.output, file) {
			return refuse("--output %s is read with --without, and would be lost; name another file", f.output)
		}
	}
	return nil
}

// An earlierSample is what --without names, by id and by text: a corrected
// sentence may have other words.
type earlierSample struct {
	ids   map[string]bool
	texts map[uint64]bool
}

func (f *sampleFlags) readWithout() (*earlierSample, error) {
	e := &earlierSample{map[string]bool{}, map[uint64]bool{}}
	for _, file := range f.without {
		sentences, err := conllu.ReadAllWith(file, conllu.Options{NoHeads: true})
		if err != nil {
			if unread := new(fs.PathError); errors.As(err, &unread) {
				return nil, refuse("--without %s: %w", file, unread.Err)
			}
			return nil, refuse("--without: %w", err)
		}
		for i := range sentences {
			s := &sentences[i]
			forms := make([]string, len(s.Words))
			for k := range forms {
				forms[k] = s.Words[k].Form
			}
			e.ids[s.ID], e.texts[pick.TextKey(forms)] = true, true
		}
	}
	delete(e.ids, "")
	return e, nil
}

func (e *earlierSample) has(t *parquet.Tree) bool {
	return e.ids[t.SentID] || len(e.texts) > 0 && e.texts[pick.TextKey(t.Tokens)]
}

// A sampler is one of package pick.
type sampler interface {
	Add(t *parquet.Tree, text func() []byte)
	Skip(t *parquet.Tree)
	Chosen() []pick.Chosen
}

// A drawnSample is what was chosen of an output, and what was not.
type drawnSample struct {
	chosen        []pick.Chosen
	why           func(c *pick.Chosen) string // why it was chosen, for its comment
	trees         int
	early         int // in an earlier sample
	outside       int // of another length
	unknown, sure int // as pick.Uncertain has them
	wanted        int
}

// draw reads all trees once.
func (f *sampleFlags) draw(ctx context.Context, from *pipeline.Output, earlier *earlierSample) (*drawnSample, error) {
	s := &drawnSample{wanted: max(f.uncertain, f.random)}
	uncertain := &pick.Uncertain{N: f.uncertain}
	var of sampler = uncertain
	if f.random > 0 {
		lot := &pick.Lot{N: f.random, Seed: f.seed}
		if f.paragraphs {
			lot.Stretch = maxStretch
		}
		of = lot
	}
	_, err := from.Sentences(func(r *pipeline.Row) error {
		if r.Tree == nil {
			return ctx.Err()
		}
		s.trees++
		var bad error
		text := func() (block []byte) {
			block, bad = pipeline.AppendForCorrection(nil, r)
			return block
		}
		words := pick.Words(r.Tree)
		switch {
		case earlier.has(r.Tree):
			s.early++
			of.Skip(r.Tree)
		case words < f.minWords || words > f.maxWords:
			s.outside++
			of.Skip(r.Tree)
		default:
			of.Add(r.Tree, text)
		}
		return errOr(bad, ctx.Err())
	})
	if err != nil {
		return nil, err
	}
	s.chosen, s.unknown, s.sure = of.Chosen(), uncertain.Unknown, uncertain.Sure
	s.why = func(c *pick.Chosen) string {
		return fmt.Sprintf("%s, %d of %d; %.1f of %d words expected wrong by %s", kindUncertain, c.Rank, len(s.chosen), c.Doubt.Expected(), c.Doubt.Words, c.Doubt.By)
	}
	if f.random > 0 {
		kind := "random"
		if f.paragraphs {
			kind = "random paragraphs"
		}
		s.why = func(*pick.Chosen) string {
			return fmt.Sprintf("%s, %d of %d, seed %d", kind, len(s.chosen), s.trees, f.seed)
		}
	}
	return s, nil
}

// writeTo writes the sample to the file output, or to standard output.
func (s *drawnSample) writeTo(output string) (err error) {
	if output == "" || output == "-" {
		return quietlyClosed(s.write(os.Stdout))
	}
	out, commit, err := createOutput("--output", output)
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		out.(interface{ Cleanup() error }).Cleanup()
		return err
	}
	return commit()
}

// write begins a paragraph at each sentence that does not follow on the one before
// it.
func (s *drawnSample) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range s.chosen {
		c := &s.chosen[i]
		if i == 0 || c.Document != s.chosen[i-1].Document {
			fmt.Fprintf(out, "# newdoc id = %s\n", oneLine(c.Document))
		}
		if c.Opens {
			out.WriteString("# newpar\n")
		}
		fmt.Fprintf(out, "# %s = %s\n", pipeline.SampleComment, s.why(c))
		out.Write(c.Text)
	}
	return out.Flush()
}

// oneLine is an id that came from anywhere, for a comment.
func oneLine(s string) string { return strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }

// report says what the sample is, and what it is for.
func (s *drawnSample) report(f *sampleFlags) {
	documents := map[string]bool{}
	wrong, words, raw := int64(0), 0, false
	for i := range s.chosen {
		d := &s.chosen[i].Doubt
		documents[s.chosen[i].Document] = true
		wrong, words, raw = wrong+d.Wrong, words+d.Words, raw || d.By == pick.Raw
	}
	say(os.Stderr, "%d sentences of %d, from %d documents; %.0f of their %d words are expected to be wrong\n",
		len(s.chosen), s.trees, len(documents), pick.Doubt{Wrong: wrong}.Expected(), words)
	if len(s.chosen) < s.wanted {
		say(os.Stderr, "no more than that can be chosen: %s\n", s.left(f))
	}
	if raw {
		say(os.Stderr, "the model is not calibrated: this goes by head_marginal, whose order is good and whose numbers are not; treebeam calibrate makes probabilities\n")
	}
	if f.uncertain > 0 {
		say(os.Stderr, "correct them to train on; to measure or to calibrate take --random\n")
	}
}

// kindUncertain begins the comment of a sentence that was chosen for its doubts.
const kindUncertain = "uncertain"

// warnOfUncertain says that gold sentences were chosen for their doubts, if any
// were: what is found on them does not hold for other text.
func warnOfUncertain(file string, gold []syntax.Sentence) {
	n := 0
	for i := range gold {
		if slices.ContainsFunc(gold[i].Comments, func(c string) bool {
			key, value := conllu.Comment(c)
			return key == pipeline.SampleComment && strings.HasPrefix(value, kindUncertain)
		}) {
			n++
		}
	}
	if n > 0 {
		say(os.Stderr, "%s: %d of the sentences were chosen because they are uncertain; figures and probabilities from them hold for no other text: take a sample by lot (treebeam sample --random)\n", file, n)
	}
}

// left says why other sentences were not chosen.
func (s *drawnSample) left(f *sampleFlags) string {
	alike := 0 // with --random all others are chosen
	if f.uncertain > 0 {
		alike = s.trees - len(s.chosen) - s.outside - s.early - s.unknown - s.sure
	}
	var reasons []string
	for _, r := range []struct {
		n   int
		why string
	}{
		{s.outside, fmt.Sprintf("have not %d to %d words (--min-words, --max-words)", f.minWords, f.maxWords)},
		{s.early, "are in --without"},
		{s.unknown, "have no probabilities, or punctuation alone"},
		{s.sure, "have nothing that is expected to be wrong"},
		{alike, "say what one of these says"},
	} {
		if r.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", r.n, r.why))
		}
	}
	if len(reasons) == 0 {
		return fmt.Sprintf("there are %d sentences", s.trees)
	}
	return strings.Join(append([]string{fmt.Sprintf("of %d sentences", s.trees)}, reasons...), ", ")
}
