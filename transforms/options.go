package transforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// NoEncoder is the Effort that never uses a model's encoder.
const NoEncoder = -1

// Options say how text is parsed. The zero value does what the command treebeam parse
// does without flags.
type Options struct {
	// Model is "" for the accurate English model in the program (model.Default), "embedded"
	// for the fast one, a path that every worker sees, or the URI of a model in an object
	// store.
	Model string
	// Effort is for models with an encoder, from 0 to 1. A sentence keeps its parse without
	// the encoder if the expected LAS of that parse is at least Effort. 0 means 1, the
	// encoder for every sentence; NoEncoder never uses it.
	Effort float64

	// Language is "auto" to find the language of each document, codes such as "de,fr" to
	// choose from, or one code. "" is "auto" with a built-in model, otherwise the model's
	// language.
	Language string

	Lines    string // what line breaks mean: "auto", "wrapped", "paragraph" or "sentence"; "" is "auto"
	MaxWords int    // cut longer sentences of raw text; 0 means 1000
	Ranges   bool   // put TokenRange=start:end into MISC, in code points of the document
	Retag    bool   // replace the tags of sentences that have tags
	// KeepHeads keeps the heads and deprels of CoNLL sentences.
	KeepHeads bool

	// Custom names the user's lists (docs/custom.md). The process that builds the pipeline
	// reads the files. The lists travel in the pipeline and may have 1 MiB together.
	Custom        CustomFiles
	Unconstrained bool // allow trees that break rules of Universal Dependencies

	// Options of the search; 0 means the model's default.
	Seed       uint64 // 0 means 1
	Restarts   int    // at most so many climbs for a sentence
	Exact      int    // score all trees of a sentence that has at most so many; -1 for none
	Certify    int    // steps of the proof that no tree scores higher; -1 for none
	Budget     int    // units of work per word; then the best tree so far is kept
	Projective bool   // allow no crossing arcs

	job *Job // if set, replaces all other options
}

// Parsing returns the options for the stages of the job.
func (j *Job) Parsing() Options { return Options{job: j} }

// parsing is the part of the options that travels to the workers of a stage.
type parsing struct {
	Model  string
	Digest string // of the model; "" if the process that built the pipeline could not open it
	Rows   output.RowOptions
	Lists  CustomTexts
	Job    *Job `json:",omitempty"` // whose stage it is; nil: another pipeline's
}

// maxCustom bounds the lists of Options.Custom, in bytes: engines limit the size of a
// pipeline.
const maxCustom = 1 << 20

// Check says why the options cannot be used, with the remedy. It opens the model. The
// transforms panic with the same error. If this process does not see the model's path,
// workers check the model when they open it.
func (o *Options) Check() error {
	_, err := o.checked()
	return err
}

// parsing is the checked options for the stage. As usual in Beam, it panics while the
// pipeline is built.
func (o *Options) parsing(stage string) parsing {
	p, err := o.checked()
	if err != nil {
		panic(fmt.Errorf("transforms.%s: %w", stage, err))
	}
	return p
}

func (o *Options) checked() (p parsing, err error) {
	defer func() { err = ofField(err) }()
	if j := o.job; j != nil {
		return parsing{Model: j.Model, Digest: j.ModelDigest, Rows: j.Options, Job: j}, nil
	}
	p = parsing{Model: o.Model, Rows: output.RowOptions{
		Language: o.Language, Lines: cmp.Or(o.Lines, string(text.AutoLines)), MaxWords: cmp.Or(o.MaxWords, 1000), Ranges: o.Ranges,
		Retag: o.Retag, KeepHeads: o.KeepHeads, Unconstrained: o.Unconstrained,
		Parse: output.ParseOptions{Seed: cmp.Or(o.Seed, 1), Restarts: o.Restarts, Exact: o.Exact, Budget: o.Budget,
			Projective: o.Projective, Certify: o.Certify},
	}}
	switch {
	case o.Effort == NoEncoder:
		p.Rows.Effort = "0"
	case !(o.Effort >= 0 && o.Effort <= 1):
		return p, fmt.Errorf("option Effort: %v: must be from 0 to 1, or NoEncoder", o.Effort)
	case o.Effort > 0 && o.Effort < 1:
		p.Rows.Effort = strconv.FormatFloat(o.Effort, 'g', -1, 64)
	}
	if _, err := text.ParseLines(o.Lines); err != nil {
		return p, fmt.Errorf("option Lines: %w", err)
	}
	if p.Rows.MaxWords < 1 || p.Rows.MaxWords > syntax.MaxWords {
		return p, fmt.Errorf("option MaxWords: %d: must be from 1 to %d", o.MaxWords, syntax.MaxWords)
	}
	if o.Restarts < 0 || o.Budget < 0 {
		return p, errors.New("options Restarts and Budget must not be negative; 0 means the model's default")
	}
	lists, err := o.Custom.Read(context.Background())
	if err != nil {
		return p, err
	}
	if n := len(strings.Join(lists[:], "")); n > maxCustom {
		return p, fmt.Errorf("option Custom: the lists have %d bytes, the limit in a pipeline is %d", n, maxCustom)
	}
	p.Lists = *lists
	p.Lists.Note(&p.Rows)
	m, digest, err := Open(o.Model, &p.Rows)
	switch {
	case errors.Is(err, fs.ErrNotExist) && IsLocalModel(o.Model):
		return p, nil // the workers may see it
	case err != nil:
		return p, err
	}
	p.Digest = digest
	return p, CheckEffort(m, &p.Rows)
}

// A wrongOption is the error of a value that was given for an option. Its text names the
// flag of the command.
type wrongOption struct {
	flag, value string
	err         error
}

func wrong(flag, value string, err error) error { return &wrongOption{flag, value, err} }

func (e *wrongOption) Error() string {
	return fmt.Sprintf("%s: %v", strings.TrimSpace("--"+e.flag+" "+e.value), e.err)
}

func (e *wrongOption) Unwrap() error { return e.err }

// fieldOf is the field of Options that stands for a flag.
var fieldOf = map[string]string{"effort": "Effort", "language": "Language",
	"abbreviations": "Custom.Abbreviations", "keep-together": "Custom.KeepTogether", "exceptions": "Custom.Exceptions"}

// ofField returns the error of an option as the caller of a transform knows it, by its field.
func ofField(err error) error {
	var e *wrongOption
	if !errors.As(err, &e) {
		return err
	}
	value := e.value
	if e.flag == "effort" && value == "0" {
		value = "NoEncoder"
	}
	return fmt.Errorf("option %s: %w", strings.TrimSuffix(fieldOf[e.flag]+": "+value, ": "), e.err)
}

// open opens the model, checks that it has not changed since the pipeline was built, and
// applies the user's lists.
func (p *parsing) open(ctx context.Context) (Stages, error) {
	m, digest, err := Open(p.Model, &p.Rows)
	if err == nil && p.Digest != "" && digest != p.Digest {
		err = fmt.Errorf("the model %s has changed since the run was started: it had digest %s and has %s; start the run again",
			p.Model, short(p.Digest), short(digest))
	}
	if err == nil && p.Digest == "" {
		err = CheckEffort(m, &p.Rows)
	}
	if err == nil {
		m, err = Customize(m, &p.Rows, p.lists)
	}
	switch {
	case p.Job == nil:
		err = ofField(err)
	case err != nil:
		err = p.Job.failed(ctx, -1, err)
	}
	return m, err
}

// provenance is the provenance of the rows of a stage.
func (p *parsing) provenance() (output.Provenance, error) {
	_, digest, err := Open(p.Model, &p.Rows)
	return output.Provenance{ModelDigest: digest, Options: p.Rows}, err
}

// lists returns the user's lists.
func (p *parsing) lists() (*CustomTexts, error) {
	if p.Job != nil {
		return p.Job.readCustom()
	}
	return &p.Lists, nil
}
