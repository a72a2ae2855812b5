package output

import (
	"errors"
	"fmt"

	"github.com/treebeam/treebeam/io/source"
)

// mergeFiles adds up what the ranges read of each file, which must come in
// order, and checks that it was all of it: the intervals tile the
// decompressed stream, and where they do not, a row of failures/ says so. It
// works in place: a run may have a million files.
func mergeFiles(pieces []File) ([]File, error) {
	list := pieces[:0]
	var whole *tiles
	for i := range pieces {
		p := pieces[i]
		if whole == nil || whole.file.URI != p.URI {
			if err := whole.end(); err != nil {
				return nil, err
			}
			first := p
			first.Start, first.End, first.EOF, first.Failed = 0, 0, false, false
			first.Repaired, first.Records, first.Meta, first.Counts = 0, 0, nil, Counts{}
			list = append(list, first)
			whole = &tiles{file: &list[len(list)-1]}
		}
		if err := whole.add(&p); err != nil {
			return nil, err
		}
	}
	return list, whole.end()
}

// tiles puts the pieces of one file together.
type tiles struct {
	file   *File // the sum so far
	gap    bool  // the piece before was not read to its end, and a row says so
	silent bool  // there was a piece that failed without a row
}

// add adds the next piece.
func (t *tiles) add(p *File) error {
	d := t.file
	if p.Start != p.End { // an empty piece covers nothing and says nothing
		if p.Start < d.End || p.Start > d.End && !t.gap {
			return fmt.Errorf("%s: bytes %d to %d were read by no range or twice", p.URI, d.End, p.Start)
		}
		if d.End == 0 {
			d.Start = p.Start
		}
		d.End, t.gap = p.End, false
	}
	if p.Version != d.Version && p.Version != "" && d.Version != "" {
		return &source.Error{URI: p.URI, Kind: source.Changed, Err: errors.New("the file changed while it was read")}
	}
	if p.Version == "" || d.Version == "" {
		d.Version = "" // not all of the file could be read
	}
	if d.Format == "" {
		d.Format, d.Lines, d.Encoding = p.Format, p.Lines, p.Encoding
	}
	t.gap = t.gap || p.Failed
	t.silent = t.silent || p.Failed && p.Errors == 0
	d.EOF = p.EOF
	d.Failed = d.Failed || p.Failed
	d.Repaired += p.Repaired
	d.Records += p.Records
	d.MergeMeta(p.Meta)
	d.Counts.Add(&p.Counts)
	// One row speaks for all pieces of a file that is none of the formats.
	if t.silent && (d.Errors == 0 || d.Format != "" || d.End > 0) {
		return fmt.Errorf("%s: a part of it could not be read, and failures/ does not say so", p.URI)
	}
	return nil
}

// end says whether the last piece was the file's end. There may be no file.
func (t *tiles) end() error {
	if t == nil || t.file.EOF || t.gap {
		return nil
	}
	return fmt.Errorf("%s was not read to its end", t.file.URI)
}
