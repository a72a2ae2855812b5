package main

import (
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/transforms"
)

// customFlags are the flags for what the user knows of the text beside the model.
func customFlags(f *pflag.FlagSet, files *transforms.CustomFiles, unconstrained *bool) {
	f.StringVar(&files.Abbreviations, "abbreviations", "", "read abbreviations from `FILE`, one per line: no sentence ends after them")
	f.StringVar(&files.KeepTogether, "keep-together", "", "read strings from `FILE`, one per line: each is one token wherever it occurs")
	f.StringVar(&files.Exceptions, "exceptions", "", "read forms with UPOS and lemma from `FILE`, separated by tabs; _ for unknown")
	group(f, knownFlags)
	f.BoolVar(unconstrained, "unconstrained", false, "take the highest-scoring trees even if they break rules of Universal Dependencies")
	group(f, rareFlags)
}

// checkCustom refuses an empty name, most often of a variable that is not set: the
// text would be parsed as if nothing was known of it.
func checkCustom(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "abbreviations", "keep-together", "exceptions":
			if f.Value.String() == "" && err == nil {
				err = refuse("--%s is empty: name a file, or leave it out", f.Name)
			}
		}
	})
	return err
}
