//go:build !race

package segment

const underRace = false
