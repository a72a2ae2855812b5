package pipeline

import (
	"path/filepath"
	"testing"
)

// With --retry-failures, a part with a file that could not be read was not there before,
// wherever it is made.
func TestWatchOfRetry(t *testing.T) {
	_, denied := lockable(t)
	denied.Store(9000)
	o := options("mem://b/in", filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 2000
	run(t, o)
	for _, retry := range []bool{false, true} {
		o.RetryFailures = retry
		p := prepared(t, o)
		p.here = false
		d := p.Watch(t.Context(), true).Done(nil)
		if d.Earlier+d.Finished != int64(p.Job.Ranges) || d.Earlier == 0 || d.Finished > 0 != retry {
			t.Errorf("retry %t: %d parts of %d were there, %d were made", retry, d.Earlier, p.Job.Ranges, d.Finished)
		}
		p.Close()
	}
}
