package encoder

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/sections"
	"github.com/treebeam/treebeam/parser/encode"
	"github.com/treebeam/treebeam/parser/pack"
)

// Extension ends the names of our own files of encoders. Package sections gives their
// layout: provenance, shape, vocabulary, and all weights in float32, except the vectors
// of pieces (nine tenths of all), which are in half precision.
const Extension = ".tbe"

const component = "encoder" // that the sections belong to

var format = sections.Format{Magic: "\x89TBE", Noun: "encoder", Again: "import it again", Command: "treebeam encoder import"}

// origin is the provenance in the file.
type origin struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Licence string `json:"licence"`
	Notice  string `json:"notice"`
}

// Write writes the file of p. It fails before the first byte if p is not an encoder, or
// if Word has numbers from 65,520 on.
func Write(w io.Writer, p *encode.Params) error {
	if err := p.Check(); err != nil {
		return err
	}
	parts, err := encodeFile(p)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// encodeFile returns the parts of the file of p, one after the other.
func encodeFile(p *encode.Params) ([][]byte, error) {
	info, err := json.Marshal(origin{p.Name, p.Source, p.Licence, p.Notice})
	if err != nil {
		return nil, err
	}
	word := make([]uint16, len(p.Word))
	for i, x := range p.Word {
		if word[i] = halfFromFloat32(x); word[i]&0x7C00 == 0x7C00 {
			return nil, fmt.Errorf("%v in the vectors of pieces is above what half precision holds", x)
		}
	}
	var b pack.Builder
	pack.Write(b.Sub(component), func(l *pack.Layout) { layout(l, p, &word) })
	return format.Encode(info, b.Sections)
}

// decodeFile is the inverse of encodeFile.
func decodeFile(data []byte) (*encode.Params, error) {
	info, list, err := format.Decode(data)
	if err != nil {
		return nil, err
	}
	var o origin
	if err := json.Unmarshal(info, &o); err != nil {
		return nil, format.Damaged("its provenance is not JSON: %v", err)
	}
	p := &encode.Params{Name: o.Name, Source: o.Source, Licence: o.Licence, Notice: o.Notice}
	var word []uint16
	if err := pack.Read(pack.NewView(list), component, func(l *pack.Layout) { layout(l, p, &word) }); err != nil {
		return nil, fmt.Errorf("%w; treebeam encoder import makes an encoder", err)
	}
	for _, t := range p.Tensors()[1:] { // nothing aliases the file
		*t.Data = slices.Clone(*t.Data)
	}
	p.Pieces.Scores = slices.Clone(p.Pieces.Scores)
	for i, name := range p.Pieces.Pieces {
		p.Pieces.Pieces[i] = strings.Clone(name)
	}
	p.Word = make([]float32, len(word))
	for i, h := range word {
		p.Word[i] = float32FromHalf(h)
	}
	return p, p.Check()
}

// layout names the sections of p; word is p.Word in half precision.
func layout(l *pack.Layout, p *encode.Params, word *[]uint16) {
	p.Layout(l)
	pack.Array(l, "word", word)
	l.Check("word", len(*word) == len(p.Pieces.Pieces)*p.Width, "does not fit the vocabulary")
}
