package model

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/pack"
)

// A calibrator is a component of a model file, or has a file of its own next to an
// embedded model, so that it can be fitted again without the model: a model file of
// this one component, whose provenance names the digest of the model that it belongs
// to.

// WithCalibrators returns the bytes of a model file that equals m except for the
// calibrators and their provenance. fast is the calibrator for parses without the
// encoder. It is nil if the model has no encoder.
func (m *Model) WithCalibrators(c *calibrate.Model, about Calibration, fast *calibrate.Model, aboutFast Calibration) ([]byte, error) {
	info := m.Info
	about.Model = ""
	info.Calibration = &about
	var b pack.Builder
	c.Pack(b.Sub(CalibrateName))
	if fast != nil {
		fast.Pack(b.Sub(FastCalibrateName))
	}
	if fast != nil && info.Encoder != nil {
		e := *info.Encoder
		info.Encoder, e.FastCalibration, e.Sparse = &e, &aboutFast, ""
	}
	_, others := split(m.Sections, calibrators...)
	return Encode(info, slices.Concat(others, b.Sections))
}

// EncodeCalibrator returns the bytes of a separate file for a calibrator. about.Model
// must be the digest of the model's file.
func EncodeCalibrator(c *calibrate.Model, about Calibration) ([]byte, error) {
	var b pack.Builder
	c.Pack(b.Sub(CalibrateName))
	return Encode(Info{Calibration: &about}, b.Sections)
}

// calibrate replaces the calibrator of f, a model whose files have the given digest, by
// the one from a separate file. Without data it does nothing.
func (f *File) calibrate(data []byte, digest string) error {
	if len(data) == 0 {
		return nil
	}
	const remedy = "run make calibrate, or make calibrate-languages, and build again"
	c, err := Decode(data)
	if err != nil {
		return fmt.Errorf("its calibrator: %w; or %s", err, remedy)
	}
	about := c.Info.Calibration
	if about == nil {
		return fmt.Errorf("its calibrator does not say which model it was fitted to: %s", remedy)
	}
	if about.Model != digest {
		return fmt.Errorf("its calibrator was fitted to the model with digest %.16s, and this is %.16s: %s", about.Model, digest, remedy)
	}
	fitted, _ := split(c.Sections, CalibrateName)
	_, others := split(f.Sections, CalibrateName)
	f.Sections = append(others, fitted...)
	f.Info.Calibration = about
	return nil
}
