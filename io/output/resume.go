package output

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// footersAtOnce is how many parts are opened at once: in an object store each
// takes a request of tens of milliseconds, and there may be a hundred thousand.
const footersAtOnce = 64

// A listed is what a listing of the output folder shows of a range.
type listed struct {
	k     int
	parts []*store.Info // by kind, as Run.kinds has them; nil: not there
}

// complete says whether the range has all its parts.
func (l *listed) complete() bool { return !slices.Contains(l.parts, nil) }

// listed yields what the output has of every range, in order. It takes one request per
// thousand parts, however many are done.
func (r *Run) listed(ctx context.Context) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		var kinds []func(k int) (*store.Info, error)
		for _, kind := range r.kinds() {
			part, stop := r.parts(ctx, kind)
			defer stop()
			kinds = append(kinds, part)
		}
		for k := range r.Ranges {
			l := listed{k: k}
			for _, part := range kinds {
				info, err := part(k)
				if err != nil {
					yield(l, err)
					return
				}
				l.parts = append(l.parts, info)
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// parts returns a function that gives the part of a kind of range k, or nil. It must be
// called in the order of ranges, which is also the order of names.
func (r *Run) parts(ctx context.Context, kind string) (part func(k int) (*store.Info, error), stop func()) {
	folder := store.Join(r.Output, kind)
	next, stop := iter.Pull2(store.List(ctx, folder))
	info, err, more := next()
	return func(k int) (*store.Info, error) {
		want := parquet.PartName(k, r.Ranges, r.FP)
		for ; more && err == nil; info, err, more = next() {
			if name := store.Within(folder, info.Name); name >= want {
				if name > want {
					return nil, nil
				}
				found := info
				return &found, nil
			}
		}
		if more {
			return nil, err
		}
		return nil, nil
	}, stop
}

// isDone reports whether a range is done: see parquet.PartID.Check. With Redo
// one with a file that could not be read is not. A range whose parts are there
// but not as they were written is damaged; with Verify all of them is read.
func (r *Run) isDone(l listed) (done, damaged bool) {
	if !l.complete() {
		return false, false
	}
	trees, err := r.openDone(l)
	if err != nil {
		return false, true
	}
	defer trees.Close()
	if r.Verify && r.partID(l.k).Verify() != nil {
		return false, true
	}
	if !r.Redo {
		return true, false
	}
	var files []File
	err = fromFooter(trees, "", keyFiles, &files)
	return err == nil && !slices.ContainsFunc(files, func(f File) bool { return f.Failed }), false
}

// openDone opens the trees of a range that has all its parts.
func (r *Run) openDone(l listed) (_ *parquet.File, err error) {
	var files []*parquet.File
	defer func() {
		for i, f := range files {
			if i > 0 || err != nil {
				f.Close()
			}
		}
	}()
	for _, info := range l.parts {
		f, err := parquet.OpenListed(*info)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files[0], r.partID(l.k).Check(files)
}

// A Found is what the output has of a range.
type Found struct {
	Done    bool
	Damaged bool // its parts are there, but not as they were written
}

// Found yields what the output has of each range, in order. A range is done if the
// names, sizes and footers of its parts say so, with Verify if all their bytes do. The
// pair with an error is the last.
func (r *Run) Found(ctx context.Context) iter.Seq2[Found, error] {
	return inOrder(ctx, r.listed(ctx), func(l listed) (Found, error) {
		done, damaged := r.isDone(l)
		return Found{done, damaged}, nil
	})
}

// Done says whether range k is done now.
func (r *Run) Done(k int) bool {
	l := listed{k: k}
	ctx := context.Background()
	for _, kind := range r.kinds() {
		s, name, err := store.Of(ctx, r.partID(k).Path(kind))
		if err != nil {
			return false
		}
		info, err := s.Stat(ctx, name)
		if err != nil {
			return false // of a new range there is nothing: one request
		}
		l.parts = append(l.parts, &info)
	}
	done, _ := r.isDone(l)
	return done
}

// inOrder yields the results of f for the elements of list, in order; f is called for
// several of them at once. The pair with an error is the last.
func inOrder[T, R any](ctx context.Context, list iter.Seq2[T, error], f func(T) (R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		type answer struct {
			value R
			err   error
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan answer, footersAtOnce)
		go func() {
			defer close(queue)
			for element, err := range list {
				c := make(chan answer, 1)
				select {
				case queue <- c:
				case <-ctx.Done():
					return
				}
				if err != nil {
					c <- answer{err: err}
					return
				}
				go func() {
					value, err := f(element)
					c <- answer{value, err}
				}()
			}
		}()
		for c := range queue {
			a := <-c
			if !yield(a.value, a.err) || a.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(*new(R), err)
		}
	}
}

// An Existing run is what an output folder has of a run, complete or not.
type Existing struct {
	Run
	Plan  *source.Plan
	Ended bool // it has its manifest
}

// ErrNoRun is the error of a folder that does not hold one run.
var ErrNoRun = errors.New("it does not hold a run of treebeam parse")

// ReadExisting reads the record and the plan of the run in folder. A folder without
// them, or with records of several runs, is an error: ErrNoRun if there are no records.
func ReadExisting(ctx context.Context, folder string) (*Existing, error) {
	records, err := Records(ctx, folder)
	if err != nil {
		return nil, err
	}
	if len(records) != 1 {
		return nil, ErrNoRun
	}
	e := &Existing{Run: Run{Record: records[0], Output: folder}}
	if e.Plan, err = source.ReadPlan(ctx, e.PlanPath()); err != nil {
		return nil, err
	}
	e.Ranges = len(e.Plan.Ranges)
	m, err := ReadManifest(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	e.Ended = err == nil && m.FP == e.FP
	return e, nil
}

// Documents returns the rows of documents/ for the planned files whose ranges are all
// done, in the order of the plan. In a complete run these are all files; in an
// interrupted run, the files finished so far. Damaged parts count as missing.
func (e *Existing) Documents(ctx context.Context) (docs []parquet.Document, err error) {
	missing := map[string]bool{}
	k := 0
	files := func(yield func([]File, error) bool) {
		for sums, err := range inOrder(ctx, e.listed(ctx), e.doneSums) {
			var files []File
			if sums != nil {
				files = sums.files
			} else if err == nil {
				e.note(missing, k)
			}
			k++
			if !yield(files, err) || err != nil {
				return
			}
		}
	}
	var done []*File
	for f, err := range wholeFiles(files) {
		if err != nil {
			return nil, err
		}
		done = append(done, f)
	}
	for _, f := range done {
		if !missing[f.URI] {
			docs = append(docs, f.document())
		}
	}
	return docs, nil
}

// doneSums is the sums of a range that is done, else nil.
func (e *Existing) doneSums(l listed) (*partSums, error) {
	if !l.complete() {
		return nil, nil
	}
	trees, err := e.openDone(l)
	if err != nil {
		return nil, nil
	}
	defer trees.Close()
	sums, err := e.sums(l, trees)
	if err != nil {
		return nil, nil // damaged
	}
	return sums, nil
}

// note adds the files of range k.
func (e *Existing) note(uris map[string]bool, k int) {
	for i := range e.Plan.Ranges[k].Pieces {
		uris[e.Plan.Ranges[k].Pieces[i].URI] = true
	}
}

// Missing returns the URIs of the planned files that have a missing or empty part. It
// opens no part.
func (e *Existing) Missing(ctx context.Context) (map[string]bool, error) {
	missing := map[string]bool{}
	for l, err := range e.listed(ctx) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(l.parts, func(part *store.Info) bool { return part == nil || part.Size == 0 }) {
			e.note(missing, l.k)
		}
	}
	return missing, nil
}

// Files returns the input files of the run's plan, in its order.
func (e *Existing) Files() []source.Input {
	var list []source.Input
	for _, r := range e.Plan.Ranges {
		for i := range r.Pieces {
			if p := &r.Pieces[i]; p.Start == 0 {
				list = append(list, source.Input{URI: p.URI, DocID: p.DocID, Size: p.Size, Version: p.Version, Path: p.Path})
			}
		}
	}
	return list
}
