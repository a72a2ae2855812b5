package encoder

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/encode"
)

// each calls f with every array of p, its name and its length by the shape.
func each(p *encode.Params, f func(name string, a *[]float32, want int)) {
	w, up := p.Width, p.FeedForward
	linear := func(name string, l *encode.Linear, outputs, inputs int) {
		f(name+".weight", &l.Weight, outputs*inputs)
		f(name+".bias", &l.Bias, outputs)
	}
	norm := func(name string, n *encode.Norm) {
		f(name+".gain", &n.Gain, w)
		f(name+".bias", &n.Bias, w)
	}
	f("word", &p.Word, len(p.Pieces.Pieces)*w)
	f("position", &p.Position, p.Positions*w)
	norm("norm", &p.Norm)
	for i := range p.Layers {
		l, name := &p.Layers[i], fmt.Sprintf("layer%d.", i)
		linear(name+"query", &l.Query, w, w)
		linear(name+"key", &l.Key, w, w)
		linear(name+"value", &l.Value, w, w)
		linear(name+"output", &l.Output, w, w)
		norm(name+"attention", &l.AttentionNorm)
		linear(name+"up", &l.Up, up, w)
		linear(name+"down", &l.Down, w, up)
		norm(name+"feedforward", &l.FeedForwardNorm)
	}
}

// check refuses what is no encoder: arrays that do not fit its shape, and
// weights that are no numbers.
func check(p *encode.Params) error {
	if err := checkShape(&p.Shape, len(p.Layers)); err != nil {
		return err
	}
	err := p.Pieces.Check()
	each(p, func(name string, a *[]float32, want int) {
		switch {
		case err != nil:
		case len(*a) != want:
			err = fmt.Errorf("%s has %d numbers, want %d", name, len(*a), want)
		case slices.ContainsFunc(*a, func(x float32) bool { return !(math.Abs(float64(x)) <= encode.MaxWeight) }):
			err = fmt.Errorf("%s holds what is no number, or over %d: the file is damaged, copy it again", name, encode.MaxWeight)
		}
	})
	return err
}

// checkShape bounds the shape of an encoder that is read from anywhere: what
// cannot parse is refused before it is tuned for hours.
func checkShape(s *encode.Shape, layers int) error {
	if layers < 1 {
		return fmt.Errorf("its shape is out of bounds: %d layers", layers)
	}
	if err := s.Check(layers); err != nil {
		return fmt.Errorf("its shape is out of bounds: %s", strings.TrimPrefix(err.Error(), "encode: "))
	}
	return nil
}

// addSegment adds the vector of the only segment to every position.
func addSegment(p *encode.Params, segment []float32) {
	for i := range p.Position {
		p.Position[i] += segment[i%p.Width]
	}
}
