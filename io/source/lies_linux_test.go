package source

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Files whose size is not what the file system says are failures of their own,
// at once: the run goes on.
func TestFilesThatLieAboutTheirSize(t *testing.T) {
	for _, c := range []struct {
		path string
		kind syntax.Kind
		want string
	}{
		{"/sys/kernel/mm/transparent_hugepage/enabled", syntax.KindTruncated, "the file ends after"},
		{"/sys/kernel/uevent_seqnum", syntax.KindTruncated, "the file ends after"},
		{"/proc/self/status", syntax.KindIrregular, "0 bytes, but there are some"},
		{"/proc/version", syntax.KindIrregular, "0 bytes, but there are some"},
	} {
		if _, err := os.Stat(c.path); err != nil {
			t.Logf("%s: %v", c.path, err)
			continue
		}
		inputs, err := List(context.Background(), []string{c.path}, ListOptions{})
		must(t, err)
		plan, err := NewPlan(t.Context(), ListingOf(inputs), PlanOptions{})
		must(t, err)
		start := time.Now()
		f, err := openFirst(t, plan)
		if err == nil {
			var r io.Reader
			if r, err = f.At(0); err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if _, sumErr := f.Sum(context.Background()); sumErr == nil {
				t.Errorf("%s: has a sum", c.path)
			}
			f.Close()
		}
		var fault *Error
		var why syntax.Fault
		if !errors.As(err, &fault) || fault.Kind != Permanent || !errors.As(err, &why) || why.Kind != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: found out after %v: it was tried again", c.path, d)
		}
	}
}
