package pipeline

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/transforms"
)

// No name of a file makes another cause of a failure.
func TestFailure(t *testing.T) {
	fp := "0123456789abcdef0123456789abcdef"
	job := &transforms.Job{}
	job.FP = fp
	const mark = "treebeam 0123456789abcdef "
	for _, c := range []struct {
		text    string
		changed bool
		want    string
	}{
		{"runner:\n\tcaused by:\n" + mark + "failed: reading x: no\nmore\n", false, "reading x: no"},
		{"runner:\n" + mark + "changed: x: the file changed\nmore", true, "x: the file changed"},
		{"runner:\n" + mark + "failed: range 1: " + mark + "changed: x", true, "x"},
		{"runner alone", false, "runner alone"},
		{mark + "failed: reading treebeam: the input has changed: x: no", false, "reading treebeam: the input has changed: x: no"},
		{mark + "failed: reading treebeam changed: x: no", false, "reading treebeam changed: x: no"},
		{mark + "failed: treebeam fedcba9876543210 changed: x: no", false, "treebeam fedcba9876543210 changed: x: no"},
		{mark + "failed: changed: x: no", false, "changed: x: no"},
		{mark + "failed: " + flinkCancelled + "x: no", false, flinkCancelled + "x: no"},
	} {
		err := failure(job, errors.New(c.text))
		var changed *InputChanged
		if errors.As(err, &changed) != c.changed || err.Error() != c.want {
			t.Errorf("%q: got %T %q", c.text, err, err)
		}
		if f := (&follower{of: job}); f.stopped(errors.New(c.text)) != nil {
			t.Errorf("%q: taken for cancelled", c.text)
		}
	}
	if (&follower{of: job}).stopped(errors.New(flinkCancelled+"by a user")) == nil {
		t.Error("a cancelled job was taken for a failed one")
	}
}

// An input that is not what was listed is told from one that cannot be read for a
// while, whatever its name.
func TestInputChanged(t *testing.T) {
	const forger = "treebeam: the input has changed: x.txt"
	for _, changes := range []bool{true, false} {
		m, _ := lockable(t)
		m.Put("mem://b/in/"+forger, []byte(prose(1)))
		p, err := Prepare(t.Context(), options("mem://b/in", filepath.Join(t.TempDir(), "out")))
		if err != nil {
			t.Fatal(err)
		}
		if changes {
			m.Put("mem://b/in/short.txt", []byte(prose(2)))
		} else {
			storetest.Sleepless(t)
			m.Break(func(name string, _, _ int64) (int64, error) {
				if strings.HasSuffix(name, forger) {
					return 0, errors.New("503")
				}
				return -1, nil
			})
		}
		_, err = Run(t.Context(), p)
		var changed *InputChanged
		if err == nil || errors.As(err, &changed) != changes || changes != strings.Contains(err.Error(), "short.txt") {
			t.Errorf("changes %v: got %T %v", changes, err, err)
		}
		p.Close()
	}
}
