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
	"strings"
	"sync"

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

// ParsePartName returns the range, the number of ranges and the fingerprint's first
// digits in a name that PartName made.
func ParsePartName(name string) (k, n int, fp8 string, ok bool) {
	rest, ok := strings.CutPrefix(name, "part-")
	if !ok {
		return 0, 0, "", false
	}
	rest, ok = strings.CutSuffix(rest, ".parquet")
	fields := strings.Split(rest, "-")
	if !ok || len(fields) != 4 || fields[1] != "of" {
		return 0, 0, "", false
	}
	k, err1 := strconv.Atoi(fields[0])
	n, err2 := strconv.Atoi(fields[2])
	if err1 != nil || err2 != nil || len(fields[3]) != 8 || k < 0 || k >= n || PartName(k, n, fields[3]) != name {
		return 0, 0, "", false
	}
	return k, n, fields[3], true
}

// A PartFile is a part that should exist, and what its footer must say.
type PartFile struct {
	Path string
	FP   string // fingerprint of the run, or its first digits
	K, N int    // range K of N; N is 0 for documents/, which belongs to no range
	Rows int64  // -1: unknown
}

// A PartID names the output of one range.
type PartID struct {
	Out   string // output folder or URI; parts go to folders in it
	K     int    // 0-based range
	N     int    // number of ranges
	FP    string // fingerprint of the run
	Words bool   // the range has a part of words/, too
}

// Kinds returns the folders that hold a part of the range, trees first, if it has so
// many rows of failures/. A range without failures has no part there, except for the
// first range, so that every output has the folder and its columns.
func (id PartID) Kinds(failures int64) []string {
	kinds := []string{"trees"}
	if failures > 0 || id.K == 0 {
		kinds = append(kinds, "failures")
	}
	if id.Words {
		kinds = append(kinds, "words")
	}
	return kinds
}

// Path returns where the part of a kind is.
func (id PartID) Path(kind string) string {
	return store.Join(id.Out, kind, PartName(id.K, id.N, id.FP))
}

func (id PartID) file(kind string) *PartFile {
	return &PartFile{Path: id.Path(kind), FP: id.FP, K: id.K, N: id.N, Rows: -1}
}

// Check compares a part of the range with its trees. The error says that a footer does
// not name the fingerprint and place of the range, or that two processes that found
// different input wrote the parts. That happens if a range is written again because its
// file has become readable, and the process is killed between the two parts.
func (id PartID) Check(kind string, part, trees *File) error {
	if err := part.checkPart(id.file(kind)); err != nil {
		return err
	}
	if part != trees && !maps.Equal(trees.footer(), part.footer()) {
		return damaged(part.name, "it does not belong to %s: their footers differ", trees.name)
	}
	return nil
}

// verifying bounds how many ranges are verified at once: of an object store a
// part, or its end, is in memory meanwhile.
var verifying = make(chan struct{}, 4)

// Verify reads every byte of the parts of these kinds and returns an error if one is
// damaged.
func (id PartID) Verify(kinds []string) error {
	verifying <- struct{}{}
	defer func() { <-verifying }()
	for _, kind := range kinds {
		f, err := OpenFile(id.Path(kind))
		if err == nil {
			err = errors.Join(f.verifyPart(id.file(kind)), f.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A Part writes the output of one range and publishes it when it is complete.
// It is not safe for concurrent use. Always defer Abort.
type Part struct {
	id       PartID
	o        PartOptions
	ctx      context.Context
	cancel   context.CancelFunc
	files    []*partFile // that are open: trees first
	trees    *Writer[Tree]
	failures *Writer[Failure] // nil: none so far
	touch    sync.Mutex       // of files, once Touch may be called
	words    *Writer[Word]    // nil: no words/
	wordsOf  []Word           // of the tree that is written
	last     *Tree            // the row before
}

// PartOptions say how a part is written.
type PartOptions struct {
	// Temp is where the files of a part on a local disk have random names until they are
	// complete. It must be on the same file system as PartID.Out. The files of an object
	// store are sent to their final names and appear there when they are complete.
	Temp string
	// Replace allows trees under the name of the part, which are replaced. Without it,
	// they are taken for what another process has made of the range: see Part.Commit.
	Replace bool
	Meta    []KeyValue // for the footers, in addition to the keys of this package
	Keys    []string   // of kept values: see NewWriter
}

type partFile struct {
	kind string
	out  store.Writer
	rows interface {
		SetFooter(key, value string)
		Close() error
	}
}

// Create begins the part.
func Create(id PartID, o PartOptions) (_ *Part, err error) {
	o.Meta = append(slices.Clone(o.Meta),
		KeyValue{KeyFingerprint, id.FP}, KeyValue{KeyRange, strconv.Itoa(id.K)}, KeyValue{KeyRanges, strconv.Itoa(id.N)})
	p := &Part{id: id, o: o}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if p.trees, err = create[Tree](p, "trees", o.Keys...); err == nil && id.Words {
		p.words, err = create[Word](p, "words", o.Keys...)
	}
	if err != nil {
		p.Abort()
		return nil, err
	}
	return p, nil
}

// create begins a file of the part.
func create[T Row](p *Part, kind string, keys ...string) (*Writer[T], error) {
	s, name, err := store.Of(p.ctx, p.id.Path(kind))
	if err != nil {
		return nil, err
	}
	expect := store.Absent
	if kind != "trees" || p.o.Replace { // others may be there from a process that was killed before it had published the trees
		old, err := s.Stat(p.ctx, name) // what else is wrong, Create says
		if err != nil && store.IsRemote(name) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		expect = old.Version
	}
	out, err := s.Create(p.ctx, name, store.Options{Expect: expect, Temp: p.o.Temp})
	if err != nil {
		return nil, err
	}
	w := NewWriter[T](out, p.o.Meta, keys...)
	p.files = append(p.files, &partFile{kind, out, w})
	return w, nil
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
		if p.words == nil {
			break
		}
		p.wordsOf = AppendWords(p.wordsOf[:0], &rows[i])
		if err := p.words.Write(p.wordsOf...); err != nil {
			return err
		}
		clear(p.wordsOf)
	}
	return p.trees.Write(rows...)
}

// Failures appends rows to failures/. It sorts the rows of one call by (source_uri,
// byte_offset); rows that compare equal keep their order. A call's rows must not belong
// before the rows of the previous call.
func (p *Part) Failures(rows ...Failure) error {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.ByteOffset, b.ByteOffset))
	})
	if len(sorted) == 0 {
		return nil
	}
	if err := p.needFailures(); err != nil {
		return err
	}
	return p.failures.Write(sorted...)
}

// needFailures begins the part of failures/.
func (p *Part) needFailures() (err error) {
	if p.failures == nil {
		p.touch.Lock()
		defer p.touch.Unlock()
		p.failures, err = create[Failure](p, "failures")
	}
	return err
}

// Commit closes and publishes the files: failures, words, then trees, whose presence
// marks the range as done. All footers get the entries of footer. A file that another
// process has published meanwhile is accepted if its footer is that of this range,
// because a range has the same bytes whoever writes it. After an error, no trees are
// visible.
func (p *Part) Commit(footer map[string]string) error {
	if p.id.K == 0 {
		if err := p.needFailures(); err != nil {
			return err
		}
	}
	for _, f := range p.files {
		for key, value := range footer {
			f.rows.SetFooter(key, value)
		}
		if err := f.rows.Close(); err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(p.files) {
		if err := p.publish(f); err != nil {
			return err
		}
	}
	return nil
}

func (p *Part) publish(f *partFile) error {
	err := f.out.Commit()
	if !errors.Is(err, store.ErrCondition) {
		return err
	}
	defer f.out.Abort() // it is still there under its temporary name
	there, why := OpenFile(p.id.Path(f.kind))
	if why == nil {
		why = errors.Join(there.checkPart(p.id.file(f.kind)), there.Close())
	}
	if why != nil {
		return errors.Join(err, why)
	}
	return nil
}

// Touch sets the times of the temporary files of a local part to now, so that
// output.Sweep keeps them. It may be called while rows are written.
func (p *Part) Touch() {
	p.touch.Lock()
	defer p.touch.Unlock()
	for _, f := range p.files {
		if t, ok := f.out.(interface{ Touch() }); ok {
			t.Touch()
		}
	}
}

// Cancel cancels the requests to an object store that are under way for the part, so
// that Commit and the writing of rows fail. It may be called at any time, from any
// goroutine.
func (p *Part) Cancel() { p.cancel() }

// Abort drops the files of a part that was not committed. It does nothing
// after Commit.
func (p *Part) Abort() {
	p.cancel()
	for _, f := range p.files {
		f.out.Abort()
	}
}
