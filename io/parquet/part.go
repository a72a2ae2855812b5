package parquet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/google/renameio/v2"
)

// Keys of every footer of trees/ and failures/.
const (
	KeyFingerprint = "treebeam.fp"
	KeyRange       = "treebeam.k"
	KeyRanges      = "treebeam.n"
	KeyFormat      = "treebeam.format_version" // of documents/ too
)

// PartName returns "part-00007-of-00256-<fp8>.parquet" for range k of n.
func PartName(k, n int, fp string) string {
	return fmt.Sprintf("part-%05d-of-%05d-%.8s.parquet", k, n, fp)
}

// A PartID names the output of one range.
type PartID struct {
	Out string // output folder; parts go to Out/trees and Out/failures
	K   int    // 0-based range
	N   int    // number of ranges
	FP  string // fingerprint of the run
}

// Path returns where the part of kind "trees" or "failures" is.
func (id PartID) Path(kind string) string {
	return filepath.Join(id.Out, kind, PartName(id.K, id.N, id.FP))
}

// Done reports whether the range is done: both its parts exist with footers
// that name its fingerprint and place. A part that exists but is damaged or
// of another run is not done; why says what is wrong with it ("" if there is
// none).
func (id PartID) Done() (done bool, why string) {
	failures, err := checkPart[Failure](id, "failures")
	if err != nil {
		return false, err.Error()
	}
	trees, err := checkPart[Tree](id, "trees")
	if err != nil {
		return false, err.Error()
	}
	return failures && trees, ""
}

// checkPart reports whether a part is there, and an error if it is not what
// it should be.
func checkPart[T Row](id PartID, kind string) (bool, error) {
	r, err := Open[T](id.Path(kind))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	if err := r.Check(id.FP, id.K, id.N); err != nil {
		return false, err
	}
	return true, nil
}

// A Part writes the output of one range to temporary files and publishes them
// together. It is not safe for concurrent use. Always defer Abort.
type Part struct {
	failures, trees *pending
	failureRows     *Writer[Failure]
	treeRows        *Writer[Tree]
	last            *Tree // the row before
}

// A pending is a file under a temporary name.
type pending struct {
	*renameio.PendingFile
	path string
}

func newPending(path, tmp string) (*pending, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("making the output folder: %w", err)
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(tmp), renameio.WithPermissions(0o666))
	if err != nil {
		return nil, fmt.Errorf("making a temporary file: %w; the folder must be writable", err)
	}
	return &pending{f, path}, nil
}

// publish syncs and renames the file, and syncs the folder it is then in.
func (p *pending) publish() error {
	if err := p.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("publishing %s: %w", p.path, err)
	}
	if dir, err := os.Open(filepath.Dir(p.path)); err == nil {
		_ = dir.Sync() // not every file system can; the rename itself is done
		dir.Close()
	}
	return nil
}

// Create begins the part. Temporary files get random names in tmp, which must
// be on the same file system as id.Out; both folders are made if needed. meta
// goes into the footers beside the keys of this package.
func Create(id PartID, tmp string, meta []KeyValue) (*Part, error) {
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder for temporary files: %w", err)
	}
	failures, err := newPending(id.Path("failures"), tmp)
	if err != nil {
		return nil, err
	}
	trees, err := newPending(id.Path("trees"), tmp)
	if err != nil {
		_ = failures.Cleanup()
		return nil, err
	}
	meta = append(slices.Clone(meta),
		KeyValue{KeyFingerprint, id.FP}, KeyValue{KeyRange, strconv.Itoa(id.K)}, KeyValue{KeyRanges, strconv.Itoa(id.N)})
	return &Part{
		failures: failures, failureRows: NewWriter[Failure](failures, meta),
		trees: trees, treeRows: NewWriter[Tree](trees, meta),
	}, nil
}

// Trees appends rows to trees/. They must come sorted by (source_uri,
// start_byte), over all calls.
func (p *Part) Trees(rows ...Tree) error {
	for i := range rows {
		t := &rows[i]
		if p.last != nil && cmp.Or(cmp.Compare(p.last.SourceURI, t.SourceURI), cmp.Compare(p.last.StartByte, t.StartByte)) > 0 {
			return fmt.Errorf("trees out of order: byte %d of %s after byte %d of %s", t.StartByte, t.SourceURI, p.last.StartByte, p.last.SourceURI)
		}
		p.last = t
	}
	if p.last != nil {
		p.last = &Tree{SourceURI: p.last.SourceURI, StartByte: p.last.StartByte}
	}
	return p.treeRows.Write(rows...)
}

// Failures appends rows to failures/, those of one call sorted by (source_uri,
// byte_offset); rows that compare equal keep their order. A call's rows must
// not belong before those of the call before.
func (p *Part) Failures(rows ...Failure) error {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.ByteOffset, b.ByteOffset))
	})
	return p.failureRows.Write(sorted...)
}

// SetFooter sets a key in the footers of both files, such as a count that is
// known only at the end.
func (p *Part) SetFooter(key, value string) {
	p.failureRows.SetFooter(key, value)
	p.treeRows.SetFooter(key, value)
}

// Commit closes, syncs and renames the files: failures, then trees, whose
// presence is the mark that the range is done. After an error nothing of trees
// is visible.
func (p *Part) Commit() error {
	if err := cmp.Or(p.failureRows.Close(), p.treeRows.Close()); err != nil {
		return err
	}
	if err := p.failures.publish(); err != nil {
		return err
	}
	return p.trees.publish()
}

// Abort removes the temporary files of a part that was not committed. It does
// nothing after Commit.
func (p *Part) Abort() {
	_ = p.failures.Cleanup()
	_ = p.trees.Cleanup()
}
