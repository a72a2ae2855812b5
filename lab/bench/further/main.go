// Package further lets the encoder of a world learn from its treebanks again, and fits the
// factors of its scores to dev:
//
//	go run -C lab ./bench further [-epochs N] [-seed N] WORLD.tbm LIST.tsv OUT.tbm
//
// LIST.tsv is the list of treebanks that the world was trained from (bench treebanks). OUT is
// the world with the tuned encoder, new factors, a new calibrator and its scores on dev; its
// provenance names the training. All else stays. The vectors of pieces do not learn. With 0
// epochs, the encoder stays, too.
package further

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Main runs the training.
func Main() error {
	r := run{Options: finetune.Options{Many: true, Workers: runtime.NumCPU(), Now: time.Now, Log: func(format string, a ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", a...)
	}}}
	flag.IntVar(&r.Epochs, "epochs", 1, "learn in `N` passes")
	flag.Uint64Var(&r.Seed, "seed", 1, "of the order of sentences")
	flag.Parse()
	if flag.NArg() != 3 {
		return errors.New("usage: further [-epochs N] [-seed N] WORLD.tbm LIST.tsv OUT.tbm")
	}
	data, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return err
	}
	if r.list, err = treebank.ReadList(flag.Arg(1)); err != nil {
		return err
	}
	text, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		return err
	}
	r.from = model.Data{File: filepath.Base(flag.Arg(1)), SHA256: sum(text)}
	if data, err = r.tuned(data); err != nil {
		return err
	}
	if data, err = r.measured(data); err != nil {
		return err
	}
	return os.WriteFile(flag.Arg(2), data, 0o644)
}

// A run is a training from the treebanks of a list.
type run struct {
	finetune.Options
	list []train.Language
	from model.Data // the list
}

// tuned returns the world whose encoder has learned from the treebanks again.
func (r *run) tuned(data []byte) ([]byte, error) {
	file, err := model.Decode(data)
	if err != nil || r.Epochs == 0 {
		return data, err
	}
	m, err := encode.Open(pack.NewView(file.Sections), model.EncodeName)
	if err != nil {
		return nil, err
	}
	list := trees(r.list)
	r.from.Sentences, r.from.Words = len(list), syntax.CountWords(list)
	p, h := m.Floats()
	if p, h, err = finetune.Adapt(p, h, list, r.Options); err != nil {
		return nil, err
	}
	if m, err = encode.Quantize(p, h); err != nil {
		return nil, err
	}
	file.Info.Parts = append(file.Info.Parts, model.Part{Name: train.OnlyEncoder, From: sum(data),
		Command: fmt.Sprintf("bench further -epochs %d -seed %d", r.Epochs, r.Seed), Seed: r.Seed, Train: r.from})
	replace(file, model.EncodeName, m)
	return model.Encode(file.Info, file.Sections)
}

// measured returns the world with factors and a calibrator that are fitted to dev, and the
// scores on dev that it then has.
func (r *run) measured(data []byte) ([]byte, error) {
	file, err := model.Decode(data)
	if err != nil {
		return nil, err
	}
	banks, err := r.banks(data)
	if err != nil {
		return nil, err
	}
	mix, err := train.FitMix(banks, r.Workers, r.Log)
	if err != nil {
		return nil, err
	}
	replace(file, model.MixName, &mix)
	if data, err = model.Encode(file.Info, file.Sections); err != nil {
		return nil, err
	}
	if banks, err = r.banks(data); err != nil {
		return nil, err
	}
	e, err := eval.Measure(banks, eval.ParseOptions{Blocks: treebank.Blocks, Workers: r.Workers}, r.Log)
	if err != nil {
		return nil, err
	}
	for i, b := range banks {
		at := slices.IndexFunc(file.Info.Languages, func(l model.Language) bool { return l.Code == b.Name })
		file.Info.Languages[at].Scores = e.Scores[i]
	}
	if e.Calibrator != nil { // dev is large enough
		e.Calibration.Gold = eval.DataOf(banks)
		file.Info.Calibration = &e.Calibration
		replace(file, model.CalibrateName, e.Calibrator)
	}
	return model.Encode(file.Info, file.Sections)
}

// banks are the languages of a world, beside their dev.
func (r *run) banks(data []byte) (list []eval.Bank, err error) {
	w, err := model.OpenWorldBytes(data)
	if err != nil {
		return nil, err
	}
	for _, l := range r.list {
		if l.Name == "" {
			continue
		}
		m, err := w.Language(l.Code)
		if err != nil {
			return nil, err
		}
		list = append(list, eval.Bank{Name: l.Code, Model: m, Gold: l.Dev.Sentences})
	}
	return list, nil
}

// sum is the digest of a file in hexadecimal.
func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// replace puts another component of a name into a file.
func replace(file *model.File, name string, c interface{ Pack(*pack.Sub) }) {
	var made pack.Builder
	c.Pack(made.Sub(name))
	rest := slices.DeleteFunc(file.Sections, func(s pack.Section) bool { return strings.HasPrefix(s.Name, name+".") })
	file.Sections = append(rest, made.Sections...)
}

// trees returns the sentences of train as the encoder reads them, with the codes of their
// languages.
func trees(list []train.Language) (all []syntax.Sentence) {
	for _, l := range list {
		casing := word.LearnCasing(l.Train.Sentences)
		for i := range l.Train.Sentences {
			s := *model.Encodable(&l.Train.Sentences[i], casing)
			s.Language = l.Code
			all = append(all, s)
		}
	}
	return all
}
