package train

import (
	"fmt"
	"sync"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A packer is a trained component.
type packer interface{ Pack(*pack.Sub) }

// A stage changes one sentence in place; it is safe for concurrent use.
type stage func(*syntax.Sentence) error

// A trainFunc trains a component; sentences are its own to read, not to
// change.
type trainFunc func(train, dev []syntax.Sentence, o phaseOptions) (packer, error)

// components are what the trainer drives; tests put small ones in their
// place.
type components struct {
	segmenter, tagger, pruner, parser, labeler trainFunc

	jackknifeTags       func(train []syntax.Sentence, o phaseOptions) ([]syntax.Sentence, error)
	jackknifeCandidates func(train []syntax.Sentence, pruner *pack.View, o phaseOptions) error

	openTagger func(*pack.View) (stage, error) // replaces all tags
	openPruner func(*pack.View) (stage, error)

	evaluate func(info model.Info, sections []pack.Section, dev []syntax.Sentence, o phaseOptions) (evaluation, error)
}

// phaseOptions are what a component is told.
type phaseOptions struct {
	Seed    uint64
	Folds   int
	Workers int
	Tensor  *score.TensorOptions // of the parser; nil has none
	Log     func(format string, a ...any)
	Blocks  func([]syntax.Sentence) ([]string, error)

	// Of the parser.
	Families feature.Families
	Delta    int
	Strategy search.Strategy
	Weights  int

	// Of a phase that can go on in the middle: Checkpoint keeps its state
	// after an epoch, Resume returns what was kept last.
	Checkpoint func(epoch int, state []byte) error
	Resume     func() ([]byte, bool)
}

// trainer is one run of the phases.
type trainer struct {
	Options
	components
	train, dev           Treebank
	trainTrees, devTrees []int // places of the sentences with one root
	progress             *progress
}

// phases runs all phases in order and returns the sections of the model.
func (t *trainer) phases() ([]pack.Section, error) {
	data := hashKey("data", t.train.SHA256, t.dev.SHA256, fmt.Sprint(len(t.train.Sentences), len(t.dev.Sentences)))

	segmenter, tagger, err := t.segmenterAndTagger(data)
	if err != nil {
		return nil, err
	}
	train, dev, tags, err := t.tagged(tagger, data)
	if err != nil {
		return nil, err
	}
	pruner, err := t.component("pruner", model.PruneName, t.pruner, train, dev, tags)
	if err != nil {
		return nil, err
	}
	candidates, err := t.candidates(pruner, train, dev)
	if err != nil {
		return nil, err
	}
	parser, err := t.component("parser", model.ParseName, t.parser, train, dev, candidates, t.parts())
	if err != nil {
		return nil, err
	}
	labeler, err := t.component("labels", model.LabelName, t.labeler, train, dev, tags)
	if err != nil {
		return nil, err
	}
	var all []pack.Section
	for _, r := range []*result{segmenter, tagger, pruner, parser, labeler} {
		all = append(all, r.sections...)
	}
	return all, nil
}

// segmenterAndTagger trains both at the same time: neither needs the other,
// and each keeps little more than one core busy.
func (t *trainer) segmenterAndTagger(data string) (segmenter, tagger *result, err error) {
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		segmenter, failed = t.component("segmenter", model.SegmentName, t.segmenter, t.train.Sentences, t.dev.Sentences, data)
	})
	tagger, err = t.component("tagger", model.TagName, t.tagger, t.train.Sentences, t.dev.Sentences, data)
	wg.Wait()
	if failed != nil {
		return nil, nil, failed
	}
	return segmenter, tagger, err
}

// parts returns the options of the parser as part of its key.
func (t *trainer) parts() string {
	key := fmt.Sprint(t.Families, " ", t.Delta, " ", t.Strategy, " ", t.tensorKey())
	if t.Weights != 0 {
		key += fmt.Sprint(" weights ", t.Weights)
	}
	return key
}

// component trains one component or takes it from the store. keys are all
// that its bytes depend on but the seed.
func (t *trainer) component(phase, name string, train trainFunc, data, dev []syntax.Sentence, keys ...string) (*result, error) {
	return t.phase(phase, keys, func(o phaseOptions) ([]pack.Section, error) {
		c, err := train(data, dev, o)
		if err != nil {
			return nil, err
		}
		var b pack.Builder
		c.Pack(b.Sub(name))
		return b.Sections, nil
	})
}

// tagged returns the one-root sentences of both treebanks with the tags that
// pruner, parser and labels learn from and are chosen by, and the key of those
// tags. With GoldTags and NoTags both have the same kind; else dev has the
// tagger's, and TreeTags says which train has.
func (t *trainer) tagged(tagger *result, data string) (train, dev []syntax.Sentence, key string, err error) {
	gold, dev := choose(t.train.Sentences, t.trainTrees), choose(t.dev.Sentences, t.devTrees)
	switch {
	case t.GoldTags:
		return gold, dev, hashKey("gold tags", data), nil
	case t.NoTags:
		for _, list := range [][]syntax.Sentence{gold, dev} {
			for i := range list {
				list[i] = model.WithoutTags(&list[i])
			}
		}
		return gold, dev, hashKey("no tags", data), nil
	}
	tag, err := t.openTagger(pack.NewView(tagger.sections))
	if err != nil {
		return nil, nil, "", fmt.Errorf("opening the tagger: %w", err)
	}
	if err := forEach(dev, t.Workers, tag); err != nil {
		return nil, nil, "", err
	}
	if t.TreeTags == TreeTagsGold {
		return gold, dev, hashKey("gold tags, dev tagged", data, tagger.key), nil
	}
	train, key, err = t.jackknifed(tagger, data)
	if err != nil || t.TreeTags == TreeTagsJackknifed {
		return train, dev, key, err
	}
	// Both versions of a sentence stand together, to be in the same fold.
	both := make([]syntax.Sentence, 0, 2*len(train))
	for i := range train {
		both = append(both, gold[i], train[i])
	}
	return both, dev, hashKey("both tags", key), nil
}

// jackknifed returns the one-root sentences for training with tags as taggers
// give them that did not see their fold.
func (t *trainer) jackknifed(tagger *result, data string) ([]syntax.Sentence, string, error) {
	folds := fmt.Sprint("folds ", t.Folds)
	r, err := t.phase("tags", []string{data, folds, tagger.key}, func(o phaseOptions) ([]pack.Section, error) {
		predicted, err := t.jackknifeTags(t.train.Sentences, o)
		if err != nil {
			return nil, err
		}
		return packTags(predicted), nil
	})
	if err != nil {
		return nil, "", err
	}
	all := choose(t.train.Sentences, everything(t.train.Sentences))
	if err := setTags(all, pack.NewView(r.sections)); err != nil {
		return nil, "", err
	}
	return choose(all, t.trainTrees), r.key, nil
}

// candidates sets the candidate heads of both treebanks, jackknifed ones with
// the gold head for train and the pruner's for dev, and returns their key.
func (t *trainer) candidates(pruner *result, train, dev []syntax.Sentence) (string, error) {
	folds := fmt.Sprint("folds ", t.Folds)
	r, err := t.phase("candidates", []string{pruner.key, folds}, func(o phaseOptions) ([]pack.Section, error) {
		work := choose(train, everything(train))
		if err := t.jackknifeCandidates(work, pack.NewView(pruner.sections), o); err != nil {
			return nil, err
		}
		return packCandidates(work)
	})
	if err != nil {
		return "", err
	}
	if err := setCandidates(train, pack.NewView(r.sections)); err != nil {
		return "", err
	}
	prune, err := t.openPruner(pack.NewView(pruner.sections))
	if err != nil {
		return "", fmt.Errorf("opening the pruner: %w", err)
	}
	return r.key, forEach(dev, t.Workers, prune)
}

func everything(sents []syntax.Sentence) []int {
	all := make([]int, len(sents))
	for i := range all {
		all[i] = i
	}
	return all
}
