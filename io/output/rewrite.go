package output

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// PartFiles yields what the footers of the parts of trees/ of one run, given
// in order, say of each input file that all its ranges have read. The pair
// with an error is the last.
func PartFiles(parts []string) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		var pieces []File // of one file
		flush := func() bool {
			if len(pieces) == 0 {
				return true
			}
			whole, err := mergeFiles(pieces)
			pieces = pieces[:0]
			if err != nil {
				return true // one that is not complete is left out
			}
			f := whole[0] // pieces will be used again
			return yield(&f, nil)
		}
		for _, part := range parts {
			files, err := partFiles(part)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range files {
				if len(pieces) > 0 && pieces[0].URI != files[i].URI && !flush() {
					return
				}
				pieces = append(pieces, files[i])
			}
		}
		flush()
	}
}

func partFiles(path string) (files []File, err error) {
	part, err := parquet.Open[parquet.Tree](path)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	text, _ := part.Footer(keyFiles)
	if err := json.Unmarshal([]byte(text), &files); err != nil {
		return nil, fmt.Errorf("the footer %s of %s: %w", keyFiles, path, err)
	}
	return files, nil
}

// Rewrite writes the parts of range k from rows that other runs have made:
// those of the files, in order. It does nothing if the parts are there.
func (r *Run) Rewrite(k int, files []File, trees iter.Seq2[*parquet.Tree, error], failures iter.Seq2[*parquet.Failure, error]) error {
	if r.Done(k) {
		return nil
	}
	p, err := r.Open(k)
	if err != nil {
		return err
	}
	defer p.Abandon()
	for t, err := range trees {
		if err != nil {
			return err
		}
		p.status[t.Status]++
		if err := p.part.Trees(*t); err != nil {
			return err
		}
	}
	for f, err := range failures {
		if err != nil {
			return err
		}
		row, err := parquet.FromFailure(f)
		if err != nil {
			return err
		}
		p.reasons = addReason(p.reasons, reasonOf(&row))
		if err := p.part.Failures(*f); err != nil {
			return err
		}
	}
	for i := range files {
		if err := files[i].Check(); err != nil {
			return fmt.Errorf("%s: %w: something was lost", files[i].URI, err)
		}
	}
	return p.publish(slices.Clone(files))
}

// Complete does for an output whose parts Rewrite has made what Finish does
// for one that was parsed: it checks the sums and writes documents/,
// summary.json and manifest.json.
func (r *Run) Complete(ctx context.Context) error { return r.finish(ctx, true) }
