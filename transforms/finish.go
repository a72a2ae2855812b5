package transforms

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[finishFn]())
}

// Finish waits for all ranges, checks the sums in the footers of their parts,
// and writes documents/, summary.json and, last of all, manifest.json, whose
// presence says that the output is complete.
//
// PCollection<Done> ->
func Finish(s beam.Scope, job Job, done beam.PCollection) {
	s = s.Scope("Finish")
	beam.ParDo0(s, &finishFn{Job: job}, beam.GroupByKey(s, beam.AddFixedKey(s, done)))
}

type finishFn struct {
	Job Job
}

func (f *finishFn) ProcessElement(ctx context.Context, _ int, next func(*Done) bool) error {
	seen := make([]bool, f.Job.Ranges)
	var d Done
	for next(&d) {
		if d.K < 0 || d.K >= len(seen) {
			return marked(fmt.Errorf("range %d was finished, but the plan has %d", d.K, len(seen)))
		}
		seen[d.K] = true
	}
	if k := slices.Index(seen, false); k >= 0 {
		return marked(fmt.Errorf("range %d of %d was lost on the way: run the same command again", k, len(seen)))
	}
	return marked(f.Job.finish(ctx, false))
}

// A Summary is summary.json: sums over a whole output. It holds no times, so
// that the same input gives the same bytes.
type Summary struct {
	Files       int64            `json:"files"`
	FilesFailed int64            `json:"files_failed"` // could not be read, or not to their end
	StoredBytes int64            `json:"stored_bytes"`
	Repaired    int64            `json:"repaired_characters"`
	Records     int64            `json:"records,omitempty"` // of JSON lines, those without text included
	Status      map[string]int64 `json:"status"`            // trees by status
	Reasons     []Reason         `json:"reasons"`           // of failures and warnings by kind, the commonest first
	Work        *Work            `json:"work,omitempty"`    // of the search
	// Forecast says how good the trees are expected to be; nil if no word has
	// calibrated probabilities.
	Forecast *Forecast `json:"expected,omitempty"`
	// Suggestions name files of which so much had to be repaired that their
	// encoding is probably another, and say if the language seems to be.
	Suggestions []string `json:"suggestions,omitempty"`
	Counts

	suspects int // files of which much had to be repaired
}

// finish does Finish's work when all ranges are known to be done. The parts of
// a merged output come from runs whose defects were few enough each.
func (j *Job) finish(ctx context.Context, merged bool) error {
	sum := Summary{Status: map[string]int64{}, Reasons: []Reason{}}
	var docs []File
	manifest := Manifest{FP: j.FP, FormatVersion: FormatVersion, Model: j.ModelID,
		ModelDigest: j.ModelDigest, Options: j.Options, Ranges: j.Ranges}
	k := 0
	for part, err := range j.allSums(ctx) {
		if err != nil {
			return err
		}
		for _, r := range part.reasons {
			sum.Reasons = addReason(sum.Reasons, r)
		}
		for name, n := range part.status {
			sum.Status[name] += n
		}
		sum.addWork(&part.work)
		docs = append(docs, part.files...)
		manifest.Files = append(manifest.Files, Output{Path: j.name("trees", k), Bytes: part.held.trees.Size, Rows: part.rows})
		manifest.Files = append(manifest.Files, Output{Path: j.name("failures", k), Bytes: part.held.failures.Size, Rows: part.failures})
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
	sum.NoteLanguage(j.TrainedOn, docs)
	if err := sum.defects(); err != nil && !merged {
		return fmt.Errorf("%w; the output is not marked complete", err)
	}
	slices.SortStableFunc(sum.Reasons, func(a, b Reason) int { return int(b.Count - a.Count) })
	if err := j.writeDocuments(ctx, docs); err != nil {
		return err
	}
	if err := j.writeJSON(ctx, SummaryFile, sum); err != nil {
		return err
	}
	for _, f := range []Output{{Path: j.documentsName(), Rows: int64(len(docs))}, {Path: SummaryFile}} {
		if f.Bytes, err = j.size(ctx, f.Path); err != nil {
			return err
		}
		manifest.Files = append(manifest.Files, f)
	}
	j.dropDigests(ctx)
	return j.writeManifest(ctx, &manifest)
}

// size is the size of a file of an output.
func (j *Job) size(ctx context.Context, path string) (int64, error) {
	s, name, err := store.Of(ctx, store.Join(j.Output, path))
	if err != nil {
		return 0, err
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("%s was written and is gone: %w; run the same command again", name, err)
	}
	return info.Size, nil
}

// muchRepaired reports whether over 1 % had to be repaired.
func (f *File) muchRepaired() bool { return f.Repaired*100 > f.End-f.Start }

// otherEncoding is what to say of a file of which much had to be repaired.
func (f *File) otherEncoding() string {
	what := fmt.Sprintf("%s: %d of its characters were invalid %s; ", f.URI, f.Repaired, f.Encoding)
	if f.Format == string(source.JSONL) {
		return what + "if it has another encoding, make it UTF-8 first"
	}
	if f.Suspect == "" {
		return what + "if it has another encoding, give it with --encoding"
	}
	return what + "it looks like " + f.Suspect + ": give --encoding " + f.Suspect
}

// name is the path of a part in the output folder.
func (j *Job) name(kind string, k int) string {
	return kind + "/" + parquet.PartName(k, j.Ranges, j.FP)
}

func (j *Job) documentsName() string { return "documents/" + parquet.PartName(0, 1, j.FP) }

func (j *Job) writeDocuments(ctx context.Context, docs []File) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, name, err := store.Of(ctx, store.Join(j.Output, j.documentsName()))
	if err != nil {
		return err
	}
	f, err := out.Create(ctx, name, store.Options{Expect: store.Anything, Temp: tmpDir(j.Output)})
	if err != nil {
		return err
	}
	defer f.Abort()
	w := parquet.NewWriter[parquet.Document](f, append(j.footer(), parquet.KeyValue{Key: parquet.KeyFingerprint, Value: j.FP}))
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

// document is the row of documents/ of a file that was read by all its ranges.
func (f *File) document() parquet.Document {
	d := parquet.Document{
		DocID: f.DocID, SourceURI: f.URI, SourceVersion: f.Version, StoredBytes: f.Stored,
		StartByte: f.Start, EndByte: f.End, Format: f.Format, Encoding: f.Encoding, Lines: f.Lines,
		Blocks: f.Blocks, BlocksFailed: f.BlocksFailed, Sentences: f.Sentences, Trees: f.Trees,
		Words: f.Words, Failures: f.Errors, Warnings: f.Warnings, Repaired: f.Repaired,
		UnknownWords: f.Unknown,
	}
	if e := f.Expected.Forecast(); e != nil {
		d.CalibratedWords = e.Words
		d.ExpectedUPOS, d.ExpectedUPOSStderr = float64(e.UPOS), float64(e.UPOSStderr)
		d.ExpectedUAS, d.ExpectedUASStderr = float64(e.UAS), float64(e.UASStderr)
		d.ExpectedLAS, d.ExpectedLASStderr = float64(e.LAS), float64(e.LASStderr)
	}
	return d
}

func (j *Job) writeJSON(ctx context.Context, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(ctx, j.Output, name, append(data, '\n'))
}
