package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

// footersAtOnce is how many parts are opened at once: in an object store each takes a
// request of tens of milliseconds, and there may be a hundred thousand. The account of
// 2,000 small files in a footer takes 2 MB of memory.
const footersAtOnce = 32

// A listed is what a listing of the output folder shows of a range: its parts by kind.
type listed struct {
	k     int
	parts map[string]store.Info
}

// part returns the part of a kind, and fs.ErrNotExist if it is not there.
func (l *listed) part(kind string) (store.Info, error) {
	info, ok := l.parts[kind]
	if !ok {
		return info, fmt.Errorf("the part of %s of range %d: %w", kind, l.k, fs.ErrNotExist)
	}
	return info, nil
}

// listed yields what the output has of every range, in order. It takes one request per
// thousand parts, however many are done.
func (r *Run) listed(ctx context.Context) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		parts := map[string]func(k int) (*store.Info, error){}
		for _, kind := range r.partID(0).Kinds(0) {
			part, stop := r.parts(ctx, kind)
			defer stop()
			parts[kind] = part
		}
		for k := range r.Ranges {
			l := listed{k, map[string]store.Info{}}
			for kind, part := range parts {
				info, err := part(k)
				if err != nil {
					yield(l, err)
					return
				}
				if info != nil {
					l.parts[kind] = *info
				}
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

// doneSums returns the sums of range k if all its parts are there, as part finds them by
// kind, and their footers say that they belong to it. It is fs.ErrNotExist if a part is
// missing. In an object store it takes one request for a range without failures.
func (r *Run) doneSums(k int, part func(kind string) (store.Info, error)) (*partSums, error) {
	open := func(kind string) (*parquet.File, error) {
		info, err := part(kind)
		if err != nil {
			return nil, err
		}
		return parquet.OpenListed(info)
	}
	trees, err := open("trees")
	if err != nil {
		return nil, err
	}
	defer trees.Close()
	sums, err := r.sums(k, trees)
	if err != nil {
		return nil, err
	}
	for _, kind := range r.kinds(sums)[1:] {
		f, err := open(kind)
		if err == nil {
			err = errors.Join(r.partID(k).Check(kind, f, trees), f.Close())
		}
		if err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// kinds are the kinds of the parts of a range with these sums.
func (r *Run) kinds(sums *partSums) []string { return r.partID(sums.k).Kinds(sums.rows["failures"]) }

// isDone reports whether a range is done: see doneSums. With Redo one with a file that
// could not be read is not. The error is parquet.ErrDamaged for parts that are there but
// not as they were written, store.ErrNotRegular if a folder or a pipe is in their place, and
// fs.ErrNotExist if one is missing; with Verify all of them is read.
func (r *Run) isDone(k int, part func(kind string) (store.Info, error)) (bool, error) {
	sums, err := r.doneSums(k, part)
	if err == nil && r.Verify {
		err = r.partID(k).Verify(r.kinds(sums))
	}
	if err != nil {
		return false, err
	}
	return !r.Redo || !slices.ContainsFunc(sums.files, func(f File) bool { return f.Failed }), nil
}

// lost reports whether an error of isDone is of parts that must be made again, and not of
// some that cannot be read now.
func lost(err error) bool {
	return errors.Is(err, parquet.ErrDamaged) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotRegular)
}

// A Found is the state of a range in the output.
type Found struct {
	Done    bool
	Damaged bool // its parts are there, but not as they were written
}

// Found yields what the output has of each range, in order. A range is done if the
// names, sizes and footers of its parts say so, with Verify if all their bytes do. The
// pair with an error is the last.
func (r *Run) Found(ctx context.Context) iter.Seq2[Found, error] {
	return inOrder(ctx, r.listed(ctx), func(l listed) (Found, error) {
		done, err := r.isDone(l.k, l.part)
		return Found{done, lost(err) && !errors.Is(err, fs.ErrNotExist)}, nil
	})
}

// Done reports whether range k is done. Done removes trees that are damaged or whose
// failures are lost, so that Open finds the range as a new one. Trees that cannot be read
// now stay. For a new range, it makes one request.
func (r *Run) Done(k int) bool {
	ctx := context.Background()
	there := false
	done, err := r.isDone(k, func(kind string) (store.Info, error) {
		info, err := store.Stat(ctx, r.partID(k).Path(kind))
		there = there || err == nil
		return info, err
	})
	if there && lost(err) && !r.Redo {
		_ = store.Delete(ctx, r.partID(k).Path("trees")) // if they stay, Commit says so
	}
	return done
}

// Seen returns which of the ranges first to last may be done now, for Done to look at. Of
// an object store it takes one request for all of them.
func (r *Run) Seen(ctx context.Context, first, last int) func(k int) bool {
	every := func(int) bool { return true }
	from, to := r.partID(first).Path("trees"), r.partID(last).Path("trees")
	same := 0
	for same < min(len(from), len(to)) && from[same] == to[same] {
		same++
	}
	s, prefix, err := store.Of(ctx, from[:same])
	if err != nil || !store.IsRemote(prefix) {
		return every
	}
	names := map[string]bool{}
	for info, err := range s.List(ctx, prefix) {
		if err != nil {
			return every
		}
		names[info.Name] = true
	}
	return func(k int) bool { return names[r.partID(k).Path("trees")] }
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

// An Existing is a run as found in an output folder, complete or not.
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
	e.Ranges = len(e.Plan.Sizes)
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
	var done []*File
	for f, err := range mergeFiles(e.done(ctx, missing)) {
		if f == nil {
			return nil, err
		}
		if err == nil { // else it changed, or a piece is missing
			done = append(done, f)
		}
	}
	for _, f := range done {
		if !missing[f.URI] {
			docs = append(docs, f.document())
		}
	}
	return docs, nil
}

// Missing returns the URIs of the planned files that have a missing or damaged part.
func (e *Existing) Missing(ctx context.Context) (map[string]bool, error) {
	missing := map[string]bool{}
	for _, err := range e.done(ctx, missing) {
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// done yields what the ranges that are done have read of their files, in order, and adds
// the URIs of the other ranges to missing.
func (e *Existing) done(ctx context.Context, missing map[string]bool) iter.Seq2[[]File, error] {
	sums := inOrder(ctx, e.listed(ctx), func(l listed) (*partSums, error) {
		sums, err := e.doneSums(l.k, l.part)
		if lost(err) {
			return nil, nil
		}
		return sums, err
	})
	return func(yield func([]File, error) bool) {
		next, stop := iter.Pull2(e.Plan.Ranges())
		defer stop()
		for sums, err := range sums {
			var planned source.Range
			if err == nil {
				planned, err, _ = next()
			}
			var files []File
			if sums != nil {
				files = sums.files
			} else {
				for i := range planned.Pieces {
					missing[planned.Pieces[i].URI] = true
				}
			}
			if !yield(files, err) || err != nil {
				return
			}
		}
	}
}

// Files returns the input files of the run's plan, in its order.
func (e *Existing) Files() (list []source.Input, err error) {
	for in, err := range e.Plan.Inputs() {
		if err != nil {
			return nil, err
		}
		list = append(list, *in)
	}
	return list, nil
}
