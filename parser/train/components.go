package train

import (
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

// standardComponents are the components of the product.
var standardComponents = components{
	segmenter: func(train, dev []syntax.Sentence, o phaseOptions) (packer, error) {
		return made(segment.Train(train, dev, segment.Options{Seed: o.Seed, Workers: o.Workers, Log: o.Log}))
	},
	tagger: func(train, dev []syntax.Sentence, o phaseOptions) (packer, error) {
		return made(tag.Train(train, dev, tagOptions(o)))
	},
	pruner: func(train, dev []syntax.Sentence, o phaseOptions) (packer, error) {
		return made(prune.Train(train, dev, pruneOptions(o)))
	},
	parser: func(train, dev []syntax.Sentence, o phaseOptions) (packer, error) {
		return made(search.Train(train, dev, search.TrainOptions{
			Seed: o.Seed, Workers: o.Workers, Log: o.Log,
			Families: o.Families, Delta: o.Delta, Strategy: o.Strategy, Limit: o.Weights,
			Checkpoint: o.Checkpoint, Resume: o.Resume, Tensor: o.Tensor,
		}))
	},
	labeler: func(train, dev []syntax.Sentence, o phaseOptions) (packer, error) {
		return made(label.Train(train, dev, label.Options{Seed: o.Seed, Workers: o.Workers, Log: o.Log}))
	},
	jackknifeTags: func(train []syntax.Sentence, o phaseOptions) ([]syntax.Sentence, error) {
		return tag.Jackknife(train, o.Folds, tagOptions(o))
	},
	jackknifeCandidates: func(train []syntax.Sentence, pruner *pack.View, o phaseOptions) error {
		m, err := prune.Open(pruner, model.PruneName)
		if err != nil {
			return err
		}
		_, err = prune.Jackknife(train, o.Folds, m, pruneOptions(o))
		return err
	},
	openTagger: func(v *pack.View) (stage, error) {
		m, err := tag.Open(v, model.TagName)
		if err != nil {
			return nil, err
		}
		return func(s *syntax.Sentence) error {
			m.Tag(s, true)
			return nil
		}, nil
	},
	openPruner: func(v *pack.View) (stage, error) {
		m, err := prune.Open(v, model.PruneName)
		if err != nil {
			return nil, err
		}
		return func(s *syntax.Sentence) error {
			m.Prune(s)
			return nil
		}, nil
	},
	evaluate: evaluate,
}

func tagOptions(o phaseOptions) tag.Options {
	return tag.Options{Seed: o.Seed, Workers: o.Workers, Log: o.Log}
}

func pruneOptions(o phaseOptions) prune.Options {
	return prune.Options{Seed: o.Seed, Workers: o.Workers, Log: o.Log}
}

// made turns a component and its error into the interface, without a nil
// component in it.
func made[M packer](m M, err error) (packer, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
