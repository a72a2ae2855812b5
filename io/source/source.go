// Package source finds the input files of a run (Find), splits them into ranges
// (NewPlan), and opens them as decompressed streams of bytes (Open). It does not
// interpret their contents beyond detecting the format.
//
// A launcher calls Find once, makes a Plan, and writes it; workers read the plan and
// open the pieces of its ranges:
//
//	inputs, err := source.Find(ctx, []string{"corpus/**/*.txt"}, source.ListOptions{})
//	defer inputs.Close()
//	plan, err := source.NewPlan(ctx, inputs, source.PlanOptions{})
//	fp := plan.Fingerprint("seed=1", modelDigest, "format=1")
//	err = plan.Write(dir+"/"+source.PlanName(fp), "")
//
// Listing opens archives, and planning only files that are large enough to be split: sizes
// and times come from the directory.
package source

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An Input is one file of a run, as the launcher found it.
type Input struct {
	// URI is what the user named, or what was found below it: a cleaned path
	// with forward slashes, relative if the pattern was, or scheme://... . It
	// is "-" for standard input.
	URI string `json:"uri"`
	// DocID is the path relative to the root of the input: the named folder,
	// the folder of a named file, the fixed part of a glob.
	DocID string `json:"doc_id"`
	// Size is the number of stored (compressed) bytes.
	Size int64 `json:"size"`
	// Version tells one state of the stored file from another: "m" and the
	// modification time in nanoseconds for a local file, the generation in an
	// object store.
	Version string `json:"version"`
	// Path is where the bytes are if that is not URI (a name that is not UTF-8, the archive
	// of a member); "" otherwise. It is not part of the plan's digest.
	Path string `json:"path,omitempty"`
	// In is where the bytes are in an archive; nil of other files. URI and DocID of a
	// member are those of the archive, "!/" and its name; Size is the number of its
	// bytes when it is unpacked.
	In *Place `json:"in,omitempty"`
	// Tail is the offset from which a plain file is read: the rows of the bytes before it are
	// known. 0 is the whole file.
	Tail int64 `json:"tail,omitempty"`
	// Gzip says that an object store declares the stored bytes to be gzip
	// (Content-Encoding), whatever the name.
	Gzip bool `json:"gzip,omitempty"`
}

// stored is the name of the stored file, as it was listed.
func (in *Input) stored() string { return cmp.Or(in.Path, in.URI) }

// compression tells how the file is compressed.
func (in *Input) compression() compression {
	if c := compressionOf(in.URI); c != plain || !in.Gzip {
		return c
	}
	return gzipped
}

// A Piece is a byte interval [Start, End) of the stored bytes of one file. A file
// that cannot be cut has one piece, [0, Size).
type Piece struct {
	Input
	Start int64 `json:"start"`
	End   int64 `json:"end"`

	// Of a compressed file that is cut: the decompressed bytes of the piece, [From, To),
	// or to the end of the file if To is 0; and where a reader begins that looks at what
	// comes before them.
	From   int64  `json:"from,omitempty"`
	To     int64  `json:"to,omitempty"`
	Before Member `json:"before,omitzero"`
}

// Interval returns the interval of the decompressed file that the piece covers. end is
// negative if it is the unknown end of the file.
func (p *Piece) Interval() (start, end int64) {
	switch {
	case p.compression() == plain:
		return p.Start, p.End
	case p.To == 0:
		return p.From, -1
	}
	return p.From, p.To
}

// Whole reports whether the piece is all of its file.
func (p *Piece) Whole() bool { return p.Start == 0 && p.End == p.Size }

// Bytes is the number of stored bytes in the piece.
func (p *Piece) Bytes() int64 { return p.End - p.Start }

// A Range is the unit of work, retry and output: a piece of one file, or a
// pack of up to MaxPack whole small files. Its pieces are in the order of
// (URI, Start), and so are the ranges of a plan.
type Range struct {
	K      int     `json:"k"` // 0-based place in the plan
	N      int     `json:"n"` // number of ranges in the plan
	Dir    string  `json:"-"` // what relative paths are relative to; set by the plan's reader
	Done   bool    `json:"-"` // its output was there when it was looked for
	Pieces []Piece `json:"pieces"`
}

// Bytes is the number of stored bytes in the range.
func (r *Range) Bytes() int64 {
	n := int64(0)
	for i := range r.Pieces {
		n += r.Pieces[i].Bytes()
	}
	return n
}

// A Kind says what an Error means for the run.
type Kind uint8

const (
	// Transient: try again; if that does not help, fail the bundle. Never a
	// row of failures/.
	Transient Kind = iota
	// Permanent: this file cannot be read (no permission, gone, corrupt,
	// not text): one row of stage "read", and the run goes on. Err is a
	// syntax.Fault.
	Permanent
	// Changed: the file is not the one that was listed: the run fails, and
	// another one must begin, with a new plan.
	Changed
)

// An Error is a fault of one input file.
type Error struct {
	URI    string
	Kind   Kind
	Offset int64 // in the decompressed stream, where reading stopped; 0 if it never began
	Err    error // the cause, and what to do about it
}

func (e *Error) Error() string {
	if e.Offset > 0 {
		return fmt.Sprintf("%s: at byte %d: %v", e.URI, e.Offset, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.URI, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Access reports whether the bytes could not be read, so that the fault can be repaired
// without a change of the file.
func (e *Error) Access() bool {
	var why syntax.Fault
	return e.Kind == Permanent && errors.As(e.Err, &why) && why.Kind != syntax.KindTruncated && why.Kind != syntax.KindDamaged
}

// permanent returns the Error of a file that cannot be read for good. Nothing
// else makes one: the row that the file leaves has the kind.
func permanent(uri string, off int64, kind syntax.Kind, format string, a ...any) *Error {
	return &Error{URI: uri, Kind: Permanent, Offset: off, Err: syntax.Because(kind, format, a...)}
}
