package transforms

import (
	"sync/atomic"
	"time"
)

// Progress counts what this process has done since it started, over all runs.
// It is for showing only: no result depends on it.
var Progress struct {
	Bytes   atomic.Int64 // bytes of stored input read
	Words   atomic.Int64 // words parsed
	Written atomic.Int64 // ranges written
	Skipped atomic.Int64 // ranges found done
	Damaged atomic.Int64 // ranges found with damaged parts
	Active  atomic.Int64 // ranges under way
	Peak    atomic.Int64 // most ranges ever under way at once
}

// Settle waits, after a run has failed, until no range is under way in this process, but
// at most for the given time.
func Settle(within time.Duration) {
	for end := time.Now().Add(within); Progress.Active.Load() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
