package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// partSums is what the footer of a range's trees says.
type partSums struct {
	held     held
	rows     int64
	failures int64 // rows of failures/
	words    int64 // rows of words/, if there are any
	files    []File
	reasons  []Reason
	status   map[string]int64
	work     Work
}

// allSums yields the sums of all ranges in order. The pair with an error is
// the last.
func (r *Run) allSums(ctx context.Context) iter.Seq2[*partSums, error] {
	return inOrder(ctx, r.held(ctx), func(h held) (*partSums, error) {
		if !h.all(r) {
			return nil, fmt.Errorf("range %d was done, but its parts are gone; run the same command again", h.k)
		}
		trees, err := parquet.OpenListed[parquet.Tree](*h.trees)
		if errors.Is(err, store.ErrVersion) { // published again since, with the same bytes, by a run beside this one
			trees, err = parquet.Open[parquet.Tree](h.trees.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("range %d was done, but its part cannot be read: %w; run the same command again", h.k, err)
		}
		defer trees.Close()
		return r.sums(h, trees)
	})
}

// doneSums yields the sums of those ranges that are done, in their places, and
// nil for the others.
func (r *Run) doneSums(ctx context.Context) iter.Seq2[*partSums, error] {
	return inOrder(ctx, r.held(ctx), func(h held) (*partSums, error) {
		trees, err := r.openDone(h)
		if err != nil {
			return nil, nil
		}
		defer trees.Close()
		sums, err := r.sums(h, trees)
		if err != nil {
			return nil, nil // damaged
		}
		return sums, nil
	})
}

// sums reads the footer of the trees of a range.
func (r *Run) sums(h held, part *parquet.Reader[parquet.Tree]) (*partSums, error) {
	path := h.trees.Name
	if err := part.Check(r.FP, h.k, r.Ranges); err != nil {
		return nil, err
	}
	s := &partSums{held: h, rows: part.Len()}
	for key, value := range map[string]any{keyFiles: &s.files, keyReasons: &s.reasons, keyStatus: &s.status, keyWork: &s.work} {
		text, _ := part.Footer(key)
		if err := json.Unmarshal([]byte(text), value); err != nil {
			return nil, fmt.Errorf("the footer %s of %s: %w", key, path, err)
		}
	}
	trees := int64(0)
	for i := range s.files {
		trees += s.files[i].Trees
		s.words += s.files[i].Words
		s.failures += s.files[i].Errors + s.files[i].Warnings
	}
	if trees != s.rows {
		return nil, fmt.Errorf("%s has %d rows, but its footer counts %d trees", path, s.rows, trees)
	}
	return s, nil
}
