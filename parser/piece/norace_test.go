//go:build !race

package piece

const underRace = false
