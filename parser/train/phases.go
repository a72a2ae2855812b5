package train

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
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

// A dataset is what a phase learns from.
type dataset struct {
	train, dev []syntax.Sentence
	key        string // hash of all that the sentences depend on
}

// A packer is a trained component.
type packer interface{ Pack(*pack.Sub) }

// A component is trained in a phase of its own.
type component struct {
	name  string // in a model
	train func(b dataset, j job) (packer, error)
}

// components are the components of a sparse model, by phase.
var components = map[string]component{
	"words": {model.WordName, func(b dataset, j job) (packer, error) {
		// Forms that no tree has would look as known as those of trees.
		list := slices.DeleteFunc(slices.Clone(b.train), func(s syntax.Sentence) bool { return onlyTags(&s) })
		return word.Learn(list), nil
	}},
	"segmenter": {model.SegmentName, func(b dataset, j job) (packer, error) {
		return segment.Train(b.train, b.dev, segment.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log, Small: j.small,
			Begins: j.begins, Abbreviations: abbreviations(j.Lexicon)})
	}},
	"tagger": {model.TagName, func(b dataset, j job) (packer, error) {
		return tag.Train(b.train, b.dev, tagOptions(j))
	}},
	"pruner": {model.PruneName, func(b dataset, j job) (packer, error) {
		return prune.Train(j.words, b.train, b.dev, pruneOptions(j))
	}},
	"parser": {model.ParseName, func(b dataset, j job) (packer, error) {
		return search.Train(j.words, b.train, b.dev, search.TrainOptions{
			Seed: j.Seed, Workers: j.Workers, Log: j.Log,
			Families: j.Families, Limit: j.Weights, Tensor: j.Tensor,
			Checkpoint: j.checkpoint, Resume: j.resume,
		})
	}},
	"labels": {model.LabelName, func(b dataset, j job) (packer, error) {
		return label.Train(j.words, b.train, b.dev, labelOptions(j))
	}},
}

func tagOptions(j job) tag.Options {
	return tag.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log, Small: j.small, Lexicon: j.Lexicon}
}

func pruneOptions(j job) prune.Options {
	o := prune.Options{Seed: j.Seed, Workers: j.Workers, Cut: j.Cut, Log: j.Log}
	if j.small {
		o.Limit = 80_000
	}
	return o
}

func labelOptions(j job) label.Options {
	o := label.Options{Seed: j.Seed, Workers: j.Workers, Log: j.Log, Small: j.small}
	if j.small {
		o.Cells = 80_000
	}
	return o
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

// phases runs all phases in order and returns the sections of the model.
func (t *trainer) phases() ([]pack.Section, error) {
	gold := t.gold()
	all := t.recased(t.mixed(gold))
	words, err := t.component("words", all)
	if err != nil {
		return nil, err
	}
	if t.words, err = word.Open(pack.NewView(words.sections), model.WordName); err != nil {
		return nil, fmt.Errorf("opening the vocabulary: %w", err)
	}
	segmenter, tagger, err := t.segmenterAndTagger(gold, all)
	if err != nil {
		return nil, err
	}
	trees, err := t.tagged(tagger, all)
	if err != nil {
		return nil, err
	}
	stages, err := t.stages(trees)
	if err != nil {
		return nil, err
	}
	return slices.Concat(words.sections, segmenter.sections, tagger.sections, stages), nil
}

// stages trains what finds trees, from tagged trees.
func (t *trainer) stages(trees dataset) ([]pack.Section, error) {
	pruner, err := t.component("pruner", trees, fmt.Sprint(t.Cut))
	if err != nil {
		return nil, err
	}
	candidates, err := t.candidates(pruner, trees)
	if err != nil {
		return nil, err
	}
	parser, err := t.component("parser", candidates, fmt.Sprint(t.Families, search.DefaultDelta, t.Weights), t.tensorKey())
	if err != nil {
		return nil, err
	}
	labels, err := t.component("labels", completed(trees, candidates))
	if err != nil {
		return nil, err
	}
	return slices.Concat(pruner.sections, parser.sections, labels.sections), nil
}

// gold returns the treebanks as they are, file after file, as a data set.
func (t *trainer) gold() dataset {
	keys := []string{"data", t.train.SHA256, t.dev.SHA256, fmt.Sprint(len(t.train.Sentences), len(t.dev.Sentences))}
	for _, file := range t.train.More {
		keys = append(keys, file.SHA256, fmt.Sprint(len(file.Sentences)))
	}
	return dataset{t.train.All(), t.dev.Sentences, hashKey(keys...)}
}

// component trains one component or takes it from the store. options name
// everything that its bytes depend on, apart from the data set and the seed.
func (t *trainer) component(phase string, b dataset, options ...string) (*result, error) {
	if options = append(options, b.key); t.small {
		options = append(options, smallVersion)
	}
	return t.phase(phase, options, func(j job) ([]pack.Section, error) {
		c := components[phase]
		made, err := c.train(b, j)
		if err != nil {
			return nil, err
		}
		return packedAs(c.name, made), nil
	})
}

// packedAs returns the sections of a component under its name.
func packedAs(name string, c packer) []pack.Section {
	var b pack.Builder
	c.Pack(b.Sub(name))
	return b.Sections
}

// segmenterAndTagger trains both at the same time: neither needs the other,
// and each keeps little more than one core busy.
func (t *trainer) segmenterAndTagger(gold, all dataset) (segmenter, tagger *result, err error) {
	var failed error
	var wg sync.WaitGroup
	var lexicon []string // part of the key, absent without a lexicon
	if key := t.lexiconKey(); key != "" {
		lexicon = []string{key}
	}
	options := slices.Clone(lexicon)
	if t.begins != nil {
		options = append(options, t.beginsKey)
	}
	wg.Go(func() { segmenter, failed = t.component("segmenter", gold, options...) })
	tagger, err = t.component("tagger", all, lexicon...)
	wg.Wait()
	if failed != nil {
		return nil, nil, failed
	}
	return segmenter, tagger, err
}

// tagged returns the sentences with one root of both treebanks, with the tags from
// which pruner, parser and labels learn and by which they are chosen. With
// GoldTags both have gold tags. Otherwise dev has the tagger's, and treeTags says
// which ones train has; silver sentences never have both.
func (t *trainer) tagged(tagger *result, from dataset) (dataset, error) {
	b := dataset{oneRoot(from.train), oneRoot(from.dev), ""}
	if t.GoldTags {
		b.key = hashKey("gold tags", from.key)
		return b, nil
	}
	m, err := tag.Open(pack.NewView(tagger.sections), model.TagName)
	if err != nil {
		return dataset{}, fmt.Errorf("opening the tagger: %w", err)
	}
	if err := eval.EachSentence(b.dev, t.Workers,
		func(s *syntax.Sentence) error { m.Tag(s, tag.Request{Retag: true}); return nil }); err != nil {
		return dataset{}, err
	}
	jackknifed := syntax.Clone(b.train)
	tags, err := t.columns("tags", tagColumns, jackknifed, []string{"of trees", from.key, t.folds(), tagger.key},
		func(list []syntax.Sentence, j job) error {
			predicted, err := tag.Jackknife(from.train, usedTree, j.Folds, tagOptions(j))
			copy(list, predicted)
			return err
		})
	if err != nil {
		return dataset{}, err
	}
	b.key = hashKey(t.treeTags, tags.key)
	if t.treeTags == "jackknifed" {
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
func (t *trainer) candidates(pruner *result, b dataset) (dataset, error) {
	m, err := prune.Open(pack.NewView(pruner.sections), model.PruneName, t.words)
	if err != nil {
		return dataset{}, fmt.Errorf("opening the pruner: %w", err)
	}
	r, err := t.columns("candidates", candidateColumns, b.train, []string{pruner.key, t.folds()},
		func(list []syntax.Sentence, j job) error {
			_, err := prune.Jackknife(list, j.Folds, m, pruneOptions(j))
			return err
		})
	if err != nil {
		return dataset{}, err
	}
	b.key = r.key
	return b, eval.EachSentence(b.dev, t.Workers, func(s *syntax.Sentence) error { m.Prune(s); return nil })
}

// folds returns the number of folds as part of a key.
func (t *trainer) folds() string { return fmt.Sprint("folds ", t.Folds) }

// columns runs a phase that predicts columns of a treebank instead of a component: work
// sets them in a copy of the sentences, and the sentences get the columns of the stored
// result.
func (t *trainer) columns(phase string, of func([]syntax.Sentence) func(*pack.Layout), sents []syntax.Sentence,
	keys []string, work func([]syntax.Sentence, job) error) (*result, error) {
	r, err := t.phase(phase, keys, func(j job) ([]pack.Section, error) {
		list := syntax.Clone(sents)
		if err := work(list, j); err != nil {
			return nil, err
		}
		return packed(phase, of(list)), nil
	})
	if err != nil {
		return nil, err
	}
	return r, pack.Read(pack.NewView(r.sections), phase, of(sents))
}

func packed(name string, layout func(*pack.Layout)) []pack.Section {
	var b pack.Builder
	pack.Write(b.Sub(name), layout)
	return b.Sections
}

// tagFields are the columns that a tagger predicts.
var tagFields = []struct {
	name string
	of   func(*syntax.Word) *string
}{
	{"upos", func(w *syntax.Word) *string { return &w.UPOS }}, {"xpos", func(w *syntax.Word) *string { return &w.XPOS }},
	{"feats", func(w *syntax.Word) *string { return &w.Feats }},
	{"lemma", func(w *syntax.Word) *string { return &w.Lemma }},
}

// tagColumns are the tags and lemmas of all words.
func tagColumns(sents []syntax.Sentence) func(*pack.Layout) {
	return func(l *pack.Layout) {
		for _, f := range tagFields {
			var column []string
			for w := range syntax.Words(sents) {
				column = append(column, *f.of(w))
			}
			words := len(column)
			l.Strings(f.name, &column)
			l.Check(f.name, len(column) == words, "does not have as many words as the treebank")
			if l.Reading() {
				at := 0
				for w := range syntax.Words(sents) {
					*f.of(w) = column[at]
					at++
				}
			}
		}
	}
}

// candidateColumns are the candidate heads of all sentences. Where they are
// missing, they do not bound their array when they are read.
func candidateColumns(sents []syntax.Sentence) func(*pack.Layout) {
	return func(l *pack.Layout) {
		var start, heads, odds []int32
		for i := range sents {
			c := &sents[i].Candidates
			start, heads, odds = append(start, c.Start...), append(heads, c.Heads...), append(odds, c.LogOdds...)
		}
		pack.Array(l, "start", &start)
		pack.Array(l, "heads", &heads)
		pack.Array(l, "logodds", &odds)
		l.Check("start", len(start) == syntax.CountWords(sents)+len(sents), "does not fit the treebank")
		for i := 0; i < len(sents) && l.Reading(); i++ {
			n := sents[i].Len()
			k := int(start[n])
			l.Check("heads", k >= 0 && k <= len(heads) && k <= len(odds), "does not fit the treebank")
			pack.Bounds(l, "start", start[:n+1], k)
			if l.Reading() {
				sents[i].Candidates = syntax.Candidates{Start: slices.Clip(start[:n+1]), Heads: slices.Clip(heads[:k]),
					LogOdds: slices.Clip(odds[:k])}
				start, heads, odds = start[n+1:], heads[k:], odds[k:]
			}
		}
		l.Check("heads", len(heads)+len(odds) == 0, "does not fit the treebank")
	}
}

// oneRoot returns copies of the sentences whose trees have exactly one root (or may
// get one: hasTree), with words of their own. The parser gives every sentence one
// root, so it learns only from these.
func oneRoot(sents []syntax.Sentence) (out []syntax.Sentence) {
	for i := range sents {
		if usedTree(&sents[i]) {
			out = append(out, withRoot(&sents[i]))
		}
	}
	return out
}

// usedTree reports whether oneRoot keeps a sentence.
func usedTree(s *syntax.Sentence) bool {
	c := withRoot(s)
	return hasTree(&c)
}
