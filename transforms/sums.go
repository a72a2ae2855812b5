package transforms

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/treebeam/treebeam/io/parquet"
)

// footersAtOnce is how many parts Finish opens at once: in an object store
// each takes two requests of tens of milliseconds, and there may be a hundred
// thousand.
const footersAtOnce = 64

// partSums is what the footer of a range's trees says.
type partSums struct {
	rows    int64
	files   []File
	reasons []Reason
	status  map[string]int64
	work    Work
}

// allSums yields the sums of all ranges in order. The pair with an error is
// the last.
func (j *Job) allSums(ctx context.Context) iter.Seq2[*partSums, error] {
	return func(yield func(*partSums, error) bool) {
		type answer struct {
			sums *partSums
			err  error
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		queue := make(chan chan answer, footersAtOnce)
		go func() {
			defer close(queue)
			for k := range j.Ranges {
				c := make(chan answer, 1)
				select {
				case queue <- c:
				case <-ctx.Done():
					return
				}
				go func() {
					sums, err := j.sums(k)
					c <- answer{sums, err}
				}()
			}
		}()
		for c := range queue {
			a := <-c
			if !yield(a.sums, a.err) || a.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// sums reads the footer of range k's trees.
func (j *Job) sums(k int) (*partSums, error) {
	path := j.partID(k).Path("trees")
	part, err := parquet.Open[parquet.Tree](path)
	if err != nil {
		return nil, fmt.Errorf("range %d was done, but its part cannot be read: %w; run the same command again", k, err)
	}
	defer part.Close()
	if err := part.Check(j.FP, k, j.Ranges); err != nil {
		return nil, err
	}
	s := &partSums{rows: part.Len()}
	for key, value := range map[string]any{keyFiles: &s.files, keyReasons: &s.reasons, keyStatus: &s.status, keyWork: &s.work} {
		text, ok := part.Footer(key)
		if !ok && key == keyWork {
			continue // of a program that did not count it
		}
		if err := json.Unmarshal([]byte(text), value); err != nil {
			return nil, fmt.Errorf("the footer %s of %s: %w", key, path, err)
		}
	}
	trees := int64(0)
	for i := range s.files {
		trees += s.files[i].Trees
	}
	if trees != s.rows {
		return nil, fmt.Errorf("%s has %d rows, but its footer counts %d trees", path, s.rows, trees)
	}
	return s, nil
}
