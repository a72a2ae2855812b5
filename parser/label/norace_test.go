//go:build !race

package label

const underRace = false
