package main

import (
	"runtime"

	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/transforms"
)

// maxThreads bounds --threads: memory grows with it.
const maxThreads = 1024

// threadsFlag defines --threads, which bounds what a command computes at once.
func threadsFlag(fs *pflag.FlagSet) *int {
	n := fs.IntP("threads", "j", 0, "compute on `N` threads; 0 means one per core; does not change the result")
	group(fs, runFlags, "threads")
	return n
}

// setThreads does what --threads says, for the whole process.
func setThreads(n int) error {
	switch {
	case n < 0 || n > maxThreads:
		return refuse("--threads %d: must be from 1 to %d, or 0 for one per core", n, maxThreads)
	case n > 0:
		runtime.GOMAXPROCS(n)
		transforms.SetCores(n)
	}
	return nil
}
