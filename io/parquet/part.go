package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/io/store"
)

// Keys of every footer of trees/ and failures/.
const (
	KeyFingerprint = "treebeam.fp"
	KeyRange       = "treebeam.k"
	KeyRanges      = "treebeam.n"
	KeyFormat      = "treebeam.format_version" // of documents/ too
)

// PartName returns "part-00007-of-00256-<fp8>.parquet" for range k of n. The
// names of a run sort as its ranges do.
func PartName(k, n int, fp string) string {
	width := max(5, len(strconv.Itoa(n)))
	return fmt.Sprintf("part-%0*d-of-%0*d-%.8s.parquet", width, k, width, n, fp)
}

// A PartID names the output of one range.
type PartID struct {
	Out string // output folder or URI; parts go to Out/trees and Out/failures
	K   int    // 0-based range
	N   int    // number of ranges
	FP  string // fingerprint of the run
	// Words says that the range has a part of words/, too.
	Words bool
}

// Path returns where the part of kind "trees", "failures" or "words" is.
func (id PartID) Path(kind string) string {
	return store.Join(id.Out, kind, PartName(id.K, id.N, id.FP))
}

// Check says what is wrong with the parts of the range: a footer that does not
// name its fingerprint and place, or parts that two processes have written
// which did not find the same. The second happens where a range is written
// anew, because its file can be read by now, and the process is killed between
// the one part and the other.
//
// words is nil if id.Words is false.
func (id PartID) Check(trees *Reader[Tree], failures *Reader[Failure], words *Reader[Word]) error {
	if err := failures.Check(id.FP, id.K, id.N); err != nil {
		return err
	}
	if err := trees.Check(id.FP, id.K, id.N); err != nil {
		return err
	}
	if !maps.Equal(trees.footer(), failures.footer()) {
		return fmt.Errorf("%s and %s do not belong together: their footers differ", failures.name, trees.name)
	}
	if !id.Words {
		return nil
	}
	if err := words.Check(id.FP, id.K, id.N); err != nil {
		return err
	}
	if !maps.Equal(trees.footer(), words.footer()) {
		return fmt.Errorf("%s and %s do not belong together: their footers differ", words.name, trees.name)
	}
	return nil
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

// A Part writes the output of one range and publishes it when it is complete.
// It is not safe for concurrent use. Always defer Abort.
type Part struct {
	id              PartID
	failures, trees store.Writer
	failureRows     *Writer[Failure]
	treeRows        *Writer[Tree]
	words           store.Writer  // nil: no words/
	wordRows        *Writer[Word] // likewise
	wordsOf         []Word        // of the tree that is written
	last            *Tree         // the row before
	cancel          context.CancelFunc
}

// Create begins the part. On a local disk its files get random names in tmp,
// which must be on the same file system as id.Out; both folders are made if
// needed. In an object store they are sent to their final names and appear
// there when they are complete. What is under those names now is replaced.
// meta goes into the footers beside the keys of this package; keys are those of
// kept values (see NewWriter).
func Create(id PartID, tmp string, meta []KeyValue, keys ...string) (*Part, error) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Part{id: id, cancel: cancel}
	var err error
	if id.Words {
		p.words, err = create(ctx, id.Path("words"), tmp)
	}
	if err == nil {
		p.failures, err = create(ctx, id.Path("failures"), tmp)
	}
	if err == nil {
		p.trees, err = create(ctx, id.Path("trees"), tmp)
	}
	if err != nil {
		p.Abort()
		return nil, err
	}
	meta = append(slices.Clone(meta),
		KeyValue{KeyFingerprint, id.FP}, KeyValue{KeyRange, strconv.Itoa(id.K)}, KeyValue{KeyRanges, strconv.Itoa(id.N)})
	p.failureRows, p.treeRows = NewWriter[Failure](p.failures, meta), NewWriter[Tree](p.trees, meta, keys...)
	if p.words != nil {
		p.wordRows = NewWriter[Word](p.words, meta, keys...)
	}
	return p, nil
}

// create begins a file that is to replace what is there now.
func create(ctx context.Context, path, tmp string) (store.Writer, error) {
	s, name, err := store.Of(ctx, path)
	if err != nil {
		return nil, err
	}
	old, err := s.Stat(ctx, name) // what else is wrong, Create says
	if err != nil && store.IsRemote(path) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return s.Create(ctx, name, store.Options{Expect: old.Version, Temp: tmp})
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
	for i := range rows {
		if p.wordRows == nil {
			break
		}
		p.wordsOf = AppendWords(p.wordsOf[:0], &rows[i])
		if err := p.wordRows.Write(p.wordsOf...); err != nil {
			return err
		}
		clear(p.wordsOf)
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

// SetFooter sets a key in the footers of all files, such as a count that is
// known only at the end.
func (p *Part) SetFooter(key, value string) {
	p.failureRows.SetFooter(key, value)
	p.treeRows.SetFooter(key, value)
	if p.wordRows != nil {
		p.wordRows.SetFooter(key, value)
	}
}

// Commit closes and publishes the files: words, failures, then trees, whose presence
// is the mark that the range is done. A file that another process has
// published meanwhile is taken for ours if its footer says so: a range gives
// the same bytes whoever writes it. After an error nothing of trees is visible.
func (p *Part) Commit() error {
	if err := cmp.Or(p.failureRows.Close(), p.treeRows.Close()); err != nil {
		return err
	}
	if p.wordRows != nil {
		if err := p.wordRows.Close(); err != nil {
			return err
		}
		if err := publish[Word](p.id, "words", p.words); err != nil {
			return err
		}
	}
	if err := publish[Failure](p.id, "failures", p.failures); err != nil {
		return err
	}
	return publish[Tree](p.id, "trees", p.trees)
}

func publish[T Row](id PartID, kind string, w store.Writer) error {
	err := w.Commit()
	if !errors.Is(err, store.ErrCondition) {
		return err
	}
	defer w.Abort() // it is still there under its temporary name
	if ok, why := checkPart[T](id, kind); !ok {
		return errors.Join(err, why)
	}
	return nil
}

// Touch makes the temporary files of a local part new: see transforms.Sweep.
// It may be called while the part is written, and after.
func (p *Part) Touch() {
	for _, w := range []store.Writer{p.words, p.failures, p.trees} {
		if t, ok := w.(interface{ Touch() }); ok {
			t.Touch()
		}
	}
}

// Cancel ends the requests of an object store that are under way for the part:
// Commit and the writing of rows fail. It may be called at any time.
func (p *Part) Cancel() { p.cancel() }

// Abort drops the files of a part that was not committed. It does nothing
// after Commit.
func (p *Part) Abort() {
	p.cancel()
	for _, w := range []store.Writer{p.words, p.failures, p.trees} {
		if w != nil {
			w.Abort()
		}
	}
}
