package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

const parseAbout = `
Parses raw text, CoNLL, JSON Lines and tables (CSV, TSV, Parquet), also compressed (.gz, .zst,
.bz2) or in archives (.zip, .tar). Name files, folders (with everything in them), patterns in
quotes such as 'corpus/**/*.txt', or - for standard input. gs:// and s3:// name buckets.

Trees go to standard output as CoNLL-U, or as --to says. With --output FOLDER, they go to
Parquet files in FOLDER/trees, and whatever could not be parsed becomes rows in
FOLDER/failures; if a run is interrupted, the same command continues it. An --output that
ends in .conllu, .jsonl, .tsv, .csv, .txt, .tree, .svg or .html, also with .gz or .zst, is
a single file in that format.`

const parseMore = `
With any format except Parquet, treebeam reads standard input and pipes as they arrive,
and writes sentences whenever the input pauses. If the input is slow, give --lines:
otherwise it may take 4 KB of input to tell what line breaks mean. With --stop-after,
these formats hold sentences without trees, which you can parse later as CoNLL-U.

English is parsed by the accurate model. --fast makes more mistakes and takes a third of
the time, for large corpora. Between them is --effort: only the sentences that need it take
the extra time (docs/encoder.md). Other languages have one model each.
Parquet columns, and CoNLL-U with --conf, have probabilities (docs/confidence.md).
docs/custom.md describes the files of --abbreviations and similar flags.`

const parseExample = `
  treebeam parse letter.txt
  treebeam parse 'corpus/**/*.txt' -o out --fast
  treebeam parse reviews.csv --text review --keep stars,shop -o out
  echo 'Time flies like an arrow.' | treebeam parse - --to tree --conf
  treebeam parse corpus --state state              run it every night: parses what is new
  treebeam parse --watch inbox -o trees            parses what arrives, until it is stopped`

// newParse is treebeam parse.
func newParse() *cobra.Command {
	cmd := newCommand("parse FILE... [--output FOLDER] [--to FORMAT]", "parse text into trees", parseAbout)
	cmd.Example = parseExample
	withMore(cmd, parseMore)
	c := newParseCommand(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, others []string) error { return c.run(cmd.Context(), others) }
	return cmd
}

// newParseCommand defines the flags of parse, in the order of its help.
func newParseCommand(f *pflag.FlagSet) *parseCommand {
	c := &parseCommand{flags: f, options: pipeline.Options{Rows: pipeline.DefaultRows(), Stdin: os.Stdin}}
	c.inputFlags(f)
	c.outputFlags(f)
	c.qualityFlags(f)
	customFlags(f, &c.options.Custom, &c.options.Rows.Unconstrained)
	c.night.define(f)
	c.watch.define(f)
	c.runFlags(f)
	c.rareFlags(f)
	withBeamFlags(f)
	choose(f, "runner", "prism", "flink", "spark", "dataflow", "universal")
	return c
}

// inputFlags say what is read, and how.
func (c *parseCommand) inputFlags(f *pflag.FlagSet) {
	rows := &c.options.Rows
	c.named.define(f)
	f.StringVarP(&rows.From, "from", "f", rows.From, "read `FORMAT`: auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical")
	f.StringVar(&rows.Lines, "lines", rows.Lines, "what line breaks mean, `MODE`: auto, wrapped, paragraph or sentence")
	f.StringVar(&rows.Encoding, "encoding", "", "read raw text in the encoding `NAME` (UTF-8; a byte order mark wins)")
	f.Int64VarP(&c.options.Limit, "limit", "n", 0, "stop after the first `N` sentences (not with Parquet)")
	group(f, inputFlags)
	formatFlags(f, rows)
	choose(f, "from", "auto", "text", "conllu", "conllx", "jsonl", "csv", "tsv", "parquet", "tokens", "vertical")
	choose(f, "lines", "auto", "wrapped", "paragraph", "sentence")
}

// outputFlags say what is written.
func (c *parseCommand) outputFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Output, "output", "o", "", "write to `FOLDER` as Parquet, or to a file such as x.conllu (standard output)")
	f.StringVarP(&c.to, "to", "t", "", "write `FORMAT`: conllu, jsonl, tsv, csv, text, tree, svg, html or parquet (see above)")
	c.conf = confFlag(f)
	f.BoolVar(&o.Rows.Ranges, "ranges", false, "add the position of each token of raw text to MISC: TokenRange=start:end")
	c.display.define(f)
	f.BoolVar(&o.Rows.Words, "words", false, "with --output FOLDER: also write FOLDER/words, one row per word")
	f.BoolVar(&o.Overwrite, "overwrite", false, "first remove the output of another run")
	f.StringVar(&c.maxFailures, "max-failures", "", "exit with status 3 if more than `N|P%` of sentences or files failed ("+standardLimit+")")
	group(f, outputFlags)
	choose(f, "to", "parquet", "conllu", "jsonl", "tsv", "csv", "text", "tree", "svg", "html")
}

// qualityFlags say what finds the trees.
func (c *parseCommand) qualityFlags(f *pflag.FlagSet) {
	o := &c.options
	f.StringVarP(&o.Model, "model", "m", "", "parse with the model `FILE` (the accurate English one in the program)")
	f.StringVar(&o.Rows.Language, "language", "", "take texts to be in `LANGUAGE`: auto, a code or a name, or several with commas (auto)")
	f.BoolVar(&c.fast, "fast", false, "use the fast English model: 3 to 4 times as fast, more mistakes")
	f.StringVar(&o.Rows.Effort, "effort", "", "use the encoder only where the fast parser expects an LAS below `P` (1)")
	f.BoolVar(&o.Rows.Retag, "retag", false, "replace the tags and lemmas of CoNLL input")
	f.BoolVar(&o.Rows.KeepHeads, "keep-heads", false, "keep the heads and deprels of CoNLL input; find the others")
	group(f, qualityFlags)
}

// runFlags say how the work is done. They change no tree.
func (c *parseCommand) runFlags(f *pflag.FlagSet) {
	o := &c.options
	f.BoolVarP(&c.quiet, "quiet", "q", false, "do not show progress")
	f.BoolVarP(&c.verbose, "verbose", "v", false, "with --output FOLDER or --state: print the runner's counters at the end")
	threadsFlag(f)
	f.BoolVar(&o.RetryFailures, "retry-failures", false, "try again to read files that could not be read")
	group(f, runFlags)
}

// rareFlags are for programs, for clusters, and for users who know how the search
// works.
func (c *parseCommand) rareFlags(f *pflag.FlagSet) {
	o, rows := &c.options, &c.options.Rows
	f.BoolVar(&o.EndMarks, "end-marks", false, "with --to jsonl or conllu: write all failures in place and mark the end of every document with a line, for programs that wait for it (docs/pipes.md)")
	f.BoolVar(&c.accurate, "accurate", false, "use the accurate English model, which is the default")
	f.StringVar(&c.rules, "rules", "", "read more rules from `FILE`, one per line, to follow those of --rule")
	f.BoolVar(&c.json, "json", false, "print the summary as a line of JSON on standard output")
	f.StringVar(&c.progress, "progress", "text", "with --output FOLDER or --state: show progress as `FORMAT`, text or json (docs/cli.md)")
	f.BoolVar(&c.options.Dedup, "dedup", false, "with --output FOLDER or --state: leave out files that have the bytes of another one; the first by name stays")
	f.BoolVar(&o.Verify, "verify", false, "check every byte of finished parts; make damaged ones again")
	f.BoolVar(&o.SharedFilesystem, "shared-filesystem", false, "say that all workers see this machine's paths")
	f.Var((*list)(&o.RunnerOptions), "runner-option", "set `NAME=VALUE`, an option of the engine's own (docs/engines.md); repeatable")
	f.Int64Var(&o.RangeBytes, "range-bytes", 0, "make one part of about `BYTES` of input (by its size)")
	f.BoolVar(&rows.StripHTML, "strip-html", false, "take tags and references such as &amp; out of raw text and records (docs/input.md)")
	f.IntVar(&rows.MaxWords, "max-words", rows.MaxWords, "cut raw sentences longer than `N` words")
	f.IntVar(&rows.Parse.Restarts, "restarts", 0, "climb at most `N` times per sentence: more is slower and seldom changes the tree (6)")
	f.BoolVar(&rows.Parse.Projective, "projective", false, "lift arcs that cross others, until none does")
	f.IntVar(&rows.Parse.Exact, "exact", 0, "score all trees of a sentence whose candidate heads combine in at most `N` ways; -1 for none (32)")
	f.IntVar(&rows.Parse.Budget, "budget", 0, "limit the search to `N` units of work per word; the status is then budget (5000 per restart, at least 30000, in sentences that are cut or over 1000 words; else ten times that)")
	f.IntVar(&rows.Parse.Certify, "certify", 0, "spend at most `N` steps per sentence on proving that no tree scores higher, or finding one that does; -1 for none (20000)")
	f.StringVar(&rows.StopAfter, "stop-after", "", "stop after `STAGE`: segment (no tags, no trees) or tag (no trees)")
	f.Uint64Var(&rows.Parse.Seed, "seed", rows.Parse.Seed, "seed of the random choices, `N`")
	group(f, rareFlags)
	choose(f, "stop-after", "segment", "tag")
	choose(f, "progress", "text", "json")
}

// formatFlags are the flags that say how a format is read. The value that is
// the default is not written into o: it makes no other run. A flag that is repeated must
// have the same value.
func formatFlags(f *pflag.FlagSet, o *output.RowOptions) {
	define := func(name, usage, standard string, option *string) {
		given := ""
		f.Func(name, usage, func(s string) error {
			if s == "" { // most often a variable that is not set
				return errors.New("it is empty; leave the flag out for " + standard)
			}
			if given != "" && given != s {
				remedy := "give one"
				if option != &o.Document {
					remedy = "name both with a comma between them for the first that a file has, or give a --rule for each kind of file"
				}
				return fmt.Errorf("--%s %q contradicts it; %s", name, given, remedy)
			}
			given = s
			if *option = s; s == standard {
				*option = ""
			}
			return nil
		})
	}
	f.Var((*ruleFlag)(o), "rule", "read files of some names as `RULE` says (docs/input.md); repeatable")
	define("document", "make each `UNIT` of raw text a document: file or line (file)", "file", &o.Document)
	define("text", "take the text of records from `NAME,...`, the first that is there (text)", record.DefaultText, &o.TextKey)
	define("id", "take the id of records from `NAME,...`, likewise (id)", record.DefaultID, &o.IDKey)
	f.Func("keep", "keep other columns, or keys of JSON Lines: `NAME,...` become columns meta_NAME", func(s string) error {
		if s == "" {
			return errors.New("it is empty; leave the flag out to keep nothing")
		}
		if o.Keep != "" {
			s = o.Keep + "," + s
		}
		o.Keep = s
		return nil
	})
	group(f, inputFlags)
	choose(f, "document", "file", "line")
}

// A ruleFlag adds rules to the options. A rule is one flag.
type ruleFlag output.RowOptions

func (r *ruleFlag) String() string { return "" }
func (r *ruleFlag) Type() string   { return "rule" }

func (r *ruleFlag) Set(s string) error {
	rule, err := output.ParseRule(s)
	if err != nil {
		return err
	}
	r.Rules = strings.TrimPrefix(r.Rules+"\n"+rule.String(), "\n")
	return nil
}

// addRules adds the rules of --rules to the options, after those of --rule.
func addRules(ctx context.Context, file string, o *output.RowOptions) error {
	if file == "" {
		return nil
	}
	data, err := transforms.ReadBounded(ctx, file)
	if err != nil {
		return refuse("--rules %s: %w", store.Redact(file), err)
	}
	rules, err := output.ParseRules(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
	if err != nil {
		return refuse("--rules %s: %w", store.Redact(file), err)
	}
	if len(rules) == 0 {
		return refuse("--rules %s: there is no rule in it; write 'PATTERN: NAME=VALUE ...', one a line", store.Redact(file))
	}
	o.Rules = strings.TrimPrefix(o.Rules+"\n"+rules.String(), "\n")
	return nil
}

// confFlag is the flag --conf, which makes another format of CoNLL-U.
func confFlag(f *pflag.FlagSet) *bool {
	return f.Bool("conf", false, "show confidence: in CoNLL-U in MISC and comments; also with --to tree, svg or html")
}

// checkConf refuses --conf for a format that it does not change.
func checkConf(to string, conf bool) error {
	f := pipeline.FormatOf(to)
	switch {
	case !conf || f != nil && f.Conf:
		return nil
	case f != nil && !f.Table:
		return refuse("--conf: %s has no place for it; use --to conllu or jsonl", to)
	}
	return refuse("--conf is for --to conllu; %s has all columns of confidence without it", cmp.Or(to, "parquet"))
}

// customFlags are the flags for the user's own knowledge of the text.
func customFlags(f *pflag.FlagSet, files *transforms.CustomFiles, unconstrained *bool) {
	f.StringVar(&files.Abbreviations, "abbreviations", "", "read abbreviations from `FILE`, one per line: no sentence ends after them")
	f.StringVar(&files.KeepTogether, "keep-together", "", "read strings from `FILE`, one per line: each is one token wherever it occurs")
	f.StringVar(&files.Exceptions, "exceptions", "", "read forms with UPOS and lemma from `FILE`, separated by tabs; _ for unknown")
	group(f, knownFlags)
	f.BoolVar(unconstrained, "unconstrained", false, "take the highest-scoring trees even if they break rules of Universal Dependencies")
	group(f, rareFlags)
}

// readCustom reads what the user knows of the text. Its errors are refusals.
func readCustom(ctx context.Context, files *transforms.CustomFiles, unconstrained bool) (c model.Custom, err error) {
	texts, err := files.Read(ctx)
	var lists *model.Lists
	if err == nil {
		lists, err = texts.Lists()
	}
	if err == nil {
		lists.Unconstrained = unconstrained
		c, err = lists.Custom()
	}
	if err != nil {
		return c, &refusal{err}
	}
	return c, nil
}

// A display has what flags say of how trees are drawn.
type display struct {
	color  string
	lemmas bool
}

func (d *display) define(f *pflag.FlagSet) {
	f.BoolVar(&d.lemmas, "lemmas", false, "with --to tree, svg or html: also show lemmas")
	colorFlag(f, &d.color, "with --to tree: use color `WHEN`: auto (on a terminal), always or never")
}

// check refuses what no drawing in the format to shows; "" is Parquet.
func (d *display) check(to string) error {
	switch {
	case d.lemmas && !slices.Contains(drawings, to):
		return refuse("--lemmas is for drawings: %s has none; leave it out, or add --to tree, svg or html", cmp.Or(to, "parquet"))
	case d.color == "always" && to != "tree":
		return refuse("--color always is for --to tree; leave it out")
	}
	return nil
}

func colorFlag(f *pflag.FlagSet, color *string, usage string) {
	f.StringVar(color, "color", "auto", usage)
	choose(f, "color", "auto", "always", "never")
}

// write is how rows are written to a file, which may be stdout.
func (d *display) write(conf view.Conf, to io.Writer) pipeline.WriteOptions {
	tree := view.TreeOptions{Lemmas: d.lemmas, Conf: conf, Color: d.color == "always"}
	if to == stdout {
		if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			tree.Width = width
		}
		tree.Color = tree.Color || d.color == "auto" && showsColors(os.Stdout)
	}
	return pipeline.WriteOptions{Generator: "treebeam " + pipeline.Version(), Conf: conf != view.NoConf, Tree: tree,
		Picture: view.SVGOptions{Conf: conf, Lemmas: d.lemmas}}
}

// showsColors reports whether f is a terminal that shows colors, and whose user has
// nothing against them (https://no-color.org).
func showsColors(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return false
	}
	return runtime.GOOS != "windows" || os.Getenv("WT_SESSION") != "" || os.Getenv("TERM") != "" // old consoles print the sequences
}

// allConf is what --conf shows.
func allConf(given bool) view.Conf {
	if given {
		return view.AllConf
	}
	return view.NoConf
}

// namedInputs are the flags that name inputs in addition to the arguments.
type namedInputs struct{ inputs, filesFrom, exclude list }

func (n *namedInputs) define(f *pflag.FlagSet) {
	f.VarP(&n.inputs, "input", "i", "read the files that match `PATTERN`; repeatable")
	f.Var(&n.filesFrom, "files-from", "read the files listed in `LIST`, one path per line; - is standard input")
	f.Var(&n.exclude, "exclude", "leave out files and folders that match `PATTERN`; repeatable")
	group(f, inputFlags)
}

// paths reads the lists of --files-from. patterns are all other inputs. Its
// errors are refusals.
func (n *namedInputs) paths(ctx context.Context, patterns []string) ([]string, error) {
	stdin := slices.DeleteFunc(slices.Concat(n.filesFrom, patterns), func(s string) bool { return s != "-" })
	if len(stdin) > 1 && slices.Contains(n.filesFrom, "-") {
		return nil, refuse("--files-from -: standard input is read once; name a file for the list, or for the text")
	}
	var paths []string
	for _, name := range n.filesFrom {
		some, err := readList(ctx, name)
		if interrupted() {
			return nil, exitCode(exitInterrupted)
		}
		if file := new(fs.PathError); errors.As(err, &file) {
			return nil, refuse("--files-from %s: %w", store.Redact(name), file.Err)
		}
		if err != nil {
			return nil, refuse("--files-from: %w", err)
		}
		paths = append(paths, some...)
	}
	return paths, nil
}

// readList reads one list of paths, from a file, a pipe or a bucket; .gz, .zst and
// .bz2 are decompressed.
func readList(ctx context.Context, name string) ([]string, error) {
	if name == "-" {
		return source.ReadPaths(os.Stdin, "standard input")
	}
	var r io.ReadCloser
	var err error
	if store.IsRemote(name) {
		var stop context.CancelFunc
		ctx, stop = interruptible(ctx)
		defer stop()
		r, _, err = store.OpenFile(ctx, name)
	} else {
		r, err = os.Open(name) // a signal ends the process at once, also when a pipe has no writer
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	plain, err := source.Decompress(name, bufio.NewReader(r))
	if err != nil {
		return nil, err
	}
	return source.ReadPaths(plain, store.Redact(name))
}
