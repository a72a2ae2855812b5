package output

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Reader reads the rows of a complete output folder (Open) or of the current snapshot
// of a state (package nightly). All readers of outputs use it, so that none takes an
// incomplete output for a complete one.
//
// Documents, Trees and Failures yield rows in input order and may be used more than
// once; the last pair has the error, if any. Before the first row of a part is yielded,
// the whole part is read and compared with its digest and its name. Every document must
// have as many trees and failures as its row counts. An error about damage names the
// file and the remedy.
type Reader struct {
	Name      string // of the folder or the snapshot, for messages
	FP        string // fingerprint of the run; "" for a state
	Snapshot  string // name of the snapshot; "" for a run
	Made      Provenance
	Documents iter.Seq2[*parquet.Document, error]
	Trees     iter.Seq2[*parquet.Tree, error]
	Failures  iter.Seq2[*parquet.Failure, error]
	// Others are the paths in the folder of Parquet files that are among the parts of
	// the run without being parts. Only readers that ignore the manifest, such as SQL
	// engines, take them for parts.
	Others []string
	// TreesWith is Trees with some columns only, by name: see parquet.TreesWith.
	TreesWith func(columns ...string) iter.Seq2[*parquet.Tree, error]
}

// Open opens a complete output folder. Any other folder is a *Refusal, and so are, when
// they are read, rows of another version with other columns. A damaged folder is
// another error.
func Open(ctx context.Context, folder string) (*Reader, error) {
	folder = strings.TrimPrefix(folder, "file://")
	m, err := Check(ctx, folder)
	if errors.Is(err, parquet.ErrDamaged) {
		err = fmt.Errorf("%w; the parse command that made it repairs it", err)
	}
	if err != nil {
		return nil, err
	}
	documents, trees, failures := m.Parts(folder, "documents"), m.Parts(folder, "trees"), m.Parts(folder, "failures")
	o := &Reader{
		Name: folder, FP: m.FP, Others: m.others, Made: m.Provenance,
		Documents: parquet.Parts[parquet.Document](documents),
		Trees:     parquet.Parts[parquet.Tree](trees),
		Failures:  parquet.Parts[parquet.Failure](failures),
		TreesWith: func(columns ...string) iter.Seq2[*parquet.Tree, error] { return parquet.TreesWith(trees, columns...) },
	}
	return o.Checked("run the parse command that made it with --verify to make damaged parts again"), nil
}

// Checked returns o with trees and failures that are compared with the counts in
// documents. Errors about damage have the remedy.
func (o Reader) Checked(remedy string) *Reader {
	o.Documents = remedied(o.Documents, remedy)
	checked := func(trees iter.Seq2[*parquet.Tree, error]) iter.Seq2[*parquet.Tree, error] {
		return remedied(counted(&o, "trees", trees,
			func(t *parquet.Tree) string { return t.SourceURI },
			func(d *parquet.Document) int64 { return d.Trees }), remedy)
	}
	o.Trees = checked(o.Trees)
	some := o.TreesWith
	o.TreesWith = func(columns ...string) iter.Seq2[*parquet.Tree, error] { return checked(some(columns...)) }
	o.Failures = remedied(counted(&o, "failures", o.Failures,
		func(f *parquet.Failure) string { return f.SourceURI },
		func(d *parquet.Document) int64 { return d.Failures + d.Warnings }), remedy)
	return &o
}

// remedied adds the remedy to errors about damage, and turns errors about files of
// another version into refusals.
func remedied[T any](rows iter.Seq2[*T, error], remedy string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for row, err := range rows {
			switch {
			case errors.Is(err, parquet.ErrDamaged):
				err = fmt.Errorf("%w; %s", err, remedy)
			case errors.Is(err, parquet.ErrForeign):
				err = Refuse("%w; read it with that, or parse again", err)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// counted yields rows, and an error where a document does not have as many of
// them as it counts, or where a row has no document in its place.
func counted[T any](o *Reader, kind string, rows iter.Seq2[*T, error], source func(*T) string, count func(*parquet.Document) int64) iter.Seq2[*T, error] {
	documents := o.Documents
	return func(yield func(*T, error) bool) {
		next, stop := iter.Pull2(documents)
		defer stop()
		uri, left, more := "", int64(0), true
		// advance goes to the document of a row, or to the end.
		advance := func(to string) error {
			for more && (left == 0 || uri != to) {
				if left != 0 {
					return fmt.Errorf("%s is %w: %d rows of %s are missing in %s/, or are not together", o.Name, parquet.ErrDamaged, left, uri, kind)
				}
				var d *parquet.Document
				var err error
				if d, err, more = next(); err != nil {
					return err
				}
				if more {
					uri, left = d.SourceURI, count(d)
				}
			}
			return nil
		}
		for row, err := range rows {
			if err == nil {
				err = advance(source(row))
			}
			if err == nil && !more {
				err = fmt.Errorf("%s is %w: %s/ has rows of %s that no row in documents/ counts", o.Name, parquet.ErrDamaged, kind, source(row))
			}
			left--
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := advance(""); err != nil {
			yield(nil, err)
		}
	}
}

// Check reads the manifest of a complete output and checks it: against
// itself, against the summary, and against the names and sizes of the files
// that are there. No part is opened. A folder without a manifest is a
// *Refusal.
func Check(ctx context.Context, folder string) (*Manifest, error) {
	m, err := readManifest(ctx, folder)
	if err != nil {
		return nil, err
	}
	sum, err := ReadSummary(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, parquet.ErrDamaged) {
		return nil, err // the store's
	}
	if err == nil {
		err = m.checkSums(sum)
	}
	if err != nil {
		return nil, unlikeManifest(folder, err)
	}
	sizes, err := sizesOf(ctx, folder)
	if err != nil {
		return nil, err
	}
	if err := m.checkSizes(sizes); err != nil {
		return nil, unlikeManifest(folder, err)
	}
	for _, f := range m.Files {
		delete(sizes, f.Path)
	}
	for name := range sizes {
		if strings.HasSuffix(name, ".parquet") && !strings.ContainsAny(path.Base(name)[:1], "._") { // as engines choose files
			m.others = append(m.others, name)
		}
	}
	slices.Sort(m.others)
	return m, nil
}

// readManifest reads the manifest of a complete output and checks it against
// itself.
func readManifest(ctx context.Context, folder string) (*Manifest, error) {
	name := store.Join(folder, ManifestFile)
	text, err := store.ReadFile(ctx, name)
	if err != nil && !store.IsRemote(folder) {
		switch info, err := os.Stat(strings.TrimPrefix(folder, "file://")); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, Refuse("%s does not exist; check the spelling and the working directory", folder)
		case err == nil && !info.IsDir():
			return nil, Refuse("%s is a file, not an output folder of treebeam; of files, treebeam show, find and parse read CoNLL-U", folder)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Refuse("%s has no %s: it is not an output of treebeam, or its run has not finished; the same parse command continues it",
			folder, ManifestFile)
	}
	if err != nil {
		return nil, Refuse("%s: %w", name, err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, unlikeManifest(folder, err)
	}
	return m, nil
}

func unlikeManifest(folder string, err error) error {
	return fmt.Errorf("%s is %w, or a run is writing to it now: %s: %w",
		folder, parquet.ErrDamaged, ManifestFile, err)
}

// sizesOf lists the parts of an output: their sizes by their paths in it.
func sizesOf(ctx context.Context, folder string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for _, kind := range kinds {
		dir := store.Join(folder, kind)
		for info, err := range store.List(ctx, dir) {
			if err != nil {
				return nil, err
			}
			sizes[kind+"/"+store.Within(dir, info.Name)] = info.Size
		}
	}
	return sizes, nil
}

// checkSizes compares the parts of an output with its manifest.
func (m *Manifest) checkSizes(sizes map[string]int64) error {
	for _, f := range m.Files {
		if f.Path == SummaryFile {
			continue // it was read
		}
		if size, ok := sizes[f.Path]; !ok {
			return fmt.Errorf("%s is missing", f.Path)
		} else if size != f.Bytes {
			return fmt.Errorf("%s has %d bytes, not %d", f.Path, size, f.Bytes)
		}
	}
	return nil
}

// ReadManifest reads the manifest of a complete output. With an error about damage, it
// returns as much of the manifest as it could read.
func ReadManifest(folder string) (*Manifest, error) {
	text, err := store.ReadFile(context.Background(), store.Join(folder, ManifestFile))
	if err != nil {
		return new(Manifest), err
	}
	return parseManifest(text)
}

// ReadSummary reads the summary of a complete output.
func ReadSummary(folder string) (*Summary, error) {
	data, err := store.ReadFile(context.Background(), store.Join(folder, SummaryFile))
	if err != nil {
		return nil, err
	}
	s := new(Summary)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s is %w: %w", SummaryFile, parquet.ErrDamaged, err)
	}
	return s, nil
}

// All reads all trees, in the order of the input, and their expected accuracy from
// documents/. It holds them in memory.
func (o *Reader) All() (trees []syntax.Sentence, expected syntax.Expected, err error) {
	for row, err := range o.Trees {
		if err != nil {
			return nil, expected, err
		}
		s, err := parquet.FromRow(row)
		if err != nil {
			return nil, expected, err
		}
		trees = append(trees, s)
	}
	for d, err := range o.Documents {
		if err != nil {
			return nil, expected, err
		}
		expected.Add(d.Expected())
	}
	return trees, expected, nil
}

// A Row is a row of Sentences: a tree, or a failure in the place of a sentence.
type Row struct {
	DocID   string
	Format  string        // of the input file: text, conllu or conllx
	Tree    *parquet.Tree // nil for a failure; its heads are syntax.NoHead if it was not parsed
	Failure *parquet.Failure
}

// SourceURI returns the input file of the row.
func (r *Row) SourceURI() string {
	if r.Tree != nil {
		return r.Tree.SourceURI
	}
	return r.Failure.SourceURI
}

// Converted counts the rows other than trees that Sentences met.
type Converted struct {
	Unparsed int64 // sentences that failed: given, without a tree
	Lost     int64 // failures that do not belong to a sentence: not given
}

// Sentences calls yield with all sentences of the output, in input order, with failed
// ones in their places.
func (o *Reader) Sentences(yield func(*Row) error) (stats Converted, err error) {
	next, stop := iter.Pull2(o.Failures)
	defer stop()
	document, stopDocuments := iter.Pull2(o.Documents)
	defer stopDocuments()
	var of parquet.Document // the last row's
	give := func(r Row) error {
		for uri := r.SourceURI(); of.SourceURI != uri; {
			d, err, ok := document()
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("%w: the rows of %s are not where documents/ says", parquet.ErrDamaged, uri)
			}
			of = *d
		}
		r.Format = of.Format
		return yield(&r)
	}
	failed, err, more := next()
	// before gives the failures that come before t, all if t is nil.
	before := func(t *parquet.Tree) error {
		for ; more; failed, err, more = next() {
			if err != nil {
				return err
			}
			if t != nil && cmp.Or(strings.Compare(failed.SourceURI, t.SourceURI), cmp.Compare(failed.ByteOffset, t.StartByte)) > 0 {
				return nil
			}
			switch {
			case failed.Block != "":
				stats.Unparsed++
				if err := give(Row{DocID: failed.DocID, Failure: failed}); err != nil {
					return err
				}
			case failed.Severity == "error":
				stats.Lost++
			}
		}
		return nil
	}
	for t, err := range o.Trees {
		if err == nil {
			err = before(t)
		}
		if err == nil {
			err = give(Row{DocID: t.DocID, Tree: t})
		}
		if err != nil {
			return stats, err
		}
	}
	err = before(nil) // counts in stats
	return stats, err
}
