package encoder

import (
	"fmt"
	"math"
	"slices"

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
		case slices.ContainsFunc(*a, func(x float32) bool { return !(math.Abs(float64(x)) < 1e9) }):
			err = fmt.Errorf("%s holds what is no number, or over 1e9: the file is damaged, copy it again", name)
		}
	})
	return err
}

// Bounds of a shape that is read from anywhere.
const (
	maxWidth     = 1 << 14
	maxLayers    = 128
	maxPositions = 1 << 16
)

// checkShape bounds the shape of an encoder that is read from anywhere.
func checkShape(s *encode.Shape, layers int) error {
	ok := func(n, most int) bool { return n >= 1 && n <= most }
	switch {
	case !ok(s.Width, maxWidth), !ok(s.FeedForward, 4*maxWidth), !ok(s.Positions, maxPositions), !ok(layers, maxLayers):
		return fmt.Errorf("its shape is out of bounds: width %d, feed-forward %d, %d positions, %d layers", s.Width, s.FeedForward, s.Positions, layers)
	case s.Positions < 3:
		return fmt.Errorf("it has %d positions: there is no room for a piece", s.Positions)
	case !ok(s.Heads, s.Width) || s.Width%s.Heads != 0:
		return fmt.Errorf("%d heads do not divide the width %d", s.Heads, s.Width)
	case !(s.Epsilon > 0 && s.Epsilon < 1):
		return fmt.Errorf("the epsilon %v of its layer norms is not between 0 and 1", s.Epsilon)
	}
	return nil
}

// addSegment adds the vector of the only segment to every position.
func addSegment(p *encode.Params, segment []float32) {
	for i := range p.Position {
		p.Position[i] += segment[i%p.Width]
	}
}
