package transforms

import (
	"sync/atomic"
	"time"
)

// Progress counts what this process has done since it started, over all runs.
// It is for showing only: no result depends on it.
var Progress struct {
	Bytes   atomic.Int64 // of stored input, read
	Words   atomic.Int64 // parsed
	Written atomic.Int64 // ranges written
	Skipped atomic.Int64 // ranges found done
	Damaged atomic.Int64 // ranges found with parts that are not as they were written
	Active  atomic.Int64 // ranges under way
	Peak    atomic.Int64 // most ranges ever under way at once
}

// Settle waits after a run that has failed until no range is under way in this process,
// or for the given time.
func Settle(within time.Duration) {
	for end := time.Now().Add(within); Progress.Active.Load() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
