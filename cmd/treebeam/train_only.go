package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/train"
)

// withOnly are the options that --only leaves anything to do.
var withOnly = []string{"train", "dev", "model", "only", "from", "seed", "workers", "check", "created-by"}

// checkOnly refuses what makes no sense with or without --only.
func (f *trainFlags) checkOnly(fs *flag.FlagSet) error {
	switch {
	case f.only == "" && f.from == "":
		return nil
	case f.only == "":
		return refuse("--from %s: with --only NAME alone; a whole model is trained from its treebank", f.from)
	case f.only != train.OnlyLemmas:
		return refuse("--only %s: only %q can be trained alone", f.only, train.OnlyLemmas)
	case f.from == "" && !f.check:
		return refuse("--only %s: want --from MODEL too, the model that all else is taken from", f.only)
	}
	var idle []string
	fs.Visit(func(x *flag.Flag) {
		if !slices.Contains(withOnly, x.Name) {
			idle = append(idle, "--"+x.Name)
		}
	})
	if len(idle) > 0 {
		return refuse("--only %s leaves nothing to do for %s", f.only, strings.Join(idle, ", "))
	}
	return nil
}

// runOnly trains one component on treebanks that passed the check and writes
// the model with it.
func (f *trainFlags) runOnly(fs *flag.FlagSet, trainBank, devBank train.Treebank) error {
	begun := time.Now()
	data, err := os.ReadFile(f.from)
	if err != nil {
		return refuse("the model of --from: %w", err)
	}
	from, err := model.Decode(data)
	if err != nil {
		return refuse("%s: %w", f.from, err)
	}
	f.describe(fs)
	if a, b := from.Info.Language, f.o.Info.Language; a != b && a != "" && b != "" {
		return refuse("%s is a model of language %q, %s is a treebank of %q", f.from, a, f.train, b)
	}
	f.o.Blocks = rawBlocks
	f.o.Now = time.Now
	f.o.Log = trainLog(begun)
	out, err := train.Lemmas(from, model.Digest(data), trainBank, devBank, f.o)
	if err != nil {
		return err
	}
	digest, err := model.WriteFile(f.model, out)
	if err != nil {
		return err
	}
	say(os.Stdout, "%s: %.2f MB, sha256 %s, %s trained in %s, all else as in %s\n", f.model, float64(len(out))/1e6, digest, f.only,
		time.Since(begun).Round(time.Second), f.from)
	return nil
}

// trainLog returns a log of training for standard error.
func trainLog(begun time.Time) func(format string, a ...any) {
	return func(format string, a ...any) {
		e := time.Since(begun).Round(time.Second)
		say(os.Stderr, "%3d:%02d  %s\n", int(e.Minutes()), int(e.Seconds())%60, fmt.Sprintf(format, a...))
	}
}
