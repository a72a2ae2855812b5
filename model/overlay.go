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
// Calibrators are not part of it: that of parses without the encoder is the
// sparse model's, that of parses with it has a file of its own.

// overlaid are the components of an overlay. It has none of them twice, and
// those of the sparse model do not count any more.
var overlaid = []string{EncodeName, MixName}

func isOverlaid(s pack.Section) bool { return inComponents(s, overlaid) }

func isCalibrator(s pack.Section) bool { return inComponents(s, Calibrators) }

// EncodeOverlay returns the bytes of the overlay that makes f, a model with an
// encoder, of the sparse model whose file has the digest.
func EncodeOverlay(f *File, sparse string) ([]byte, error) {
	if f.Info.Encoder == nil {
		return nil, fmt.Errorf("a model without an encoder has no overlay")
	}
	info, about := f.Info, *f.Info.Encoder
	about.Sparse = sparse
	info.Encoder, info.Calibration, about.FastCalibration = &about, nil, nil
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
	drop := func(list []pack.Section, which func(pack.Section) bool) []pack.Section {
		return slices.DeleteFunc(slices.Clone(list), which)
	}
	out := &File{Info: o.Info, Sections: append(drop(drop(f.Sections, isOverlaid), isCalibrator), drop(o.Sections, isCalibrator)...)}
	about := *o.Info.Encoder
	out.Info.Calibration, out.Info.Encoder, about.FastCalibration = nil, &about, f.Info.Calibration
	for _, s := range f.Sections {
		if rest, ok := strings.CutPrefix(s.Name, CalibrateName+"."); ok {
			s.Name = FastCalibrateName + "." + rest
			out.Sections = append(out.Sections, s)
		}
	}
	return out, nil
}

// overlaysNothing refuses an overlay that stands alone.
func (f *File) overlaysNothing() error {
	if e := f.Info.Encoder; e == nil || e.Sparse == "" || slices.ContainsFunc(f.Sections, func(s pack.Section) bool { return !isOverlaid(s) && !isCalibrator(s) }) {
		return nil
	}
	return fmt.Errorf("this is an overlay, what an encoder adds to the model with digest %.16s, and no model: train without --overlay", f.Info.Encoder.Sparse)
}
