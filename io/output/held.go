package output

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// footersAtOnce is how many parts are opened at once: in an object store each
// takes a request of tens of milliseconds, and there may be a hundred thousand.
const footersAtOnce = 64

// A held range is what a listing of the output folder shows of it.
type held struct {
	k                      int
	trees, failures, words *store.Info // nil: not there
}

// all says whether the range has all its parts.
func (h *held) all(r *Run) bool {
	return h.trees != nil && h.failures != nil && (h.words != nil || !r.Options.Words)
}

// held yields what the output holds of every range, in their order. It takes a
// request for each thousand parts, whatever is done.
func (r *Run) held(ctx context.Context) iter.Seq2[held, error] {
	return func(yield func(held, error) bool) {
		trees, stop := r.parts(ctx, "trees")
		defer stop()
		failures, stop := r.parts(ctx, "failures")
		defer stop()
		words := func(int) (*store.Info, error) { return nil, nil }
		if r.Options.Words {
			words, stop = r.parts(ctx, "words")
			defer stop()
		}
		for k := range r.Ranges {
			h := held{k: k}
			var err error
			if h.trees, err = trees(k); err == nil {
				h.failures, err = failures(k)
			}
			if err == nil {
				h.words, err = words(k)
			}
			if !yield(h, err) || err != nil {
				return
			}
		}
	}
}

// parts returns a function that gives the part of a kind of range k, or nil. It
// must be asked in the order of ranges, which is that of names.
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
func (r *Run) isDone(h held) (done, damaged bool) {
	trees, err := r.openDone(h)
	if err != nil {
		return false, h.all(r)
	}
	defer trees.Close()
	if r.Verify && r.partID(h.k).Verify() != nil {
		return false, true
	}
	if !r.Redo {
		return true, false
	}
	var files []File
	text, _ := trees.Footer(keyFiles)
	return json.Unmarshal([]byte(text), &files) == nil &&
		!slices.ContainsFunc(files, func(f File) bool { return f.Failed }), false
}

// openDone opens the trees of a range that is done.
func (r *Run) openDone(h held) (*parquet.Reader[parquet.Tree], error) {
	if !h.all(r) {
		return nil, fmt.Errorf("range %d is not done", h.k)
	}
	var words *parquet.Reader[parquet.Word]
	if r.Options.Words {
		var err error
		if words, err = parquet.OpenListed[parquet.Word](*h.words); err != nil {
			return nil, err
		}
		defer words.Close()
	}
	failures, err := parquet.OpenListed[parquet.Failure](*h.failures)
	if err != nil {
		return nil, err
	}
	defer failures.Close()
	trees, err := parquet.OpenListed[parquet.Tree](*h.trees)
	if err == nil {
		err = r.partID(h.k).Check(trees, failures, words)
		if err != nil {
			trees.Close()
		}
	}
	return trees, err
}

// A Found is what the output has of a range.
type Found struct {
	Done    bool
	Damaged bool // its parts are there, but not as they were written
}

// Found yields what the output has of each range, in their order: which are done,
// by the names, sizes and footers of their parts, with Verify by all their bytes.
// The pair with an error is the last.
func (r *Run) Found(ctx context.Context) iter.Seq2[Found, error] {
	return inOrder(ctx, r.held(ctx), func(h held) (Found, error) {
		done, damaged := r.isDone(h)
		return Found{done, damaged}, nil
	})
}

// Done says whether range k is done now.
func (r *Run) Done(k int) bool {
	h := held{k: k, trees: r.stat("trees", k)}
	if h.trees != nil { // of a new range there is nothing: one request
		h.failures = r.stat("failures", k)
		if r.Options.Words {
			h.words = r.stat("words", k)
		}
	}
	done, _ := r.isDone(h)
	return done
}

// stat returns a part as the store shows it now, or nil.
func (r *Run) stat(kind string, k int) *store.Info {
	ctx := context.Background()
	s, name, err := store.Of(ctx, r.partID(k).Path(kind))
	if err != nil {
		return nil
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil
	}
	return &info
}

// inOrder yields what f makes of the elements of list, in their order; f is
// called for some of them at once. The pair with an error is the last.
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
