package train

import (
	"fmt"
	"slices"
	"sync"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A bank is what a phase learns from.
type bank struct {
	train, dev []syntax.Sentence
	key        string // hash of all that they depend on
}

// componentOf gives the names of the components that phases make.
var componentOf = map[string]string{
	"words": model.WordName, "segmenter": model.SegmentName, "tagger": model.TagName,
	"pruner": model.PruneName, "parser": model.ParseName, "labels": model.LabelName,
}

// phases runs all phases in order and returns the sections of the model.
func (t *trainer) phases() ([]pack.Section, error) {
	gold := t.gold()
	mix := t.clustered(t.cased(t.mixed(gold)))
	words, err := t.component("words", mix)
	if err != nil {
		return nil, err
	}
	if t.words, err = t.openWords(pack.NewView(words.sections)); err != nil {
		return nil, fmt.Errorf("opening the vocabulary: %w", err)
	}
	segmenter, tagger, err := t.segmenterAndTagger(gold, mix)
	if err != nil {
		return nil, err
	}
	trees, err := t.tagged(tagger, mix)
	if err != nil {
		return nil, err
	}
	if trees, err = t.headed(trees); err != nil {
		return nil, err
	}
	g, err := t.finder(trees)
	if err != nil {
		return nil, err
	}
	labels, err := t.component("labels", completed(trees, g.candidates))
	if err != nil {
		return nil, err
	}
	return slices.Concat(words.sections, segmenter.sections, tagger.sections, g.pruner.sections, g.parser.sections, labels.sections), nil
}

// A finder is what finds the heads of tagged sentences, and the bank of
// candidates that its parser learned from.
type finder struct {
	pruner, parser *result
	candidates     bank
}

// finder trains a pruner and a parser.
func (t *trainer) finder(trees bank) (g finder, err error) {
	if g.pruner, err = t.component("pruner", trees, fmt.Sprint(t.Cut)); err != nil {
		return g, err
	}
	if g.candidates, err = t.candidates(g.pruner, trees); err != nil {
		return g, err
	}
	g.parser, err = t.component("parser", g.candidates, fmt.Sprint(t.Families, t.Delta, t.Strategy, t.Weights), t.tensorKey())
	return g, err
}

// gold is the bank of the treebanks as they are, file after file.
func (t *trainer) gold() bank {
	keys := []string{"data", t.train.SHA256, t.dev.SHA256, fmt.Sprint(len(t.train.Sentences), len(t.dev.Sentences))}
	for _, file := range t.train.More {
		keys = append(keys, file.SHA256, fmt.Sprint(len(file.Sentences)))
	}
	return bank{t.train.All(), t.dev.Sentences, hashKey(keys...)}
}

// clustered returns a bank whose key depends on the clusters, which all see that
// learn from it.
func (t *trainer) clustered(b bank) bank {
	if key := t.clustersKey(); key != "" {
		b.key = hashKey("clusters", b.key, key)
	}
	return b
}

// component trains one component or takes it from the store. options are all
// that its bytes depend on beside the bank and the seed.
func (t *trainer) component(phase string, b bank, options ...string) (*result, error) {
	return t.phase(phase, append(options, b.key), func(j job) ([]pack.Section, error) {
		c, err := t.learn[phase](b.train, b.dev, j)
		if err != nil {
			return nil, err
		}
		var to pack.Builder
		c.Pack(to.Sub(componentOf[phase]))
		return to.Sections, nil
	})
}

// segmenterAndTagger trains both at the same time: neither needs the other,
// and each keeps little more than one core busy.
func (t *trainer) segmenterAndTagger(gold, mix bank) (segmenter, tagger *result, err error) {
	var failed error
	var wg sync.WaitGroup
	var lexicon []string // as part of a key, which has none without one
	if key := t.lexiconKey(); key != "" {
		lexicon = []string{key}
	}
	wg.Go(func() { segmenter, failed = t.component("segmenter", gold, lexicon...) })
	tagger, err = t.component("tagger", mix, lexicon...)
	wg.Wait()
	if failed != nil {
		return nil, nil, failed
	}
	return segmenter, tagger, err
}

// tagged returns the sentences with one root of both treebanks, with the tags
// that pruner, parser and labels learn from and are chosen by. With GoldTags both
// have these; else dev has the tagger's, and TreeTags says which train has; silver
// sentences never have both.
func (t *trainer) tagged(tagger *result, from bank) (bank, error) {
	b := bank{oneRoot(from.train), oneRoot(from.dev), ""}
	if t.GoldTags {
		b.key = hashKey("gold tags", from.key)
		return b, nil
	}
	tag, err := t.openTagger(pack.NewView(tagger.sections), t.words)
	if err != nil {
		return bank{}, fmt.Errorf("opening the tagger: %w", err)
	}
	if err := eval.EachSentence(b.dev, t.Workers, tag); err != nil {
		return bank{}, err
	}
	if t.TreeTags == TreeTagsGold {
		b.key = hashKey("gold tags, dev tagged", from.key, tagger.key)
		return b, nil
	}
	all := syntax.Clone(from.train)
	tags, err := t.phase("tags", []string{from.key, t.folds(), tagger.key}, func(j job) ([]pack.Section, error) {
		predicted, err := t.jackknifeTags(from.train, j)
		if err != nil {
			return nil, err
		}
		return packed("tags", tagColumns(predicted)), nil
	})
	if err != nil {
		return bank{}, err
	}
	if err := readColumns(tags, "tags", tagColumns(all)); err != nil {
		return bank{}, err
	}
	jackknifed := oneRoot(all)
	b.key = hashKey(t.TreeTags, tags.key)
	if t.TreeTags == TreeTagsJackknifed {
		b.train = jackknifed
		return b, nil
	}
	// Both versions of a gold sentence stand together, to be in the same fold.
	both := make([]syntax.Sentence, 0, 2*len(jackknifed))
	for i := range jackknifed {
		if jackknifed[i].Gold() {
			both = append(both, b.train[i])
		}
		both = append(both, jackknifed[i])
	}
	b.train = both
	return b, nil
}

// candidates sets the candidate heads of both treebanks, jackknifed ones with
// the gold head for train and the pruner's for dev.
func (t *trainer) candidates(pruner *result, b bank) (bank, error) {
	prune, err := t.openPruner(pack.NewView(pruner.sections), t.words)
	if err != nil {
		return bank{}, fmt.Errorf("opening the pruner: %w", err)
	}
	r, err := t.phase("candidates", []string{pruner.key, t.folds()}, func(j job) ([]pack.Section, error) {
		work := syntax.Clone(b.train)
		if err := t.jackknifeCandidates(work, pack.NewView(pruner.sections), j); err != nil {
			return nil, err
		}
		return packed("candidates", candidateColumns(work)), nil
	})
	if err != nil {
		return bank{}, err
	}
	if err := readColumns(r, "candidates", candidateColumns(b.train)); err != nil {
		return bank{}, err
	}
	b.key = r.key
	return b, eval.EachSentence(b.dev, t.Workers, prune)
}

// folds is the number of folds as part of a key.
func (t *trainer) folds() string { return fmt.Sprint("folds ", t.Folds) }

// oneRoot returns copies of the sentences whose trees have exactly one root (or may
// get one: hasTree), with words of their own: only from those a parser can learn
// that gives every sentence one.
func oneRoot(sents []syntax.Sentence) []syntax.Sentence {
	var out []syntax.Sentence
	for i := range sents {
		s := syntax.Clone(sents[i : i+1])
		if settleRoot(&s[0]); hasTree(&s[0]) {
			out = append(out, s...)
		}
	}
	return out
}
