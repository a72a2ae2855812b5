// Package further lets the encoder of a world learn from its treebanks again:
//
//	go run -C lab ./bench further [-epochs N] [-seed N] WORLD.tbm LIST.tsv OUT.tbm
//
// LIST.tsv is the list of treebanks that the world was trained from (bench treebanks). OUT is
// the world with the tuned encoder; all else stays. The vectors of pieces do not learn.
package further

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Main runs the training.
func Main() error {
	o := finetune.Options{Many: true, Workers: runtime.NumCPU(), Now: time.Now, Log: func(format string, a ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", a...)
	}}
	flag.IntVar(&o.Epochs, "epochs", 1, "learn in `N` passes")
	flag.Uint64Var(&o.Seed, "seed", 1, "of the order of sentences")
	flag.Parse()
	if flag.NArg() != 3 {
		return errors.New("usage: further [-epochs N] [-seed N] WORLD.tbm LIST.tsv OUT.tbm")
	}
	data, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return err
	}
	list, err := treebank.ReadList(flag.Arg(1))
	if err != nil {
		return err
	}
	if data, err = tuned(data, list, o); err != nil {
		return err
	}
	return os.WriteFile(flag.Arg(2), data, 0o644)
}

// tuned returns the world whose encoder has learned from the treebanks again.
func tuned(data []byte, list []train.Language, o finetune.Options) ([]byte, error) {
	file, err := model.Decode(data)
	if err != nil {
		return nil, err
	}
	m, err := encode.Open(pack.NewView(file.Sections), model.EncodeName)
	if err != nil {
		return nil, err
	}
	p, h := m.Floats()
	if p, h, err = finetune.Adapt(p, h, trees(list), o); err != nil {
		return nil, err
	}
	if m, err = encode.Quantize(p, h); err != nil {
		return nil, err
	}
	var made pack.Builder
	m.Pack(made.Sub(model.EncodeName))
	rest := slices.DeleteFunc(file.Sections, func(s pack.Section) bool { return strings.HasPrefix(s.Name, model.EncodeName+".") })
	return model.Encode(file.Info, append(rest, made.Sections...))
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
