//go:build !race

package encode

const underRace = false
