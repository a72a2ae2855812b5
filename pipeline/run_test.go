package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/transforms"
)

// An input that is not what was listed is told from one that cannot be read for a
// while, whatever its name.
func TestInputChanged(t *testing.T) {
	const forger = "treebeam: the input has changed: x.txt"
	for _, changes := range []bool{true, false} {
		m, _ := lockable(t)
		m.Put("mem://b/in/"+forger, []byte(prose(1)))
		p := prepared(t, options("mem://b/in", filepath.Join(t.TempDir(), "out")))
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
		_, err := Run(t.Context(), p)
		var changed *InputChanged
		if err == nil || errors.As(err, &changed) != changes || changes != strings.Contains(err.Error(), "short.txt") {
			t.Errorf("changes %v: got %T %v", changes, err, err)
		}
		p.Close()
	}
}

// Where no cause can be written, as on a full disk, the error is what the engine's text
// gives for the function that failed.
func TestNoPlaceForCause(t *testing.T) {
	in := write(t, map[string]string{"x.txt": prose(3)})
	p := prepared(t, options(in, filepath.Join(t.TempDir(), "out")))
	defer p.Close()
	for _, name := range []string{filepath.Join(in, "x.txt"), filepath.Join(p.Job.Output, output.OwnDir, "failed")} {
		must(t, os.WriteFile(name, []byte("Changed .\n"), 0o644))
	}
	var changed *InputChanged
	if _, err := Run(t.Context(), p); err == nil || errors.As(err, &changed) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "x.txt") {
		t.Errorf("got %T %v", err, err)
	}
}

// An engine that says that all went well, but has lost the end of the job, is not
// believed, whether there is a manifest of an earlier run or none.
func TestJobThatEndsTooEarly(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(20)}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	for _, want := range []string{"manifest is from an earlier run: run the same command again", "ended without having written " + filepath.Join(o.Output, output.ManifestFile) + ": it was cancelled"} {
		p := prepared(t, o)
		pl, scope := beam.NewPipelineWithRoot()
		transforms.Expand(scope, p.Job)
		if _, err := p.run(context.Background(), pl); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		p.Close()
		os.Remove(filepath.Join(o.Output, output.ManifestFile))
	}
	run(t, o)
}

// A second start of a command while the first runs is refused, and goes on
// when that has ended.
func TestSecondStart(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
	first := prepared(t, o)
	before := files(t, o.Output)
	overwriting := o
	overwriting.Overwrite, overwriting.Rows.MaxWords = true, 7
	for _, o := range []Options{o, overwriting} {
		_, err := Prepare(t.Context(), o)
		refused(t, err, "another run of treebeam is writing to")
	}
	same(t, "refused", before, files(t, o.Output))
	if _, err := Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	again := prepared(t, o)
	again.Close()
}

// Two runs at once end with the bytes of one, where no lock keeps them apart.
func TestTwoWithoutLocks(t *testing.T) {
	defer func(before func(*flock.Flock) (bool, error)) { tryLock = before }(tryLock)
	o := options(corpus(t), filepath.Join(t.TempDir(), "one"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	tryLock = func(*flock.Flock) (bool, error) { return false, errors.ErrUnsupported }
	o.Output = filepath.Join(t.TempDir(), "two")
	atOnce(t, o)
	got := files(t, o.Output)
	delete(want, filepath.Join(output.OwnDir, "lock"))
	delete(got, filepath.Join(output.OwnDir, "lock"))
	same(t, "two at once", want, got)
}
