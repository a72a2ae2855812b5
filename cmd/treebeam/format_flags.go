package main

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/pipeline"
)

// formatFlags are the flags that say how a format is read. The value that is
// the default is not written into o: it makes no other run.
func formatFlags(f *pflag.FlagSet, o *output.RowOptions) {
	unless := func(option *string, standard string) func(string) error {
		return func(s string) error {
			if s == "" { // most often a variable that is not set
				return errors.New("it is empty; leave the flag out for " + standard)
			}
			if *option = s; s == standard {
				*option = ""
			}
			return nil
		}
	}
	f.Func("document", "make each `UNIT` of raw text a document: file or line (file)", unless(&o.Document, "file"))
	f.Func("text-key", "take the text of JSON Lines from `KEY`; dots reach into objects (text)", unless(&o.TextKey, record.DefaultText))
	f.Func("id-key", "take the document's id in JSON Lines from `KEY` (id)", unless(&o.IDKey, record.DefaultID))
	f.Func("text-column", "take the text of CSV, TSV and Parquet from the column `NAME` (text)", unless(&o.TextKey, record.DefaultText))
	f.Func("id-column", "take the document's id from the column `NAME` (id)", unless(&o.IDKey, record.DefaultID))
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
