// Package train makes a model from a treebank (Run). It checks the data, trains the
// components in order, each on the predictions of those before it, measures the model
// on dev and packs it. It opens no files: treebanks are sentences, finished phases go
// to a Store, and the model is returned as bytes.
//
// The same treebanks, options and code give the same bytes, for any number of workers
// and of interruptions. The result of a phase is always packed and opened again before
// it is used, so a phase from the Store cannot differ from one just finished.
package train

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/segment"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// A Treebank is one CoNLL-U file, or the first of several. Training does not change its
// sentences.
type Treebank struct {
	Name      string // for messages: the path as the user gave it
	File      string // for provenance: the base name
	SHA256    string // hash of the file, hexadecimal
	Sentences []syntax.Sentence

	// More are further training files, with trees by the same conventions. They are
	// learned from like the first (Options.Repeat).
	More []Treebank
}

// All returns the sentences of all files. Each file begins a new document.
func (t *Treebank) All() []syntax.Sentence {
	if len(t.More) == 0 {
		return t.Sentences
	}
	list := slices.Clone(t.Sentences)
	for _, x := range t.More {
		at := len(list)
		if list = append(list, x.Sentences...); at < len(list) {
			first := &list[at]
			first.Comments = append([]string{"# newdoc"}, first.Comments...)
		}
	}
	return list
}

// smallTreebank is the number of words below which a treebank is small: each
// part that its tagger does not see makes the tagger much worse.
const smallTreebank = 100_000

// MaxRepeat is the largest Options.Repeat.
const MaxRepeat = 100

// muchSilver is the number of words of treebank and silver together from which
// on tagger and pruner learn nearly as much from half of them as from all.
const muchSilver = 200_000

// Options are the options of Run. The comment of a field says what its zero value
// means.
type Options struct {
	Seed     uint64
	TagSeed  uint64 // of segmenter, tagger and jackknifed tags; 0 is Seed
	GoldTags bool   // pruner, parser and labels read gold tags, not jackknifed ones
	// folds for jackknifing tags and candidates, at least 2; 0 is 10 for a small
	// treebank, else 5, or 2 with much silver
	Folds int

	Cut      float64       // largest cut of the pruner when the model parses, in nats; 0 is 4.25
	Families part.Families // families of parts that the parser scores; 0 is part.Standard
	Weights  int           // weights kept in the parser, 8 bytes each; 0 is 1,200,000

	// Silver is text with trees by a better parser (Sampler). All components except the
	// segmenter learn from it in addition to the treebank; from a sentence without a
	// tree only the tagger learns. Each step is multiplied by SilverWeight and the
	// Weight of the sentence, but not those of a small network. With SilverWeight 0,
	// Silver is ignored.
	Silver       []Treebank
	SilverWeight float64

	// Repeat is how many times an epoch has each sentence of the further files of
	// train, up to MaxRepeat; 0 is once. Segmenter and encoder ignore it.
	Repeat int

	// Cased is the percentage, up to MaxCased, of sentences in capitals, and also of
	// those in lower case, in the training of all components except segmenter and
	// encoder. Gold sentences are added in this form; silver sentences are changed to
	// it.
	Cased int

	// Lexicon lists words from which segmenter, tagger and lemmas learn in addition to
	// the treebank (lemma.ReadEntries); nil: none. LexiconFile and LexiconSHA256 are
	// the base name and hash of its file.
	Lexicon                    []lemma.Entry
	LexiconFile, LexiconSHA256 string

	// Tensor is the rank of the parser's tensor for arcs; 0: no tensor.
	Tensor int

	// Encoder is the pretrained encoder that is fine-tuned and put into the model; nil:
	// the model is sparse.
	Encoder *EncoderOptions

	Workers int // 0 is GOMAXPROCS

	// Info is the part of the provenance that the caller knows. Run adds what it knows:
	// options, seed, data and scores.
	Info model.Info

	// Blocks turns sentences back into the blocks of raw text that the segmenter will
	// see at run time. If it is nil, parsing from raw text is not measured.
	Blocks func([]syntax.Sentence) ([]string, error)

	// Store keeps the finished phases of this training, and Reuse those of many
	// trainings. A phase is taken from Reuse if all its inputs are the same. Both may
	// be nil.
	Store, Reuse Store

	begins    segment.Begins // of the segmenter's encoder; nil: none
	beginsKey string

	// treeTags says on which tags pruner, parser and labels learn without GoldTags:
	// "jackknifed" ones, which have errors as at run time, or, with a small treebank,
	// "both": on every gold sentence twice, also with its gold tags.
	treeTags string

	small bool // the components are small (tag.Options.Small)

	// Log receives progress: one line in each call, without a line end, and never two
	// calls at once. Now is used only for the seconds in these lines. Both may be nil.
	Log func(format string, a ...any)
	Now func() time.Time
}

func (o *Options) setDefaults(words int) {
	if o.SilverWeight == 0 {
		o.Silver = nil
	}
	silver := 0
	for i := range o.Silver {
		silver += syntax.CountWords(o.Silver[i].Sentences)
	}
	switch {
	case o.Folds != 0:
	case silver > 0 && words+silver >= muchSilver:
		o.Folds = 2
	case words+silver < smallTreebank:
		o.Folds = 10
	default:
		o.Folds = 5
	}
	if o.treeTags == "" && words < smallTreebank {
		o.treeTags = "both"
	}
	o.treeTags = cmp.Or(o.treeTags, "jackknifed")
	if o.Families == 0 {
		o.Families = part.Standard
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
}

func (o *Options) validate() error {
	if o.Folds < 2 {
		return fmt.Errorf("folds %d: jackknifing needs at least 2", o.Folds)
	}
	if w := o.SilverWeight; !(w >= 0 && w <= MaxSilverWeight) {
		return fmt.Errorf("silver weight %g: must be from 0 to %d", w, MaxSilverWeight)
	}
	if o.Repeat < 0 || o.Repeat > MaxRepeat {
		return fmt.Errorf("repeat %d: must be from 1 to %d", o.Repeat, MaxRepeat)
	}
	if o.Cased < 0 || o.Cased > MaxCased {
		return fmt.Errorf("cased %d: must be from 0 to %d percent", o.Cased, MaxCased)
	}
	if o.Weights < 0 {
		return fmt.Errorf("%d weights: must be a positive number", o.Weights)
	}
	return nil
}

// tensorKey names the tensor; "" if there is none.
func (o *Options) tensorKey() string {
	if o.Tensor == 0 {
		return ""
	}
	return fmt.Sprintf("rank %d, gamma %g, start svd", o.Tensor, score.Gamma)
}

// lexiconKey identifies the lexicon; "" if there is none.
func (o *Options) lexiconKey() string {
	if len(o.Lexicon) == 0 {
		return ""
	}
	return fmt.Sprintf("%d words of %s %s", len(o.Lexicon), o.LexiconFile, o.LexiconSHA256)
}

// A trainer is one run of the phases.
type trainer struct {
	Options
	train, dev Treebank
	words      *word.Vocabulary // once its phase is done
	progress   *progress
}

func newTrainer(train, dev Treebank, o Options) (*trainer, error) {
	o.setDefaults(syntax.CountWords(train.All()))
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := Check(train, dev).Fatal(); err != nil {
		return nil, err
	}
	return &trainer{Options: o, train: train, dev: dev, progress: &progress{out: o.Log, now: o.Now}}, nil
}

// Run trains a model and returns the bytes of its file. It calls Check and returns its
// fatal findings as an error.
func Run(train, dev Treebank, o Options) ([]byte, error) {
	t, err := newTrainer(train, dev, o)
	if err != nil {
		return nil, err
	}
	sections, err := t.phases()
	if err != nil {
		return nil, err
	}
	info := t.provenance()
	if t.Encoder == nil {
		return t.finish(info, sections, true)
	}
	encoder, err := t.encoder()
	if err != nil {
		return nil, err
	}
	return t.withEncoder(info, sections, encoder)
}

// finish measures a finished model on dev under every setting, with and without its
// encoder if it has one, and returns the bytes of its file, with calibrators if asked.
func (t *trainer) finish(info model.Info, sections []pack.Section, calibrated bool) ([]byte, error) {
	c := t.progress.start("evaluation")
	info.Templates = pack.Templates
	m, err := model.New(&model.File{Info: info, Sections: sections})
	if err != nil {
		return nil, err
	}
	sections = slices.Clip(sections)
	measure := func(m *model.Model, name, component string) ([]model.Score, *model.Calibration, error) {
		e, err := eval.Measure([]eval.Bank{{Name: name, Model: m, Gold: t.dev.Sentences}},
			eval.ParseOptions{Blocks: t.Blocks, Workers: t.Workers}, c.log)
		if err != nil {
			return nil, nil, err
		}
		if !calibrated || e.Calibrator == nil {
			return e.Scores[0], nil, nil
		}
		e.Calibration.Gold = t.dev.Data()
		sections = append(sections, packedAs(component, e.Calibrator)...)
		return e.Scores[0], &e.Calibration, nil
	}
	if info.Scores, info.Calibration, err = measure(m, "dev", model.CalibrateName); err != nil {
		return nil, err
	}
	if m.Encoder != nil {
		sparse, encoded := *m, *info.Encoder
		sparse.Encoder = nil
		if encoded.Fast, encoded.FastCalibration, err = measure(&sparse, "dev without the encoder",
			model.FastCalibrateName); err != nil {
			return nil, err
		}
		info.Encoder = &encoded
	}
	c.finish("")
	return model.Encode(info, sections)
}

// provenance completes the caller's Info with all that Run knows.
func (t *trainer) provenance() model.Info {
	info := t.Info
	info.Seed = t.Seed
	info.Options = map[string]string{
		"gold-tags": strconv.FormatBool(t.GoldTags),
		"folds":     strconv.Itoa(t.Folds),
		"strategy":  "skip", // no step if the gold tree scores higher
		"tree-tags": t.treeTags,
	}
	set := func(name, value string, ok bool) {
		if ok {
			info.Options[name] = value
		}
	}
	set("tag-seed", strconv.FormatUint(t.TagSeed, 10), t.TagSeed != 0)
	set("weights", strconv.Itoa(t.Weights), t.Weights != 0)
	set("cut", strconv.FormatFloat(t.Cut, 'g', -1, 64), t.Cut != 0)
	set("delta", strconv.Itoa(search.DefaultDelta), t.Families.Any(part.Globals))
	set("tensor", t.tensorKey(), t.Tensor > 0)
	set("lexicon", t.lexiconKey(), len(t.Lexicon) > 0)
	open := t.train.open()
	set("open", open.String(), open.relations > 0)
	info.Train, info.Dev = t.train.Data(), t.dev.Data()
	info.More = moreOf(t.train)
	tags := 0
	info.Silver = silverOf(t.Silver)
	for _, s := range t.Silver {
		tags += bareWords(s.Sentences)
	}
	set("silver-tags", strconv.Itoa(tags)+" words without trees", tags > 0)
	set("repeat", strconv.Itoa(t.Repeat), t.Repeat > 1 && len(t.train.More) > 0)
	set("cased", strconv.Itoa(t.Cased), t.Cased != 0)
	set("silver-weight", strconv.FormatFloat(t.SilverWeight, 'g', -1, 64), len(t.Silver) > 0)
	return info
}

// Data describes the first file of the treebank, for a provenance.
func (t *Treebank) Data() model.Data {
	return model.Data{File: t.File, SHA256: t.SHA256, Sentences: len(t.Sentences), Words: syntax.CountWords(t.Sentences)}
}

// moreOf names the further files of a treebank, nil if there are none.
func moreOf(t Treebank) (list []model.Data) {
	for _, x := range t.More {
		list = append(list, x.Data())
	}
	return list
}

// Learned reports whether the model, or a part of it, was trained on the first file of gold,
// or adapted to it. A calibrator must not be fitted there, because a model is right too often on
// its training data.
func Learned(m *model.Model, gold Treebank) bool {
	list := append(slices.Concat(m.Info.More, m.Info.Silver), m.Info.Train)
	for _, p := range m.Info.Parts {
		list = append(slices.Concat(list, p.More, p.Silver), p.Train)
	}
	for _, a := range m.Info.Adapted {
		list = append(list, a.Trees...)
	}
	return slices.ContainsFunc(list, func(d model.Data) bool { return d.SHA256 == gold.SHA256 })
}
