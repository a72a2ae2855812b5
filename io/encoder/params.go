package encoder

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
)

// forms are the names of arrays in encode.Params and in the forms that others publish;
// the names of a layer's arrays follow its prefix.
var forms = []struct{ own, hub, blocks string }{
	{"word", "embeddings.word_embeddings.weight", "emb.word"},
	{"position", "embeddings.position_embeddings.weight", "emb.pos"},
	{"norm", "embeddings.LayerNorm", "emb.ln"},
	{"query", "attention.self.query", "q"},
	{"key", "attention.self.key", "k"},
	{"value", "attention.self.value", "v"},
	{"output", "attention.output.dense", "ao"},
	{"attention", "attention.output.LayerNorm", "aln"},
	{"up", "intermediate.dense", "fi"},
	{"down", "output.dense", "fo"},
	{"feedforward", "output.LayerNorm", "oln"},
}

// namesOf returns the names of an array, such as layer3.up.bias, in other forms.
func namesOf(own string) (hub, blocks string) {
	var layer int
	if rest, found := strings.CutPrefix(own, "layer"); found {
		fmt.Sscanf(rest, "%d.%s", &layer, &own)
		hub, blocks = fmt.Sprintf("encoder.layer.%d.", layer), fmt.Sprintf("l%d.", layer)
	}
	part, kind, _ := strings.Cut(own, ".")
	for _, f := range forms {
		if f.own == part {
			hub, blocks = hub+f.hub, blocks+f.blocks
		}
	}
	switch kind {
	case "weight", "gain":
		return hub + ".weight", blocks + ".w"
	case "bias":
		return hub + ".bias", blocks + ".b"
	}
	return hub, blocks
}

// fill sets all arrays of p, whose Shape, Pieces and number of layers are there,
// to what read says of them, and adds the vector of the only segment to every
// position. What it returns is a whole encoder.
func fill(p *encode.Params, read func(t encode.Tensor) ([]float32, error), segment []float32) (err error) {
	for _, t := range p.Tensors() {
		if *t.Data, err = read(t); err != nil {
			return err
		}
	}
	for i := range p.Position {
		p.Position[i] += segment[i%p.Width]
	}
	return p.Check()
}

// checkShape refuses, of an encoder that is read from anywhere, what cannot
// parse: before it is tuned for hours.
func checkShape(p *encode.Params, layers int) error {
	if err := p.Shape.Check(layers); err != nil {
		return fmt.Errorf("its shape is out of bounds: %w", err)
	}
	p.Layers = make([]encode.Layer, layers)
	return nil
}
