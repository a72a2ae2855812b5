package train

import (
	"errors"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
)

// Names of the parts of a model that can be trained alone.
const (
	OnlyLemmas    = "lemmas"
	OnlySegmenter = "segmenter"
	OnlyEncoder   = "encoder" // OnlyMix is then done, too
	OnlyMix       = "mix"     // what the encoder counts, and the calibrators
)

// ErrNoEncoder is that of a model that has no encoder to mix.
var ErrNoEncoder = errors.New("the model has no encoder: train one with --only encoder")

// Encoder tunes o.Encoder, adds it to a sparse model and returns the bytes of a
// file that has everything else as it is in the model, byte for byte, but for
// its calibrators. An encoder that the model has is replaced. Of the options it
// reads those that Lemmas reads, Store, Reuse and Encoder. digest names the
// model.
func Encoder(from *model.File, digest string, train, dev Treebank, o Options) ([]byte, error) {
	return encoderAlone(from, digest, train, dev, o, theStages)
}

func encoderAlone(from *model.File, digest string, train, dev Treebank, o Options, s stages) ([]byte, error) {
	t, err := newTrainer(train, dev, o, s)
	if err != nil {
		return nil, err
	}
	t.progress.only("encoder", "mix", "evaluation")
	e, err := t.encoder()
	if err != nil {
		return nil, err
	}
	return t.withEncoder(t.sparse(from, digest, OnlyEncoder), sparseSections(from), e)
}

// Mix takes a sparse model and the encoder of another, or of the same, which was
// tuned on the same treebank, fits what they count beside each other, and
// returns the bytes of a file of both.
func Mix(from *model.File, digest string, encoder *model.File, train, dev Treebank, o Options) ([]byte, error) {
	return mixAlone(from, digest, encoder, train, dev, o, theStages)
}

func mixAlone(from *model.File, digest string, encoder *model.File, train, dev Treebank, o Options, s stages) ([]byte, error) {
	t, err := newTrainer(train, dev, o, s)
	if err != nil {
		return nil, err
	}
	var e encoded
	for _, s := range encoder.Sections {
		if strings.HasPrefix(s.Name, model.EncodeName+".") {
			e.sections = append(e.sections, s)
		}
	}
	if len(e.sections) == 0 || encoder.Info.Encoder == nil {
		return nil, ErrNoEncoder
	}
	e.about = *encoder.Info.Encoder
	t.progress.only("mix", "evaluation")
	return t.withEncoder(t.sparse(from, digest, OnlyMix), sparseSections(from), &e)
}

// sparseSections are those that a model has without an encoder and
// calibrators.
func sparseSections(from *model.File) []pack.Section {
	return without(from.Sections, model.EncodeName, model.MixName, model.CalibrateName, model.FastCalibrateName)
}

// sparse returns the provenance of a model without its encoder and
// calibrators, with a note of which part is trained now.
func (t *trainer) sparse(from *model.File, digest, part string) model.Info {
	info := from.Info
	if e := info.Encoder; e != nil {
		info.Licence = strings.TrimSuffix(strings.TrimSuffix(info.Licence, licenceOf(e)), "; ")
	}
	info.Calibration, info.Encoder = nil, nil
	info.Parts = t.noted(info.Parts, part, digest)
	return info
}

// noted returns a list of parts with this one, in place of an earlier one of
// its name.
func (t *trainer) noted(parts []model.Part, name, digest string) []model.Part {
	i := t.Info
	return append(slices.DeleteFunc(slices.Clone(parts), func(p model.Part) bool { return p.Name == name }), model.Part{
		Name: name, From: digest, Command: i.Command, Seed: t.seedOf(name), Code: i.Code, Created: i.Created,
		Train: t.train.Data(), More: moreOf(t.train), Dev: t.dev.Data(),
	})
}

// without returns the sections that belong to none of the components.
func without(sections []pack.Section, components ...string) []pack.Section {
	return slices.DeleteFunc(slices.Clone(sections), func(s pack.Section) bool {
		return slices.ContainsFunc(components, func(c string) bool { return strings.HasPrefix(s.Name, c+".") })
	})
}

// replaced returns the list with the sections under prefix replaced by others,
// at the place of the first.
func replaced(list []pack.Section, prefix string, others []pack.Section) []pack.Section {
	under := func(s pack.Section) bool { return strings.HasPrefix(s.Name, prefix) }
	at := slices.IndexFunc(list, under)
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(slices.DeleteFunc(slices.Clone(list), under), at, others...)
}
