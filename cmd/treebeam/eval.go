package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

const evalAbout = `
Scores trees against gold trees by the rules of the CoNLL 2018 shared task: subtypes of
relations are ignored, and figures are F1 in percent. The trees come from a CoNLL-U file,
a run's output folder or a state (--system), or a model makes them (--model FILE, or
--model embedded): from the gold file's raw text, from its words with --gold-tokens, or
from its words and tags with --gold-tags. On gold words, eval also says why trees are
wrong: a gold head was pruned, the search missed a gold tree that scores higher, or the
model prefers a wrong tree. If the trees have confidence (those of a model, an output
folder or CoNLL-U with --conf), the last tables compare it with the truth
(docs/evaluation.md).`

// evalFlags are the options of treebeam eval.
type evalFlags struct {
	gold, system, model, against string
	goldTokens, goldTags, causes bool
	effort                       string
	search                       search.Options
	custom                       transforms.CustomFiles
	unconstrained                bool
	report                       eval.ReportOptions
	row, write                   string
	samples                      int
}

// newEval is treebeam eval.
func newEval() *cobra.Command {
	cmd := newCommand("eval --gold G.conllu --system S.conllu|out/ | --model m.tbm", "score trees by the rules of CoNLL 2018, and more", evalAbout)
	fs := cmd.Flags()
	var f evalFlags
	fs.StringVarP(&f.gold, "gold", "g", "", "score against the gold trees of a CoNLL-U `FILE`")
	fs.StringVarP(&f.system, "system", "s", "", "score the trees of a CoNLL-U `FILE`, or of the folder of an output or a state")
	fs.StringVarP(&f.model, "model", "m", "", "score the trees that the model `FILE` makes; or embedded or embedded-accurate")
	fs.BoolVar(&f.goldTokens, "gold-tokens", false, "with --model: parse the gold sentences and words, not the raw text")
	fs.BoolVar(&f.goldTags, "gold-tags", false, "with --model: parse the gold words with their tags and lemmas")
	fs.StringVar(&f.effort, "effort", "", "with --model: use the model's encoder only for sentences where the parser without it expects an LAS below `P`, from 0 to 1 (1)")
	fs.StringVar(&f.write, "write", "", "with --model: also write the trees to a CoNLL-U `FILE`")
	group(fs, "Trees")
	fs.BoolVar(&f.causes, "causes", false, "with --model: say which stage has lost each point: segmentation, tags, pruning, search, model or labels; takes two to five times as long")
	fs.StringVar(&f.against, "against", "", "compare with the trees of `FILE` by a paired bootstrap over sentences")
	fs.IntVar(&f.samples, "samples", 10_000, "with --against: draw `N` bootstrap samples")
	fs.BoolVar(&f.report.JSON, "json", false, "print JSON")
	fs.BoolVarP(&f.report.Plain, "plain", "v", false, "print only the table of udeval -v")
	fs.BoolVar(&f.report.Counts, "counts", false, "print counts, not percentages")
	fs.StringVar(&f.row, "row", "", "print the main figures on one line that begins with `NAME`")
	group(fs, "What is printed")
	threadsFlag(fs)
	fs.Uint64Var(&f.search.Seed, "seed", eval.SearchSeed, "with --model: seed of the search's random choices, `N`")
	fs.IntVar(&f.search.Restarts, "restarts", 0, "with --model: climb at most `N` times per sentence (6)")
	fs.IntVar(&f.search.Exact, "exact", 0, "with --model: score all trees of sentences whose candidate heads combine in at most `N` ways; -1 for none (32)")
	fs.IntVar(&f.search.Certify, "certify", 0, "with --model: spend at most `N` steps per sentence on proving that no tree scores higher, or finding one that does; -1 for none (20000)")
	group(fs, rareFlags)
	customFlags(fs, &f.custom, &f.unconstrained)
	cmd.Example = `
  treebeam eval --gold dev.conllu --system out
  treebeam eval --gold dev.conllu --model embedded
  treebeam eval --gold dev.conllu --model embedded --causes
  treebeam eval --gold dev.conllu --system a.conllu --against b.conllu`
	noArguments(cmd, "name the files with --gold and --system")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if idle := namesGiven(fs, []string{"seed", "restarts", "exact", "certify"}, true); idle != "" && f.system != "" {
			return refuse("%s: only --model searches for trees; leave it out with --system", idle)
		}
		if f.against == "" && fs.Changed("samples") {
			return refuse("--samples needs --against")
		}
		if err := f.validate(); err != nil {
			return err
		}
		return f.run(cmd.Context(), stdout)
	}
	return cmd
}

// maxSamples bounds --samples: the differences of all samples are in memory.
const maxSamples = 10_000_000

func (f *evalFlags) validate() error {
	switch {
	case f.gold == "":
		return refuse("--gold FILE is missing")
	case (f.system == "") == (f.model == ""):
		return refuse("give --system FILE or FOLDER, or --model FILE (--model embedded is the built-in model)")
	case f.goldTokens && f.goldTags:
		return refuse("--gold-tags includes the gold words: leave out --gold-tokens")
	case f.system != "" && (f.goldTokens || f.goldTags || f.write != "" || f.effort != ""):
		return refuse("--gold-tokens, --gold-tags, --write and --effort need --model")
	case f.system != "" && (f.custom != transforms.CustomFiles{} || f.unconstrained):
		return refuse("--abbreviations, --keep-together, --exceptions and --unconstrained need --model")
	case (f.goldTokens || f.goldTags) && (f.custom.Abbreviations != "" || f.custom.KeepTogether != "") || f.goldTags && f.custom.Exceptions != "":
		return refuse("--gold-tokens and --gold-tags: the gold words are not cut again, nor tagged again with --gold-tags; leave out --abbreviations and --keep-together, and --exceptions with --gold-tags")
	case f.causes && f.system != "":
		return refuse("--causes needs --model: it parses the gold text again with gold for one stage after another")
	case f.causes && (f.against != "" || f.row != "" || f.report.Plain):
		return refuse("--causes has a table of its own: leave out --against, --row and --plain")
	case f.against != "" && (f.row != "" || f.report != eval.ReportOptions{}):
		return refuse("--against prints the comparison only: leave out --row, --json, --plain and --counts")
	case f.row != "" && f.report != eval.ReportOptions{}:
		return refuse("--row prints one line: leave out --json, --plain and --counts")
	case f.search.Restarts < 0:
		return refuse("--restarts %d: must not be negative; 0 means the model's default", f.search.Restarts)
	case f.samples < 1 || f.samples > maxSamples:
		return refuse("--samples %d: must be from 1 to %d", f.samples, maxSamples)
	case f.report.JSON && (f.report.Plain || f.report.Counts):
		return refuse("--json prints everything: leave out --plain and --counts")
	}
	err := cmp.Or(notAmong("--write", f.write, "the file of the gold trees", f.gold), notAmong("--write", f.write, "the file of --model", f.model),
		notAmong("--write", f.write, "the file of --against", f.against), checkOnly("--write", f.write, ".conllu", ".txt"))
	for option, name := range f.custom.Names {
		err = cmp.Or(err, notAmong("--write", f.write, "the file of "+option, name))
	}
	return err
}

func (f *evalFlags) run(ctx context.Context, out io.Writer) error {
	gold, err := treebank.Trees(f.gold, conllu.Options{})
	if err != nil {
		return badTrees(err)
	}
	if len(gold) == 0 {
		return refuse("--gold %s holds no sentences: there is nothing to score", f.gold)
	}
	warnOfUncertain(f.gold, gold)
	trees, err := f.trees(ctx, gold)
	if err != nil {
		return err
	}
	result, err := score(f.gold, gold, trees.system)
	if err != nil {
		return err
	}
	warnOfNoHeads(f.system, trees.system)
	result.Losses = trees.losses
	if f.against != "" {
		return f.compare(ctx, out, gold, result)
	}
	if f.row != "" {
		_, err := fmt.Fprintf(out, "%-52s %s\n", f.row, summaryRow(result))
		return err
	}
	result.Forecast = result.Forecasts(&trees.expected)
	if result.Confidence, err = eval.Reliabilities(gold, trees.system); err != nil {
		return err
	}
	return eval.Report(out, result, f.report)
}

// warnOfNoHeads says that a file has no trees, if it has none: its scores are not those of
// a parser.
func warnOfNoHeads(path string, system []syntax.Sentence) {
	for w := range syntax.Words(system) {
		if w.Head != syntax.NoHead {
			return
		}
	}
	say(os.Stderr, "%s has no heads: UAS and LAS are 0\n", path)
}

// badTrees refuses a file of CoNLL-U that cannot be scored, or not be read.
func badTrees(err error) error {
	if tree := new(conllu.Error); errors.As(err, &tree) && (tree.Kind == syntax.KindNoRoot || tree.Kind == syntax.KindTwoRoots) {
		return refuse("%w; by the rules of CoNLL 2018, each tree must have one root", err)
	}
	return &refusal{err}
}

// score evaluates. Different texts are a refusal, because the files are wrong.
func score(name string, gold, system []syntax.Sentence) (*eval.Result, error) {
	result, err := eval.Evaluate(gold, system)
	if err != nil {
		return nil, refuse("%s: %w", name, err)
	}
	return result, nil
}

// summaryRow holds the figures of docs/results.md.
func summaryRow(r *eval.Result) string {
	f1 := func(m eval.Metric) float64 { return 100 * r.Scores[m].F1() }
	return fmt.Sprintf("LAS %.2f UAS %.2f UPOS %.2f sentences %.2f words %.2f no-punct UAS %.2f LAS %.2f",
		f1(eval.LAS), f1(eval.UAS), f1(eval.UPOS), f1(eval.Sentences), f1(eval.Words), f1(eval.UASNoPunct), f1(eval.LASNoPunct))
}

// compare prints how sure the difference to another system is.
func (f *evalFlags) compare(ctx context.Context, out io.Writer, gold []syntax.Sentence, a *eval.Result) error {
	other, _, err := readSystem(ctx, f.against)
	if err != nil {
		return err
	}
	b, err := score(f.against, gold, other)
	if err != nil {
		return err
	}
	warnOfNoHeads(f.against, other)
	for _, m := range []eval.Metric{eval.UAS, eval.LAS} {
		c, err := eval.Bootstrap(a, b, m, f.samples, 1)
		if err != nil {
			return err
		}
		if err := eval.ReportComparison(out, c); err != nil {
			return err
		}
	}
	return nil
}

// scored is what is to be scored, and what is known of it in addition to the gold
// trees.
type scored struct {
	system   []syntax.Sentence
	expected syntax.Expected // of system
	losses   *eval.Losses    // nil without --causes
}

// trees returns what is to be scored.
func (f *evalFlags) trees(ctx context.Context, gold []syntax.Sentence) (t scored, err error) {
	if f.system != "" {
		t.system, t.expected, err = readSystem(ctx, f.system)
		return t, err
	}
	if t, err = f.parse(ctx, gold); err != nil {
		return t, err
	}
	for i := range t.system {
		t.expected.Add(&t.system[i].Confidence.Expected)
	}
	if f.write != "" {
		err = writeSentences(f.write, t.system)
	}
	return t, err
}

// parse returns the trees of the model, and why they are wrong.
func (f *evalFlags) parse(ctx context.Context, gold []syntax.Sentence) (t scored, err error) {
	m, err := model.Open(f.model)
	if err != nil {
		return t, &refusal{err}
	}
	custom, err := readCustom(ctx, &f.custom, f.unconstrained)
	if err != nil {
		return t, err
	}
	m = m.With(custom)
	effort, err := transforms.ParseEffort(f.effort)
	if err != nil {
		return t, &refusal{err}
	}
	choose := effort > 0 && effort < 1
	switch {
	case f.effort != "" && !m.Encodes():
		return t, refuse("--effort %s: the model has no encoder", f.effort)
	case choose && !m.CanChoose():
		return t, refuse("--effort %s: parses without the model's encoder are not calibrated; give 0 or 1, or treebeam calibrate", f.effort)
	case choose && f.causes:
		return t, refuse("--causes with --effort %s: which sentences are encoded would change with what is given; give 0 or 1", f.effort)
	}
	setting := eval.Raw
	var blocks []string
	switch {
	case f.goldTags:
		setting = eval.GoldTags
	case f.goldTokens:
		setting = eval.GoldTokens
	default:
		if blocks, err = treebank.Blocks(gold); err != nil {
			return t, err
		}
	}
	if t.system, _, err = eval.PredictAt(m, effort, f.search, gold, blocks, setting, 0); err != nil {
		return t, err
	}
	if f.causes {
		t.losses, err = eval.FindLosses(m, effort, f.search, gold, t.system, setting, 0)
	}
	return t, err
}

// readSystem reads a CoNLL-U file, or the trees of an output or a state, in order, and
// what documents/ expects of them. From CoNLL-U written by a parse with --conf it reads
// the confidence, too.
func readSystem(ctx context.Context, path string) (sents []syntax.Sentence, expected syntax.Expected, err error) {
	if !store.IsRemote(path) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, expected, &refusal{err}
		}
		if !info.IsDir() {
			if sents, err = treebank.Trees(path, conllu.Options{NoHeads: true}); err != nil {
				return nil, expected, badTrees(err)
			}
			for i := range sents {
				pipeline.ReadConfidence(&sents[i])
			}
			return sents, expected, nil
		}
	}
	from, err := openOutput(ctx, path)
	if err != nil {
		return nil, expected, err
	}
	return from.All()
}

// writeSentences writes a CoNLL-U file, all of it or nothing.
func writeSentences(path string, sents []syntax.Sentence) error {
	return writeOutput("--write", path, func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		for i := range sents {
			if err := conllu.Write(buffered, &sents[i]); err != nil {
				return err
			}
		}
		return buffered.Flush()
	})
}
