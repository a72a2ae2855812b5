package pipeline

import (
	"context"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// Options say what to parse, how, where, and where to write it.
type Options struct {
	Inputs  []string       // files, folders, globs, "-"
	Paths   []string       // in addition to Inputs: files and folders, literally (source.ListOptions)
	Exclude []string       // patterns of files and folders that are not read
	Files   []source.Input // instead of Inputs: files that were listed already, in the order of source.List
	Dedup   bool           // leave out files that have the bytes of a file before them (Distinct)
	Stdin   io.Reader      // what "-" reads
	Output  string         // output folder
	Model   string         // "" is model.Default()
	Rows    output.RowOptions
	Custom  transforms.CustomFiles // the user's lists; their digests are set in Rows
	To      string                 // the format that Stream writes, as in FormatOf; "" is conllu
	Write   WriteOptions           // likewise; Stream names the model if a generator is named

	Limit    int64 // Stream ends after this many sentences; 0 is all
	EndMarks bool  // Stream writes all failures in their places, and a line after every document

	RangeBytes    int64 // 0: chosen from the size of the input
	Overwrite     bool  // remove another run's output first
	RetryFailures bool  // read again the files that could not be read
	Verify        bool  // read finished parts whole, and make damaged ones again

	Runner           string   // Beam's --runner, "" is prism
	Environment      string   // Beam's --environment_type
	RunnerOptions    []string // of the runner's own, NAME=VALUE
	SharedFilesystem bool     // all workers see the local paths

	// Unmatched, if set, is called before the work with each rule that counts for no file.
	// Of a night, it is the plan that calls it.
	Unmatched func(rule string)

	texts         *transforms.CustomTexts // of Custom, once they were read
	runnerOptions map[string]any          // what RunnerOptions say
}

// DefaultRows returns the row options of a command without flags.
func DefaultRows() output.RowOptions {
	return output.RowOptions{From: "auto", Lines: "auto", MaxWords: 1000, Parse: output.ParseOptions{Seed: 1}}
}

// A Refusal says why a run did not begin: nothing was written. Its text names
// the cause and the remedy.
type Refusal = output.Refusal

func refuse(format string, a ...any) error { return output.Refuse(format, a...) }

// validateRows checks the options that change rows.
func validateRows(o *output.RowOptions) error {
	if _, err := source.ParseFormat(o.From); err != nil {
		return refuse("--from: %w", err)
	}
	lines, err := text.ParseLines(o.Lines)
	if err != nil {
		return refuse("--lines: %w", err)
	}
	if err := (text.Options{Encoding: o.Encoding, Lines: lines}).Validate(); err != nil {
		return refuse("%w", err)
	}
	if err := checkKeep(o); err != nil {
		return err
	}
	if err := checkNames(o); err != nil {
		return err
	}
	if err := checkRules(o); err != nil {
		return err
	}
	switch o.Document {
	case "", output.ByLine:
	default:
		return refuse("--document %s: must be file or line", o.Document)
	}
	if o.Document == output.ByLine && lines == text.Wrapped {
		return refuse("--document line and --lines wrapped exclude each other: a line cannot be both a document and part of a paragraph")
	}
	if o.MaxWords < 1 || o.MaxWords > syntax.MaxWords {
		return refuse("--max-words %d: must be from 1 to %d", o.MaxWords, syntax.MaxWords)
	}
	switch o.StopAfter {
	case "", output.StopSegment, output.StopTag:
	default:
		return refuse("--stop-after %s: must be %s or %s", o.StopAfter, output.StopSegment, output.StopTag)
	}
	p, err := transforms.ParseEffort(o.Effort)
	if err != nil {
		return refuse("%w", err)
	}
	if o.Effort != "" {
		o.Effort = strconv.FormatFloat(max(p, 0), 'g', -1, 64) // one run, however it is written
	}
	if o.Parse.Restarts < 0 {
		return refuse("--restarts %d: must not be negative; 0 means the model's default", o.Parse.Restarts)
	}
	if o.Parse.Budget < 0 {
		return refuse("--budget %d: must not be negative; 0 means the default", o.Parse.Budget)
	}
	return nil
}

// checkKeep refuses keys that cannot be names of columns, and writes them in one way.
func checkKeep(o *output.RowOptions) error {
	keys := o.KeepKeys()
	for i := range keys {
		if keys[i] = strings.TrimSpace(keys[i]); keys[i] == "" {
			return refuse("--keep %q: a key is empty; write them with a comma between two", o.Keep)
		}
	}
	if err := record.CheckKeep(keys); err != nil {
		return refuse("--keep: %w", err)
	}
	o.Keep = strings.Join(keys, ",")
	return nil
}

// checkNames refuses lists of keys or columns with an empty one.
func checkNames(o *output.RowOptions) error {
	for _, names := range []struct{ flag, list string }{{"--text", o.TextKey}, {"--id", o.IDKey}} {
		for name := range strings.SplitSeq(names.list, ",") {
			if names.list != "" && strings.TrimSpace(name) == "" {
				return refuse("%s %q: a name is empty; write them with a comma between two", names.flag, names.list)
			}
		}
	}
	return nil
}

// checkRules checks the options of the files of every rule, and writes the rules in one
// way.
func checkRules(o *output.RowOptions) error {
	rules, err := output.ParseRules(o.Rules)
	if err != nil {
		return refuse("--rule: %w", err)
	}
	o.Rules = rules.String()
	for i, one := range rules.Each(o) {
		if err := validateRows(&one); err != nil {
			return refuse("--rule %q: %w", rules[i], err)
		}
	}
	if n := len(o.KeepColumns()); n > record.MaxKeep {
		return refuse("--rule: with --keep, %d columns are kept, the limit is %d", n, record.MaxKeep)
	}
	return nil
}

// NoteUnmatched calls Unmatched for the rules of Rows that count for none of the files.
// Its errors are those of files.
func (o *Options) NoteUnmatched(files iter.Seq2[*source.Input, error]) error {
	rules, err := output.ParseRules(o.Rows.Rules)
	if err != nil || len(rules) == 0 || o.Unmatched == nil {
		return err
	}
	counts := make([]bool, len(rules))
	for in, err := range files {
		if err != nil {
			return err
		}
		if i := rules.Of(in); i >= 0 {
			counts[i] = true
		}
	}
	for i := range rules {
		if !counts[i] {
			o.Unmatched(rules[i].String())
		}
	}
	return nil
}

// HasNoInput reports whether the options name no input.
func (o *Options) HasNoInput() bool { return len(o.Inputs) == 0 && len(o.Paths) == 0 && o.Files == nil }

func (o *Options) validate() error {
	if o.HasNoInput() {
		return refuse("no input: name files or folders, or give --input 'corpus/**/*.txt'; '-' reads standard input")
	}
	if o.Output == "" {
		return refuse("no output: give --output FOLDER for Parquet, or --to conllu for standard output")
	}
	if o.Limit != 0 {
		return refuse("--limit %d: a run that writes Parquet parses all of its input; name fewer files, or give --to conllu", o.Limit)
	}
	if o.RangeBytes < 0 {
		return refuse("--range-bytes %d: must not be negative; 0 means automatic", o.RangeBytes)
	}
	if err := validateRows(&o.Rows); err != nil {
		return err
	}
	if o.Rows.StopAfter != "" {
		return refuse("--stop-after %s: Parquet holds trees; for sentences without trees, give --to conllu or --to jsonl", o.Rows.StopAfter)
	}
	if err := o.CheckEngine(o.Output); err != nil {
		return err
	}
	return o.checkWorkerBinary()
}

// open opens the model, reads what is known of the text, and checks that the model
// can do what the options say. The model that it returns does. Errors are refusals.
func (o *Options) open(ctx context.Context) (m transforms.Stages, digest string, err error) {
	if m, digest, err = transforms.Open(o.Model, &o.Rows); err != nil {
		return nil, "", &Refusal{Err: err}
	}
	if err := transforms.CheckEffort(m, &o.Rows); err != nil {
		return nil, "", &Refusal{Err: err}
	}
	if o.texts == nil { // a night has read them: its runs are all of the same
		if o.texts, err = o.Custom.Read(ctx); err != nil {
			return nil, "", &Refusal{Err: err}
		}
	}
	o.texts.Note(&o.Rows)
	m, err = transforms.Customize(m, &o.Rows, func() (*transforms.CustomTexts, error) { return o.texts, nil })
	if err != nil {
		return nil, "", &Refusal{Err: err}
	}
	return m, digest, nil
}

// Provenance returns the provenance of a run with these options. It opens the model and
// reads the files of Custom; preparing a run with the same Options later does not read
// them again. Its errors are refusals.
func (o *Options) Provenance(ctx context.Context) (output.Provenance, error) {
	if err := validateRows(&o.Rows); err != nil {
		return output.Provenance{}, err
	}
	_, digest, err := o.open(ctx)
	if err != nil {
		return output.Provenance{}, err
	}
	return output.Provenance{FormatVersion: output.FormatVersion, ModelDigest: digest, Options: o.Rows}, nil
}

// checkPlaces refuses local paths of the output or an input on runners whose workers
// may not see them: the output would be lost on the workers' disks, and the workers
// would not find the input. A local model and the files of Custom are allowed, because
// they are copied to the output.
func (o *Options) checkPlaces(output string) error {
	if o.local() || o.SharedFilesystem {
		return nil
	}
	places := slices.Concat([]string{output}, o.Inputs, o.Paths)
	for i := range o.Files {
		places = append(places, o.Files[i].URI)
	}
	for _, p := range places {
		if !store.IsRemote(p) {
			return refuse("runner %s: its workers do not see this machine's files, such as %s: they would be lost; "+
				"name input and output in an object store (gs://, s3://), use --runner prism or --environment_type LOOPBACK, "+
				"or give --shared-filesystem if every worker mounts the same paths", o.Runner, p)
		}
	}
	return nil
}
