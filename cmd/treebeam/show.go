package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline"
	search "github.com/treebeam/treebeam/pipeline/find"
)

const showAbout = `
Draws trees: the first ones, those with an id, or the least certain ones. Name the output
folder of treebeam parse, the folder of a state, CoNLL-U files (also .gz, .zst, .bz2),
folders that contain some, or - for CoNLL-U on standard input.

Words are in their order, one per line; arcs in the margin lead from each word to its head.
Lines are as wide as the terminal, or 80 columns. --to svg draws one sentence as a
picture, --to html a page of sentences, --to tikz figures for LaTeX (tikz-dependency).

For a figure in print: --style paper draws an svg in black with serifs, --no-punctuation and
--words leave words out, with the arcs to and from them. A PDF of it is one command away:
rsvg-convert -f pdf -o tree.pdf tree.svg.`

const showMore = `
--conf adds two probabilities: after each tag, that it is right (upos_conf), and after each
relation, that both head and relation are (deprel_conf). Above the words it says how many of
them are expected to be wrong, punctuation left out. --lowest takes the sentences with the
largest share of such words, as if each had five more that are right, so that fragments do
not fill the list. It shows probabilities below 0.9. If the model is not calibrated,
head_marginal is used instead, which is good only for ranking.

Colors are used on a terminal, unless NO_COLOR is set. With --conf, probabilities below 0.9
are yellow, and those below 0.5 red. Control characters in the text appear as symbols such
as ␛. If a tree is too deep for the terminal, its deepest arcs are left out and words are
numbered: "7→3" means that the head of word 7 is word 3.

treebeam sample writes uncertain sentences as CoNLL-U for you to correct.`

var drawings = []string{"tree", "svg", "html", "tikz"}

// newShow is treebeam show.
func newShow() *cobra.Command {
	cmd := newCommand("show FOLDER|FILE...|-", "draw trees", showAbout)
	withMore(cmd, showMore)
	fs := cmd.Flags()
	var f showFlags
	fs.IntVarP(&f.count, "count", "n", 5, "draw the first `N` sentences")
	fs.StringVar(&f.id, "id", "", "draw only the sentence with this `ID` (column sent_id)")
	fs.StringVar(&f.doc, "doc", "", "draw only sentences of the document with this `ID` (column doc_id)")
	fs.IntVar(&f.lowest, "lowest", 0, "draw the `N` least certain sentences, the least certain first")
	fs.StringVarP(&f.to, "to", "t", "", "draw as `FORMAT`: tree, svg (one sentence), html or tikz (tree, or what --output ends in; .tex is tikz)")
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE` (standard output)")
	fs.BoolVar(&f.conf, "conf", false, "show the confidence in tags and arcs")
	f.display.define(fs)
	f.figure.define(fs)
	choose(fs, "to", drawings...)
	cmd.Example = `
  treebeam show out -n 3 --conf
  treebeam show out --lowest 10
  treebeam show state --doc a/letter.txt
  treebeam show trees.conllu --id 17 -o tree.svg
  treebeam show trees.conllu --id 17 --style paper --words 3-9 -o figure.svg
  echo 'Time flies.' | treebeam parse - | treebeam show -`
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if f.lowest > 0 && fs.Changed("count") {
			return refuse("--count is for the first sentences: leave it out with --lowest, which says how many it takes")
		}
		if err := cmp.Or(checkCount(fs, "count"), checkCount(fs, "lowest")); err != nil {
			return err
		}
		if f.id != "" && !fs.Changed("count") {
			f.count = math.MaxInt
		}
		return f.run(cmd.Context(), names)
	}
	return cmd
}

// showFlags are the options of treebeam show.
type showFlags struct {
	choice
	figure
	display
	to, output string
	conf       bool
}

func (f *showFlags) run(ctx context.Context, names []string) error {
	if err := f.chooseFormat(); err != nil {
		return err
	}
	if err := cmp.Or(f.display.check(f.to), f.figure.check(f.to)); err != nil {
		return err
	}
	if f.conf && f.to == "tikz" {
		return refuse("--conf: tikz has no place for it; leave it out, or use --to svg")
	}
	if len(names) == 0 {
		return refuse("name an output folder of treebeam parse, the folder of a state, CoNLL-U files or -")
	}
	var broken brokenBlocks
	sources, err := openSources(ctx, names, f.output, &broken)
	if err != nil {
		return err
	}
	if len(sources) > 1 {
		return refuse("name files or one folder of an output or a state, not %d of them", len(sources))
	}
	name := strings.Join(names, " ")
	trees, err := f.choice.trees(&sources[0], name)
	if err != nil {
		return err
	}
	if f.conf && len(trees) > 0 && !slices.ContainsFunc(trees, hasProbabilities) {
		say(os.Stderr, "--conf: %s\n", withoutProbabilities(name))
	}
	if trees, err = f.figure.of(trees); err != nil {
		return err
	}
	err = writeOutput("--output", f.output, func(out io.Writer) error { return f.draw(out, trees) })
	return cmp.Or(err, broken.end(int64(len(trees))))
}

// chooseFormat decides how trees are drawn if --to does not say it.
func (f *showFlags) chooseFormat() error {
	if f.to == "" && f.output != "" {
		ending := endingOf(f.output)
		if f.to = formatOf(f.output); ending == ".tex" {
			f.to = "tikz"
		} else if slices.Contains(others, ending) {
			f.to = ending
		}
	}
	if f.to = cmp.Or(f.to, "tree"); !slices.Contains(drawings, f.to) {
		return refuse("--output %s: must be tree, svg, html or tikz (.tex); treebeam convert writes other formats", f.output)
	}
	return nil
}

// A figure holds the flags for figures in print.
type figure struct {
	style, words  string
	noPunctuation bool
	keep          []wordSpan // of words
}

// A wordSpan is words in a row, by the numbers of the first and the last one.
type wordSpan struct{ first, last int }

func (f *figure) define(fs *pflag.FlagSet) {
	fs.StringVar(&f.style, "style", "screen", "with --to svg: draw in the `STYLE` screen (colors) or paper (black, with serifs)")
	fs.BoolVar(&f.noPunctuation, "no-punctuation", false, "leave punctuation out")
	fs.StringVar(&f.words, "words", "", "draw only these `WORDS` of the sentence, by their numbers, such as 3-9,12")
	choose(fs, "style", "screen", "paper")
}

// check reads the flags for a drawing in the format to.
func (f *figure) check(to string) error {
	if f.style == "paper" && to != "svg" {
		return refuse("--style paper is for --to svg, or an output that ends in .svg; --to tikz has the style of your LaTeX document")
	}
	if f.words == "" {
		return nil
	}
	for part := range strings.SplitSeq(f.words, ",") {
		a, b, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			b = a
		}
		first, err := strconv.Atoi(a)
		last, err2 := strconv.Atoi(b)
		if err != nil || err2 != nil || first < 1 || last < first {
			return refuse("--words %s: must be numbers of words or ranges of them, from 1, such as 3-9,12", f.words)
		}
		f.keep = append(f.keep, wordSpan{first, last})
	}
	return nil
}

// of leaves out the words that are not wanted.
func (f *figure) of(trees []*parquet.Tree) ([]*parquet.Tree, error) {
	if f.keep == nil && !f.noPunctuation {
		return trees, nil
	}
	if f.keep != nil && len(trees) > 1 {
		return nil, refuse("--words is for one sentence: choose it with --id, or -n 1 for the first")
	}
	for i, t := range trees {
		for _, s := range f.keep {
			if n := len(t.Tokens); s.first > n {
				return nil, refuse("--words %s: the sentence has %s", f.words, view.Many(n, "word"))
			}
		}
		trees[i] = view.Excerpt(t, func(word int) bool {
			return !(f.noPunctuation && view.IsPunctuation(t, word)) &&
				(f.keep == nil || slices.ContainsFunc(f.keep, func(s wordSpan) bool { return s.first <= word && word <= s.last }))
		})
	}
	return trees, nil
}

// draw writes trees.
func (f *showFlags) draw(out io.Writer, trees []*parquet.Tree) error {
	if f.to == "tikz" {
		text := view.TikZHead(nil)
		for _, t := range trees {
			text = view.TikZ(text, t, f.lemmas)
		}
		_, err := out.Write(text)
		return err
	}
	conf := allConf(f.conf)
	if f.lowest > 0 && !f.conf {
		conf = view.LowConf
	}
	o := f.display.write(conf, out)
	o.Picture.Paper = f.style == "paper"
	w, err := pipeline.NewWriter(f.to, o)
	if err != nil {
		return err
	}
	var text []byte
	for _, t := range trees {
		if text, err = w.Append(text, &output.Row{Tree: t}); err != nil {
			return err
		}
	}
	if text, err = w.End(text); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

// A choice says which trees to show.
type choice struct {
	id, doc       string // "" is any
	lowest, count int    // the lowest ones unless that is 0, else the first
}

// trees reads the trees to show, in the order to show them. name is the name of the
// files, or of the folder, that they come from.
func (c *choice) trees(from *search.Source, name string) ([]*parquet.Tree, error) {
	files := from.TreesWith == nil
	var list []*parquet.Tree
	lowest := pick.NewLowest(c.lowest)
	matched, all, near := false, 0, ""
	for t, err := range from.Trees {
		if err != nil {
			return nil, err
		}
		all++
		if c.id != "" && t.SentID != c.id || c.doc != "" && t.DocID != c.doc {
			if near == "" && (strings.HasSuffix(c.doc, "/"+t.DocID) || strings.HasSuffix(t.DocID, "/"+c.doc)) {
				near = t.DocID // ids are paths below the folder that was named
			}
			continue
		}
		matched = true
		if c.lowest > 0 {
			lowest.Add(t)
			continue
		}
		if list = append(list, t); len(list) >= c.count {
			break
		}
	}
	lists := func(column string) string {
		if files {
			return "sentences have their ids in comments # sent_id, documents in # newdoc id"
		}
		return "treebeam convert " + pathWord(name) + " --to jsonl lists the ids as " + column
	}
	switch {
	case all == 0 && files:
		say(os.Stderr, "%s: no trees\n", name)
	case all == 0:
		say(os.Stderr, "%s has no trees; treebeam failures %s lists what could not be parsed\n", name, pathWord(name))
	case !matched && c.id != "":
		return nil, refuse("no sentence of %s%s has the id %q; %s", name, c.within(), c.id, lists("sent_id"))
	case !matched && near != "":
		return nil, refuse("%s has no sentence of a document with the id %q; did you mean %q?", name, c.doc, near)
	case !matched:
		return nil, refuse("%s has no sentence of a document with the id %q; %s", name, c.doc, lists("doc_id"))
	}
	if c.lowest == 0 {
		return list, nil
	}
	list = lowest.Trees()
	if len(list) > 0 && !hasProbabilities(list[0]) {
		return nil, refuse("--lowest: %s", withoutProbabilities(name))
	}
	return list, nil
}

func hasProbabilities(t *parquet.Tree) bool {
	list, _ := pick.Probabilities(t)
	return len(list) > 0
}

func withoutProbabilities(name string) string {
	return name + " has no probabilities; CoNLL-U has them if treebeam parse --conf or convert --conf wrote it"
}

// within says that only one document was looked at.
func (c *choice) within() string {
	if c.doc == "" {
		return ""
	}
	return fmt.Sprintf(" in the document %q", c.doc)
}
