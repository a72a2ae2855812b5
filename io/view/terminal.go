package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
)

// ltr makes a terminal set a line from left to right although a word in it is
// written from right to left.
const ltr = "\u200e"

// TreeOptions say how Tree draws.
type TreeOptions struct {
	Width  int   // columns of the terminal; less than 60 is 60, but 0 is 80
	Lemmas bool  // a column of lemmas
	Conf   Conf  // columns of probabilities; with them, a line says how sure the whole tree is
	Color  bool  // by ANSI escape sequences (SGR only)
	Marked []int // words to set off, numbered from 1: in color, or by a star
}

// Sizes of what Tree draws, in columns.
const (
	standardWidth = 80
	leastWidth    = 60
	wordsWidth    = 36 // always left for the words, however many the arcs take
	numbersWidth  = 13 // in addition, where heads are numbers
	leastCell     = 4
	mostTag       = 20
)

// TreeRow appends a row of trees/ as a tree for a terminal, and an empty line: its id,
// its text, and the words in order, one a line, with the arcs in the margin and columns
// for form, UPOS and relation. Probabilities follow what they are about: the tag, and
// head and label together. No line is wider than the terminal: words, tags and very
// deep trees are cut, which "…" shows. Where an arc is not drawn, the words are
// numbered, and "7→3" says that the head of word 7 is word 3. Words without a root
// above them have "·" in place of an arc. Nothing in the sentence reaches the terminal
// as a command. Lists of the row that are too short are read as far as they go. TreeRow
// is safe for concurrent use.
func TreeRow(dst []byte, t *parquet.Tree, o TreeOptions) []byte {
	if o.Width == 0 {
		o.Width = standardWidth
	}
	o.Width = max(o.Width, leastWidth)
	p := &painter{TreeOptions: o, marked: marks(o.Marked)}
	p.heading(t)
	p.words(t)
	p.b.WriteByte('\n')
	return append(dst, p.b.String()...)
}

// A painter draws one tree.
type painter struct {
	TreeOptions
	marked map[int]bool
	b      strings.Builder
}

// SGR parameters.
const (
	faint   = "2"
	strong  = "1"
	yellow  = "33"
	red     = "31"
	cyan    = "36"
	green   = "32"
	reverse = "7"
)

// paint writes s in a color, "" for none.
func (p *painter) paint(s, color string) {
	if !p.Color || color == "" || s == "" {
		p.b.WriteString(s)
		return
	}
	p.b.WriteString("\x1b[" + color + "m" + s + "\x1b[0m")
}

// heading writes what precedes the words.
func (p *painter) heading(t *parquet.Tree) {
	if t.SentID != "" {
		p.paint(Clip(Visible(t.SentID), p.Width), faint)
		p.b.WriteByte('\n')
	}
	if t.Text != "" {
		for _, line := range wrap(Visible(t.Text), p.Width) {
			p.b.WriteString(line + "\n")
		}
	}
	if p.Conf == NoConf {
		return
	}
	if say := certainty(t); say != "" {
		for _, line := range wrap(say, p.Width) {
			p.paint(line, faint)
			p.b.WriteByte('\n')
		}
	}
}

// A column of the words: its cells, and how they are colored.
type column struct {
	cells []string
	color func(i int) string
	width int
	fixed bool // numbers, which are never cut
}

// words writes the words, one a line.
func (p *painter) words(t *parquet.Tree) {
	n := len(t.Tokens)
	a := newArcs(t.Head, n, (p.Width-wordsWidth-3)/2)
	if slices.Contains(a.adrift, true) {
		a = newArcs(t.Head, n, (p.Width-wordsWidth-numbersWidth-3)/2)
	}
	mark := ""
	if slices.ContainsFunc(t.Tokens, func(s string) bool { return isRightToLeft([]string{s}) }) {
		mark = ltr
	}
	columns := p.columns(t, a)
	shrink(columns, p.Width-a.width())
	for i := range n {
		p.b.WriteString(mark)
		var margin strings.Builder
		a.draw(&margin, int32(i+1))
		p.paint(margin.String(), faint)
		gap := 0 // spaces before the next cell that is not empty: lines do not end in spaces
		for k := range columns {
			c := &columns[k]
			if cell := Clip(c.cells[i], c.width); cell != "" {
				p.b.WriteString(strings.Repeat(" ", gap))
				p.paint(cell, c.color(i))
				gap = c.width - Width(cell)
				if mark != "" {
					p.b.WriteString(mark)
				}
			} else {
				gap += c.width
			}
			gap += 2
		}
		p.b.WriteByte('\n')
	}
}

// columns are the cells of all words. Columns without a value are left out.
func (p *painter) columns(t *parquet.Tree, a *arcs) []column {
	n := len(t.Tokens)
	var list []column
	add := func(fixed bool, most int, cell func(i int) string, color func(i int) string) {
		c := column{cells: make([]string, n), color: color, fixed: fixed}
		for i := range n {
			c.cells[i] = Clip(cell(i), most)
			c.width = max(c.width, Width(c.cells[i]))
		}
		if c.width > 0 {
			list = append(list, c)
		}
	}
	plain := func(color string) func(int) string { return func(int) string { return color } }
	value := func(list []string) func(int) string {
		return func(i int) string {
			if i >= len(list) {
				return ""
			}
			return Visible(list[i])
		}
	}
	doubt := func(probability func(i int) (float32, bool)) func(i int) string {
		return func(i int) string {
			switch v, ok := probability(i); {
			case !ok || v >= sure:
				return faint
			case v < 0.5:
				return red
			}
			return yellow
		}
	}
	if slices.Contains(a.adrift, true) {
		add(true, numbersWidth-2, func(i int) string {
			number := strconv.Itoa(i + 1)
			if a.adrift[i+1] {
				number += "→" + strconv.Itoa(int(a.heads[i+1]))
			}
			return number
		}, plain(faint))
	}
	add(false, p.Width, func(i int) string {
		switch form := Visible(t.Tokens[i]); {
		case p.marked[i+1] && !p.Color:
			return "*" + form
		default:
			return form
		}
	}, func(i int) string {
		if p.marked[i+1] {
			return reverse
		}
		return strong
	})
	if p.Lemmas {
		add(false, p.Width, value(t.Lemmas), plain(""))
	}
	add(false, mostTag, value(t.UPOS), plain(cyan))
	add(true, 4, func(i int) string { return p.Conf.tag(t, i) },
		doubt(func(i int) (float32, bool) {
			if i < len(t.UPOSConf) {
				return t.UPOSConf[i], true
			}
			return 0, false
		}))
	add(false, mostTag, value(t.Deprel), plain(green))
	add(true, 4, func(i int) string { return p.Conf.arc(t, i) },
		doubt(func(i int) (float32, bool) { return arcProbability(t, i) }))
	return list
}

// shrink makes the widest columns narrower until all fit, with two spaces
// between them.
func shrink(list []column, room int) {
	room -= 2 * (len(list) - 1)
	for _, c := range list {
		room -= c.width
	}
	for ; room < 0; room++ {
		widest := -1
		for i, c := range list {
			if !c.fixed && c.width > leastCell && (widest < 0 || c.width > list[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		list[widest].width--
	}
}
