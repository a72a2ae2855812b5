package train

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/tag"
)

// Names of the parts of a model that can be trained alone.
const (
	OnlyLemmas    = "lemmas"
	OnlySegmenter = "segmenter"
	OnlyEncoder   = "encoder" // OnlyMix is then done as well
	// OnlyMix is where the encoder, or the small network of a model without one, sees sentences
	// begin, the factors of its scores, and the calibrators.
	OnlyMix = "mix"
)

// errNoEncoder is the error of OnlyMix for a model with nothing to mix.
var errNoEncoder = errors.New("the model has neither an encoder nor a small network: train one with --only encoder")

// A Base is a model for Only, which trains one part of it again.
type Base struct {
	*model.File
	Digest string // names the model
	// OnlyMix takes the encoder of Tuned, or its small network if it has no encoder. Tuned is the
	// model itself or another one that was tuned on the same treebank.
	Tuned *model.File
}

// Only trains one part of a model again and returns the bytes of the new file, in which
// all other parts are the same byte for byte. It measures the scores on dev again. It
// also fits the calibrators again if the model has any or if it has an encoder or a small network. It
// reads the options Seed, TagSeed, Lexicon, Encoder, Workers, Blocks, Store, Reuse, Log
// and Now, and of Info the fields Command, Code and Created, for the provenance of the
// part.
//
// Pruner, parser and labels have learned from the old lemmas as features: if many
// lemmas change, train the whole model.
func Only(part string, from Base, train, dev Treebank, o Options) ([]byte, error) {
	t, err := newTrainer(train, dev, o)
	if err != nil {
		return nil, err
	}
	info := from.Info
	i := &t.Info
	made := model.Part{
		Name: part, From: from.Digest, Command: i.Command, Seed: t.seedOf(part), Code: i.Code, Created: i.Created,
		Train: t.train.Data(), More: moreOf(t.train), Silver: silverOf(t.Silver), Dev: t.dev.Data(),
	}
	switch {
	case part == OnlyEncoder && t.Encoder.Small:
		made.Name = model.NetworkName
	case part == OnlyMix && from.Tuned.Info.Encoder == nil:
		made.Name = model.NetworkMixName
	}
	info.Parts = append(keptParts(from, made.Name), made)
	switch part {
	case OnlyEncoder, OnlyMix:
		return t.addEncoder(part, from, info)
	case OnlyLemmas, OnlySegmenter:
	default:
		return nil, fmt.Errorf("%s cannot be trained alone", part)
	}
	options := map[string]string{}
	maps.Copy(options, info.Options) // a model of a world has none
	delete(options, "lexicon of "+part)
	if key := t.lexiconKey(); key != "" {
		options["lexicon of "+part] = key
	}
	info.Options = options
	c := t.progress.start(part)
	prefix, sections, err := t.trainPart(part, from, t.job(c, ""))
	if err != nil {
		return nil, fmt.Errorf("training the %s: %w", part, err)
	}
	c.finish("")
	sections = replaced(from.Sections, prefix, sections)
	rest := without(sections, model.CalibrateName, model.FastCalibrateName)
	return t.finish(info, rest, len(rest) < len(sections))
}

// keptParts returns how parts of a model were trained before one is trained again. A new
// encoder, or small network, has new factors; new factors may be of another model's encoder.
func keptParts(from Base, made string) []model.Part {
	mixed := map[string]string{model.NetworkMixName: model.NetworkName, OnlyMix: OnlyEncoder}
	list := slices.DeleteFunc(slices.Clone(from.Info.Parts), func(p model.Part) bool {
		return p.Name == made || mixed[p.Name] == made || mixed[made] == p.Name && from.Tuned != from.File
	})
	if by := mixed[made]; by != "" && from.Tuned != from.File {
		for _, p := range from.Tuned.Info.Parts {
			if p.Name == by {
				list = append(list, p)
			}
		}
	}
	return list
}

// trainPart trains lemmas or segmenter and returns their sections, whose names begin with
// the prefix.
func (t *trainer) trainPart(part string, from Base, j job) (prefix string, sections []pack.Section, err error) {
	var made packer
	name := model.TagName
	if part == OnlyLemmas {
		prefix = name + "." + lemma.Name + "."
		made, err = tag.TrainLemmas(pack.NewView(from.Sections), name, t.train.All(), tagOptions(j))
	} else {
		name = model.SegmentName
		prefix = name + "."
		made, err = components[part].train(t.gold(), j)
	}
	if err != nil {
		return "", nil, err
	}
	return prefix, packedAs(name, made), nil
}

// addEncoder tunes an encoder, or takes a tuned one, and puts it into a model, in place of
// the model's encoder if it has one.
func (t *trainer) addEncoder(part string, from Base, info model.Info) (data []byte, err error) {
	var e *tunedEncoder
	if part == OnlyEncoder {
		if e, err = t.encoder(); err != nil {
			return nil, err
		}
	} else {
		about, name := from.Tuned.Info.Encoder, model.EncodeName
		if about == nil {
			about, name = from.Tuned.Info.Network, model.NetworkName
		}
		switch {
		case about == nil:
			return nil, errNoEncoder
		case name == model.NetworkName && from.Info.Encoder != nil:
			return nil, errors.New("a small network is a part of a model without an encoder")
		}
		e = &tunedEncoder{about: *about, small: name == model.NetworkName}
		e.about.Sparse = "" // of an overlay; the new model is whole
		for _, s := range from.Tuned.Sections {
			if strings.HasPrefix(s.Name, name+".") {
				e.sections = append(e.sections, s)
			}
		}
		e.sections = renamed(e.sections, name, model.EncodeName)
	}
	old, parts := &info.Encoder, []string{model.EncodeName, model.MixName, model.CalibrateName, model.FastCalibrateName}
	if e.small {
		old, parts = &info.Network, []string{model.NetworkName, model.NetworkMixName, model.CalibrateName}
	}
	bank := licenceOfBank(&info)
	info.Calibration, *old = nil, nil
	info.Licence = withLicences(bank, info.Network, info.Encoder)
	return t.withEncoder(info, without(from.Sections, parts...), e)
}

// without returns the sections that belong to none of the components.
func without(sections []pack.Section, components ...string) []pack.Section {
	return slices.DeleteFunc(slices.Clone(sections), func(s pack.Section) bool {
		return slices.ContainsFunc(components, func(c string) bool { return strings.HasPrefix(s.Name, c+".") })
	})
}

// replaced returns the list with others in place of the sections under prefix,
// where the first of them was.
func replaced(list []pack.Section, prefix string, others []pack.Section) []pack.Section {
	under := func(s pack.Section) bool { return strings.HasPrefix(s.Name, prefix) }
	at := slices.IndexFunc(list, under)
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(slices.DeleteFunc(slices.Clone(list), under), at, others...)
}
