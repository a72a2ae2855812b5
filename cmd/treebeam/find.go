package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/pipeline"
	search "github.com/treebeam/treebeam/pipeline/find"
)

const findAbout = `
Searches trees for a pattern. Name output folders of treebeam parse, folders of states,
CoNLL-U files (also .gz, .zst, .bz2), folders that contain some, globs, or - for standard
input, and then the pattern.

  VERB  "form"  L=lemma  Number=Plur  /regexp/  _  tests of a word; join them with & | ! ( )
  VERB >nsubj NOUN    an arc to a dependent; < to the head; >> and << over several arcs
  ADJ . NOUN          the next word; .. any later one; - and -- the other way
  VERB !>obj          no such word;  ?>obj  a word that may be missing
  v:VERB >nsubj s:_   words with names, for --tsv and --group; without names they are 1, 2...

Every choice of words that matches is a hit, printed as one line with these words marked.
docs/find.md describes the whole language.`

// findFlags are the options of treebeam find.
type findFlags struct {
	count          bool
	tsv, group, to string
	output         string
	conf           float32
	limit          int64
	color          string
}

// newFind is treebeam find.
func newFind() *cobra.Command {
	cmd := newCommand("find FOLDER|FILE...|- PATTERN", "search trees for a pattern", findAbout)
	fs := cmd.Flags()
	var f findFlags
	fs.Float32Var(&f.conf, "conf", 0, "count only arcs, relations and tags that are right with probability `P`, from 0 to 1")
	fs.Int64VarP(&f.limit, "limit", "n", 0, "stop after `N` hits (all)")
	group(fs, "What is found")
	fs.StringVarP(&f.to, "to", "t", search.Text, "write `FORMAT`: text, conllu (the sentences, with comments \"# hit\") or tree")
	fs.BoolVarP(&f.count, "count", "c", false, "print the numbers of hits, of sentences with hits and of all sentences")
	fs.StringVar(&f.tsv, "tsv", "", "print a table of `ATTRIBUTES`, such as v.lemma,s.Number,sent_id, one hit per line")
	fs.StringVar(&f.group, "group", "", "count hits by `ATTRIBUTES`, the most frequent first")
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE`; .conllu and .tree choose the format, .gz and .zst compress (standard output)")
	colorFlag(fs, &f.color, "use color `WHEN`: auto (on a terminal), always or never")
	group(fs, outputFlags)
	choose(fs, "to", search.Text, search.CoNLLU, search.Tree)
	cmd.Example = `
  treebeam find out 'VERB >nsubj NOUN'
  treebeam find out 'v:VERB >obj o:NOUN' --group v.lemma,o.lemma --conf 0.9
  treebeam find 'dev/*.conllu.gz' 'VERB >nsubj _ !>obj' --to tree -n 5`
	cmd.RunE = stoppable(f.run)
	return cmd
}

func (f *findFlags) run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return refuse("want what to search and a pattern: treebeam find out 'VERB >nsubj NOUN', in quotation marks so that the shell leaves it alone")
	}
	names, text := args[:len(args)-1], args[len(args)-1]
	p, err := pattern.Compile(text)
	if err != nil {
		return badPattern(text, err)
	}
	o, err := f.options(p)
	if err != nil {
		return err
	}
	for _, name := range names[1:] { // a pattern without quotation marks is several arguments
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !pipeline.NamesFiles(name) && !store.IsRemote(name) {
			return refuse("%s does not exist; if it is part of the pattern, put the whole pattern in quotation marks", name)
		}
	}
	var broken brokenBlocks
	sources, err := openSources(ctx, names, f.output, &broken)
	if err != nil {
		return err
	}
	if f.output == "" || f.output == "-" {
		f.fit(o)
	}
	var sum search.Result
	if err := writeOutput("--output", f.output, func(out io.Writer) (err error) {
		sum, err = search.Run(ctx, sources, o, out)
		return err
	}); err != nil {
		return err
	}
	switch {
	case o.To == search.Count:
	case o.Limit > 0 && sum.Hits >= o.Limit:
		say(os.Stderr, "hits: %d, in %d of the first %d sentences; --limit ended the search\n", sum.Hits, sum.Sentences, sum.Searched)
	default:
		say(os.Stderr, "hits: %d, in %d of %s\n", sum.Hits, sum.Sentences, view.Many(int64(sum.Searched), "sentence"))
	}
	if sum.Hits == 0 {
		for _, name := range p.Unknown() {
			near := nearest(name, pattern.Relations)
			if near != "" {
				near = "; did you mean " + near + "?"
			}
			say(os.Stderr, "%s is not a relation of Universal Dependencies%s\n", name, near)
		}
	}
	if err := broken.end(sum.Searched); err != nil {
		return err
	}
	if sum.Partial > 0 {
		say(os.Stderr, "not all hits were found in %s: a pattern as wide as this one is followed for %d hits or about 4 million steps in each\n", view.Many(sum.Partial, "sentence"), pattern.MaxHits)
	}
	return nil
}

// options returns the options of the search.
func (f *findFlags) options(p *pattern.Pattern) (*search.Options, error) {
	o := &search.Options{Pattern: p, MinConf: f.conf, To: f.to, Limit: f.limit, Color: f.color == "always"}
	switch {
	case !(f.conf >= 0 && f.conf <= 1):
		return nil, refuse("--conf %g: want a probability, from 0 to 1", f.conf)
	case f.limit < 0:
		return nil, refuse("--limit %d: must not be negative", f.limit)
	}
	chosen := 0
	for _, c := range []struct {
		given bool
		to    string
	}{{f.to != search.Text, f.to}, {f.count, search.Count}, {f.tsv != "", search.Table}, {f.group != "", search.Groups}} {
		if c.given {
			chosen, o.To = chosen+1, c.to
		}
	}
	if chosen > 1 {
		return nil, refuse("--to, --count, --tsv and --group exclude each other")
	}
	var err error
	if to := formatOf(cmp.Or(f.output, "-")); chosen == 0 && (to == search.CoNLLU || to == search.Tree) {
		o.To = to
	}
	if list := f.tsv + f.group; list != "" {
		o.Attributes, err = search.ParseAttributes(p, list)
	}
	return o, err
}

// fit makes lines as long as the terminal is wide, and colors them if it has some.
func (f *findFlags) fit(o *search.Options) {
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		o.Columns = width
	}
	o.Color = o.Color || f.color == "auto" && showsColors(os.Stdout)
}

// badPattern shows where a pattern is wrong.
func badPattern(text string, err error) error {
	var e *pattern.Error
	if _, stat := os.Stat(text); stat == nil {
		return refuse("the pattern comes last, but %s is a file or a folder: treebeam find %s 'VERB >nsubj NOUN'", text, text)
	}
	if !errors.As(err, &e) || len(text) > 200 || strings.ContainsAny(text, "\n\r") {
		return refuse("the pattern: %w", err)
	}
	before := string([]rune(text)[:min(e.Column-1, len([]rune(text)))])
	return refuse("the pattern is wrong: %s\n  %s\n  %s^", e.Reason, text, strings.Repeat(" ", view.Width(view.Visible(before))))
}
