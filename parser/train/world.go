package train

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/language"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Language is a language of a world and its treebank.
type Language struct {
	Code, Name string // "de", "German"; without a name only encoder and identifier learn from it
	Sources    []model.Source
	Train, Dev Treebank
}

// WorldOptions are the options of RunWorld.
type WorldOptions struct {
	Options

	// Tuned is a fine-tuned encoder of many treebanks to use instead of
	// Options.Encoder; nil: none. About is its provenance.
	Tuned *encode.Model
	About model.Encoded
}

// What the parser of all languages learns from: the first sentences of each treebank, and
// of dev fewer, which choose an epoch.
const (
	treeWords    = 8_000
	treeDevWords = 400
	worldWeights = 300_000 // of the parser
)

// RunWorld trains a world (model.World) and returns the bytes of its file. All
// languages share an encoder, a language identifier, a pruner, a parser and a model of
// labels; the last three read tags and FEATS but no words. Each language has a
// segmenter and a tagger of its own. Of Options, RunWorld reads Seed, TagSeed, Cased,
// Folds, Weights, Encoder, Workers, Info, Blocks, Store, Log and Now.
func RunWorld(list []Language, o WorldOptions) ([]byte, error) {
	named := func(l Language) int { return min(len(l.Name), 1) }
	list = slices.SortedFunc(slices.Values(list), func(a, b Language) int {
		return cmp.Or(cmp.Compare(named(b), named(a)), cmp.Compare(a.Code, b.Code))
	})
	if err := checkRelations(list); err != nil {
		return nil, err
	}
	o.Folds = cmp.Or(o.Folds, 2)
	o.setDefaults(0)
	t := &trainer{Options: o.Options, progress: &progress{out: o.Log, now: o.Now}}
	identifier, err := t.identifier(list)
	if err != nil {
		return nil, err
	}
	if o.Encoder != nil && o.Tuned == nil {
		if o.Tuned, o.About, err = t.encoderOf(list); err != nil {
			return nil, err
		}
	}
	list = slices.DeleteFunc(list, func(l Language) bool { return l.Name == "" })
	var tongues []*tongue
	for _, l := range append(list, undetermined(list)) {
		t, err := trainLanguage(l, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Code, err)
		}
		tongues = append(tongues, t)
	}
	common, err := trainTrees(tongues[:len(list)], o.Options)
	if err != nil {
		return nil, err
	}
	w := &worldFile{common: slices.Concat(identifier, common), tongues: tongues, info: o.Info}
	w.info.Seed = o.Seed
	if o.Tuned != nil {
		w.info.Encoder, w.info.Licence = &o.About, withLicences(o.Info.Licence, &o.About)
		e, err := t.starts(&tunedEncoder{sections: packedAs(model.EncodeName, o.Tuned)}, keysOf(list), list)
		if err != nil {
			return nil, err
		}
		w.common = slices.Concat(w.common, e.sections)
		if err := w.fitMix(t); err != nil {
			return nil, err
		}
	}
	if err := w.measure(t); err != nil {
		return nil, err
	}
	return w.encode()
}

// checkRelations refuses languages whose relations are too many for the one model of labels,
// which is trained last.
func checkRelations(list []Language) error {
	var trees []syntax.Sentence
	for _, l := range list {
		if l.Name != "" {
			trees = append(trees, first(oneRoot(l.Train.All()), treeWords)...)
		}
	}
	if n := len(syntax.GoldRelations(trees)); n > label.MaxRelations {
		return fmt.Errorf("the languages have %d relations together, a model holds %d: check the DEPREL columns, or leave a language out", n, label.MaxRelations)
	}
	return nil
}

// identifier trains what names the language of a text.
func (t *trainer) identifier(list []Language) ([]pack.Section, error) {
	r, err := t.phase(model.IdentifyName, keysOf(list), func(j job) ([]pack.Section, error) {
		var train, dev []language.Sample
		for _, l := range list {
			train = append(train, language.Sample{Code: l.Code, Text: textOf(l.Train.Sentences)})
			dev = append(dev, language.Sample{Code: l.Code, Text: textOf(l.Dev.Sentences)})
		}
		m, err := language.Train(train, language.Options{Seed: j.Seed, Dev: dev})
		if err != nil {
			return nil, err
		}
		return packedAs(model.IdentifyName, m), nil
	})
	if err != nil {
		return nil, err
	}
	return r.sections, nil
}

// keysOf identify treebanks.
func keysOf(list []Language) []string {
	keys := []string{"of languages"}
	for _, l := range list {
		keys = append(keys, l.Code, l.Train.SHA256, l.Dev.SHA256)
	}
	return keys
}

// textOf returns sentences as text, one behind the other.
func textOf(list []syntax.Sentence) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(list[i].Text)
		b.WriteByte(' ')
	}
	return b.String()
}

// devOfLanguage is how many words of the dev treebank of a language choose the epoch of
// the encoder.
const devOfLanguage = 800

// encoderOf tunes the pretrained encoder on all treebanks.
func (t *trainer) encoderOf(list []Language) (*encode.Model, model.Encoded, error) {
	return t.tune(append(keysOf(list), t.Encoder.key()), true, func() (train, dev []syntax.Sentence) {
		for _, l := range list {
			casing := word.LearnCasing(l.Train.Sentences)
			take := func(list []syntax.Sentence, words int) []syntax.Sentence {
				list = encodable(first(oneRoot(list), words), casing)
				for i := range list {
					list[i].Language = l.Code
				}
				return list
			}
			train = append(train, take(l.Train.Sentences, syntax.CountWords(l.Train.Sentences)+1)...)
			dev = append(dev, take(l.Dev.Sentences, devOfLanguage)...)
		}
		return train, dev
	})
}

// A worldFile is what goes into the file. The last of tongues is model.Undetermined.
type worldFile struct {
	info    model.Info
	common  []pack.Section
	tongues []*tongue
}

// encode returns the bytes of the file with what there is so far.
func (w *worldFile) encode() (data []byte, err error) {
	own := map[string][]byte{}
	info := w.info
	for _, t := range w.tongues {
		if own[t.Code], err = model.EncodeLanguage(t.about(), t.sections, t.relations()); err != nil {
			return nil, err
		}
		if t.Code != model.Undetermined {
			info.Languages = append(info.Languages, t.language())
		}
	}
	return model.EncodeWorld(info, w.common, own)
}

// banks opens the models of the languages, beside their dev.
func (w *worldFile) banks(more ...pack.Section) (list []eval.Bank, err error) {
	with := *w
	with.common = slices.Concat(w.common, more)
	data, err := with.encode()
	if err != nil {
		return nil, err
	}
	open, err := model.OpenWorldBytes(data)
	if err != nil {
		return nil, err
	}
	for _, t := range w.tongues[:len(w.tongues)-1] {
		m, err := open.Language(t.Code)
		if err != nil {
			return nil, err
		}
		list = append(list, eval.Bank{Name: t.Code, Model: m, Gold: t.Dev.Sentences})
	}
	return list, nil
}

// fitMix fits the factors of the encoder's scores, the same for all languages.
func (w *worldFile) fitMix(t *trainer) error {
	keys := []string{mixVersion, sumOfSections(w.common)}
	for _, x := range w.tongues {
		keys = append(keys, x.trees.key, sumOfSections(x.sections))
	}
	mix, err := t.phase("mix", keys, func(j job) ([]pack.Section, error) {
		mix := FirstMix
		banks, err := w.banks(packedAs(model.MixName, &mix)...)
		if err == nil {
			mix, err = mixOf(banks, j)
		}
		return packedAs(model.MixName, &mix), err
	})
	if err == nil {
		w.common = slices.Concat(w.common, mix.sections)
	}
	return err
}

// measure scores the languages on their dev and fits calibrators to all of it, for parses
// with the encoder and without.
func (w *worldFile) measure(t *trainer) error {
	c := t.progress.start("evaluation")
	banks, err := w.banks()
	if err != nil {
		return err
	}
	o := eval.ParseOptions{Blocks: t.Blocks, Workers: t.Workers}
	e, err := eval.Measure(banks, o, c.log)
	if err != nil {
		return err
	}
	for i, scores := range e.Scores {
		w.tongues[i].scores = scores
	}
	add := func(e eval.Measured, name string) *model.Calibration {
		if e.Calibrator == nil {
			return nil
		}
		w.common = append(w.common, packedAs(name, e.Calibrator)...)
		e.Calibration.Gold = eval.DataOf(banks)
		return &e.Calibration
	}
	w.info.Calibration = add(e, model.CalibrateName)
	if w.info.Encoder != nil {
		for i := range banks {
			sparse := *banks[i].Model
			sparse.Encoder = nil
			banks[i].Model = &sparse
		}
		if e, err = eval.Measure(banks, o, c.log); err != nil {
			return err
		}
		about := *w.info.Encoder
		about.FastCalibration = add(e, model.FastCalibrateName)
		w.info.Encoder = &about
	}
	c.finish("")
	return nil
}

// undeterminedWords is how many words of each language the segmenter and the tagger for
// text of other languages learn from.
const undeterminedWords = 400

// undetermined is a language made of a little of each.
func undetermined(list []Language) Language {
	u := Language{Code: model.Undetermined}
	keys := []string{model.Undetermined}
	for _, l := range list {
		u.Train.Sentences = append(u.Train.Sentences, first(l.Train.Sentences, undeterminedWords)...)
		u.Dev.Sentences = append(u.Dev.Sentences, first(l.Dev.Sentences, undeterminedWords/4)...)
		keys = append(keys, l.Train.SHA256, l.Dev.SHA256)
	}
	u.Train.SHA256 = hashKey(append(keys, "train")...)
	u.Dev.SHA256 = hashKey(append(keys, "dev")...)
	return u
}

// first returns the first sentences that have the given number of words together; at
// least one.
func first(list []syntax.Sentence, words int) []syntax.Sentence {
	n := 0
	for n < len(list) && words > 0 {
		words -= list[n].Len()
		n++
	}
	return list[:n]
}

// trainTrees trains what all languages share but the encoder.
func trainTrees(tongues []*tongue, o Options) ([]pack.Section, error) {
	if o.Weights == 0 {
		o.Weights = worldWeights
	}
	o.Families, o.Tensor, o.small = part.Fast, 0, true
	trees := dataset{key: hashKey("trees of languages", fmt.Sprint(treeWords, treeDevWords))}
	words := 0
	for _, t := range tongues {
		trees.train = append(trees.train, first(t.trees.train, treeWords)...)
		trees.dev = append(trees.dev, first(t.trees.dev, treeDevWords)...)
		trees.key = hashKey(trees.key, t.trees.key)
		words += syntax.CountWords(t.Train.Sentences)
	}
	o.setDefaults(words)
	if err := o.validate(); err != nil {
		return nil, err
	}
	t := &trainer{Options: o, progress: &progress{out: o.Log, now: o.Now}}
	vocabulary, err := t.phase("words", []string{"bare", trees.key}, func(job) ([]pack.Section, error) {
		return packedAs(model.WordName, word.Learn(trees.train).Bare()), nil
	})
	if err != nil {
		return nil, err
	}
	if t.words, err = word.Open(pack.NewView(vocabulary.sections), model.WordName); err != nil {
		return nil, fmt.Errorf("opening the vocabulary: %w", err)
	}
	stages, err := t.stages(trees)
	if err != nil {
		return nil, err
	}
	return append(slices.Clip(vocabulary.sections), stages...), nil
}

// smallVersion is part of the keys of small components. Raise it when they get other bytes
// for the same input.
const smallVersion = "small 1"

// A tongue is what is trained for one language alone.
type tongue struct {
	Language
	sections []pack.Section // segmenter and tagger
	trees    dataset
	scores   []model.Score // on dev
}

// about is the provenance of a language.
func (t *tongue) about() model.Info {
	i := model.Info{Language: t.Code, Train: t.Train.Data(), Dev: t.Dev.Data()}
	var names, licences []string
	for _, s := range t.Sources {
		names = append(names, s.Name)
		if !slices.Contains(licences, s.Licence) {
			licences = append(licences, s.Licence)
		}
	}
	i.Treebank, i.Licence = strings.Join(names, ", "), strings.Join(licences, ", ")
	return i
}

// language describes a language to those who choose one.
func (t *tongue) language() model.Language {
	return model.Language{Code: t.Code, Name: t.Name, Treebanks: t.Sources, TrainWords: syntax.CountWords(t.Train.Sentences),
		Scores: t.scores, Example: example(t.Dev.Sentences)}
}

// relations are those that the treebank has.
func (t *tongue) relations() []string {
	return syntax.GoldRelations(slices.Concat(t.Train.Sentences, t.Dev.Sentences))
}

// example returns the first sentence that is neither short nor long.
func example(list []syntax.Sentence) string {
	for i := range list {
		if n := list[i].Len(); n >= 5 && n <= 12 && list[i].Text != "" {
			return list[i].Text
		}
	}
	return ""
}

// A prefixed is the part of a Store whose names begin with a prefix.
type prefixed struct {
	Store
	prefix string
}

func (p prefixed) Load(name string) ([]byte, bool) { return p.Store.Load(p.prefix + name) }
func (p prefixed) Save(name string, parts ...[]byte) error {
	return p.Store.Save(p.prefix+name, parts...)
}

// trainLanguage trains the segmenter and the tagger of a language, small ones.
func trainLanguage(l Language, of WorldOptions) (*tongue, error) {
	o := of.Options
	if o.Store != nil {
		o.Store = prefixed{o.Store, l.Code + "."}
	}
	o.small = true
	if log := o.Log; log != nil {
		o.Log = func(format string, a ...any) { log(l.Code+" "+format, a...) }
	}
	t, err := newTrainer(l.Train, l.Dev, o)
	if err != nil {
		return nil, err
	}
	gold := t.gold()
	all := t.recased(gold)
	if of.Tuned != nil && syntax.HidesWords(gold.train) && l.Code != model.Undetermined {
		t.begins, t.beginsKey = of.Tuned.Of(l.Code).Begins, sumOfSections(packedAs(model.EncodeName, of.Tuned))
	}
	segmenter, tagger, err := t.segmenterAndTagger(gold, all)
	if err != nil {
		return nil, err
	}
	trees := dataset{oneRoot(gold.train), oneRoot(gold.dev), hashKey("gold tags", gold.key)}
	return &tongue{l, slices.Concat(segmenter.sections, tagger.sections), trees, nil}, nil
}

// CheckLanguage refuses what is not the code of a language as models know it: they have the
// rules of a language by its code.
func CheckLanguage(code string) error {
	switch known := language.Code(code); known {
	case code:
		return nil
	case "":
		return errors.New("write the code of a language, such as de")
	default:
		return fmt.Errorf("write it as %s", known)
	}
}
