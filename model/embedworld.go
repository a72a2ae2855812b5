//go:build !noworld

package model

import _ "embed"

// The world is world.tbm, written by `make languages`. An empty file is none. The build
// tag noworld leaves it out of the program, which is smaller then.
//
//go:embed world.tbm
var world string

const noWorld = "this program was built without the languages of the world: run make languages, which trains them, and build again; or name a model with --model FILE"
