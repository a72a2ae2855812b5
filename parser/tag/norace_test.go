//go:build !race

package tag

const underRace = false
