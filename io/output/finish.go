package output

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// Finish closes an output all of whose ranges are done: it checks the sums in the
// footers of their parts, and writes documents/, summary.json and, last of all,
// manifest.json, whose presence says that the output is complete. Too many defects
// of the program are an error, and there is no manifest.
func (r *Run) Finish(ctx context.Context) error { return r.finish(ctx, false) }

// finish does Finish's work. The parts of a merged output come from runs whose
// defects were few enough each.
func (r *Run) finish(ctx context.Context, merged bool) error {
	sum := Summary{Status: map[string]int64{}, Reasons: []Reason{}}
	var docs []File
	manifest := Manifest{FP: r.FP, FormatVersion: FormatVersion, Model: r.ModelID,
		ModelDigest: r.ModelDigest, Options: r.Options, Ranges: r.Ranges}
	k := 0
	for part, err := range r.allSums(ctx) {
		if err != nil {
			return err
		}
		for _, reason := range part.reasons {
			sum.Reasons = addReason(sum.Reasons, reason)
		}
		for name, n := range part.status {
			sum.Status[name] += n
		}
		sum.addWork(&part.work)
		docs = append(docs, part.files...)
		manifest.Files = append(manifest.Files, Listed{Path: r.name("trees", k), Bytes: part.held.trees.Size, Rows: part.rows})
		manifest.Files = append(manifest.Files, Listed{Path: r.name("failures", k), Bytes: part.held.failures.Size, Rows: part.failures})
		if r.Options.Words {
			manifest.Files = append(manifest.Files, Listed{Path: r.name("words", k), Bytes: part.held.words.Size, Rows: part.words})
		}
		k++
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
	r.dropDigests(ctx)
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
