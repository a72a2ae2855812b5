package train

import (
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/calibrate"
)

// A Recalibration has new calibrators for a trained model.
type Recalibration struct {
	About model.Calibration
	// Fast is of parses without the encoder; nil if the model has none.
	Fast *model.Calibration

	model            *model.Model
	calibrator, fast *calibrate.Model
}

// RecalibrateOptions say how a model is calibrated again.
type RecalibrateOptions struct {
	CalibrateOptions // From is chosen
	// Anew fits to the sentences alone. Without it a calibrator that was fitted to
	// more of them is adapted.
	Anew bool
	// Alone leaves the calibrator of parses without the encoder as it is.
	Alone bool
}

// Learned reports whether the model was trained on the treebank: there it is right
// far too often to be calibrated.
func Learned(m *model.Model, gold Treebank) bool {
	return slices.ContainsFunc(append(slices.Clone(m.Info.More), m.Info.Train), func(d model.Data) bool { return d.SHA256 == gold.SHA256 })
}

// Recalibrate fits the calibrators of a model to gold trees, or adapts those that it
// has. It fails with calibrate.ErrTooFew as Calibrate does.
func Recalibrate(m *model.Model, gold Treebank, o RecalibrateOptions) (*Recalibration, error) {
	r := &Recalibration{model: m}
	var err error
	if r.calibrator, r.About, err = o.fit(m, gold); err != nil || m.Encoder == nil || o.Alone {
		return r, err
	}
	sparse := *m
	sparse.Encoder, sparse.Calibrator, sparse.Info.Calibration = nil, m.FastCalibrator, m.Info.Encoder.FastCalibration
	r.Fast = new(model.Calibration)
	r.fast, *r.Fast, err = o.fit(&sparse, gold)
	return r, err
}

// fit fits a calibrator to gold trees, or adapts the one that the model has.
func (o RecalibrateOptions) fit(m *model.Model, gold Treebank) (*calibrate.Model, model.Calibration, error) {
	o.From = nil
	first := m.Info.Calibration
	if !o.Anew && m.Calibrator != nil && first != nil && first.Gold.Sentences > len(gold.Sentences) && first.Gold.SHA256 != gold.SHA256 {
		o.From = m.Calibrator
	}
	c, about, err := Calibrate(m, gold.Sentences, o.CalibrateOptions)
	about.Gold.File, about.Gold.SHA256 = gold.File, gold.SHA256
	if o.From != nil {
		adapted := about.Gold
		about.Gold, about.Adapted = first.Gold, &adapted
	}
	return c, about, err
}

// Model returns the whole model with its new calibrators, as a file.
func (r *Recalibration) Model() ([]byte, error) {
	if r.fast != nil {
		return r.model.WithCalibrators(r.calibrator, r.About, r.fast, *r.Fast)
	}
	return r.model.WithCalibrator(r.calibrator, r.About)
}

// Calibrator returns the calibrator alone, as a file that is bound to the model.
func (r *Recalibration) Calibrator() ([]byte, error) {
	r.About.Model = r.model.Digest
	return model.EncodeCalibrator(r.calibrator, r.About)
}
