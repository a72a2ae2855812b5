package main

import (
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/train"
)

// readSilver reads the silver files into the options.
func (f *trainFlags) readSilver(trainBank, devBank train.Treebank) error {
	switch {
	case len(f.silver) == 0:
		return nil
	case f.silverWords < 1:
		return refuse("--silver-words %d: want a positive number", f.silverWords)
	case !(f.o.SilverWeight >= 0 && f.o.SilverWeight <= train.MaxSilverWeight):
		return refuse("--silver-weight %g: want 0 to %d", f.o.SilverWeight, train.MaxSilverWeight)
	}
	sampler := train.NewSampler(trainBank, devBank, f.silverWords)
	for i, path := range f.silver {
		digest, err := treebank.AddSilver(sampler, i, path)
		if err != nil {
			return refuse("--silver: %w", err)
		}
		f.o.Silver = append(f.o.Silver, train.Treebank{Name: path, File: filepath.Base(path), SHA256: digest})
	}
	for i, list := range sampler.Sentences(len(f.silver)) {
		f.o.Silver[i].Sentences = list
	}
	say(os.Stderr, "%s\n", sampler)
	if sampler.Words() == 0 {
		return refuse("--silver %s: no sentence to learn from", &f.silver)
	}
	return nil
}
