//go:build noworld

package model

const (
	world           = ""
	worldCalibrator = ""

	noWorld = "this program was built without the languages of the world: build it without the tag noworld, or name a model with --model FILE"
)
