package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
)

// customFlags are the flags for the user's own knowledge of the text.
func customFlags(f *pflag.FlagSet, files *transforms.CustomFiles, unconstrained *bool) {
	f.StringVar(&files.Abbreviations, "abbreviations", "", "read abbreviations from `FILE`, one per line: no sentence ends after them")
	f.StringVar(&files.KeepTogether, "keep-together", "", "read strings from `FILE`, one per line: each is one token wherever it occurs")
	f.StringVar(&files.Exceptions, "exceptions", "", "read forms with UPOS and lemma from `FILE`, separated by tabs; _ for unknown")
	annotate(f, filledKey, []string{"name a file, or leave it out"}, "abbreviations", "keep-together", "exceptions")
	group(f, knownFlags)
	f.BoolVar(unconstrained, "unconstrained", false, "take the highest-scoring trees even if they break rules of Universal Dependencies")
	group(f, rareFlags)
}

// readCustom reads what the user knows of the text. Its errors are refusals.
func readCustom(ctx context.Context, files *transforms.CustomFiles, unconstrained bool) (c model.Custom, err error) {
	texts, err := files.Read(ctx)
	if err != nil {
		return c, &refusal{err}
	}
	lists, err := texts.Lists()
	if err != nil {
		return c, &refusal{err}
	}
	lists.Unconstrained = unconstrained
	if c, err = lists.Custom(); err != nil {
		return c, &refusal{err}
	}
	return c, nil
}
