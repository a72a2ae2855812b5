// Package average averages the weights of two tuned encoders (Wortsman et al. 2022, "Model
// soups", section 2, the uniform soup):
//
//	go run -C lab ./bench average FIRST.tbm SECOND.tbm OUT.tbm
//
// Both began as the same pretrained encoder, with heads of the same sizes, and have learned
// from much the same trees. OUT is the second model with the averaged encoder. Its factors
// are those of the second: treebeam train --only mix fits its own. Vectors of pieces, rows of
// labels and rows of values of tags that only the second has stay as they are. Worlds are
// averaged, too: their vectors of pieces have a few bits, do not learn, and are the same.
package average

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
)

// Main runs the measurement.
func Main() error {
	flag.Parse()
	if flag.NArg() != 3 {
		return errors.New("usage: average FIRST.tbm SECOND.tbm OUT.tbm")
	}
	first, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		return err
	}
	second, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		return err
	}
	data, err := models(first, second)
	if err != nil {
		return err
	}
	return os.WriteFile(flag.Arg(2), data, 0o644)
}

// models returns the second model, or overlay, with the average of both encoders.
func models(first, second []byte) ([]byte, error) {
	a, err := open(first)
	if err != nil {
		return nil, fmt.Errorf("the first: %w", err)
	}
	b, err := open(second)
	if err != nil {
		return nil, fmt.Errorf("the second: %w", err)
	}
	if err := b.add(a); err != nil {
		return nil, err
	}
	m, err := encode.Quantize(b.params, b.heads)
	if err != nil {
		return nil, err
	}
	var made pack.Builder
	m.Pack(made.Sub(model.EncodeName))
	list := slices.DeleteFunc(b.file.Sections, func(s pack.Section) bool { return strings.HasPrefix(s.Name, model.EncodeName+".") })
	return model.Encode(b.file.Info, append(list, made.Sections...))
}

// A tuned is a model file and its encoder in floats.
type tuned struct {
	file   *model.File
	params *encode.Params
	heads  *encode.Heads
}

func open(data []byte) (t tuned, err error) {
	if t.file, err = model.Decode(data); err != nil {
		return t, err
	}
	m, err := encode.Open(pack.NewView(t.file.Sections), model.EncodeName)
	if err != nil {
		return t, err
	}
	t.params, t.heads = m.Floats()
	return t, nil
}

// add averages b with a, row by row. Rows belong together by what they stand for.
func (b *tuned) add(a tuned) error {
	if b.params.Shape != a.params.Shape || b.heads.Sizes != a.heads.Sizes {
		return fmt.Errorf("the encoders have other sizes: %+v, %+v and %+v, %+v", a.params.Shape, a.heads.Sizes, b.params.Shape, b.heads.Sizes)
	}
	if !reflect.DeepEqual(a.params.Coarse, b.params.Coarse) {
		return errors.New("the encoders have other vectors of pieces of a few bits")
	}
	others := map[string]encode.Tensor{}
	for _, t := range a.tensors() {
		others[t.Name] = t
	}
	for _, t := range b.tensors() {
		other, ok := others[t.Name]
		if !ok {
			continue
		}
		if len(*t.Data) == 0 { // vectors of pieces of a few bits
			continue
		}
		names, from := b.rows(t.Name), a.rows(t.Name)
		if names == nil {
			average(*t.Data, *other.Data)
			continue
		}
		at := map[string]int{}
		for i, name := range from {
			at[name] = i
		}
		n := len(*t.Data) / len(names)
		for i, name := range names {
			if k, ok := at[name]; ok {
				average((*t.Data)[i*n:(i+1)*n], (*other.Data)[k*n:(k+1)*n])
			}
		}
	}
	return nil
}

func (b *tuned) tensors() []encode.Tensor { return append(b.params.Tensors(), b.heads.Tensors()...) }

// rows returns what the rows of an array stand for; nil if both models have the same rows.
func (b *tuned) rows(name string) []string {
	switch name {
	case "word":
		return b.params.Pieces.Pieces
	case "bank":
		return b.params.Banks
	case "label":
		return b.heads.Labels
	}
	for _, c := range b.heads.Classifiers {
		if name == "classifier."+c.Name+".weight" || name == "classifier."+c.Name+".bias" {
			return c.Values
		}
	}
	return nil
}

// average moves x half of the way to y.
func average(x, y []float32) {
	for i := range x {
		x[i] += (y[i] - x[i]) / 2
	}
}
