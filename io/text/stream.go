package text

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// streamHead is the number of bytes of a stream that decide what its line breaks mean,
// if Options do not.
const streamHead = 4 << 10

// minWrap is the length in runes below which hardly any text is wrapped.
const minWrap = 40

// NewStream returns a reader of all blocks of a text that comes slowly. r is at its
// first byte; head is the beginning of the text, a whole line or more.
//
// Blocks are the blocks of NewReader under the layout that Decide gives for the first
// streamHead bytes (4 KiB), or for all of a shorter text. So that the first sentences need not
// wait, lines that begin the text or follow a blank line are returned before the layout
// is known, up to the first such line that is neither:
//
//   - a line that ends a sentence, if it is shorter than lines that a program
//     breaks or does not seem to end with an abbreviation: it is a paragraph;
//   - a line before a blank line: it is one in any layout.
//
// A text with a CR inside its first line is decided on streamHead bytes in any
// case: CRs may end its lines.
//
// What comes out depends on the bytes of r only, not on how they come.
func NewStream(r io.Reader, head []byte, o Options) (*Reader, error) {
	layout, err := Decide(head, o)
	if err != nil {
		return nil, err
	}
	lines, err := ParseLines(string(o.Lines))
	if err != nil {
		return nil, err
	}
	if lines != AutoLines {
		if loneReturns(decodeHead(head[layout.BOM:], layout)) > 0 {
			// Do lines end there? A line does not tell.
			more := make([]byte, streamHead)
			n, _ := io.ReadFull(r, more) // r gives its error again
			r = io.MultiReader(bytes.NewReader(more[:n]), r)
			if layout, err = Decide(more[:n], o); err != nil {
				return nil, err
			}
		}
		return NewReader(r, layout, 0, -1)
	}
	layout.Lines, layout.Newline = Paragraph, '\n'
	u := &undecided{r: r, o: o}
	rd, err := NewReader(u, layout, 0, -1)
	if err == nil {
		rd.undecided = u
	}
	return rd, err
}

// An undecided is a text whose line breaks have no meaning yet. It keeps the
// beginning of what is read of it.
type undecided struct {
	r    io.Reader
	o    Options
	head []byte
	all  bool // head is all that is needed
}

func (u *undecided) Read(b []byte) (int, error) {
	n, err := u.r.Read(b)
	if !u.all {
		u.head = append(u.head, b[:min(n, streamHead-len(u.head))]...)
		u.all = err != nil || len(u.head) == streamHead
	}
	return n, err
}

// early returns the length of the paragraph at the beginning of the text not yet
// consumed, if it can be known without a layout. Otherwise it decides on the layout and
// returns 0.
func (r *Reader) early() int {
	for r.undecided != nil {
		if !r.opens {
			r.decide()
			break
		}
		w := r.win.text[r.pos:]
		// Only what is inside the head counts, however much has come.
		if inside := streamHead - r.win.base - int64(r.pos); inside < int64(len(w)) {
			w = w[:max(inside, 0)]
		}
		line, next, whole := bytes.Cut(w, []byte("\n"))
		line = bytes.TrimRightFunc(line, isSpace)
		last := bytes.LastIndexFunc(line, isSpace) + 1
		if bytes.ContainsRune(line, paragraphSeparator) || bytes.IndexByte(line, '\r') >= 0 {
			r.decide()
			break
		}
		end := sentenceEnd(line[last:])
		if whole && (end == atConfident || end == atSentence && utf8.RuneCount(line) < minWrap || beginsBlank(next, '\n')) {
			return len(line)
		}
		lacking := !whole || len(bytes.TrimLeftFunc(next, isSpace)) == 0
		if !lacking || r.win.end() >= streamHead || !r.more() {
			r.decide()
		}
	}
	return 0
}

// decide reads as much as it takes to decide on the layout.
func (r *Reader) decide() {
	u := r.undecided
	for !u.all && r.more() {
	}
	r.undecided = nil
	layout, err := Decide(u.head, u.o)
	if err != nil {
		return // NewStream has tried the options
	}
	r.layout.Lines, r.layout.Newline, r.layout.Margin = layout.Lines, layout.Newline, layout.Margin
	r.dec.newline = layout.Newline
}
