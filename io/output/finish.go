package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// Finish closes an output whose ranges are all done. It checks the sums in the footers
// of their parts, and writes documents/, summary.json and, last of all, manifest.json,
// which marks the output as complete. After too many internal errors it fails and
// writes no manifest. changed says whether parts were made since the run began: if not,
// a complete output only gets its manifest again, and no part is opened. sums are the
// sums of ranges, from Parts.Sums; in an object store, the footers of the other ranges
// are read.
func (r *Run) Finish(ctx context.Context, changed bool, sums map[int]string) error {
	if !changed && !r.Verify {
		if m, err := Check(ctx, r.Output); err == nil && m.FP == r.FP {
			return r.writeManifest(ctx, m)
		}
	}
	return r.finish(ctx, false, sums)
}

// Complete does for an output whose parts Rewrite has made what Finish does for a
// parsed one: it checks the sums and writes documents/, summary.json and manifest.json.
func (r *Run) Complete(ctx context.Context) error { return r.finish(ctx, true, nil) }

// finish does Finish's work, in the order of the ranges: it holds no more of the input
// files than the parts that it is reading. The parts of a merged output come from runs
// whose defects were few enough each.
func (r *Run) finish(ctx context.Context, merged bool, sums map[int]string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sum := Summary{Status: map[string]int64{}, Reasons: []Reason{}}
	manifest := Manifest{Record: r.Record, Model: r.ModelID(), Ranges: r.Ranges}
	documents, err := r.createDocuments(ctx)
	if err != nil {
		return err
	}
	defer documents.file.Abort()
	for f, err := range mergeFiles(r.finished(ctx, sums, &sum, &manifest)) {
		if err == nil {
			err = sum.addFile(f)
		}
		if err == nil {
			sum.meet(f)
			err = documents.Write(f.document())
		}
		if err != nil {
			return err
		}
	}
	sum.close(r.TrainedOn)
	sum.NoteIdle(&r.Options)
	if err := sum.defects(); err != nil && !merged {
		return fmt.Errorf("%w; the output is not marked complete", err)
	}
	if err := documents.commit(); err != nil {
		return err
	}
	if err := r.writeJSON(ctx, SummaryFile, sum); err != nil {
		return err
	}
	for _, f := range []Listed{{Path: r.documentsName(), Rows: sum.Files}, {Path: SummaryFile}} {
		if f.Bytes, err = r.size(ctx, f.Path); err != nil {
			return err
		}
		manifest.Files = append(manifest.Files, f)
	}
	r.ForgetCauses(ctx)
	return r.writeManifest(ctx, &manifest)
}

// finished yields what every range has read of its files, in order, and adds the other
// sums of the range to sum and its parts to the manifest.
func (r *Run) finished(ctx context.Context, sums map[int]string, sum *Summary, manifest *Manifest) iter.Seq2[[]File, error] {
	return func(yield func([]File, error) bool) {
		for part, err := range r.allSums(ctx, sums) {
			if err != nil {
				yield(nil, err)
				return
			}
			sum.addRows(part.reasons, part.status)
			kinds := r.kinds(part)
			for _, kind := range kinds {
				manifest.Files = append(manifest.Files, Listed{Path: r.name(kind, part.k), Bytes: part.listed.parts[kind].Size, Rows: part.rows[kind]})
			}
			// A process that was killed before it had published the trees may have had failures.
			if stray, ok := part.listed.parts["failures"]; ok && !slices.Contains(kinds, "failures") {
				err = store.Delete(ctx, stray.Name)
			}
			if !yield(part.files, err) || err != nil {
				return
			}
		}
	}
}

// size is the size of a file of an output.
func (r *Run) size(ctx context.Context, path string) (int64, error) {
	name := store.Join(r.Output, path)
	info, err := store.Stat(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("%s was written and is gone: %w; run the same command again", name, err)
	}
	return info.Size, nil
}

// documents is the part of documents/ that is being written.
type documents struct {
	*parquet.Writer[parquet.Document]
	file store.Writer
}

func (r *Run) createDocuments(ctx context.Context) (*documents, error) {
	out, name, err := store.Of(ctx, store.Join(r.Output, r.documentsName()))
	if err != nil {
		return nil, err
	}
	f, err := out.Create(ctx, name, store.Options{Expect: store.Anything, Temp: tmpDir(r.Output)})
	if err != nil {
		return nil, err
	}
	footer := append(r.footer(), parquet.KeyValue{Key: parquet.KeyFingerprint, Value: r.FP})
	return &documents{parquet.NewWriter[parquet.Document](f, footer, r.Options.KeepColumns()...), f}, nil
}

func (d *documents) commit() error {
	if err := d.Close(); err != nil {
		return err
	}
	return d.file.Commit()
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
	k       int
	rows    map[string]int64 // by kind
	files   []File
	reasons []Reason
	status  map[string]int64
	listed  listed // set by allSums
}

// allSums yields the sums of all ranges in order; known are those of some. The pair with
// an error is the last.
func (r *Run) allSums(ctx context.Context, known map[int]string) iter.Seq2[*partSums, error] {
	return inOrder(ctx, r.listed(ctx), func(l listed) (*partSums, error) {
		sums, err := r.sumsOf(l, known[l.k])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("range %d was done, but its parts are gone; run the same command again", l.k)
		}
		if err != nil {
			return nil, fmt.Errorf("range %d was done, but its part cannot be read: %w; run the same command again", l.k, err)
		}
		return sums, nil
	})
}

// sumsOf reads the footer of the trees of a range, unless what it says is known, and
// checks that its other parts were listed.
func (r *Run) sumsOf(l listed, known string) (*partSums, error) {
	info, err := l.part("trees")
	if err != nil {
		return nil, err
	}
	var sums *partSums
	if known != "" && store.IsRemote(info.Name) {
		footer := map[string]string{}
		if err = json.Unmarshal([]byte(known), &footer); err == nil {
			sums, err = sumsIn(l.k, info.Name, func(key string) (string, bool) { return footer[key], true })
		}
	} else {
		sums, err = r.read(l.k, info)
	}
	if err != nil {
		return nil, err
	}
	sums.listed = l
	for _, kind := range r.kinds(sums) {
		if _, err := l.part(kind); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// read reads the footer of the trees of range k.
func (r *Run) read(k int, info store.Info) (*partSums, error) {
	trees, err := parquet.OpenListed(info)
	if errors.Is(err, store.ErrVersion) { // published again since, with the same bytes, by a concurrent run
		trees, err = parquet.OpenFile(info.Name)
	}
	if err != nil {
		return nil, err
	}
	defer trees.Close()
	return r.sums(k, trees)
}

// sums reads the footer of the trees of range k.
func (r *Run) sums(k int, trees *parquet.File) (*partSums, error) {
	path := r.partID(k).Path("trees")
	if err := r.partID(k).Check("trees", trees, trees); err != nil {
		return nil, err
	}
	s, err := sumsIn(k, path, trees.Footer)
	if err == nil && s.rows["trees"] != trees.Len() {
		err = fmt.Errorf("%s is %w: it has %d rows, but its footer counts %d trees", path, parquet.ErrDamaged, trees.Len(), s.rows["trees"])
	}
	return s, err
}

// sumsIn reads the sums in the footer of a part.
func sumsIn(k int, path string, footer func(key string) (string, bool)) (*partSums, error) {
	s := &partSums{k: k, rows: map[string]int64{}}
	for key, value := range map[string]any{keyFiles: &s.files, keyReasons: &s.reasons, keyStatus: &s.status} {
		if err := fromFooter(footer, path, key, value); err != nil {
			return nil, err
		}
	}
	for i := range s.files {
		f := &s.files[i]
		s.rows["trees"] += f.Trees
		s.rows["failures"] += f.Errors + f.Warnings
		s.rows["words"] += f.Words
	}
	return s, nil
}

// fromFooter reads the JSON under a key of the footer of a part.
func fromFooter(footer func(key string) (string, bool), path, key string, value any) error {
	text, _ := footer(key)
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("%s is %w: %s in its footer: %w", path, parquet.ErrDamaged, key, err)
	}
	return nil
}

// PartFiles yields the counts of each input file that all its ranges have read, from
// the footers of the parts of trees/ of one run, given in order. The last pair has the
// error, if any.
func PartFiles(parts []string) iter.Seq2[*File, error] {
	pieces := func(yield func([]File, error) bool) {
		for _, path := range parts {
			part, err := parquet.OpenFile(path)
			var files []File
			if err == nil {
				err = fromFooter(part.Footer, path, keyFiles, &files)
				part.Close()
			}
			if !yield(files, err) || err != nil {
				return
			}
		}
	}
	return func(yield func(*File, error) bool) {
		for f, err := range mergeFiles(pieces) {
			if f != nil && err != nil {
				continue // a piece is missing, or it changed
			}
			if !yield(f, err) {
				return
			}
		}
	}
}
