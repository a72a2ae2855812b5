package train

import (
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

// A job is what a phase is told beside its sentences.
type job struct {
	Options                  // Seed is that of the phase, Log its own
	words   *word.Vocabulary // nil in the phase that learns it

	// checkpoint keeps a phase's state after an epoch, resume gives back what
	// was kept last (linear.Loop); nil where nothing is kept.
	checkpoint func(epoch int, layout func(*pack.Layout)) error
	resume     func(layout func(*pack.Layout)) (bool, error)
}

// A packer is a trained component.
type packer interface{ Pack(*pack.Sub) }

// A stage changes one sentence in place; it is safe for concurrent use.
type stage func(*syntax.Sentence) error

// A trainFunc trains a component. Sentences are its own to read, not to
// change.
type trainFunc func(train, dev []syntax.Sentence, j job) (packer, error)

// stages are what the trainer drives; tests put small ones in their place.
type stages struct {
	learn map[string]trainFunc // by phase

	jackknifeTags       func(train []syntax.Sentence, j job) ([]syntax.Sentence, error)
	jackknifeCandidates func(train []syntax.Sentence, pruner *pack.View, j job) error

	// findHeads gives heads to words of train that have candidates and a relation alone.
	findHeads func(train []syntax.Sentence, parser *pack.View, j job) error

	trainLemmas func(model *pack.View, train []syntax.Sentence, j job) (packer, error)

	openWords  func(*pack.View) (*word.Vocabulary, error)
	openTagger func(*pack.View, *word.Vocabulary) (stage, error) // replaces all tags
	openPruner func(*pack.View, *word.Vocabulary) (stage, error)

	// tune returns a tuned encoder, quantise its component; fitMix what it
	// counts in the model of the sections.
	tune     func(train, dev []syntax.Sentence, j job) (*encode.Params, *encode.Heads, error)
	quantise func(*encode.Params, *encode.Heads) (packer, error)
	fitMix   func(info model.Info, sections []pack.Section, dev []syntax.Sentence, j job) (model.Mix, error)

	evaluate func(t *trainer, info *model.Info, sections []pack.Section, log func(format string, a ...any)) ([]pack.Section, error)
}

// theStages are those of the product.
var theStages = stages{
	learn: map[string]trainFunc{
		"words": func(train, _ []syntax.Sentence, j job) (packer, error) {
			return word.Learn(train).WithClusters(j.Clusters), nil
		},
		"segmenter": func(train, dev []syntax.Sentence, j job) (packer, error) {
			return segment.Train(train, dev, segment.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log, Abbreviations: abbreviations(j.Lexicon)})
		},
		"tagger": func(train, dev []syntax.Sentence, j job) (packer, error) {
			return tag.Train(train, dev, tagOptions(j))
		},
		"pruner": func(train, dev []syntax.Sentence, j job) (packer, error) {
			return prune.Train(j.words, train, dev, pruneOptions(j))
		},
		"parser": func(train, dev []syntax.Sentence, j job) (packer, error) {
			return search.Train(j.words, train, dev, search.TrainOptions{
				Seed: j.Seed, Workers: j.Workers, Log: j.Log,
				Families: j.Families, Delta: j.Delta, Strategy: j.Strategy, Limit: j.Weights, Tensor: j.Tensor,
				Checkpoint: j.checkpoint, Resume: j.resume,
			})
		},
		"labels": func(train, dev []syntax.Sentence, j job) (packer, error) {
			return label.Train(j.words, train, dev, label.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log})
		},
	},
	jackknifeTags: func(train []syntax.Sentence, j job) ([]syntax.Sentence, error) {
		return tag.Jackknife(train, j.Folds, tagOptions(j))
	},
	jackknifeCandidates: func(train []syntax.Sentence, pruner *pack.View, j job) error {
		m, err := prune.Open(pruner, model.PruneName, j.words)
		if err == nil {
			_, err = prune.Jackknife(train, j.Folds, m, pruneOptions(j))
		}
		return err
	},
	findHeads: findHeads,
	trainLemmas: func(v *pack.View, train []syntax.Sentence, j job) (packer, error) {
		return tag.TrainLemmas(v, model.TagName, train, tagOptions(j))
	},
	openWords: func(v *pack.View) (*word.Vocabulary, error) { return word.Open(v, model.WordName) },
	openTagger: func(v *pack.View, words *word.Vocabulary) (stage, error) {
		m, err := tag.Open(v, model.TagName, words.Clusters())
		return func(s *syntax.Sentence) error { m.Tag(s, tag.Request{Retag: true}); return nil }, err
	},
	openPruner: func(v *pack.View, words *word.Vocabulary) (stage, error) {
		m, err := prune.Open(v, model.PruneName, words)
		return func(s *syntax.Sentence) error { m.Prune(s); return nil }, err
	},
	tune: func(train, dev []syntax.Sentence, j job) (*encode.Params, *encode.Heads, error) {
		e := j.Encoder
		return finetune.Train(e.Params, train, dev, finetune.Options{
			Seed: j.Seed, Layers: e.Layers, Epochs: e.Epochs, Texts: e.Text,
			Workers: j.Workers, Log: j.Log, Now: j.Now, Checkpoint: j.checkpoint, Resume: j.resume,
		})
	},
	quantise: func(p *encode.Params, h *encode.Heads) (packer, error) { return encode.Quantize(p, h) },
	fitMix:   fitMix,
	evaluate: (*trainer).evaluateModel,
}

func tagOptions(j job) tag.Options {
	return tag.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log, Lexicon: j.Lexicon, Clusters: j.Clusters}
}

func pruneOptions(j job) prune.Options {
	return prune.Options{Seed: j.Seed, Workers: j.Workers, Cut: j.Cut, Log: j.Log}
}

// abbreviations returns the forms of a lexicon that end in a period.
func abbreviations(lexicon []lemma.Entry) (list []string) {
	for i := range lexicon {
		if form := lexicon[i].Form; len(form) > 1 && strings.HasSuffix(form, ".") {
			list = append(list, form)
		}
	}
	return list
}
