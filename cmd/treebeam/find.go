package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/parser/syntax"
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
	kwic, context  bool
	tsv, group, to string
	named          bool // --to is given
	output         string
	conf           float32
	limit          int64
	random         int
	drawn          bool // --random is given
	seed           uint64
	against        list
	color          string
	only           selection
}

// newFind is treebeam find.
func newFind() *cobra.Command {
	cmd := newCommand("find FOLDER|FILE...|- PATTERN", "search trees for a pattern", findAbout)
	cmd.Args = func(cmd *cobra.Command, args []string) error { // an empty pattern has a message of its own
		return noEmpty(cmd, args[:max(0, len(args)-1)])
	}
	fs := cmd.Flags()
	var f findFlags
	fs.Float32Var(&f.conf, "conf", 0, "count only arcs, relations and tags that are right with probability `P`, from 0 to 1")
	fs.Int64VarP(&f.limit, "limit", "n", 0, "stop after `N` hits (all)")
	fs.IntVar(&f.random, "random", 0, "write `N` hits drawn at random, each as likely as any other, in the order of the input")
	fs.Uint64Var(&f.seed, "seed", 0, "with --random: seed `S`; other seeds draw other hits")
	f.only.define(fs)
	group(fs, "What is found")
	fs.StringVarP(&f.to, "to", "t", search.Text, "write `FORMAT`: text, conllu (the sentences, with comments \"# hit\") or tree")
	fs.BoolVarP(&f.count, "count", "c", false, "print the numbers of hits, of sentences with hits, of all sentences and words, and hits per million words")
	fs.BoolVar(&f.kwic, "kwic", false, "print a concordance: a table of the text left of the hit, the hit, the text right of it, and its place")
	fs.BoolVar(&f.context, "context", false, "with --kwic: also the sentences before and after")
	fs.StringVar(&f.tsv, "tsv", "", "print a table of `ATTRIBUTES`, such as v.lemma,s.Number,sent_id, one hit per line")
	fs.StringVar(&f.group, "group", "", "count hits by `ATTRIBUTES`, the most frequent first, also per million words")
	fs.Var(&f.against, "against", "with --group: compare with `FILE|FOLDER` of another corpus, the largest differences first; repeatable")
	fs.StringVarP(&f.output, "output", "o", "", "write to `FILE`: a table if it ends in .tsv, .csv, .xlsx or .html, else .conllu, .tree or .txt; .gz and .zst compress (standard output)")
	colorFlag(fs, &f.color, "use color `WHEN`: auto (on a terminal), always or never")
	group(fs, outputFlags)
	choose(fs, "to", search.Text, search.CoNLLU, search.Tree)
	cmd.Example = `
  treebeam find out 'VERB >nsubj NOUN'
  treebeam find out 'v:VERB >obj o:NOUN' --group v.lemma,o.lemma --conf 0.9
  treebeam find out 'VERB >iobj _ >obj _' -o datives.csv
  treebeam find 'dev/*.conllu.gz' 'VERB >nsubj _ !>obj' --to tree -n 5`
	cmd.RunE = stoppable(func(ctx context.Context, args []string) error {
		f.drawn, f.named = fs.Changed("random"), fs.Changed("to")
		if err := checkCount(fs, "limit"); err != nil {
			return err
		}
		return f.run(ctx, args)
	})
	return cmd
}

func (f *findFlags) run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return refuse("name what to search, then a pattern: treebeam find out 'VERB >nsubj NOUN', in quotation marks so that the shell leaves it alone")
	}
	names, text := args[:len(args)-1], args[len(args)-1]
	p, err := pattern.Compile(text)
	if err != nil {
		return badPattern(text, err)
	}
	o, err := f.options(p, text)
	if err != nil {
		return err
	}
	for _, name := range names[1:] { // a pattern without quotation marks is several arguments
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) && !pipeline.NamesFiles(name) && !store.IsRemote(name) {
			return refuse("%s does not exist; if it is part of the pattern, put the whole pattern in quotation marks", name)
		}
	}
	if slices.Contains(names, "-") && slices.Contains(f.against, "-") {
		return refuse("--against -: standard input cannot be both corpora; write one of them to a file")
	}
	var broken brokenBlocks
	sources, err := openSources(ctx, names, f.output, &broken)
	if err != nil {
		return err
	}
	if o.Against, err = openSources(ctx, f.against, f.output, &broken); err != nil {
		return err
	}
	sources, o.Against = f.only.of(sources), f.only.of(o.Against)
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
	f.report(names, o, &sum)
	if err := broken.end(sum.Searched); err != nil {
		return err
	}
	if sum.Partial > 0 {
		say(os.Stderr, "not all hits were found in %s: a pattern as wide as this one is followed for %d hits or about 4 million steps in each\n", view.Many(sum.Partial, "sentence"), pattern.MaxHits)
	}
	return nil
}

// report says how many hits there are, and why perhaps none.
func (f *findFlags) report(names []string, o *search.Options, sum *search.Result) {
	switch {
	case o.To == search.Count:
	case o.Limit > 0 && sum.Hits >= o.Limit:
		say(os.Stderr, "hits: %s, in %s of the first %s; --limit ended the search\n", view.Number(sum.Hits), view.Number(sum.Sentences), view.Many(sum.Searched, "sentence"))
	default:
		drawn := ""
		if f.drawn {
			drawn = fmt.Sprintf("; written: %d, drawn at random with seed %d", min(int64(f.random), sum.Hits), f.seed)
		}
		say(os.Stderr, "hits: %s, in %s of %s%s\n", view.Number(sum.Hits), view.Number(sum.Sentences), view.Many(sum.Searched, "sentence"), drawn)
	}
	for _, side := range []struct {
		names     []string
		sentences int64
	}{{names, sum.Searched}, {f.against, sum.Against}} {
		if len(side.names) > 0 && side.sentences == 0 {
			say(os.Stderr, "%s: no sentences%s\n", store.Redact(strings.Join(side.names, " ")), f.only.said())
		}
	}
	if sum.Hits == 0 {
		pointOutSlips(o.Pattern, o.Met)
	}
}

// pointOutSlips says which relations and features of a pattern without hits the words that
// were searched do not have.
func pointOutSlips(p *pattern.Pattern, met *search.Met) {
	tell := func(what, name string, known []string) {
		near := nearest(name, known)
		if near != "" {
			near = "; did you mean " + near + "?"
		}
		say(os.Stderr, what+"%s\n", name, near)
	}
	unknown := p.Unknown()
	for _, name := range unknown {
		tell("%s is not a relation of Universal Dependencies", name, pattern.Relations)
	}
	relations, features := p.Named()
	known, values := met.Relations(), met.Features()
	for _, name := range relations {
		switch base := syntax.Universal(name); {
		case slices.Contains(unknown, base) || len(known) == 0 || slices.Contains(known, name):
		case name == base:
			tell("no word here is %s", name, nil)
		default:
			tell("no word here is %s", name, known)
		}
	}
	for _, name := range features {
		key, value, _ := strings.Cut(name, "=")
		list := values[key]
		lacks := func(one string) bool { return !slices.Contains(list, one) }
		switch {
		case len(values) == 0 || !slices.ContainsFunc(strings.Split(value, ","), lacks):
		case list == nil:
			tell("no word here has %s", key, slices.Sorted(maps.Keys(values)))
		default:
			say(os.Stderr, "no word here has %s; %s is %s\n", name, key, strings.Join(list[:min(len(list), 20)], ", "))
		}
	}
}

// options returns the options of the search.
func (f *findFlags) options(p *pattern.Pattern, text string) (*search.Options, error) {
	o := &search.Options{Pattern: p, Title: text, MinConf: f.conf, To: f.to, Limit: f.limit, Random: f.random, Seed: f.seed, Met: new(search.Met), Color: f.color == "always"}
	switch {
	case !(f.conf >= 0 && f.conf <= 1):
		return nil, refuse("--conf %g: must be a probability from 0 to 1", f.conf)
	case f.random < 1 && f.drawn || f.random > pick.MaxSample:
		return nil, refuse("--random %d: must be from 1 to %d", f.random, pick.MaxSample)
	case f.drawn && f.limit > 0:
		return nil, refuse("--random and --limit exclude each other: a random sample is drawn from all hits")
	case f.seed > 0 && !f.drawn:
		return nil, refuse("--seed needs --random")
	}
	var chosen string
	for _, c := range []struct {
		given    bool
		flag, to string
	}{{f.named, "--to " + f.to, f.to}, {f.count, "--count", search.Count}, {f.tsv != "", "--tsv", search.Table},
		{f.kwic, "--kwic", search.Table}, {f.group != "", "--group", search.Groups}} {
		if !c.given {
			continue
		}
		if chosen != "" {
			return nil, refuse("%s and %s exclude each other", chosen, c.flag)
		}
		chosen, o.To = c.flag, c.to
	}
	if f.drawn && (f.count || f.group != "") {
		return nil, refuse("--random is for hits that are written; %s counts all of them", chosen)
	}
	if len(f.against) > 0 && (f.group == "" || f.limit > 0) {
		return nil, refuse("--against needs --group, and all hits: leave --limit out")
	}
	if err := f.ending(o, chosen); err != nil {
		return nil, err
	}
	if f.color == "always" && o.To != search.Text && o.To != search.Tree {
		return nil, refuse("--color always is for --to text and tree; leave it out")
	}
	list := f.tsv + f.group
	if o.To == search.Table && list == "" {
		list = strings.Join(search.Concordance(f.context), ",")
	} else if f.context {
		return nil, refuse("--context needs --kwic, or an output that ends in .tsv, .csv, .xlsx or .html; in --tsv write before and after")
	}
	var err error
	if list != "" {
		o.Attributes, err = search.ParseAttributes(p, list)
	}
	return o, err
}

// ending lets the ending of the output say what is written, and refuses one that says
// something else than the flag chosen, "" for none. Devices have no ending.
func (f *findFlags) ending(o *search.Options, chosen string) error {
	ending := endingOf(f.output)
	if ending == "-" {
		return nil
	}
	to := map[string]string{"": search.Text, ".txt": search.Text, ".tsv": search.Table, ".csv": search.Table, ".html": search.Table,
		".htm": search.Table, ".xlsx": search.Table, ".conllu": search.CoNLLU, ".tree": search.Tree}[ending]
	tables := o.To == search.Table || o.To == search.Groups || o.To == search.Count
	switch {
	case to == "":
		return refuse("--output %s: find does not write %s; it writes .tsv, .csv, .xlsx, .html, .conllu, .tree and .txt, and .gz or .zst after these", f.output, ending)
	case chosen == "":
		o.To = to
	case to != search.Text && to != o.To && !(to == search.Table && tables):
		return refuse("--output %s: %s does not write %s; end the name otherwise", f.output, chosen, ending)
	}
	o.As = tableOf[ending]
	return nil
}

// tableOf are the kinds of tables by the endings of files.
var tableOf = map[string]string{".tsv": search.TSV, ".csv": search.CSV, ".html": search.HTML, ".htm": search.HTML, ".xlsx": search.XLSX}

// endingOf is the ending of an output in lower case, without that of a compression; "-" if
// it is no file with a name: standard output or a device.
func endingOf(file string) string {
	if info, err := os.Stat(file); file == "" || file == "-" || err == nil && !info.Mode().IsRegular() {
		return "-"
	}
	name := strings.ToLower(filepath.Base(file))
	return filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst"))
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
		return refuse("the pattern comes last, but %s is a file or a folder: treebeam find %s 'VERB >nsubj NOUN'", text, pathWord(text))
	}
	if !errors.As(err, &e) || len(text) > 200 || strings.ContainsAny(text, "\n\r") {
		return refuse("the pattern: %w", err)
	}
	before := string([]rune(text)[:min(e.Column-1, len([]rune(text)))])
	return refuse("the pattern is wrong: %s\n  %s\n  %s^", e.Reason, text, strings.Repeat(" ", view.Width(view.Visible(before))))
}
