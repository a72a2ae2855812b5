//go:build !noworld

package model

import _ "embed"

// The world is world.tbm, written by `make languages`, and its calibrator world.cal, written by
// `make calibrate-languages` and bound to it. An empty file is none. The build tag noworld
// leaves them out of the program, which is smaller then.
var (
	//go:embed world.tbm
	world string
	//go:embed world.cal
	worldCalibrator string
)

const noWorld = "this program was built without the languages of the world: run make languages, which trains them, and build again; or name a model with --model FILE"
