//go:build race

package calibrate

// underRace: the race detector makes sync.Pool drop what it is given, so that
// allocations cannot be counted.
const underRace = true
