package model

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/calibrate"
	"github.com/treebeam/treebeam/parser/pack"
)

// A calibrator is a component of a model file, or has a file of its own
// beside an embedded model, so that it can be fitted again without the
// model: a model file of this one component, whose provenance names the
// digest of the model that it belongs to.

// WithCalibrator returns the bytes of a model file that is m but for its
// calibrator and what the provenance says of it.
func (m *Model) WithCalibrator(c *calibrate.Model, about Calibration) ([]byte, error) {
	info := m.Info
	about.Model = ""
	info.Calibration = &about
	return Encode(info, replaceCalibrators(m.Sections, sectionsOf(c)))
}

// WithCalibrators is WithCalibrator for a model with an encoder, which has a
// second calibrator for parses without it.
func (m *Model) WithCalibrators(c *calibrate.Model, about Calibration, fast *calibrate.Model, aboutFast Calibration) ([]byte, error) {
	info := m.Info
	info.Calibration = &about
	if info.Encoder != nil {
		e := *info.Encoder
		info.Encoder, e.FastCalibration, e.Sparse = &e, &aboutFast, ""
	}
	var b pack.Builder
	fast.Pack(b.Sub(FastCalibrateName))
	return Encode(info, append(replaceCalibrators(m.Sections, sectionsOf(c)), b.Sections...))
}

// EncodeCalibrator returns the bytes of a calibrator's own file. about.Model
// must be the digest of its model's file.
func EncodeCalibrator(c *calibrate.Model, about Calibration) ([]byte, error) {
	return Encode(Info{Calibration: &about}, sectionsOf(c))
}

func sectionsOf(c *calibrate.Model) []pack.Section {
	var b pack.Builder
	c.Pack(b.Sub(CalibrateName))
	return b.Sections
}

// calibrate puts the calibrator of a file of its own in place of that of f,
// a model whose files have the given digest.
func (f *File) calibrate(data []byte, digest string) error {
	const remedy = "run make calibrate, and build again"
	c, err := Decode(data)
	if err != nil {
		return fmt.Errorf("its calibrator: %w; or %s", err, remedy)
	}
	about := c.Info.Calibration
	if about == nil {
		return fmt.Errorf("its calibrator says not of which model: %s", remedy)
	}
	if about.Model != digest {
		return fmt.Errorf("its calibrator was fitted to the model with digest %.16s, and this is %.16s: %s", about.Model, digest, remedy)
	}
	mine := func(s pack.Section) bool { return inComponents(s, []string{CalibrateName}) }
	others := func(s pack.Section) bool { return !mine(s) }
	f.Sections = append(slices.DeleteFunc(slices.Clone(f.Sections), mine), slices.DeleteFunc(c.Sections, others)...)
	f.Info.Calibration = about
	return nil
}

// replaceCalibrators returns sections with those of a calibrator at their end,
// and no others of any.
func replaceCalibrators(sections, calibrator []pack.Section) []pack.Section {
	return append(slices.DeleteFunc(slices.Clone(sections), isCalibrator), calibrator...)
}
