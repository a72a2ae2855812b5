package conllu

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A blockParser turns the lines of one block into a sentence.
type blockParser struct {
	format   Format
	line     int64 // of the current line; 0 is unknown
	offset   int64 // of the current line in the file
	s        syntax.Sentence
	err      *Error
	headErr  *Error // first HEAD that is not a number between 0 and n
	warnings []Error

	heads     []headPlace // HEADs to compare with n at the end
	lastEmpty int32       // index of the last empty node after this word
	inRange   bool        // the last line was a multiword token
	lastRange headPlace   // of the last multiword token
	fields    [nColumns]string
}

// A headPlace remembers the place of a line, as a rule a word's.
type headPlace struct{ line, offset int64 }

// parse reads a block whose first line has the given number and offset.
func parse(raw string, format Format, line, offset int64) *blockParser {
	p := &blockParser{format: format, line: line, offset: offset}
	if !isText(raw) {
		p.warnInvalid(raw)
		raw = repair(raw)
	}
	n := min(strings.Count(raw, "\n")+1, syntax.MaxWords) // of a block of comments, far too many
	p.s.Words = make([]syntax.Word, 0, n)
	p.heads = make([]headPlace, 0, n)
	for len(raw) > 0 && p.err == nil {
		line := raw
		if i := strings.IndexByte(raw, '\n'); i >= 0 {
			line, raw = raw[:i], raw[i+1:]
		} else {
			raw = ""
		}
		p.readLine(strings.TrimRight(line, "\r"))
		if p.line > 0 {
			p.line++
		}
		p.offset += int64(len(line)) + 1
	}
	if p.err == nil {
		p.line, p.offset = line, offset
		p.finish()
	}
	p.sumUp()
	return p
}

func (p *blockParser) fail(column int, kind syntax.Kind, format string, a ...any) {
	if p.err == nil {
		p.err = &Error{Fault: syntax.Because(kind, format, a...), Line: p.line, Offset: p.offset, Column: column + 1}
	}
}

const wholeLine = -1

// warn notes a repair: only the first place of each kind and column, because a small
// block can have millions of them.
func (p *blockParser) warn(column int, kind syntax.Kind, format string, a ...any) {
	p.s.Status = syntax.Repaired
	for i := range p.warnings {
		if w := &p.warnings[i]; w.Kind == kind && w.Column == column+1 {
			w.More++
			return
		}
	}
	p.warnings = append(p.warnings, Error{Fault: syntax.Because(kind, format, a...), Line: p.line, Offset: p.offset, Column: column + 1})
}

// sumUp adds to the warnings how many more of the kind there were.
func (p *blockParser) sumUp() {
	for i := range p.warnings {
		if w := &p.warnings[i]; w.More > 0 {
			w.Reason += fmt.Sprintf(" (and %d more in this sentence)", w.More)
			w.More = 0
		}
	}
}

func (p *blockParser) readLine(line string) {
	if strings.HasPrefix(line, "#") {
		switch {
		case len(p.s.Comments) == syntax.MaxComments:
			p.fail(wholeLine, syntax.KindLongBlock, "the block has more than %d comments", syntax.MaxComments)
			return
		case len(line) > syntax.MaxColumn:
			p.fail(wholeLine, syntax.KindLongBlock, "the comment has %d bytes, more than the limit of %d", len(line), syntax.MaxColumn)
			return
		}
		if len(p.s.Words)+len(p.s.MWTs)+len(p.s.Empty) > 0 {
			p.warn(wholeLine, syntax.KindComment, "comment after the first word line: moved before it")
		}
		p.s.Comments = append(p.s.Comments, line)
		return
	}
	if !p.split(line) {
		return
	}
	id := p.fields[colID]
	if p.format == U {
		if first, last, ok := strings.Cut(id, "-"); ok {
			p.readRange(id, first, last)
			return
		}
		if after, index, ok := strings.Cut(id, "."); ok {
			p.readEmpty(id, after, index)
			return
		}
	}
	p.readWord(id)
}

// split cuts the line into its columns. An empty column is read as "_".
func (p *blockParser) split(line string) bool {
	n, rest := 0, line
	for {
		field, tail, more := strings.Cut(rest, "\t")
		if n < nColumns {
			p.fields[n] = field
		}
		n++
		if !more {
			break
		}
		rest = tail
	}
	if n == 1 && len(line) <= syntax.MaxColumn && len(strings.Fields(line)) == nColumns {
		p.fail(wholeLine, syntax.KindColumns, "the columns are separated by spaces, not by tabs")
		return false
	}
	if n != nColumns {
		p.fail(wholeLine, syntax.KindColumns, "%d columns, not %d separated by tabs", n, nColumns)
		return false
	}
	for i, field := range p.fields {
		if len(field) > syntax.MaxColumn {
			p.fail(i, syntax.KindLongColumn, "the column has %d bytes, more than the limit of %d", len(field), syntax.MaxColumn)
			return false
		}
		if field != "" {
			continue
		}
		if i <= colForm {
			p.fail(i, syntax.KindNoValue, "the column is empty")
			return false
		}
		p.fields[i] = "_"
		p.warn(i, syntax.KindNoValue, `the column is empty: read as "_"`)
	}
	return true
}

// value returns a column, "" if it is absent.
func (p *blockParser) value(column int) string {
	if v := p.fields[column]; v != "_" {
		return v
	}
	return ""
}

func (p *blockParser) readWord(id string) {
	n := len(p.s.Words)
	if number, ok := number(id); !ok {
		p.fail(colID, syntax.KindWordID, "%q is not a word number", syntax.Clip(id))
		return
	} else if int(number) != n+1 {
		p.fail(colID, syntax.KindWordID, "word %s, but %d comes next", id, n+1)
		return
	}
	if n == syntax.MaxWords {
		p.fail(wholeLine, syntax.KindLongSentence, "the sentence has more than %d words", syntax.MaxWords)
		return
	}
	if items := strings.Count(p.fields[colFeats], "|") + 1; items > syntax.MaxItems {
		p.fail(colFeats, syntax.KindLongColumn, "the column has %d items, more than the limit of %d", items, syntax.MaxItems)
		return
	}
	w := syntax.Word{
		Form:   p.fields[colForm],
		Lemma:  p.value(colLemma),
		UPOS:   p.value(colUPOS),
		XPOS:   p.value(colXPOS),
		Feats:  p.value(colFeats),
		Deprel: p.value(colDeprel),
		Deps:   p.value(colDeps),
		Misc:   p.value(colMisc),
		Head:   syntax.NoHead,
	}
	if w.Form == "_" && p.fields[colLemma] == "_" {
		w.Lemma = "_" // the word is an underscore
	}
	if head, ok := number(p.fields[colHead]); ok {
		w.Head = head
	} else if p.fields[colHead] != "_" {
		p.blameHead(p.line, p.offset, "%q is not a number", syntax.Clip(p.fields[colHead]))
	}
	p.s.Words = append(p.s.Words, w)
	p.heads = append(p.heads, headPlace{p.line, p.offset})
	p.lastEmpty, p.inRange = 0, false
}

func (p *blockParser) readRange(id, first, last string) {
	a, ok1 := number(first)
	b, ok2 := number(last)
	n := int32(len(p.s.Words))
	switch {
	case !ok1 || !ok2 || a > b:
		p.fail(colID, syntax.KindToken, "%q is not a range of words", syntax.Clip(id))
	case a != n+1:
		p.fail(colID, syntax.KindToken, "token %s is not before word %d", id, a)
	case len(p.s.MWTs) > 0 && p.s.MWTs[len(p.s.MWTs)-1].Last >= a:
		m := p.s.MWTs[len(p.s.MWTs)-1]
		p.fail(colID, syntax.KindToken, "token %s overlaps token %d-%d", id, m.First, m.Last)
	}
	if p.err != nil {
		return
	}
	m := syntax.MultiwordToken{First: a, Last: b, Form: p.fields[colForm], Feats: p.value(colFeats), Misc: p.value(colMisc)}
	f := &p.fields
	if rest := strings.Join([]string{f[colLemma], f[colUPOS], f[colXPOS], f[colHead], f[colDeprel], f[colDeps]}, "\t"); rest != restAbsent {
		m.Rest = rest
	}
	p.s.MWTs = append(p.s.MWTs, m)
	p.inRange, p.lastRange = true, headPlace{p.line, p.offset}
}

const restAbsent = "_\t_\t_\t_\t_\t_"

func (p *blockParser) readEmpty(id, after, index string) {
	a, ok1 := number(after)
	i, ok2 := number(index)
	switch {
	case !ok1 || !ok2 || i == 0:
		p.fail(colID, syntax.KindEmptyNode, "%q is not the number of an empty node", syntax.Clip(id))
	case int(a) != len(p.s.Words):
		p.fail(colID, syntax.KindEmptyNode, "empty node %s is not after word %d", id, a)
	case i <= p.lastEmpty:
		p.fail(colID, syntax.KindEmptyNode, "empty node %s after %d.%d", id, a, p.lastEmpty)
	case len(p.s.Empty) == syntax.MaxEmpty:
		p.fail(wholeLine, syntax.KindLongBlock, "the block has more than %d empty nodes", syntax.MaxEmpty)
	}
	if p.err != nil {
		return
	}
	if p.inRange {
		m := p.s.MWTs[len(p.s.MWTs)-1]
		p.warn(colID, syntax.KindEmptyNode, "empty node %s between token %d-%d and its first word: moved before the token", id, m.First, m.Last)
	}
	p.s.Empty = append(p.s.Empty, syntax.EmptyNode{
		After: a, Index: i,
		Form: p.value(colForm), Lemma: p.value(colLemma), UPOS: p.value(colUPOS), XPOS: p.value(colXPOS),
		Feats: p.value(colFeats), Head: p.value(colHead), Deprel: p.value(colDeprel), Deps: p.value(colDeps),
		Misc: p.value(colMisc),
	})
	p.lastEmpty = i
}

// finish makes the checks that need the whole block, whose place is the current line, and
// sets the text.
func (p *blockParser) finish() {
	n := len(p.s.Words)
	if n == 0 {
		p.fail(wholeLine, syntax.KindNoWords, "the block has no word line")
		return
	}
	if k := len(p.s.MWTs); k > 0 && int(p.s.MWTs[k-1].Last) > n {
		m := p.s.MWTs[k-1]
		p.line, p.offset = p.lastRange.line, p.lastRange.offset
		p.fail(colID, syntax.KindToken, "token %d-%d ends after the last word, %d", m.First, m.Last, n)
		return
	}
	for i := range p.s.Words {
		if h := p.s.Words[i].Head; int(h) > n {
			p.blameHead(p.heads[i].line, p.heads[i].offset, "head %d of word %d is not in the sentence, which has %d words", h, i+1, n)
			p.s.Words[i].Head = syntax.NoHead
		}
	}
	p.s.ID = commentValue(p.s.Comments, "sent_id")
	p.s.Text = commentValue(p.s.Comments, "text")
	if p.s.Text == "" {
		p.s.Text = surfaceText(&p.s)
	}
	locateWords(&p.s)
}

func (p *blockParser) blameHead(line, offset int64, format string, a ...any) {
	if p.headErr == nil || offset < p.headErr.Offset {
		p.headErr = &Error{Fault: syntax.Because(syntax.KindHead, format, a...), Line: line, Offset: offset, Column: colHead + 1}
	}
}

// number reads a decimal number without sign or leading zeros that fits int32.
func number(s string) (int32, bool) {
	if s == "" || len(s) > 10 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	var v int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		v = 10*v + int64(s[i]-'0')
	}
	return int32(v), v <= math.MaxInt32
}

// commentValue returns the value of the first comment "# key = value".
func commentValue(comments []string, key string) string {
	for _, c := range comments {
		c = strings.TrimLeft(c[1:], " \t")
		if !strings.HasPrefix(c, key) {
			continue
		}
		if c = strings.TrimLeft(c[len(key):], " \t"); strings.HasPrefix(c, "=") {
			return strings.Trim(c[1:], " \t")
		}
	}
	return ""
}

// isText reports whether s is UTF-8 without NULs.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// repair replaces NULs and each byte that is not part of a valid code point by
// U+FFFD.
func repair(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		if r == 0 {
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// warnInvalid says where the first invalid byte of the block is.
func (p *blockParser) warnInvalid(raw string) {
	first, bad := -1, 0
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			bad++
			if first < 0 {
				first = i
			}
		}
		i += size
	}
	start := strings.LastIndexByte(raw[:first], '\n') + 1
	line, offset := p.line, p.offset
	if p.line > 0 {
		p.line += int64(strings.Count(raw[:start], "\n"))
	}
	p.offset += int64(start)
	what := "bytes that are NUL or not UTF-8"
	if bad == 1 {
		what = "byte that is NUL or not UTF-8"
	}
	p.warn(wholeLine, syntax.KindBytes, "%d %s, the first at byte %d of the line: replaced by U+FFFD", bad, what, first-start)
	p.line, p.offset = line, offset
}
