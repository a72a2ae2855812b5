// Package further lets the encoder of a model learn from its treebanks again:
//
//	go run -C lab ./bench further [-epochs N] [-seed N] MODEL.tbm OUT.tbm TREES.conllu...
//	go run -C lab ./bench further [-epochs N] [-seed N] WORLD.tbm OUT.tbm LIST.tsv
//
// The trees, or the treebanks of the list (bench treebanks), are those that the model was
// trained from. OUT is the model, or overlay, with the tuned encoder; its provenance names the
// training. A world also learns where sentences begin, and gets new segmenters, new factors of
// its scores, a new calibrator and its scores on dev; for another model, treebeam train --only
// mix fits the factors. All else stays. Vectors of pieces of a few bits do not learn. With 0
// epochs, the layers of the encoder stay, too.
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
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Main runs the training.
func Main() error {
	r := run{Options: finetune.Options{Again: true, Workers: runtime.NumCPU(), Now: time.Now, Log: func(format string, a ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", a...)
	}}}
	flag.IntVar(&r.Epochs, "epochs", 1, "learn in `N` passes")
	flag.Uint64Var(&r.Seed, "seed", 1, "of the order of sentences")
	flag.Parse()
	if flag.NArg() < 3 {
		return errors.New("usage: further [-epochs N] [-seed N] MODEL.tbm OUT.tbm TREES.conllu... or LIST.tsv")
	}
	data, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return err
	}
	if err := r.read(flag.Args()[2:]); err != nil {
		return err
	}
	if data, err = r.tuned(data); err != nil {
		return err
	}
	if r.Many {
		if data, err = r.measured(data); err != nil {
			return err
		}
	}
	return os.WriteFile(flag.Arg(1), data, 0o644)
}

// A run is a training from treebanks.
type run struct {
	finetune.Options
	list []train.Language
	from model.Part // names the files
}

// read reads the treebanks of a list, or one treebank of several files.
func (r *run) read(paths []string) (err error) {
	if r.Many = filepath.Ext(paths[0]) == ".tsv"; !r.Many {
		t, err := treebank.ReadAll(paths)
		r.from.Train = t.Data()
		for _, more := range t.More {
			r.from.More = append(r.from.More, more.Data())
			t.Sentences = append(t.Sentences, more.Sentences...)
		}
		r.list = []train.Language{{Train: t}}
		return err
	}
	if len(paths) > 1 {
		return errors.New("a list of treebanks stands alone")
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return err
	}
	r.list, err = treebank.ReadList(paths[0])
	list := trees(r.list)
	r.from.Train = model.Data{File: filepath.Base(paths[0]), SHA256: sum(text), Sentences: len(list), Words: syntax.CountWords(list)}
	return err
}

// tuned returns the model whose encoder has learned from the treebanks again.
func (r *run) tuned(data []byte) ([]byte, error) {
	file, err := model.Decode(data)
	if err != nil {
		return nil, err
	}
	m, err := encode.Open(pack.NewView(file.Sections), model.EncodeName)
	if err != nil {
		return nil, err
	}
	if r.Epochs > 0 {
		if m, err = r.adapted(m); err != nil {
			return nil, err
		}
	}
	if r.Many {
		m = train.LearnStarts(m, r.list, r.Seed, r.Log)
		if err := r.segment(file, m); err != nil {
			return nil, err
		}
	}
	file.Info.Parts = append(file.Info.Parts, model.Part{Name: train.OnlyEncoder, From: sum(data),
		Command: fmt.Sprintf("bench further -epochs %d -seed %d", r.Epochs, r.Seed), Seed: r.Seed, Train: r.from.Train, More: r.from.More})
	replace(file, model.EncodeName, m)
	return model.Encode(file.Info, file.Sections)
}

// adapted returns the encoder with layers that have learned again.
func (r *run) adapted(m *encode.Model) (*encode.Model, error) {
	p, h := m.Floats()
	p, h, err := finetune.Adapt(p, h, trees(r.list), r.Options)
	if err != nil {
		return nil, err
	}
	adapted, err := encode.Quantize(p, h)
	if err != nil {
		return nil, err
	}
	return adapted.WithStartsOf(m), nil
}

// segment trains the segmenters of a world anew: they ask the encoder where words begin.
func (r *run) segment(file *model.File, m *encode.Model) error {
	for _, l := range r.list {
		if l.Name == "" {
			continue
		}
		own, err := file.Own(l.Code)
		if err != nil {
			return err
		}
		o := segment.Options{Seed: r.Seed, Workers: r.Workers, Small: true, Log: func(format string, a ...any) { r.Log(l.Code+" "+format, a...) }}
		if syntax.HidesWords(l.Train.Sentences) {
			o.Begins = m.Of(l.Code).Begins
		}
		s, err := segment.Train(l.Train.Sentences, l.Dev.Sentences, o)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Code, err)
		}
		replace(own, model.SegmentName, s)
		if err := file.SetOwn(l.Code, own); err != nil {
			return err
		}
	}
	return nil
}

// measured returns the world with factors and a calibrator that are fitted to dev, and the
// scores on dev that it then has.
func (r *run) measured(data []byte) ([]byte, error) {
	file, err := model.Decode(data)
	if err != nil {
		return nil, err
	}
	first := train.FirstMix
	replace(file, model.MixName, &first)
	if data, err = model.Encode(file.Info, file.Sections); err != nil {
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
