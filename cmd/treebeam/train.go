package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/encoder"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/part"
	scores "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/pipeline"
)

const trainAbout = `
Checks a treebank, trains segmenter, tagger, lemmas, pruner, parser and labels from it, and
writes them to one file. Until the model is written, finished phases are kept in M.train/:
after an interruption, the same command with --resume continues and gives the same bytes.
The number of threads never changes the model.

--encoder also tunes a pretrained encoder to the treebank: the model is more accurate and
several times slower. With --silver, the model also learns from text that a better parser has
parsed, and stays as fast. You can add trees of your own (repeat --train) and words
(--lexicon). See docs/training.md.`

// trainFlags are the options of treebeam train.
type trainFlags struct {
	train            list // the treebank, and further files
	dev, model       string
	treebanks        string // of many languages
	o                train.Options
	preset, families string
	reuse            string
	only, from       string // one component, and the model that the others are taken from
	overlay          bool
	resume, keep     bool
	check            bool
	silver           list
	lexicon          string
	silverWords      int
	silverTags       int

	encoder encoderFlags
}

// define defines the flags, in the order of the help.
func (f *trainFlags) define(fs *pflag.FlagSet) {
	fs.Var(&f.train, "train", "learn from the treebank in a CoNLL-U `FILE`; repeat it to add trees by the same conventions")
	fs.StringVar(&f.dev, "dev", "", "select and measure on the development treebank in a CoNLL-U `FILE`")
	fs.StringVarP(&f.model, "model", "m", "", "write the model to `FILE`")
	fs.BoolVar(&f.check, "check", false, "only check the treebanks, and what other files are given")
	group(fs, "Treebanks and the model")
	fs.StringVar(&f.preset, "preset", "standard", "score the parts of trees in the preset `NAME`: fast or standard; accurate is standard with --encoder")
	fs.Var(&f.silver, "silver", "also learn from text that a better parser has parsed, a CoNLL-U `FILE` (.gz, .zst); repeatable")
	fs.Float64Var(&f.o.SilverWeight, "silver-weight", 1, "with --silver: give steps on such sentences the weight `W`; 0 leaves them out")
	fs.IntVar(&f.silverWords, "silver-words", 1_000_000, "with --silver: learn from at most `N` words, drawn from all files")
	fs.IntVar(&f.silverTags, "silver-tags", 500_000, "with --silver: teach the tagger, which needs little time, `N` further words at most")
	fs.IntVar(&f.o.Repeat, "repeat", 1, "learn `N` times from the sentences of every --train but the first; segmenter and encoder learn only once")
	fs.StringVar(&f.lexicon, "lexicon", "", "teach segmenter, tagger and lemmas the words of `FILE`, one per line: form, UPOS, XPOS, FEATS, lemma (docs/training.md)")
	f.encoder.define(fs)
	group(fs, "What is learned")
	fs.Uint64Var(&f.o.Seed, "seed", 1, "seed of all random choices, `N`")
	threadsFlag(fs)
	fs.BoolVar(&f.resume, "resume", false, "reuse the finished phases of an interrupted training")
	fs.BoolVar(&f.keep, "keep", false, "keep the finished phases after the model is written")
	group(fs, runFlags)
	fs.StringVar(&f.only, "only", "", "train only the component `NAME` and copy everything else from --from: lemmas, segmenter, encoder or mix")
	fs.StringVar(&f.from, "from", "", "with --only: copy everything but that component from the model `FILE`")
	fs.BoolVar(&f.overlay, "overlay", false, "with --only encoder or mix: write only the additions to the model of --from, like the built-in accurate model")
	group(fs, "One component")
	fs.StringVar(&f.o.Info.Language, "language", "", "record the language `CODE` (default: from the name of the treebank)")
	fs.StringVar(&f.o.Info.Treebank, "treebank", "", "record the treebank's `NAME` (default: from the file's name)")
	fs.StringVar(&f.o.Info.Release, "release", "", "record the treebank's release `R` (default: from its README)")
	fs.StringVar(&f.o.Info.Licence, "licence", "", "record the treebank's license `L` (default: from its README)")
	fs.StringVar(&f.o.Info.Created, "created-by", "", "record `TEXT`: who made the model, when, where")
	group(fs, "Provenance")
	fs.StringVar(&f.treebanks, "treebanks", "", "instead of --train and --dev: one model file for the languages whose treebanks `FILE` lists, lines of code, name, train, dev and sources (docs/training.md)")
	fs.BoolVar(&f.o.GoldTags, "gold-tags", false, "train pruner, parser and labels on gold tags, for input that has them")
	fs.IntVar(&f.o.Tensor, "tensor", tensorByPreset, "score arcs with a tensor of rank `N`; 0 means none; -1 means 16, but none with --preset fast")
	fs.IntVar(&f.o.Folds, "folds", 0, "jackknife with `N` folds; 0 means 10 below 100,000 words, otherwise 5, or 2 from 200,000 words with --silver")
	fs.IntVar(&f.o.Weights, "weights", 0, "keep `N` weights of the parser, 8 bytes each (1,200,000)")
	fs.StringVar(&f.families, "families", "", "change the preset by `CHANGES` such as +ts,-cross (docs/training.md)")
	fs.Uint64Var(&f.o.TagSeed, "tag-seed", 0, "seed of segmenter, tagger and jackknifed tags, `N`; 0 means the same as --seed")
	fs.IntVar(&f.o.Cased, "cased", 5, "also learn from `N` percent of the sentences in capitals, and from as many in lowercase; 0 means none")
	fs.StringVar(&f.reuse, "reuse", "", "share finished phases with other trainings in `FOLDER`")
	group(fs, rareFlags)
	choose(fs, "preset", "fast", "standard", "accurate")
	choose(fs, "only", "lemmas", "segmenter", "encoder", "mix")
}

// newTrain is treebeam train.
func newTrain() *cobra.Command {
	cmd := newCommand("train --train T.conllu --dev D.conllu --model m.tbm", "train a model from a treebank in CoNLL-U", trainAbout)
	var f trainFlags
	f.define(cmd.Flags())
	cmd.Example = `
  treebeam train --train fr-train.conllu --dev fr-dev.conllu --model french.tbm
  treebeam train --train fr-train.conllu --dev fr-dev.conllu --check`
	noArguments(cmd, "name the treebanks with --train and --dev")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.start(cmd.Flags()) }
	return cmd
}

// start does what the flags say.
func (f *trainFlags) start(fs *pflag.FlagSet) error {
	switch {
	case f.treebanks == "" && (len(f.train) == 0 || f.dev == ""):
		return refuse("give --train FILE and --dev FILE")
	case f.model == "" && !f.check:
		return refuse("give --model FILE, the model to write")
	case f.o.Weights < 0:
		return refuse("--weights %d: must be 0 or a positive number", f.o.Weights)
	case f.o.Repeat < 1 || f.o.Repeat > train.MaxRepeat:
		return refuse("--repeat %d: must be from 1 to %d", f.o.Repeat, train.MaxRepeat)
	case f.o.Folds < 0 || f.o.Folds == 1:
		return refuse("--folds %d: must be 2 or more", f.o.Folds)
	case f.o.Cased < 0 || f.o.Cased > train.MaxCased:
		return refuse("--cased %d: must be from 0 to %d", f.o.Cased, train.MaxCased)
	}
	for _, x := range [][2]string{{"--from", f.from}, {"--encoder", f.encoder.file}, {"--reuse", f.reuse}} {
		if store.IsRemote(x[1]) {
			return refuse("%s %s: only local files can be read here: copy it and name its path", x[0], store.Redact(x[1]))
		}
	}
	if err := cmp.Or(f.keepsInputs(), f.checkOnly(fs), f.encoder.check(fs)); err != nil {
		return err
	}
	if f.treebanks != "" {
		return f.startWorld(fs)
	}
	if f.only == "" {
		if err := cmp.Or(f.checkIdle(fs), f.wholeModel()); err != nil {
			return err
		}
	}
	trainBank, err := treebank.ReadAll(f.train)
	if err != nil {
		return &refusal{err}
	}
	devBank, err := treebank.Read(f.dev)
	if err != nil {
		return &refusal{err}
	}
	report := train.Check(trainBank, devBank)
	report.WriteTo(spoken{os.Stderr})
	if err := report.Fatal(); err != nil {
		return refuse("%w", err)
	}
	if f.lexicon != "" {
		if f.o.Lexicon, f.o.LexiconSHA256, err = treebank.ReadLexicon(f.lexicon); err != nil {
			return refuse("--lexicon: %w", err)
		}
		f.o.LexiconFile = filepath.Base(f.lexicon)
	}
	if f.check && f.only != "" {
		return nil
	}
	if f.only != "" {
		return f.runOnly(fs, trainBank, devBank)
	}
	if err := f.readSilver(trainBank, devBank, f.silverTags); err != nil {
		return err
	}
	f.describe(fs)
	if i := &f.o.Info; i.Language == "" {
		say(os.Stderr, "%s does not say its language, so the model will have the rules of none: name it by --language CODE\n", f.train[0])
	}
	if err := f.openEncoder(f.o.Info.Language); err != nil || f.check {
		return err
	}
	return f.stored(func() ([]byte, error) { return train.Run(trainBank, devBank, f.o) }, "trained in %s")
}

// wholeModel reads the options of the parser and its tensor.
func (f *trainFlags) wholeModel() error {
	if err := f.parts(); err != nil {
		return &refusal{err}
	}
	return f.checkTensor()
}

// parts reads the options of the parser.
func (f *trainFlags) parts() error {
	if f.preset == "accurate" && f.encoder.file == "" {
		return errors.New("--preset accurate: add --encoder FILE, the pretrained encoder")
	}
	families, err := part.Preset(strings.Replace(f.preset, "accurate", "standard", 1))
	if err != nil {
		return err
	}
	if f.o.Families, err = families.With(f.families); err != nil {
		return err
	}
	if f.o.Families == 0 {
		return fmt.Errorf("--families %s leaves only arcs: keep at least one other family", f.families)
	}
	if f.preset == "fast" {
		f.o.Cut = fastCut
	}
	return nil
}

// fastCut is the pruner's cut in the fast preset, in nats (train.Options.Cut).
const fastCut = 3

// tensorByPreset is the default of --tensor: defaultRank, but none in the fast preset.
const (
	tensorByPreset = -1
	defaultRank    = 16
)

// checkTensor gives the options a tensor if one is asked for.
func (f *trainFlags) checkTensor() error {
	if f.o.Tensor == tensorByPreset {
		f.o.Tensor = defaultRank
		if f.preset == "fast" {
			f.o.Tensor = 0
		}
	}
	if f.o.Tensor == 0 {
		return nil
	}
	if err := scores.CheckRank(f.o.Tensor); err != nil {
		return refuse("%w", err)
	}
	return nil
}

// stored is made for a training that keeps its phases.
func (f *trainFlags) stored(run func() ([]byte, error), said string) error {
	phases, err := treebank.OpenPhases(f.model+".train", f.resume)
	if err != nil {
		return &refusal{err}
	}
	defer phases.Close()
	defer onInterrupt(func() string {
		return fmt.Sprintf("treebeam train: interrupted; the finished phases are in %s.train, and the same command with --resume continues", f.model)
	})()
	f.o.Store = phases
	if f.reuse != "" {
		shared, err := treebank.SharePhases(f.reuse)
		if err != nil {
			return &refusal{err}
		}
		f.o.Reuse = shared
	}
	if err := f.made(run, said); err != nil {
		return err
	}
	if !f.keep {
		if err := phases.Remove(); err != nil {
			say(os.Stderr, "treebeam train: %v\n", err)
		}
	}
	return nil
}

// made runs a training and writes the model. said has a verb for the time that it took.
func (f *trainFlags) made(run func() ([]byte, error), said string) error {
	if err := canWrite("--model", f.model); err != nil {
		return err
	}
	// Nearly all memory of a training is in tables without pointers, which the
	// collector need not look into: it may run often.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
	begun := time.Now()
	f.o.Blocks = treebank.Blocks
	f.o.Now = time.Now
	f.o.Log = trainLog(begun)
	data, err := run()
	if err != nil {
		return err
	}
	if err = writeMade(f.model, data, begun, said); err != nil && f.o.Store != nil {
		err = fmt.Errorf("%w; the finished phases are kept, use --resume", err)
	}
	return err
}

// describe fills in the provenance that only the command line knows. What the
// user did not say comes from the treebank's names and README.
func (f *trainFlags) describe(fs *pflag.FlagSet) {
	i := &f.o.Info
	i.Command = f.command(fs)
	from := treebank.FactsOf(f.train)
	for _, d := range []struct {
		to   *string
		from string
	}{{&i.Treebank, from.Name}, {&i.Language, from.Language}, {&i.Licence, from.Licence}, {&i.Release, from.Release}} {
		if *d.to == "" {
			*d.to = d.from
		}
	}
	i.Code = codeVersion()
}

// command is the command that trains the model again, with files by base name.
func (f *trainFlags) command(fs *pflag.FlagSet) string {
	words := []string{"treebeam train"}
	for _, path := range f.train {
		words = append(words, "--train", shellWord(filepath.Base(path)))
	}
	if f.dev != "" {
		words = append(words, "--dev", shellWord(filepath.Base(f.dev)))
	}
	fs.SortFlags = true // the command is the same however the help is arranged
	defer func() { fs.SortFlags = false }()
	fs.VisitAll(func(x *pflag.Flag) {
		switch x.Name {
		case "train", "dev", "model", "threads", "resume", "reuse", "keep", "check", "created-by":
			return // files are named above; the others change nothing
		}
		if files, ok := map[string][]string{"silver": f.silver, "text": f.encoder.texts}[x.Name]; ok {
			for _, path := range files {
				words = append(words, "--"+x.Name, shellWord(filepath.Base(path)))
			}
			return
		}
		v := x.Value.String()
		switch x.Name {
		case "from", "encoder", "lexicon", "treebanks":
			v = filepath.Base(v)
		}
		if x.Value.String() == x.DefValue {
			return
		}
		words = append(words, "--"+x.Name)
		if x.NoOptDefVal == "" {
			words = append(words, shellWord(v))
		}
	})
	return strings.Join(words, " ")
}

// codeVersion is the commit that the program was built of or, if that is unknown, its
// version.
func codeVersion() string { return cmp.Or(pipeline.Commit(), pipeline.Version()) }

// encoderFlags are the options of a pretrained encoder (docs/encoder.md).
type encoderFlags struct {
	file  string
	texts list
	o     train.EncoderOptions
}

// encoderNames are the flags that are nothing without --encoder.
var encoderNames = []string{"small", "layers", "epochs", "average", "text"}

// maxAverage bounds --average: each time takes as long as the first.
const maxAverage = 16

func (e *encoderFlags) define(fs *pflag.FlagSet) {
	fs.StringVar(&e.file, "encoder", "", "tune the pretrained encoder in `FILE` (docs/encoder.md), or, with world, the built-in one of many languages, and put it into the model; with --only mix: use the tuned encoder, or else the small network, of this model")
	fs.BoolVar(&e.o.Small, "small", false, "with --encoder and --silver: teach a small network with the encoder's pieces in place of tuning it; the model is nearly as fast as without it")
	fs.IntVar(&e.o.Layers, "layers", 0, "with --encoder: keep its lowest `N` layers; 0 means all")
	fs.IntVar(&e.o.Epochs, "epochs", 0, "with --encoder: tune it in `N` passes over the treebank; 0 means by the treebank's size")
	fs.IntVar(&e.o.Average, "average", 1, "with --encoder: tune it `N` times, in other orders of the sentences, and take the average")
	fs.Var(&e.texts, "text", "with --encoder: also keep the pieces of the words in a plain text `FILE` in its vocabulary; repeatable")
}

// check refuses options of an encoder that there is not.
func (e *encoderFlags) check(fs *pflag.FlagSet) error {
	if e.o.Layers < 0 || e.o.Epochs < 0 {
		return refuse("--layers %d --epochs %d: must be 0 or more", e.o.Layers, e.o.Epochs)
	}
	if e.o.Average < 1 || e.o.Average > maxAverage {
		return refuse("--average %d: must be from 1 to %d", e.o.Average, maxAverage)
	}
	if e.o.Small && e.o.Layers > 0 {
		return refuse("--layers is nothing for --small, whose layers are new")
	}
	if e.file != "" {
		return nil
	}
	if idle := namesGiven(fs, encoderNames, true); idle != "" {
		return refuse("%s: add --encoder FILE", idle)
	}
	return nil
}

// open reads the encoder: a pretrained one, or that of a world, which knows some languages.
func (e *encoderFlags) open(language string) (err error) {
	if model.IsStart(e.file) {
		start, err := model.OpenStart(e.file, language)
		if err != nil {
			return refuse("--encoder %s: %w; name a pretrained encoder, or world, the built-in one of many languages", e.file, err)
		}
		e.o.Params, e.o.Heads, e.o.File, e.o.SHA256 = start.Params, start.Heads, start.Model, start.Digest
		return nil
	}
	if e.o.Params, err = encoder.Open(e.file); err == nil {
		e.o.SHA256, err = encoder.Sum(e.file)
	}
	if err != nil {
		return &refusal{err}
	}
	if e.o.Params.Licence == "" {
		return refuse("encoder %s: its files do not state the license, which every model made from it must name: "+
			"look it up, and write license: NAME between two lines --- at the beginning of README.md in its folder", e.file)
	}
	e.o.File = filepath.Base(e.file)
	return nil
}

// openEncoder reads the encoder and the texts, if there are any. language is the code of the
// treebank's language.
func (f *trainFlags) openEncoder(language string) error {
	e := &f.encoder
	if e.file == "" {
		return nil
	}
	err := e.open(language)
	if err != nil {
		return err
	}
	if n := len(e.o.Params.Layers); e.o.Layers > n {
		return refuse("--layers %d: %s has %d; ask for fewer", e.o.Layers, e.file, n)
	}
	if e.o.Texts, e.o.Text, err = treebank.ReadTexts(e.texts); err != nil {
		return refuse("--text: %w", err)
	}
	f.o.Encoder = &e.o
	return nil
}

// checkIdle refuses options of files that there are not, and a language that no rule knows.
func (f *trainFlags) checkIdle(fs *pflag.FlagSet) error {
	if f.o.Repeat > 1 && len(f.train) == 1 {
		return refuse("--repeat %d: add a further --train FILE; the first is learned from once", f.o.Repeat)
	}
	if idle := namesGiven(fs, []string{"silver-weight", "silver-words", "silver-tags"}, true); idle != "" && len(f.silver) == 0 {
		return refuse("%s: add --silver FILE", idle)
	}
	if code := f.o.Info.Language; code != "" {
		if err := train.CheckLanguage(code); err != nil {
			return refuse("--language %s: %w", code, err)
		}
	}
	return nil
}

// readSilver reads the silver files into the options, with up to so many words that only
// the tagger learns from.
func (f *trainFlags) readSilver(trainBank, devBank train.Treebank, tags int) error {
	switch small := f.encoder.o.Small; {
	case small && len(f.silver) == 0:
		return refuse("--small: also give --silver FILE, text that a better parser has parsed")
	case small && f.o.SilverWeight == 0:
		return refuse("--silver-weight 0 leaves out the text that --small learns from")
	case len(f.silver) == 0:
		return nil
	case f.silverWords < 1:
		return refuse("--silver-words %d: must be a positive number", f.silverWords)
	case tags < 0:
		return refuse("--silver-tags %d: must be 0 or a positive number", tags)
	case !(f.o.SilverWeight >= 0 && f.o.SilverWeight <= train.MaxSilverWeight):
		return refuse("--silver-weight %g: must be from 0 to %d", f.o.SilverWeight, train.MaxSilverWeight)
	}
	sampler := train.NewSampler(trainBank, devBank, f.silverWords, tags)
	for i, path := range f.silver {
		digest, err := treebank.AddSilver(sampler, i, path)
		if err != nil {
			return refuse("--silver: %w", err)
		}
		f.o.Silver = append(f.o.Silver, train.Treebank{Name: path, File: filepath.Base(path), SHA256: digest})
	}
	for i, list := range sampler.Sentences(len(f.silver)) {
		f.o.Silver[i].Sentences = list
	}
	say(os.Stderr, "%s\n", sampler)
	if sampler.Words() == 0 {
		return refuse("--silver %s: no sentence to learn from", &f.silver)
	}
	return nil
}
