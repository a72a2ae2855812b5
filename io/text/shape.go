package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A kind says what a line is by its looks alone.
type kind uint8

const (
	prose   kind = iota // running text, or nothing that can be told
	fence               // ``` or ~~~, which begin and end code in Markdown
	rule                // ---, ===, * * *: a line of one mark of punctuation
	heading             // # and a title
	item                // of a list: a bullet, a dash or a number, and text
	row                 // of a table
	source              // code of a programming language, a command
	label               // of speech or a field: "Ada:", "<ada>", "12:30", "[12:30]"
)

// maxShape is how many bytes of a line its shape is told from.
const maxShape = 1 << 10

// tabStop is how many columns a tab counts for.
const tabStop = 4

// A shape is what can be seen of a line.
type shape struct {
	kind   kind
	sure   bool   // of an item: no running text has a line that begins so
	info   bool   // of a fence: the name of a language follows
	depth  int    // marks of quoted mail
	indent int    // columns of white space before the text
	text   int    // of an item, the column after its mark; else indent
	width  int    // columns up to the line's end, without marks of quoted mail
	body   []byte // the text, without white space at either end
}

// shapeOf returns the shape of a line before which stand indent columns of white
// space that are not in it.
func shapeOf(line []byte, indent int) shape {
	s := shape{indent: indent}
	line = line[:min(len(line), maxShape)]
	i := 0
marks:
	for ; i < len(line); i++ {
		switch line[i] {
		case ' ':
			s.indent++
		case '\t':
			s.indent += tabStop
		case '>':
			s.depth++
			s.indent = -1 // a space follows
		default:
			break marks
		}
	}
	s.indent = max(s.indent, 0)
	s.body = bytes.TrimFunc(line[i:], isSpace)
	s.width = s.indent + utf8.RuneCount(s.body)
	s.text = s.indent
	s.kind = s.look()
	return s
}

// look returns the kind of a line, and notes what depends on it.
func (s *shape) look() kind {
	b := s.body
	if len(b) == 0 {
		return prose
	}
	switch {
	case isFence(b):
		s.info = hasInfo(b)
		return fence
	case isRule(b):
		return rule
	case b[0] == '#' && bytes.HasPrefix(bytes.TrimLeft(b, "#"), []byte(" ")):
		return heading
	case isRow(b):
		return row
	}
	if n, sure := mark(b); n > 0 {
		s.text, s.sure = s.indent+utf8.RuneCount(b[:n]), sure
		return item
	}
	switch {
	case isCode(b, s.indent):
		return source
	case isLabel(b):
		return label
	}
	return prose
}

// isFence reports whether a line begins or ends a block of code in Markdown.
// Four tildes and more underline titles.
func isFence(b []byte) bool {
	n := 0
	for n < len(b) && b[n] == b[0] {
		n++
	}
	return b[0] == '`' && n >= 3 && bytes.IndexByte(b[n:], '`') < 0 || b[0] == '~' && n == 3
}

// hasInfo reports whether the name of a language stands behind a fence.
func hasInfo(b []byte) bool { return len(bytes.Trim(b, "`~ \t\r")) > 0 }

// isRule reports whether a line is three marks or more of one kind.
func isRule(b []byte) bool {
	if bytes.IndexByte([]byte("-=*_~+#"), b[0]) < 0 {
		return false
	}
	n := 0
	for _, c := range b {
		if c == b[0] {
			n++
		} else if c != ' ' {
			return false
		}
	}
	return n >= 3
}

// isRow reports whether a line has columns: bars, tabs or wide gaps.
func isRow(b []byte) bool {
	if b[0] == '|' && len(b) > 1 || bytes.IndexByte(b, '\t') >= 0 || bytes.Count(b, []byte(" | ")) >= 2 {
		return true
	}
	gaps := 0
	for i := 0; i < len(b); {
		j := bytes.Index(b[i:], []byte("   "))
		if j < 0 {
			break
		}
		gaps++
		i += j
		for i < len(b) && b[i] == ' ' {
			i++
		}
	}
	return gaps >= 2
}

// mark returns the length of the mark of a list's item that b begins with, the
// space after it included, or 0, and whether nothing else begins so. A dash may
// belong to running text, and so may a number.
func mark(b []byte) (n int, sure bool) {
	r, size := utf8.DecodeRune(b)
	switch r {
	case '*', '+', '•', '◦', '▪', '‣', '●', '○', '■', '□', '✓', '✔', '➤', '►':
		sure = true
		n = size
	case '-', '–', '—':
		n = size
	default:
		n = number(b)
	}
	if n == 0 || n >= len(b) || b[n] != ' ' && b[n] != '\t' {
		return 0, false
	}
	return n + 1, sure
}

// number returns the length of a number of a list that b begins with: "12." or
// "12)" or "(12)", or a letter in place of the digits, or 0. Letters with a full
// stop are initials of names.
func number(b []byte) int {
	i := 0
	if b[0] == '(' {
		i = 1
	}
	digits := i
	for digits < len(b) && digits < i+3 && b[digits] >= '0' && b[digits] <= '9' {
		digits++
	}
	letter := digits == i
	if letter && digits < len(b) && (b[digits]|0x20 >= 'a' && b[digits]|0x20 <= 'z') {
		digits++
	}
	switch {
	case digits == i || digits == len(b):
		return 0
	case b[digits] == ')', b[digits] == '.' && i == 0 && !letter:
		return digits + 1
	}
	return 0
}

// isLabel reports whether a line begins with a name and a colon, as speech and
// fields do, with a nickname in angle brackets or with a time.
func isLabel(b []byte) bool {
	if b[0] == '<' || b[0] == '[' {
		end := bytes.IndexAny(b, ">]")
		return end > 1 && end+2 < len(b) && end < 24 && b[end+1] == ' ' &&
			(b[0] == '<' && b[end] == '>' && bytes.IndexByte(b[:end], ' ') < 0 || b[0] == '[' && isTime(b[1:]))
	}
	if isTime(b) {
		return true
	}
	words, begins, r := 1, true, rune(0)
	for i, n := 0, 0; i < len(b) && i < 40; i += n {
		r, n = utf8.DecodeRune(b[i:])
		switch {
		case r == ':':
			return i > 0 && (i+1 == len(b) || b[i+1] == ' ')
		case r == ' ':
			words++
			if begins || words > 3 {
				return false
			}
			begins = true
		case begins && !unicode.IsUpper(r) && !unicode.Is(unicode.Lo, r):
			return false
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && r != '\'' && r != '’' && r != '_':
			return false
		default:
			begins = false
		}
	}
	return false
}

// isTime reports whether b begins with a time of the day such as 9:05.
func isTime(b []byte) bool {
	i := 0
	for i < len(b) && i < 2 && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i > 0 && i+2 < len(b) && b[i] == ':' && b[i+1] >= '0' && b[i+1] <= '5' && b[i+2] >= '0' && b[i+2] <= '9'
}

// Signs of code that running text has seldom.
var codeSigns = [][]byte{
	[]byte(":="), []byte("=="), []byte("!="), []byte("+="), []byte("->"), []byte("=>"), []byte("&&"), []byte("||"),
	[]byte("()"), []byte(" = "), []byte("\");"), []byte("++"), []byte("${"),
}

// maxWords is how many words of letters only a line of code has that does not
// end like one.
const maxWords = 5

// isCode reports whether a line is code by its looks: by how it begins or ends,
// or, for indented lines one and for others two, signs that running text has
// seldom. Lines of several plain words are running text about code.
func isCode(b []byte, indent int) bool {
	for _, p := range []string{"$ ", "//", "/*", "*/", "#!", "#include", "</", "<!--", "<?", "}", "{"} {
		if bytes.HasPrefix(b, []byte(p)) {
			return true
		}
	}
	if bytes.IndexByte([]byte(";\\(["), b[len(b)-1]) < 0 && !bytes.ContainsAny(b, "=>&|(+$") {
		return false // none of what follows
	}
	signs := 0
	for _, sign := range codeSigns {
		if bytes.Contains(b, sign) {
			signs++
		}
	}
	if calls(b) {
		signs++
	}
	switch last := b[len(b)-1]; {
	case last == '{', last == ';' && (signs > 0 || bytes.HasSuffix(b, []byte(");"))):
		return true
	case last == '\\', last == '(', last == '[', last == ')' && signs > 0 && calls(b):
		signs++
	}
	if plainWords(b) >= maxWords {
		return false
	}
	return signs >= 2 || signs == 1 && indent >= 2
}

// calls reports whether an opening bracket stands behind a letter and does not
// enclose the ending of a word, as in "file(s)".
func calls(b []byte) bool {
	for i := 1; i < len(b); i++ {
		if b[i] != '(' {
			continue
		}
		c := b[i-1]
		inside, _, _ := bytes.Cut(b[i+1:], []byte(")"))
		ending := len(inside) > 0 && len(inside) <= 3 && len(bytes.Trim(inside, "abcdefghijklmnopqrstuvwxyz")) == 0
		if (c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_') && !ending {
			return true
		}
	}
	return false
}

// plainWords counts words of two letters and more and nothing else, but for a
// comma or a full stop.
func plainWords(b []byte) int {
	n, letters, other := 0, 0, false
	for i := 0; i <= len(b); {
		r, size := ' ', 1
		if i < len(b) {
			r, size = utf8.DecodeRune(b[i:])
		}
		i += size
		switch {
		case isSpace(r):
			if letters >= 2 && !other {
				n++
			}
			letters, other = 0, false
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case r != ',' && r != '.' && r != '\'' && r != '’':
			other = true
		}
	}
	return n
}
