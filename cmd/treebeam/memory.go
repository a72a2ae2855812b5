package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// What a parse needs at most, about, beside the program's own file: two ranges
// at once, and for every core the scratch of one sentence. Readers of outputs
// need less.
const (
	memoryOfRanges = 200 << 20
	memoryOfACore  = 50 << 20
)

// boundMemory lets the collector work harder before the process takes more
// memory than a parse can need: odd inputs make garbage faster than usual ones.
// It changes no result, and nothing at all where GOMEMLIMIT is set.
func boundMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryOfRanges + memoryOfACore*int64(runtime.GOMAXPROCS(0)))
	}
}
