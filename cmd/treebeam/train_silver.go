package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
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
		digest, err := addSilver(sampler, i, path)
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

// addSilver offers the sentences of a file to a sampler and returns the
// file's SHA-256 in hexadecimal. Errors name the file and, of CoNLL-U that
// cannot be read, the line.
func addSilver(to *train.Sampler, number int, path string) (digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	stored := io.TeeReader(bufio.NewReaderSize(file, 1<<16), sum)
	r, err := source.Decompress(path, stored)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	for b, err := range conllu.Read(r, conllu.Options{NoHeads: true}) {
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", path, err)
		case b.Err != nil:
			b.Err.File = path
			return "", b.Err
		}
		to.Add(number, &b.Sentence)
	}
	if _, err := io.Copy(io.Discard, stored); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
