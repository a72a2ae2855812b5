//go:build !race

package prune

const underRace = false
