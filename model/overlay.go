package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/pack"
)

// What an encoder adds to a sparse model may have a file of its own, an overlay,
// as that of the embedded model has: a model file with the components below,
// whose provenance is that of the whole and names the sparse model's file.

// overlaid are the components of an overlay. It has none of them twice, and
// those of the sparse model do not count any more.
var overlaid = []string{EncodeName, MixName, CalibrateName, FastCalibrateName}

func isOverlaid(s pack.Section) bool {
	name, _, _ := strings.Cut(s.Name, ".")
	return slices.Contains(overlaid, name)
}

// EncodeOverlay returns the bytes of the overlay that makes f, a model with an
// encoder, of the sparse model whose file has the digest.
func EncodeOverlay(f *File, sparse string) ([]byte, error) {
	if f.Info.Encoder == nil {
		return nil, fmt.Errorf("a model without an encoder has no overlay")
	}
	info, about := f.Info, *f.Info.Encoder
	about.Sparse = sparse
	info.Encoder = &about
	return Encode(info, slices.DeleteFunc(slices.Clone(f.Sections), func(s pack.Section) bool { return !isOverlaid(s) }))
}

// Overlay returns the model of f, whose file has the digest, and of an overlay
// that was made for it. Its sections alias both.
func (f *File) Overlay(overlay []byte, digest string) (*File, error) {
	const remedy = "run make mix, and build again"
	o, err := Decode(overlay)
	if err != nil {
		return nil, fmt.Errorf("its encoder: %w; or %s", err, remedy)
	}
	if o.Info.Encoder == nil || o.Info.Encoder.Sparse == "" {
		return nil, fmt.Errorf("its encoder says not of which model: %s", remedy)
	}
	if made := o.Info.Encoder.Sparse; made != digest {
		return nil, fmt.Errorf("its encoder was fitted to the model with digest %.16s, and this is %.16s: %s", made, digest, remedy)
	}
	sparse := slices.DeleteFunc(slices.Clone(f.Sections), isOverlaid)
	return &File{Info: o.Info, Sections: append(sparse, o.Sections...)}, nil
}

// overlaysNothing refuses an overlay that stands alone.
func (f *File) overlaysNothing() error {
	if e := f.Info.Encoder; e == nil || e.Sparse == "" || slices.ContainsFunc(f.Sections, func(s pack.Section) bool { return !isOverlaid(s) }) {
		return nil
	}
	return fmt.Errorf("this is an overlay, what an encoder adds to the model with digest %.16s, and no model: train without --overlay", f.Info.Encoder.Sparse)
}
