//go:build !noaccurate

package model

import _ "embed"

// The accurate English model is an overlay of english.tbm (overlay.go), written
// by `make accurate`, and its calibrator english-accurate.cal, written by `make
// calibrate` and bound to both. An empty file is none. The build tag noaccurate
// leaves them out of the program, which is smaller then and parses with the fast model.
var (
	//go:embed english-accurate.tbm
	accurate string
	//go:embed english-accurate.cal
	accurateCalibrator string
)

const noAccurate = "this program was built without the accurate English model: run make accurate, which trains it, and build again; or name a model with --model FILE"
