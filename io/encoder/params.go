package encoder

import (
	"errors"
	"fmt"
	"math"

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

// checkFinite refuses weights that are no numbers.
func checkFinite(p *encode.Params) (err error) {
	each(p, func(name string, a *[]float32, want int) {
		if err != nil {
			return
		}
		if len(*a) != want {
			err = fmt.Errorf("%s has %d numbers, want %d", name, len(*a), want)
			return
		}
		for _, x := range *a {
			if !(math.Abs(float64(x)) < 1e9) {
				err = errors.New(name + " holds what is no number: the file is damaged, copy it again")
				return
			}
		}
	})
	return err
}
