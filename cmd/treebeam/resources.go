package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/transforms"
)

// maxThreads bounds --threads: memory grows with it.
const maxThreads = 1024

// threadsFlag defines --threads, which bounds what a command computes at once.
func threadsFlag(fs *pflag.FlagSet) {
	fs.IntP("threads", "j", 0, "compute on `N` threads; 0 means one per core; does not change the result")
	annotate(fs, "threads", groupKey, runFlags)
}

// useThreads applies --threads, if there is such a flag, to the whole process.
func useThreads(fs *pflag.FlagSet) error {
	n, _ := fs.GetInt("threads") // 0 without the flag
	switch {
	case n < 0 || n > maxThreads:
		return refuse("--threads %d: must be from 1 to %d, or 0 for one per core", n, maxThreads)
	case n > 0:
		runtime.GOMAXPROCS(n)
		transforms.SetCores(n)
	}
	return nil
}

// About the most memory that a parse needs, in addition to the program's own file: two
// ranges at once, and for every core the scratch memory of one sentence. Readers of
// outputs need less.
const (
	memoryOfRanges = 200 << 20
	memoryOfACore  = 50 << 20
)

// moreThanLive is how much garbage a parse may have, in percent of what is in use, when
// the collector begins: Go's 100 takes a fifth more memory to save 1 % of the time.
const moreThanLive = 65

// boundMemory lets the collector work harder than usual, and harder still before the
// process takes more memory than a parse can need: odd inputs make garbage faster than
// usual ones. It changes no result, and nothing that GOGC or GOMEMLIMIT sets.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(moreThanLive)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryOfRanges + memoryOfACore*int64(runtime.GOMAXPROCS(0)))
	}
}
