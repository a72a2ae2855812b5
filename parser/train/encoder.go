package train

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/finetune"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// EncoderOptions are the options for a pretrained encoder. All except File change the
// model.
type EncoderOptions struct {
	Params       *encode.Params
	Heads        *encode.Heads // of an encoder that was tuned before; nil: all are new
	File, SHA256 string        // base name of its file, and the file's hash

	// Small trains a small network with the pieces of the encoder in place of the encoder
	// itself. It also learns from Options.Silver, for which it is made.
	Small bool

	Layers int // number of lowest layers kept; 0 is all
	Epochs int // largest number of epochs; 0 chooses by the size of the treebank

	// Average is how many encoders are tuned, from the same start in other orders of the
	// sentences, and averaged weight by weight (Wortsman et al. 2022, section 2, the uniform
	// soup). 0 is 1.
	Average int

	// The pieces of the words in Text stay in the vocabulary, in addition to those of
	// the training sentences. Texts names the files of Text.
	Text  []syntax.Sentence
	Texts []model.Data
}

// key names all options that change the tuned encoder.
func (e *EncoderOptions) key() string {
	key := fmt.Sprintf("encoder %s, layers %d, epochs %d", e.SHA256, e.Layers, e.Epochs)
	if e.Small {
		key = "small network, " + key
	}
	for _, t := range e.Texts {
		key += ", " + t.SHA256
	}
	return key
}

// A tunedEncoder is an encoder, or a small network, that is ready for a model.
type tunedEncoder struct {
	sections []pack.Section // of the component encode, also of a network
	about    model.Encoded
	small    bool // it is a network
}

// encoder tunes the pretrained encoder on the treebank as it is, with its gold
// tags, in the forms that it reads at run time. dev chooses the epoch. The result
// has integer weights.
func (t *trainer) encoder() (*tunedEncoder, error) {
	gold := t.gold()
	from := gold
	if t.Encoder.Small {
		from = t.withTrees(gold)
	}
	component, about, err := t.tune([]string{"encodable", "scripts", "tensors", from.key, t.Encoder.key()}, false,
		func() (train, dev []syntax.Sentence) {
			casing := word.LearnCasing(gold.train)
			return encodable(oneRoot(from.train), casing), encodable(oneRoot(gold.dev), casing)
		})
	if err != nil {
		return nil, err
	}
	return &tunedEncoder{packedAs(model.EncodeName, component), about, t.Encoder.Small}, nil
}

// encodable makes sentences what the encoder reads at run time, in place.
func encodable(list []syntax.Sentence, casing word.Casing) []syntax.Sentence {
	for i := range list {
		list[i] = *model.Encodable(&list[i], casing)
	}
	return list
}

// tune tunes the pretrained encoder on the sentences of one treebank, or of many, and makes
// integers of it. The phase with the keys ends before that: integers take seconds, tuning
// takes hours.
func (t *trainer) tune(keys []string, many bool, data func() (train, dev []syntax.Sentence)) (*encode.Model,
	model.Encoded, error) {
	e := t.Encoder
	var x *encode.Params
	var h *encode.Heads
	runs := max(e.Average, 1)
	for i := range runs {
		p, g, err := t.tuneOnce(i, keys, many, data)
		if err != nil {
			return nil, model.Encoded{}, err
		}
		if i == 0 {
			x, h = p, g
			continue
		}
		others := append(p.Tensors(), g.Tensors()...)
		for k, to := range append(x.Tensors(), h.Tensors()...) {
			for n, w := range *others[k].Data {
				(*to.Data)[n] += (w - (*to.Data)[n]) / float32(i+1)
			}
		}
	}
	component, err := encode.Quantize(x, h)
	if err != nil {
		return nil, model.Encoded{}, fmt.Errorf("making integers of the encoder: %w", err)
	}
	if e.Small {
		component = component.Coarse(0, len(x.Pieces.Pieces)/2)
	}
	about := model.Encoded{
		Name: x.Name, Source: x.Source, Licence: x.Licence, Notice: x.Notice, File: e.File, SHA256: e.SHA256,
		Layers: len(x.Layers), Epochs: e.Epochs, Seed: t.seedOf("encoder"), Pieces: len(x.Pieces.Pieces), Texts: e.Texts,
	}
	if runs > 1 {
		about.Average = runs
	}
	return component, about, nil
}

// tuneOnce tunes the encoder for the first time (0), the second time and so on. Each time
// is a phase.
func (t *trainer) tuneOnce(time int, keys []string, many bool, data func() (train, dev []syntax.Sentence)) (*encode.Params,
	*encode.Heads, error) {
	e, x, h, name := t.Encoder, new(encode.Params), new(encode.Heads), "encoder"
	if time > 0 {
		name += strconv.Itoa(time + 1)
	}
	r, err := t.phase(name, keys, func(j job) ([]pack.Section, error) {
		train, dev := data()
		p, h, err := finetune.Train(e.Params, train, dev, finetune.Options{
			Many: many, Small: e.Small, Seed: j.Seed + uint64(time), Layers: e.Layers, Epochs: e.Epochs, Texts: e.Text, Heads: e.Heads,
			Workers: j.Workers, Log: j.Log, Now: j.Now, Checkpoint: j.checkpoint, Resume: j.resume,
		})
		if err != nil {
			return nil, err
		}
		return packed("tuned", func(l *pack.Layout) { encode.LayoutTuned(l, p, h) }), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return x, h, pack.Read(pack.NewView(r.sections), "tuned", func(l *pack.Layout) { encode.LayoutTuned(l, x, h) })
}

// withEncoder adds a finished encoder to the sections of a sparse model, fits
// the mix of both, measures the model with and without the encoder, and returns
// the bytes of its file.
func (t *trainer) withEncoder(info model.Info, sparse []pack.Section, e *tunedEncoder) ([]byte, error) {
	gold := t.gold()
	e, err := t.starts(e, []string{gold.key}, []Language{{Train: Treebank{Sentences: gold.train}}})
	if err != nil {
		return nil, err
	}
	sections := slices.Concat(sparse, e.sections)
	info.Templates = pack.Templates
	mix, err := t.phase("mix", []string{mixVersion, gold.key, sumOfSections(sections)},
		func(j job) ([]pack.Section, error) {
			x, err := fitMix(info, sections, t.dev.Sentences, j)
			if err != nil {
				return nil, err
			}
			return packedAs(model.MixName, &x), nil
		})
	if err != nil {
		return nil, err
	}
	bank := licenceOfBank(&info)
	if e.small {
		info.Network = &e.about
		info.Licence = withLicences(bank, info.Network, info.Encoder)
		return t.finish(info, slices.Concat(sparse, renamed(e.sections, model.EncodeName, model.NetworkName),
			renamed(mix.sections, model.MixName, model.NetworkMixName)), true)
	}
	info.Encoder = &e.about
	info.Licence = withLicences(bank, info.Network, info.Encoder)
	return t.finish(info, slices.Concat(sections, mix.sections), true)
}

// renamed returns the sections of a component under another name.
func renamed(list []pack.Section, from, to string) []pack.Section {
	list = slices.Clone(list)
	for i := range list {
		list[i].Name = to + strings.TrimPrefix(list[i].Name, from)
	}
	return list
}

// withLicences returns the licence line of a model that was made from a treebank and from
// encoders, any of which may be nil.
func withLicences(treebank string, from ...*model.Encoded) string {
	var list []string
	if treebank != "" {
		list = append(list, treebank)
	}
	for _, e := range from {
		if e != nil && !slices.Contains(list, licenceOf(e)) {
			list = append(list, licenceOf(e))
		}
	}
	return strings.Join(list, "; ")
}

// licenceOfBank is the licence line of a model without what withLicences has added.
func licenceOfBank(info *model.Info) string {
	line := info.Licence
	for _, e := range []*model.Encoded{info.Encoder, info.Network} {
		if e != nil {
			line = strings.TrimSuffix(strings.TrimSuffix(line, licenceOf(e)), "; ")
		}
	}
	return line
}

// licenceOf is the part of an encoder in a licence line.
func licenceOf(e *model.Encoded) string { return strings.TrimSpace(e.Licence + " (" + e.Name + ")") }

// sumOfSections is a hash of all sections.
func sumOfSections(sections []pack.Section) string {
	h := sha256.New()
	for _, s := range sections {
		fmt.Fprintf(h, "%q %d ", s.Name, len(s.Data))
		h.Write(s.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}
