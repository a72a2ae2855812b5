package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/train"
)

// encoderFlags are the options of a pretrained encoder (docs/encoder.md).
type encoderFlags struct {
	file  string
	texts textFiles
	o     train.EncoderOptions
}

// textFiles is a flag that may be given many times.
type textFiles []string

func (t *textFiles) String() string     { return strings.Join(*t, " ") }
func (t *textFiles) Set(s string) error { *t = append(*t, s); return nil }
func (t *textFiles) Type() string       { return "files" }

// encoderNames are the flags that are nothing without --encoder.
var encoderNames = []string{"layers", "epochs", "encoder-seed", "text"}

func (e *encoderFlags) define(fs *pflag.FlagSet) {
	fs.StringVar(&e.file, "encoder", "", "tune the pretrained encoder in `FILE` (see treebeam encoder) and put it into the model; with --only mix: take the tuned encoder from this model")
	fs.IntVar(&e.o.Layers, "layers", 0, "with --encoder: keep its lowest `N` layers; 0 means all")
	fs.IntVar(&e.o.Epochs, "epochs", 0, "with --encoder: tune it in `N` passes over the treebank; 0 means by the treebank's size")
	fs.Uint64Var(&e.o.Seed, "encoder-seed", 0, "with --encoder: seed of its tuning, `N`; 0 means that of --seed")
	fs.Var(&e.texts, "text", "with --encoder: also keep the pieces of the words in a plain text `FILE` in its vocabulary; repeatable")
}

// check refuses options of an encoder that there is not.
func (e *encoderFlags) check(fs *pflag.FlagSet) error {
	if e.o.Layers < 0 || e.o.Epochs < 0 {
		return refuse("--layers %d --epochs %d: want 0 or more", e.o.Layers, e.o.Epochs)
	}
	if e.file != "" {
		return nil
	}
	var idle []string
	fs.Visit(func(x *pflag.Flag) {
		if slices.Contains(encoderNames, x.Name) {
			idle = append(idle, "--"+x.Name)
		}
	})
	if len(idle) > 0 {
		return refuse("%s: with --encoder FILE alone", strings.Join(idle, ", "))
	}
	return nil
}

// openEncoder reads the encoder and the texts, if there are any.
func (f *trainFlags) openEncoder() error {
	e := &f.encoder
	if e.file == "" {
		return nil
	}
	var err error
	if e.o.SHA256, err = treebank.FileSum(e.file); err != nil {
		return refuse("--encoder: %w", err)
	}
	e.o.File = filepath.Base(e.file)
	if e.o.Params, err = encoder.Open(e.file); err != nil {
		return &refusal{err}
	}
	if n := len(e.o.Params.Layers); e.o.Layers > n {
		return refuse("--layers %d: %s has %d", e.o.Layers, e.file, n)
	}
	if e.o.Texts, e.o.Text, err = treebank.ReadTexts(e.texts); err != nil {
		return refuse("--text: %w", err)
	}
	f.o.Encoder = &e.o
	return nil
}
