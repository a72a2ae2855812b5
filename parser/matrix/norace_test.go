//go:build !race

package matrix

const underRace = false
