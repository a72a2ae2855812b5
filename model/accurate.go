//go:build !noaccurate

package model

import _ "embed"

// The accurate English model is an overlay of english.tbm (overlay.go), written
// by `make accurate`. An empty file is none. The build tag noaccurate leaves it
// out of the program, which is smaller then.
//
//go:embed english-accurate.tbm
var accurate string

const noAccurate = "this program was built without the accurate English model: run make accurate, which trains it, and build again; or name a model with --model FILE"
