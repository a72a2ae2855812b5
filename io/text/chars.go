package text

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"
)

// CountFrom tells a reader that does not begin at the file's beginning how many code
// points come before what it reads (the result of CharsBefore). It must be called
// before Next.
func (r *Reader) CountFrom(chars int64) { r.origin = chars }

// CharsBefore returns how many code points of a file come before what NewReader reads
// of an interval that begins at start, over 0. src must be positioned at the file's
// beginning. It reads up to the end of the line that holds the byte before start.
func CharsBefore(src io.Reader, l Layout, start int64) (int64, error) {
	if _, err := io.CopyN(io.Discard, src, int64(l.BOM)); err != nil {
		return 0, err
	}
	lines := &untilLine{r: bufio.NewReader(src), left: start - 1 - int64(l.BOM), newline: l.Newline}
	d := newDecoder(lines, l, int64(l.BOM))
	var w window
	n := int64(0)
	for {
		err := d.decode(&w)
		n += int64(utf8.RuneCount(w.text))
		w = window{text: w.text[:0], spans: w.spans[:0], repairs: w.repairs[:0]}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// An untilLine reads left bytes, and then to the end of the line.
type untilLine struct {
	r       *bufio.Reader
	left    int64
	newline byte
	ended   bool
}

func (u *untilLine) Read(b []byte) (int, error) {
	if u.ended {
		return 0, io.EOF
	}
	if u.left > 0 {
		n, err := u.r.Read(b[:min(int64(len(b)), u.left)])
		u.left -= int64(n)
		return n, err
	}
	n, err := u.r.Read(b)
	if i := bytes.IndexByte(b[:n], u.newline); i >= 0 {
		n, u.ended = i+1, true
	}
	return n, err
}
