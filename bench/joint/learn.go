//go:build unix

package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

const (
	seed       = 1
	folds      = 10
	foldEpochs = 8 // of their taggers: half of those of small treebanks, for time
)

// data is what all parsers of a treebank share.
type data struct {
	Train    []syntax.Sentence // every sentence with gold tags, and then with jackknifed ones
	Joint    []search.JointExample
	Sections []pack.Section    // of tagger, pruner and labels
	Dev      []syntax.Sentence // with the tagger's tags, and candidates
}

// open loads or makes what all parsers share, and sets the model but for its parser.
func (b *bench) open() (*data, error) {
	if err := os.MkdirAll(b.cache, 0o755); err != nil {
		return nil, err
	}
	d := &data{}
	if err := b.cached(fmt.Sprintf("data-%d-%d-%d", b.bounds.Tags, b.bounds.Feats, b.bounds.Most), d, func() error { return b.make(d) }); err != nil {
		return nil, err
	}
	m := &model.Model{Words: word.Learn(d.gold())}
	v := pack.NewView(d.Sections)
	var errs [3]error
	m.Tagger, errs[0] = tag.Open(v, model.TagName, nil)
	m.Pruner, errs[1] = prune.Open(v, model.PruneName, m.Words)
	m.Labeler, errs[2] = label.Open(v, model.LabelName, m.Words)
	b.model = m
	return d, errors.Join(errs[:]...)
}

// gold returns the sentences with gold tags.
func (d *data) gold() (list []syntax.Sentence) {
	for i := 0; i < len(d.Train); i += 2 {
		list = append(list, d.Train[i])
	}
	return list
}

func (b *bench) make(d *data) error {
	gold, err := conllu.ReadAll(b.train)
	if err != nil {
		return err
	}
	gold = slices.DeleteFunc(gold, func(s syntax.Sentence) bool { return roots(&s) != 1 })
	words := word.Learn(gold)
	tagging := tag.Options{Seed: seed, Workers: 2, Log: log.Printf}
	tagger, err := tag.Train(gold, nil, tagging)
	if err != nil {
		return err
	}
	tagging.Epochs = foldEpochs
	jackknifed, choices, err := tag.JackknifeChoices(gold, folds, b.bounds, tagging)
	if err != nil {
		return err
	}
	for i := range gold {
		d.Train = append(d.Train, gold[i], jackknifed[i])
		d.Joint = append(d.Joint, search.JointExample{}, search.JointExample{Choices: &choices[i], Gold: goldPath(&choices[i], &gold[i])})
	}
	d.Dev = slices.DeleteFunc(syntax.Clone(b.dev), func(s syntax.Sentence) bool { return roots(&s) != 1 })
	for i := range d.Dev {
		tagger.Tag(&d.Dev[i], true)
	}
	pruning := prune.Options{Seed: seed, Workers: 2, Log: log.Printf}
	pruner, err := prune.Train(words, d.Train, d.Dev, pruning)
	if err != nil {
		return err
	}
	if _, err := prune.Jackknife(d.Train, folds, pruner, pruning); err != nil {
		return err
	}
	for i := range d.Dev {
		pruner.Prune(&d.Dev[i])
	}
	labels, err := label.Train(words, d.Train, d.Dev, label.Options{Seed: seed, Workers: 2, Log: log.Printf})
	if err != nil {
		return err
	}
	var to pack.Builder
	tagger.Pack(to.Sub(model.TagName))
	pruner.Pack(to.Sub(model.PruneName))
	labels.Pack(to.Sub(model.LabelName))
	d.Sections = to.Sections
	return nil
}

func roots(s *syntax.Sentence) int {
	n := 0
	for i := range s.Words {
		if s.Words[i].Head == syntax.Root {
			n++
		}
	}
	return n
}

// parser trains a parser, or takes it from the cache. weight is that of joint tags.
func (b *bench) parser(d *data, learner string, weight int) (*search.Model, error) {
	o := search.TrainOptions{Seed: seed, Workers: 2, Epochs: b.epochs, Log: log.Printf}
	name := fmt.Sprintf("%s-%d", learner, b.epochs)
	switch learner {
	case "pa":
	case "joint":
		o.Joint, o.TagWeight = d.Joint, weight
		name = fmt.Sprintf("%s-%d-of-%d-%d-%d", name, weight, b.bounds.Tags, b.bounds.Feats, b.bounds.Most)
	case "samplerank":
		o.Learner, o.C = search.SampleRank, b.c
		name = fmt.Sprintf("%s-%g", name, b.c)
	default:
		return nil, fmt.Errorf("-learners: %q is none of pa, joint, samplerank", learner)
	}
	var sections []pack.Section
	err := b.cached(name, &sections, func() error {
		begun := used()
		m, err := search.Train(b.model.Words, d.Train, d.Dev, o)
		if err != nil {
			return err
		}
		log.Printf("%s: trained in %.0f s", name, (used() - begun).Seconds())
		var to pack.Builder
		m.Pack(to.Sub(model.ParseName))
		sections = to.Sections
		return nil
	})
	if err != nil {
		return nil, err
	}
	return search.Open(pack.NewView(sections), model.ParseName, b.model.Words)
}

// cached reads an entry of the cache into to, or lets work fill it and keeps it.
func (b *bench) cached(name string, to any, work func() error) error {
	path := filepath.Join(b.cache, name+".gob")
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		return gob.NewDecoder(f).Decode(to)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	if f, err = os.Create(path + ".new"); err != nil {
		return err
	}
	if err := errors.Join(gob.NewEncoder(f).Encode(to), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
