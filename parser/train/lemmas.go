package train

import (
	"fmt"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/tag"
)

// Lemmas trains the lemmas of a model again and returns the bytes of a file
// that has everything else as it is in the model, byte for byte. Scores on dev
// are measured again, and a calibrator, if the model has one, is fitted again.
// Of the options it reads Seed, TagSeed, Workers, Blocks, Log, Now and, of
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
	j := t.job(c, "")
	lemmas, err := t.trainLemmas(v, train.Sentences, j)
	if err != nil {
		return nil, fmt.Errorf("training the lemmas: %w", err)
	}
	var b pack.Builder
	lemmas.Pack(b.Sub(model.TagName))
	c.finish(0)

	info := from.Info
	info.Parts = t.noted(info.Parts, OnlyLemmas, digest)
	sections := replaced(from.Sections, model.TagName+"."+tag.LemmaSections, b.Sections)
	rest := without(sections, model.CalibrateName, model.FastCalibrateName)
	return t.finish(info, rest, len(rest) < len(sections))
}
