package main

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/train"
)

// withTreebanks are the options of a training of many languages.
var withTreebanks = append([]string{"treebanks", "model", "resume", "keep", "reuse", "threads", "seed", "tag-seed", "cased",
	"weights", "folds", "encoder", "created-by", "licence", "release"}, encoderNames...)

// startWorld trains one file of many languages.
func (f *trainFlags) startWorld(fs *pflag.FlagSet) error {
	if idle := namesGiven(fs, withTreebanks, false); idle != "" {
		return refuse("--treebanks leaves nothing to do for %s", idle)
	}
	if f.encoder.o.Small {
		return refuse("--small is for a model of one language: leave --treebanks out")
	}
	if err := f.openEncoder(""); err != nil {
		return err
	}
	list, err := treebank.ReadList(f.treebanks)
	if err != nil {
		return &refusal{err}
	}
	for _, l := range list {
		if err := notAmong("--model", f.model, "a treebank of "+f.treebanks, l.Train.Name, l.Dev.Name); err != nil {
			return err
		}
		if err := train.Check(l.Train, l.Dev).Fatal(); err != nil {
			return refuse("%s: %w", l.Code, err)
		}
	}
	i := &f.o.Info
	i.Command, i.Code = f.command(fs), codeVersion() // before flags get values that nobody gave
	i.Language, i.Treebank, i.Licence = "mul", filepath.Base(f.treebanks), cmp.Or(i.Licence, "CC BY-SA 4.0")
	return f.stored(func() ([]byte, error) { return train.RunWorld(list, train.WorldOptions{Options: f.o}) }, "trained in %s")
}
