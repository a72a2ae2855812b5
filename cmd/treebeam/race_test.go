//go:build race

package main

// underRace: the race detector takes several times the memory.
const underRace = true
