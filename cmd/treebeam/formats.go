package main

import (
	"cmp"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/jsonl"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// formatFlags are the flags that say how a format is read. The value that is
// the default is not written into o: it makes no other run.
func formatFlags(f *pflag.FlagSet, o *output.RowOptions) {
	unless := func(option *string, standard string) func(string) error {
		return func(s string) error {
			if *option = s; s == standard {
				*option = ""
			}
			return nil
		}
	}
	f.Func("document", "make a document of each `UNIT` of raw text, file or line (file)", unless(&o.Document, "file"))
	f.Func("text-key", "`KEY` of the text in JSON lines; dots lead into objects (text)", unless(&o.TextKey, jsonl.DefaultTextKey))
	f.Func("id-key", "`KEY` of the document's id in JSON lines (id)", unless(&o.IDKey, jsonl.DefaultIDKey))
	f.Func("text-column", "`NAME` of the column of the text in CSV, TSV and Parquet (text)", unless(&o.TextKey, jsonl.DefaultTextKey))
	f.Func("id-column", "`NAME` of the column of the document's id (id)", unless(&o.IDKey, jsonl.DefaultIDKey))
	f.Func("keep", "keep other columns, or keys of JSON lines: `NAME,...` become columns meta_NAME", func(s string) error {
		if o.Keep != "" {
			s = o.Keep + "," + s
		}
		o.Keep = s
		return nil
	})
	group(f, inputFlags, "document", "text-key", "id-key", "text-column", "id-column", "keep")
	choose(f, "document", "file", "line")
}

// confFlag is the flag --conf, which makes another format of CoNLL-U.
func confFlag(f *pflag.FlagSet) *bool {
	return f.Bool("conf", false, "say how sure the trees are: in CoNLL-U in MISC and comments, also with --to tree, svg or html")
}

// withConf is the format that to is with --conf.
func withConf(to string, conf bool) (string, error) {
	switch {
	case !conf:
		return to, nil
	case to == "conllu" || to == pipeline.ConfidentCoNLLU:
		return pipeline.ConfidentCoNLLU, nil
	case to == pipeline.TreeFormat || to == pipeline.SVGFormat || to == pipeline.HTMLFormat:
		return to, nil
	case to == "text":
		return "", refuse("--conf: text has no place for it; use --to conllu or jsonl")
	}
	return "", refuse("--conf is for --to conllu; %s has all columns of confidence without it", cmp.Or(to, "parquet"))
}
