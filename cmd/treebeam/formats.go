package main

import (
	"flag"

	"github.com/treebeam/treebeam/io/jsonl"
	"github.com/treebeam/treebeam/transforms"
)

// formatFlags are the flags that say how a format is read. The value that is
// the default is not written into o: it makes no other run.
func formatFlags(f *flag.FlagSet, o *transforms.RowOptions) {
	unless := func(option *string, standard string) func(string) error {
		return func(s string) error {
			if *option = s; s == standard {
				*option = ""
			}
			return nil
		}
	}
	f.Func("document", "what a document of raw text is: `UNIT` file or line (file)", unless(&o.Document, "file"))
	f.Func("text-key", "`KEY` of the text in JSON lines; dots lead into objects (text)", unless(&o.TextKey, jsonl.DefaultTextKey))
	f.Func("id-key", "`KEY` of the document's id in JSON lines (id)", unless(&o.IDKey, jsonl.DefaultIDKey))
}
