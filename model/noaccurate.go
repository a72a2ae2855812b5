//go:build noaccurate

package model

const (
	accurate, accurateCalibrator = "", ""

	noAccurate = "this program was built without the accurate English model: build it without the tag noaccurate, or name a model with --model FILE"
)
