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

// Finish closes an output all of whose ranges are done: it checks the sums in the
// footers of their parts, and writes documents/, summary.json and, last of all,
// manifest.json, whose presence says that the output is complete. After too many
// internal errors it fails and writes no manifest.
func (r *Run) Finish(ctx context.Context) error { return r.finish(ctx, false) }

// Complete does for an output whose parts Rewrite has made what Finish does
// for one that was parsed: it checks the sums and writes documents/,
// summary.json and manifest.json.
func (r *Run) Complete(ctx context.Context) error { return r.finish(ctx, true) }

// finish does Finish's work. The parts of a merged output come from runs whose
// defects were few enough each.
func (r *Run) finish(ctx context.Context, merged bool) error {
	sum := Summary{Status: map[string]int64{}, Reasons: []Reason{}}
	var docs []File
	manifest := Manifest{Record: r.Record, Model: r.ModelID(), Ranges: r.Ranges}
	for part, err := range r.allSums(ctx) {
		if err != nil {
			return err
		}
		sum.addRows(part.reasons, part.status, &part.work)
		docs = append(docs, part.files...)
		for i, kind := range r.kinds() {
			manifest.Files = append(manifest.Files, Listed{Path: r.name(kind, part.listed.k), Bytes: part.listed.parts[i].Size, Rows: part.rows[i]})
		}
	}
	if sum.Work != nil {
		sum.Work.setQuantiles()
	}
	docs, err := mergeFiles(docs)
	if err != nil {
		return err
	}
	for i := range docs {
		if err := sum.addFile(&docs[i]); err != nil {
			return err
		}
	}
	sum.noteSuspects(": see repaired in documents/")
	sum.NoteLanguage(r.TrainedOn, docs)
	if err := sum.defects(); err != nil && !merged {
		return fmt.Errorf("%w; the output is not marked complete", err)
	}
	sum.sortReasons()
	if err := r.writeDocuments(ctx, docs); err != nil {
		return err
	}
	if err := r.writeJSON(ctx, SummaryFile, sum); err != nil {
		return err
	}
	for _, f := range []Listed{{Path: r.documentsName(), Rows: int64(len(docs))}, {Path: SummaryFile}} {
		if f.Bytes, err = r.size(ctx, f.Path); err != nil {
			return err
		}
		manifest.Files = append(manifest.Files, f)
	}
	r.ForgetCauses(ctx)
	return r.writeManifest(ctx, &manifest)
}

// size is the size of a file of an output.
func (r *Run) size(ctx context.Context, path string) (int64, error) {
	s, name, err := store.Of(ctx, store.Join(r.Output, path))
	if err != nil {
		return 0, err
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("%s was written and is gone: %w; run the same command again", name, err)
	}
	return info.Size, nil
}

func (r *Run) writeDocuments(ctx context.Context, docs []File) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, name, err := store.Of(ctx, store.Join(r.Output, r.documentsName()))
	if err != nil {
		return err
	}
	f, err := out.Create(ctx, name, store.Options{Expect: store.Anything, Temp: tmpDir(r.Output)})
	if err != nil {
		return err
	}
	defer f.Abort()
	w := parquet.NewWriter[parquet.Document](f, append(r.footer(), parquet.KeyValue{Key: parquet.KeyFingerprint, Value: r.FP}), r.Options.KeepKeys()...)
	for i := range docs {
		if err := w.Write(docs[i].document()); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Commit()
}

func (r *Run) writeJSON(ctx context.Context, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(ctx, r.Output, name, append(data, '\n'))
}

// partSums is the content of the footer of a range's trees.
type partSums struct {
	listed  listed
	rows    [3]int64 // by kind, as Run.kinds has them
	files   []File
	reasons []Reason
	status  map[string]int64
	work    Work
}

// allSums yields the sums of all ranges in order. The pair with an error is
// the last.
func (r *Run) allSums(ctx context.Context) iter.Seq2[*partSums, error] {
	return inOrder(ctx, r.listed(ctx), func(l listed) (*partSums, error) {
		if !l.complete() {
			return nil, fmt.Errorf("range %d was done, but its parts are gone; run the same command again", l.k)
		}
		trees, err := parquet.OpenListed(*l.parts[0])
		if errors.Is(err, store.ErrVersion) { // published again since, with the same bytes, by a concurrent run
			trees, err = parquet.OpenFile(l.parts[0].Name)
		}
		if err != nil {
			return nil, fmt.Errorf("range %d was done, but its part cannot be read: %w; run the same command again", l.k, err)
		}
		defer trees.Close()
		return r.sums(l, trees)
	})
}

// sums reads the footer of the trees of a range.
func (r *Run) sums(l listed, part *parquet.File) (*partSums, error) {
	path := l.parts[0].Name
	if err := part.CheckPart(&parquet.PartFile{Path: path, FP: r.FP, K: l.k, N: r.Ranges, Rows: -1}); err != nil {
		return nil, err
	}
	s := &partSums{listed: l}
	for key, value := range map[string]any{keyFiles: &s.files, keyReasons: &s.reasons, keyStatus: &s.status, keyWork: &s.work} {
		if err := fromFooter(part, path, key, value); err != nil {
			return nil, err
		}
	}
	for i := range s.files {
		f := &s.files[i]
		s.rows[0] += f.Trees
		s.rows[1] += f.Errors + f.Warnings
		s.rows[2] += f.Words
	}
	if s.rows[0] != part.Len() {
		return nil, fmt.Errorf("%s has %d rows, but its footer counts %d trees", path, part.Len(), s.rows[0])
	}
	return s, nil
}

// fromFooter reads the JSON under a key of the footer of a part.
func fromFooter(part *parquet.File, path, key string, value any) error {
	text, _ := part.Footer(key)
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("the footer %s of %s: %w", key, path, err)
	}
	return nil
}

// PartFiles yields what the footers of the parts of trees/ of one run, given
// in order, say of each input file that all its ranges have read. The pair
// with an error is the last.
func PartFiles(parts []string) iter.Seq2[*File, error] {
	return wholeFiles(func(yield func([]File, error) bool) {
		for _, path := range parts {
			part, err := parquet.OpenFile(path)
			var files []File
			if err == nil {
				err = fromFooter(part, path, keyFiles, &files)
				part.Close()
			}
			if !yield(files, err) || err != nil {
				return
			}
		}
	})
}

// wholeFiles merges what parts, in order, say of their files. It leaves out a file if a
// piece of it is missing or if it changed between two pieces.
func wholeFiles(parts iter.Seq2[[]File, error]) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		var pieces []File // of one file
		flush := func() bool {
			whole, err := mergeFiles(pieces)
			pieces = nil
			return err != nil || len(whole) == 0 || yield(&whole[0], nil)
		}
		for files, err := range parts {
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
