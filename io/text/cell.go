package text

import (
	"bytes"
	"fmt"
)

// Cells makes readers of the cells of a table. It is safe for concurrent use.
type Cells struct {
	// Returns says that a CR ends lines in cells that have more of these than LF.
	// It must be set before the first use; else it is white space.
	Returns bool

	enc   *encodingInfo
	lines Lines
}

// NewCells returns the Cells of a table in an encoding (see Options); lines says
// what line breaks inside a cell mean, AutoLines decides for every cell. Encodings
// in which the byte of a quote or a comma may be a part of another character are an
// error.
func NewCells(encoding string, lines Lines) (*Cells, error) {
	enc, err := lookup(encoding)
	if err != nil {
		return nil, err
	}
	if !enc.cuttable {
		return nil, fmt.Errorf("a table in %s; make it UTF-8 first, for example with iconv -f %s -t UTF-8", enc.name, enc.name)
	}
	return &Cells{enc: enc, lines: lines}, nil
}

// A Cell is the bytes of one cell.
type Cell struct {
	Bytes  []byte // as stored, without the quotes around it
	Source int64  // the offset of its first byte
	Line   int64  // the line in which it begins, 0 if unknown
	Quoted bool   // two quotes in it stand for one
	// OneLine says that line breaks in the cell are none of the file.
	OneLine bool
}

// Reader returns a reader of the blocks of a cell, which is cut as raw text is.
// Offsets are those of the file: Block.Offset knows which quotes were doubled.
// Invalid bytes and NULs are repaired. The bytes must not change while the reader
// is used.
func (c *Cells) Reader(cell *Cell) *Reader {
	l := Layout{Encoding: c.enc.name, Newline: '\n', Lines: c.lines, Cuttable: true}
	if auto := c.lines == "" || c.lines == AutoLines; auto || c.Returns {
		head := *cell
		head.Bytes = head.Bytes[:min(len(head.Bytes), jsonHead)]
		lines := c.lines
		if auto {
			lines = AutoLines
		}
		if l.decideLines(c.decode(&head), lines); !c.Returns {
			l.Newline = '\n'
		}
	}
	return &Reader{
		layout: l, dec: c.decoder(cell), end: -1,
		line: cell.Line, oneLine: cell.OneLine, opens: true, fresh: true,
		lineStart: cell.Source, inked: cell.Source, coverStart: cell.Source, coverEnd: cell.Source,
	}
}

// Text returns the text of a cell. Invalid bytes and NULs become U+FFFD.
func (c *Cells) Text(cell *Cell) string { return string(c.decode(cell)) }

func (c *Cells) decode(cell *Cell) []byte {
	var w window
	for d := c.decoder(cell); d.decode(&w) == nil; {
	}
	return w.text
}

func (c *Cells) decoder(cell *Cell) *decoder {
	d := &decoder{
		r: bytes.NewReader(cell.Bytes), newline: '\n', enc: c.enc,
		raw: make([]byte, 0, min(len(cell.Bytes)+1, rawBytes)), source: cell.Source,
	}
	if cell.Quoted {
		d.escapes = '"'
	}
	if c.enc.enc != nil && c.enc.table == nil {
		d.conv = c.enc.enc.NewDecoder()
	}
	return d
}

// doubled decodes the quote at raw[i] with the one behind it.
func (d *decoder) doubled(w *window, i int) (int, bool) {
	if i+1 == len(d.raw) && d.err == nil {
		return 0, false
	}
	n := 1
	if i+1 < len(d.raw) && d.raw[i+1] == '"' {
		n = 2
	}
	w.rune('"', d.source+int64(i), n)
	return n, true
}
