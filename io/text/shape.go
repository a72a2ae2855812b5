package text

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a line, judged by the line alone.
type kind uint8

const (
	prose   kind = iota // running text, or unknown
	fence               // ``` or ~~~, which begin and end code in Markdown
	rule                // ---, ===, * * *: a line of one mark of punctuation
	heading             // # and a title
	item                // of a list: a bullet, a dash or a number, and text
	row                 // of a table
	source              // code of a programming language, a command
	label               // of speech or a field: "Ada:", "<ada>", "12:30", "[12:30]"
)

// maxShape is how many bytes of a line determine its shape.
const maxShape = 1 << 10

// tabStop is how many columns a tab counts for.
const tabStop = 4

// A shape has the visible properties of a line.
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

// shapeOf returns the shape of a line without its indentation, which is indent columns
// of white space.
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

// word is a word of a name before a colon.
const word = `[\p{Lu}\p{Lo}][\pL\pM\p{Nd}.\-'’_]*`

// What lines look like that are not running text. A title underlined with four tildes
// or more is not a fence. A dash may belong to running text, and so may a number; a
// letter with a full stop is the initial of a name.
var (
	fenceLine   = regexp.MustCompile("(?s)^(?:`{3,}[^`]*|~~~(?:[^~].*)?)$")
	ruleLine    = regexp.MustCompile(`^(?:(?:- *){3,}|(?:= *){3,}|(?:\* *){3,}|(?:_ *){3,}|(?:~ *){3,}|(?:\+ *){3,}|(?:# *){3,})$`)
	headingLine = regexp.MustCompile(`^#+ `)
	wideGaps    = regexp.MustCompile(` {3}[^ ].* {3}`)
	sureMark    = regexp.MustCompile(`^[*+•◦▪‣●○■□✓✔➤►][ \t]`)
	itemMark    = regexp.MustCompile(`^(?:[-–—]|\d{1,3}[.)]|[A-Za-z]\)|\((?:\d{1,3}|[A-Za-z])\))[ \t]`)
	// Speech and fields: a name and a colon, a nickname in angle brackets, a time.
	nameLabel  = regexp.MustCompile(`^` + word + `(?:(?: ` + word + `){0,2}|(?: ` + word + `)? ):(?: |$)`)
	otherLabel = regexp.MustCompile(`^(?:<[^ >\]]+>|\[\d{1,2}:[0-5]\d[^>\]]*[>\]]) `)
	timeLabel  = regexp.MustCompile(`^\d{1,2}:[0-5]\d`)
)

// Bounds of labels, in bytes: of a name with its colon, of the text in brackets.
const (
	maxName    = 40
	maxBracket = 25
)

// look returns the kind of a line and sets the fields that depend on it.
func (s *shape) look() kind {
	b := s.body
	if len(b) == 0 {
		return prose
	}
	switch {
	case isFence(b):
		s.info = hasInfo(b)
		return fence
	case ruleLine.Match(b):
		return rule
	case headingLine.Match(b):
		return heading
	case isRow(b):
		return row
	}
	mark := sureMark.Find(b)
	s.sure = mark != nil
	if !s.sure {
		mark = itemMark.Find(b)
	}
	switch {
	case mark != nil:
		s.text = s.indent + utf8.RuneCount(mark)
		return item
	case isCode(b, s.indent):
		return source
	case isLabel(b):
		return label
	}
	return prose
}

// isFence reports whether a line begins or ends a block of code in Markdown.
func isFence(b []byte) bool { return (b[0] == '`' || b[0] == '~') && fenceLine.Match(b) }

// hasInfo reports whether the name of a language follows a fence.
func hasInfo(b []byte) bool { return len(bytes.Trim(b, "`~ \t\r")) > 0 }

// isRow reports whether a line has columns: bars, tabs or wide gaps.
func isRow(b []byte) bool {
	return b[0] == '|' && len(b) > 1 || bytes.IndexByte(b, '\t') >= 0 || bytes.Count(b, []byte(" | ")) >= 2 ||
		bytes.Contains(b, []byte("   ")) && wideGaps.Match(b)
}

// isLabel reports whether a line begins with the name of a speaker or a field.
func isLabel(b []byte) bool {
	named := bytes.IndexByte(b[:min(len(b), maxName)], ':') > 0
	return named && nameLabel.Match(b) || timeLabel.Match(b) || otherLabel.Match(b[:min(len(b), maxBracket)])
}

// Signs of code that are rare in running text.
var codeSigns = [][]byte{
	[]byte(":="), []byte("=="), []byte("!="), []byte("+="), []byte("->"), []byte("=>"), []byte("&&"), []byte("||"),
	[]byte("()"), []byte(" = "), []byte("\");"), []byte("++"), []byte("${"),
}

// maxWords is how many words of letters only a line of code has that does not
// end like one.
const maxWords = 5

// isCode reports whether a line is code by its looks: by how it begins or ends, or by
// signs that are rare in running text, one in an indented line and two in any other.
// Lines of several plain words are running text about code.
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

// calls reports whether an opening bracket follows a letter and does not enclose the
// ending of a word, as in "file(s)".
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

// plainWords counts words that have two or more letters and otherwise only commas, full
// stops and apostrophes.
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
