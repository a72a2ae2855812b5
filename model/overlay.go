package model

import (
	"fmt"
	"slices"
	"strings"
)

// What an encoder adds to a sparse model may have a file of its own, an overlay. The
// embedded model has one. An overlay is a model file with the components below. Its
// provenance describes the whole model and names the sparse model's file. Calibrators
// are not part of it: the calibrator for parses without the encoder is the sparse
// model's, and the one for parses with it has a file of its own.

// overlaid are the components of an overlay. It has none of them twice, and it replaces
// the sparse model's.
var overlaid = []string{EncodeName, MixName}

// addable are the components that an overlay may bring or replace.
var addable = slices.Concat(overlaid, calibrators)

// EncodeOverlay returns the bytes of the overlay of f, a model with an encoder. The
// overlay turns the sparse model whose file has the digest sparse into f.
func EncodeOverlay(f *File, sparse string) ([]byte, error) {
	if f.Info.Encoder == nil {
		return nil, fmt.Errorf("a model without an encoder has no overlay")
	}
	info, about := f.Info, *f.Info.Encoder
	about.Sparse = sparse
	info.Encoder, info.Calibration, about.FastCalibration = &about, nil, nil
	sections, _ := split(f.Sections, overlaid...)
	return Encode(info, sections)
}

// Overlay adds an overlay to the sparse model f, whose file has the digest. The overlay
// must have been made for f. The sections of the result alias both.
func (f *File) Overlay(overlay []byte, digest string) (*File, error) {
	const remedy = "run make mix, and build again"
	o, err := Decode(overlay)
	if err != nil {
		return nil, fmt.Errorf("its encoder: %w; or %s", err, remedy)
	}
	if o.Info.Encoder == nil || o.Info.Encoder.Sparse == "" {
		return nil, fmt.Errorf("its encoder does not say which model it was fitted to: %s", remedy)
	}
	if made := o.Info.Encoder.Sparse; made != digest {
		return nil, fmt.Errorf("its encoder was fitted to the model with digest %.16s, and this is %.16s: %s", made, digest, remedy)
	}
	_, sparse := split(f.Sections, addable...)
	_, added := split(o.Sections, calibrators...)
	fast, _ := split(f.Sections, CalibrateName)
	for i := range fast {
		fast[i].Name = FastCalibrateName + strings.TrimPrefix(fast[i].Name, CalibrateName)
	}
	out := &File{Info: o.Info, Sections: slices.Concat(sparse, added, fast)}
	about := *o.Info.Encoder
	out.Info.Calibration, out.Info.Encoder, about.FastCalibration = nil, &about, f.Info.Calibration
	return out, nil
}

// overlaysNothing refuses an overlay without its sparse model.
func (f *File) overlaysNothing() error {
	_, others := split(f.Sections, addable...)
	if e := f.Info.Encoder; e == nil || e.Sparse == "" || len(others) > 0 {
		return nil
	}
	return fmt.Errorf("this is an overlay, what an encoder adds to the model with digest %.16s, and no model: train without --overlay", f.Info.Encoder.Sparse)
}
