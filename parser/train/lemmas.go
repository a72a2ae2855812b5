package train

import (
	"fmt"
	"maps"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/pack"
)

// Lemmas trains the lemmas of a model again and returns the bytes of a file
// that has everything else as it is in the model, byte for byte. Scores on dev
// are measured again, and a calibrator, if the model has one, is fitted again.
// Of the options it reads Seed, TagSeed, Lexicon, Workers, Blocks, Log, Now and, of
// Info, Command, Code and Created, which say in the provenance how the lemmas
// were made. digest names the model.
//
// Pruner, parser and labels read lemmas as features. They have learned from
// those of the model: if many are others now, train the whole model.
func Lemmas(from *model.File, digest string, train, dev Treebank, o Options) ([]byte, error) {
	t, err := newTrainer(train, dev, o, theStages)
	if err != nil {
		return nil, err
	}
	v := pack.NewView(from.Sections)
	if t.words, err = t.openWords(v); err != nil {
		return nil, err
	}
	c := t.progress.start(OnlyLemmas)
	lemmas, err := t.trainLemmas(v, train.All(), t.job(c, ""))
	if err != nil {
		return nil, fmt.Errorf("training the lemmas: %w", err)
	}
	c.finish(0)
	return t.exchange(from, digest, OnlyLemmas, model.TagName, lemma.Name+".", lemmas)
}

// Segmenter trains the segmenter of a model again and returns the bytes of a
// file that has everything else as it is in the model, byte for byte. It reads the
// options that Lemmas reads, and scores and calibrator are made again likewise.
// Nothing else has learned from what the segmenter does.
func Segmenter(from *model.File, digest string, train, dev Treebank, o Options) ([]byte, error) {
	t, err := newTrainer(train, dev, o, theStages)
	if err != nil {
		return nil, err
	}
	c := t.progress.start(OnlySegmenter)
	segmenter, err := t.learn[OnlySegmenter](train.All(), dev.Sentences, t.job(c, ""))
	if err != nil {
		return nil, fmt.Errorf("training the segmenter: %w", err)
	}
	c.finish(0)
	return t.exchange(from, digest, OnlySegmenter, model.SegmentName, "", segmenter)
}

// exchange returns the bytes of a model whose sections under a prefix of a
// component are those of made, trained alone as that part; digest names the model.
func (t *trainer) exchange(from *model.File, digest, part, component, prefix string, made packer) ([]byte, error) {
	info := from.Info
	info.Parts = t.noted(info.Parts, part, digest)
	if key := t.lexiconKey(); key != "" {
		info.Options = maps.Clone(info.Options)
		info.Options["lexicon of "+part] = key
	}
	sections := replaced(from.Sections, component+"."+prefix, packedAs(component, made))
	rest := without(sections, model.CalibrateName, model.FastCalibrateName)
	return t.finish(info, rest, len(rest) < len(sections))
}
