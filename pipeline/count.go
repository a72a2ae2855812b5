package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/tally"
	"github.com/treebeam/treebeam/transforms"
)

// BuildCount adds the job of Count to s.
//
//	Expand -> Count
func BuildCount(s beam.Scope, job transforms.Job) {
	transforms.Count(s, job, transforms.Expand(s, job))
}

// Count counts the words and bigrams of the input on the runner and adds them up in
// this process. The output folder holds the counts of finished ranges meanwhile, so
// that the same command goes on after an error; RemoveCounts removes them. They
// depend on the text alone, not on runner, workers or ranges. A range needs under 200
// MB, whatever its size; what the sum needs, tally.Merge says.
func Count(ctx context.Context, p *Prepared, limits tally.Limits) (*tally.Merged, *transforms.Counted, error) {
	pipeline, scope := beam.NewPipelineWithRoot()
	BuildCount(scope, p.Job)
	elsewhere := false
	defer func() { p.lease.end(elsewhere) }()
	_, job, err := p.submit(ctx, pipeline)
	if err := ctx.Err(); err != nil {
		elsewhere = !p.here
		return nil, nil, err
	}
	if stopped := job.stopped(err); stopped != nil {
		elsewhere = stopped.goesOn
		return nil, nil, stopped
	}
	if err != nil {
		return nil, nil, failure(&p.Job, err)
	}
	var all transforms.Counted
	var runs []func() (io.ReadCloser, error)
	for k := range p.Job.Ranges {
		c, err := transforms.ReadCounted(ctx, &p.Job, k)
		if err != nil {
			return nil, nil, fmt.Errorf("the counts of range %d of %d: %w", k, p.Job.Ranges, err)
		}
		for run := range c.Runs {
			runs = append(runs, func() (io.ReadCloser, error) {
				r, _, err := store.OpenFile(ctx, transforms.CountsPath(&p.Job, k, run))
				return r, err
			})
		}
		all.Runs += c.Runs
		all.Sentences += c.Sentences
		all.Words += c.Words
		all.Long += c.Long
		all.Failures += c.Failures
	}
	merged, err := tally.Merge(runs, limits)
	if errors.Is(err, tally.ErrDamaged) {
		err = fmt.Errorf("%w; remove %s", err, store.Redact(p.Job.Output))
	}
	return merged, &all, err
}

// CheckCounts refuses a folder for counts that has anything else in it, such as the
// trees of a run: RemoveCounts must not take those away. A folder of ours that has
// neither is that of a job that was ended early, and will do.
func CheckCounts(ctx context.Context, folder string) error {
	refused := func(name string) error {
		return refuse("--work %s: there is %s in it, which is not from counting; name an empty folder, or a new one", store.Redact(folder), name)
	}
	if !store.IsRemote(folder) {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refuse("--work %s: %w; name another folder", folder, err)
		}
		for _, e := range entries {
			if e.Name() != transforms.CountsDir && e.Name() != output.OwnDir {
				return refused(e.Name())
			}
		}
		return nil
	}
	folder = strings.TrimRight(folder, "/")
	for info, err := range store.List(ctx, folder) {
		if err != nil {
			return refuse("--work %s: %w; name another folder", store.Redact(folder), err)
		}
		name, _, _ := strings.Cut(store.Within(folder, info.Name), "/")
		if name != transforms.CountsDir && name != output.OwnDir {
			return refused(name)
		}
	}
	return nil
}

// RemoveCounts removes what Count has written, and the output folder if nothing else
// is in it.
func (p *Prepared) RemoveCounts(ctx context.Context) error {
	p.lease.end(false)
	if !store.IsRemote(p.Job.Output) {
		err := errors.Join(os.RemoveAll(filepath.Join(p.Job.Output, transforms.CountsDir)), os.RemoveAll(filepath.Join(p.Job.Output, output.OwnDir)))
		os.Remove(p.Job.Output) // unless somebody has put something there
		return err
	}
	for _, dir := range []string{transforms.CountsDir, output.OwnDir} {
		for info, err := range store.List(ctx, store.Join(p.Job.Output, dir)) {
			if err == nil {
				err = store.Delete(ctx, info.Name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// EachSentence reads the inputs in this process, in their order, and calls f with the
// forms of every sentence, as all features see them. What is wrong before any work is
// a *Refusal.
func EachSentence(ctx context.Context, o Options, f func(words []string) error) (*transforms.Counted, error) {
	if o.HasNoInput() {
		return nil, refuse("no input: name files or folders; '-' reads standard input")
	}
	if err := ValidateRows(&o.Rows); err != nil {
		return nil, err
	}
	m, _, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	inputs, err := source.List(ctx, o.Inputs, source.ListOptions{Paths: o.Paths, Exclude: o.Exclude, Stdin: o.Stdin, Live: true})
	if err != nil {
		return nil, &Refusal{Err: err}
	}
	all := &transforms.Counted{}
	if err := o.read(inputs, &transforms.Pace{}, func(read reader) error {
		return read(ctx, func(c transforms.Chunk) error { return transforms.EachSentence(c, m, o.Rows, all, f) })
	}); err != nil {
		return nil, err
	}
	return all, nil
}
