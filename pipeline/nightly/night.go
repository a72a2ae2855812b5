package nightly

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/pipeline"
)

// A Result is the result of a night.
type Result struct {
	Snapshot *Snapshot      // current now; nil if there is none yet
	Summary  output.Summary // of the files that this night parsed
	// Submitted says that the runs were only submitted (--async): nothing new is
	// current. If they have ended by the next night, it reuses their results and makes
	// them current.
	Submitted bool
}

// between, if set by a test, is called at the steps of a night; its error
// ends the night there, as a crash would.
var between func(step string) error

func step(name string) error {
	if between == nil {
		return nil
	}
	return between(name)
}

// Run parses the files of the night, run by run, and makes a snapshot of the result
// current. It calls watch before each run of the pipeline, and the function that watch
// returns after that run. After an error, the same steps from Plan on continue where
// this night stopped. If another night or compaction finished first, the error is a
// *Conflict. An error of Options.Accept comes with the result.
func (n *Night) Run(ctx context.Context, watch func(*pipeline.Prepared) func()) (*Result, error) {
	result := &Result{Snapshot: n.base, Summary: output.Summary{Status: map[string]int64{}, Reasons: []output.Reason{}}}
	if n.Idle() {
		return result, n.state.writeViews(ctx, n.base)
	}
	if err := n.state.make(); err != nil {
		return nil, err
	}
	n.state.sweep(time.Now())
	for i := range n.Runs {
		sum, err := n.run(ctx, &n.Runs[i], watch)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			result.Submitted = true
			continue
		}
		result.Summary.Merge(sum)
		if err := step("run"); err != nil {
			return nil, err
		}
	}
	if result.Submitted {
		return result, nil
	}
	if err := n.copyRows(ctx); err != nil {
		return nil, err
	}
	if err := n.accept(); err != nil {
		return result, err
	}
	next, err := n.state.publish(ctx, n.base, n.made, n.current())
	if err != nil {
		return nil, err
	}
	if err := step("snapshot"); err != nil {
		return nil, err
	}
	_, was := n.base.next()
	if err := n.state.swap(ctx, was, next); err != nil {
		return nil, err
	}
	result.Snapshot = next
	return result, nil
}

// RunDirs returns the folders of the runs that the night makes current in addition to
// those of its base.
func (n *Night) RunDirs() (list []string) {
	for i := range n.Runs {
		list = append(list, n.state.runDir(n.Runs[i].Name))
	}
	for _, run := range slices.Sorted(maps.Keys(n.TakenOver)) {
		list = append(list, n.state.runDir(run))
	}
	return list
}

// Found counts rows of files.
type Found struct {
	Errors, Trees int64 // rows
	Files         int64
	FilesFailed   int64 // of these, the files that have errors and no trees
}

// accept asks whether what the night has found may become current. What it has
// taken over counts like what it has parsed: a night that was refused once is
// not accepted by being started again.
func (n *Night) accept() error {
	if n.options.Accept == nil {
		return nil
	}
	var found, current Found
	for i := range n.Decisions {
		if d := &n.Decisions[i]; n.tails[d.URI] != nil {
			found.add(n.tails[d.URI])
		} else if d.Reason.parsed() && n.entries[d.URI] != nil {
			found.add(n.entries[d.URI])
		}
	}
	for e, err := range n.current() {
		if err != nil {
			return err
		}
		current.add(e)
	}
	return n.options.Accept(found, current)
}

func (f *Found) add(e *parquet.Entry) {
	f.Errors += e.Failures
	f.Trees += e.Trees
	f.Files++
	if e.Trees == 0 && e.Failures > 0 {
		f.FilesFailed++
	}
}

// run does one run of the pipeline and notes what it has made of each file.
// If the run was only submitted, the summary is nil.
func (n *Night) run(ctx context.Context, planned *PlannedRun, watch func(*pipeline.Prepared) func()) (*output.Summary, error) {
	o := n.options.Options
	o.Inputs, o.Paths, o.Dedup, o.Files, o.RangeBytes = nil, nil, false, planned.inputs, planned.rangeBytes
	o.Output = n.state.runDir(planned.Name)
	o.RetryFailures = o.RetryFailures || planned.retry
	prepared, err := pipeline.Prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	defer prepared.Close()
	if watch != nil {
		defer watch(prepared)()
	}
	sum, err := pipeline.Run(ctx, prepared)
	if err != nil || sum == nil {
		return nil, err
	}
	inputs := map[string]*source.Input{}
	for i := range planned.inputs {
		inputs[planned.inputs[i].URI] = &planned.inputs[i]
	}
	return sum, n.note(ctx, planned.Name, inputs)
}

// note notes the documents of a run that is complete; inputs are its files as they were
// listed, by URI.
func (n *Night) note(ctx context.Context, run string, inputs map[string]*source.Input) error {
	dir := n.state.runDir(run)
	m, err := output.Check(ctx, dir)
	if err != nil {
		return err
	}
	for d, err := range parquet.Parts[parquet.Document](m.Parts(dir, "documents")) {
		if err != nil {
			return err
		}
		n.done(d, inputs[d.SourceURI], run)
	}
	return nil
}

// done notes a document of a run, of a file or of the tail of one.
func (n *Night) done(d *parquet.Document, in *source.Input, run string) {
	of := n.entries
	if in.Tail > 0 {
		of = n.tails
	}
	of[d.SourceURI] = &parquet.Entry{Document: *d, Version: in.Version, Run: run}
}

// current yields the entries of the night's snapshot: the entries of this night, and
// the base's entries for files that have not changed.
func (n *Night) current() iter.Seq2[*parquet.Entry, error] {
	return func(yield func(*parquet.Entry, error) bool) {
		i := 0
		for at, err := range merge(n.base, n.listed) {
			if err != nil {
				yield(nil, err)
				return
			}
			e, uri, reason := at.entry, at.uri(), Unchanged // unless something was decided
			if i < len(n.Decisions) && n.Decisions[i].URI == uri {
				reason = n.Decisions[i].Reason
				i++
			}
			switch {
			case reason == Deleted:
				continue
			case reason.parsed() || n.entries[uri] != nil:
				e = n.entries[uri]
			}
			if e == nil {
				yield(nil, fmt.Errorf("%s was listed, but no run has an account of it: something was lost", uri))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
