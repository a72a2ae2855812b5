package segment

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Units are strings that are one token in all languages, whatever the treebank.
// They stand inside a chunk. In training as in use no token ends inside a unit.
// None begins before it or goes on behind it, except for an apostrophe and for
// letters, on which the classifier decides. The tables below are the list. Emoji
// are units, too: a base with its selector, its skin tone and what joiners add,
// the two letters of a flag, a keycap.

// Whether a token ends before a character.
const (
	ask    uint8 = iota // the classifier decides
	never               // inside a unit
	always              // at its edge
)

// The expressions read a chunk that is written with one byte for each character
// (chunk.spell): ASCII letters and punctuation stand for themselves, and 0 for all
// digits. All other characters stand for their kind.
const (
	byteEllipsis = 0x11 + iota
	byteLongDash
	byteEmoji // or the digit of a keycap
	byteOther
	byteUnspaced // of a script without spaces between words, in a chunk with ASCII letters
	byteUnspacedMark
)

// An expression is compiled when it is first needed: most commands segment no text.
type expression func() *regexp.Regexp

func compiled(s string) expression {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(kinds().Replace(s)) })
}

// kinds writes out the kinds of characters, and lists, that expressions name.
var kinds = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"{lower}", `a-z\x03`, "{upper}", `A-Z\x04`, "{letter}", `a-zA-Z\x03-\x05`, "{word}", `a-zA-Z0\x03-\x06`,
		"{part}", `a-zA-Z0\x03-\x06_\-#%+~`, // of a name, between slashes and periods
		"{name}", `a-zA-Z0\x03-\x06_\-#%+~./\\@`,
		"{file}", suffixes(files), "{domain}", suffixes(domains), "{folder}", oneOf(folders), "{module}", oneOf(modules),
	)
})

// A beginning matches how units begin that may hold any character. Group 1 is the
// unit.
type beginning struct {
	expression
	web bool // the unit goes on like a web address
}

var beginnings = []beginning{
	// code; see quoteCode for code with spaces
	{compiled("^(`[^`]+`)"), false},
	// https://x.org/a
	{compiled(`^[{name}]*?([{letter}](?:[{letter}+]*[{letter}])?://)`), true},
	// www.x.org, C:\x, \\server\x
	{compiled(`^((?i:www)\.[{name}]|[{letter}]:[/\\]|\\\\[{name}]{2})`), true},
	// mailto:x@y.z
	{compiled(`^((?i:mailto):[{part}./\\]+@[{letter}](?:[{word}._\-]*[{word}_])?)`), false},
}

// A name is a unit in a run of the characters of names that all expressions match.
type name struct {
	when func(text []byte, start, end int) bool // nil: always
	all  []expression
	web  bool
}

func has(expressions ...string) (all []expression) {
	for _, s := range expressions {
		all = append(all, compiled(s))
	}
	return all
}

// mail is the only unit with an @: an address, x@y.z, or the name of an account, @name.
var mail = compiled(`^(?:[^@]*[/\\])?([^@/\\]*@[{letter}](?:[{word}._\-]*[{word}_])?)`)

// In dotted names there is a period between two parts. A mark shows that slashes
// belong to a path, and do not stand for "or": u/r/2/c.
const (
	dotted = `^[{part}]+(?:\.[{part}]+)+$`
	marked = `[.0]|[{word}]_[{word}]`
)

var names = []name{
	{all: has(`^#[{letter}]`)},                                       // #tag
	{all: has(`^[{part}]+(?:\.[{part}]+)*(?:{domain})/`), web: true}, // x.org/a?q=1

	{all: has(`^(?:\.\.?/|~/)[{word}._]|^/[{word}._].`), when: opens},     // ../x, ~/x, /usr
	{all: has(`[/\\].*[/\\]`, marked, `^[{letter}.]`)},                    // u/r/2/c
	{all: has(`[/\\].*/$`, `^[{letter}]`)},                                // a/b/
	{all: has(`^(?:{folder})/[^{upper}]*[^{upper}/]$`)},                   // cmd/x
	{all: has(`[/\\][{part}]+(?:\.[{part}]+)+$`, `(?:{file}|{domain})$`)}, // docs/input.md

	{all: has(dotted, `(?:{file}|{domain})$`)},                                              // all.conllu, x.co.uk
	{all: has(dotted, `[{lower}][{upper}][^.]*$`)},                                          // x.newReader
	{all: has(dotted, `^[{lower}]\.[{part}]{2,}$|^(?i:{module})\.[{part}]+$`), when: opens}, // fmt.Println
	{all: has(dotted, `[{letter}]$`), when: called},                                         // m.Parse(
	{all: has(dotted, `[{word}]_[{word}]`)},                                                 // a_b.c
	{all: has(`^[{part}]{2,}(?:\.[{part}]{2,}){2,}$`, `^[^{upper}]+$`, `[{lower}]`)},        // os.path.join

	{all: has(`^--[{lower}](?:.*[/\\])?[^./\\]*$`), when: assigned, web: true}, // --lang=en
	{all: has(`^--[{lower}](?:.*[/\\])?[^./\\]*$`), when: opens},               // --help
	{all: has(`^-[{lower}]$`), when: alone},                                    // -v
	{all: has(`^[{letter}](?:#|\+\+)$`)},                                       // C#, C++
	{all: has(`^[vV]0[0.]*$`, `\.`), when: opens},                              // v1.2.3
	{all: has(`^\.[{part}]+$`, `(?:{file})$`), when: opens},                    // .txt
}

// opens reports whether text[start] begins the chunk, except for a bracket or two.
func opens(text []byte, start, _ int) bool { return start <= 2 && !notOpening().Match(text[:start]) }

func called(text []byte, _, end int) bool { return end < len(text) && text[end] == '(' }

func assigned(text []byte, start, end int) bool {
	return opens(text, start, end) && end < len(text) && text[end] == '='
}

func alone(text []byte, start, end int) bool {
	return start == 0 && (end == len(text) || text[end] != '\'')
}

var notOpening = compiled(`[{word}$\-\x12]`)

// Rows are never cut either. The classifier decides on what surrounds them.
var rows = []expression{
	compiled(`0+(?:[.,:]0+)*|[!?]{2,}|\.{3,}|-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|\${2,}|\x11{2,}`), // 1,234.50, ?!, ...
	compiled(`[{word}\x15][\x06\x16]+`), // a letter and the accents that follow it as characters of their own
}

// webRun matches the rest of a web address.
var webRun = compiled("^[^<>\"`\\x11\\x12\\x15\\x16]+")

// nameEnd returns the end of the run of name characters from start on. A dash of
// two hyphens ends it.
func nameEnd(text []byte, start int) int {
	end := start
	for end < len(text) && isName(text[end]) && (end == start || !bytes.HasPrefix(text[end:], []byte("--"))) {
		end++
	}
	return end
}

func isName(b byte) bool {
	return b == '0' ||
		b|' ' >= 'a' && b|' ' <= 'z' || b >= classLower && b <= classMark || strings.IndexByte(`._-/\@#%+~`, b) >= 0
}

// spell returns the chunk with one byte for each character.
func (c *chunk) spell() []byte {
	text := make([]byte, len(c.norm))
	ascii := slices.ContainsFunc(c.norm, func(r rune) bool { return r >= 'a' && r <= 'z' })
	for i, r := range c.norm {
		class, b := c.class[i], byte(byteOther)
		switch {
		case ascii && class == classMark && c.isUnspaced(i):
			b = byteUnspacedMark
		case ascii && c.isUnspaced(i):
			b = byteUnspaced
		case isEmoji(r) || c.isKeycap(i):
			b = byteEmoji
		case class == classUpper && r >= 'a' && r <= 'z':
			b = byte(r) - 'a' + 'A'
		case r > ' ' && r < 0x80:
			b = byte(r)
		case r == ellipsis:
			b = byteEllipsis
		case r == longDash:
			b = byteLongDash
		case isWordly(class):
			b = class
		case strings.ContainsRune("«»‹›", r):
			b = '"'
		case unicode.Is(unicode.Po, r): // a comma, period or mark of another script
			b = ';'
		}
		text[i] = b
	}
	return text
}

// A chunk without any of these characters has no unit, and neither has a run of name
// characters.
const (
	unitSigns = ".@#/\\-`+_!?*=~$0\x06\x11\x13"
	nameSigns = "./\\@#+"
)

// units returns, for each character of the chunk, whether a token ends before
// it, or ask. It reuses the memory of list. Time is linear in the chunk: each
// name is read once, and whatever reads farther takes what it has read.
func (c *chunk) units(list []uint8) []uint8 {
	list = append(list[:0], make([]uint8, len(c.norm))...)
	text := c.spell()
	if !bytes.ContainsAny(text, unitSigns) {
		return list
	}
	for i := 0; i < len(text); {
		if text[i] == byteEmoji {
			emoji, _, _, _ := uniseg.FirstGraphemeClusterInString(c.block[c.offsets[i]:], -1)
			end := i + utf8.RuneCountInString(emoji)
			c.force(list, i, end, true)
			i = end
			continue
		}
		start, end, next := unitAt(text, i)
		if end > start {
			c.force(list, start, end, false)
		}
		i = max(next, end)
	}
	for _, row := range rows {
		for _, at := range row().FindAllIndex(text, -1) {
			for g := at[0] + 1; g < at[1]; g++ {
				if list[g] == ask {
					list[g] = never
				}
			}
		}
	}
	return list
}

// unitsOf returns chunk.units of a token, valid until the next call. What cuts tokens after the
// classifier asks it, so that no token ends inside a unit.
func (w *workspace) unitsOf(s span) []uint8 {
	l := &w.layout
	c := chunk{block: l.block, offsets: l.at[s.start:s.end], norm: l.norm[s.start:s.end], class: l.class[s.start:s.end]}
	w.units = c.units(w.units)
	return w.units
}

// inUnit reports whether place i, in one of the first tokens of toks, is inside a unit. The units
// of the last token that it was asked about are kept; w.asked must be empty at first.
func (w *workspace) inUnit(toks []token, i int32) bool {
	for len(toks) > 1 && toks[1].start <= i {
		toks = toks[1:]
	}
	t := toks[0].span
	if i <= t.start || i >= t.end {
		return false
	}
	if w.asked != t {
		w.asked = t
		w.unitsOf(t)
	}
	return w.units[i-t.start] == never
}

// force makes characters [start, end) a unit. If strict, the unit is a token in
// any case.
func (c *chunk) force(list []uint8, start, end int, strict bool) {
	if start > 0 && (strict || !c.attaches(start-1)) {
		list[start] = always
	}
	for g := start + 1; g < end; g++ {
		list[g] = never
	}
	if end < len(list) && (strict || !c.attaches(end)) {
		list[end] = always
	}
}

// attaches reports whether the token of a unit may go on with character i.
func (c *chunk) attaches(i int) bool {
	return isWordly(c.class[i]) && !c.isUnspaced(i) || c.norm[i] == '\''
}

// isUnspaced reports whether character i, as it was written, is of a script without spaces between
// words, where units begin and end inside a chunk: 见https://x.org。谢谢.
func (c *chunk) isUnspaced(i int) bool {
	if c.norm[i] < 0x0E00 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(c.block[c.offsets[i]:])
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
		unicode.Myanmar) || r >= 0x3000 && r < 0x3040 || r >= 0xFF00 && r < 0xFF66)
}

// unitAt returns the unit that begins at i, or in the run of name characters there,
// and where to go on. There is no unit if end is not above start.
func unitAt(text []byte, i int) (start, end, next int) {
	run := text[i:nameEnd(text, i)]
	next = i + max(len(run), 1)
	if len(run) == 0 && text[i] != '`' {
		return i, i, next
	}
	for _, o := range beginnings {
		rest := text[i:]
		if o.web {
			rest = text[i:min(next+len("://"), len(text))] // not all of the chunk for each run
		}
		if m := o.expression().FindSubmatchIndex(rest); m != nil {
			start, end = i+m[2], i+m[3]
			if o.web {
				end = trim(text, start, end+len(webRun().Find(text[end:])))
			}
			return start, end, next
		}
	}
	end = trim(text, i, next)
	if run = text[i:end]; len(run) == 0 || run[0] != '-' && !bytes.ContainsAny(run, nameSigns) {
		return i, i, next
	}
	if bytes.IndexByte(run, '@') >= 0 {
		if m := mail().FindSubmatchIndex(run); m != nil {
			return i + m[2], i + m[3], next
		}
		return i, i, next
	}
	for _, n := range names {
		if (n.when == nil || n.when(text, i, end)) && matchesAll(n.all, run) {
			if n.web {
				end = trim(text, i, end+len(webRun().Find(text[end:])))
			}
			return i, end, next
		}
	}
	return i, i, next
}

func matchesAll(expressions []expression, text []byte) bool {
	for _, e := range expressions {
		if !e().Match(text) {
			return false
		}
	}
	return true
}

// trim returns the end of text[start:end] without final punctuation. A closing
// bracket stays if it is opened there.
func trim(text []byte, start, end int) int {
	open := 0 // brackets that it has more of one kind than of the other
	for _, b := range text[start:end] {
		open += bracket(b)
	}
	for end > start {
		switch b := text[end-1]; b {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '-':
		case ')', ']', '}':
			if open >= 0 {
				return end
			}
		case '(', '[', '{':
		default:
			return end
		}
		open -= bracket(text[end-1])
		end--
	}
	return end
}

func bracket(b byte) int {
	switch b {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// suffixes returns the expression of the suffixes of files or domains, all in lower
// or all in upper case: a word that begins a sentence after a period without a space
// has only its first letter upper. A suffix of one letter must follow two others, and
// a country may follow another suffix of a domain: x.co.uk.
func suffixes(list string) string {
	var short, long []string
	for _, s := range strings.Fields(list) {
		if len(s) == 1 {
			short = append(short, s)
			continue
		}
		long = append(long, s, strings.ToUpper(s))
	}
	country := `\.(?i:co|com|ac|gov|org|net|edu|gob|or|ne)\.(?:[a-z\x03\x05]{2}|[A-Z\x04]{2})`
	all := `\.(?:` + strings.Join(long, "|") + `)|` + country
	if len(short) > 0 {
		all += `|[a-zA-Z0\x03-\x06][^./\\]\.[` + strings.Join(short, "") + `]`
	}
	return all
}

func oneOf(list string) string { return strings.Join(strings.Fields(list), "|") }

// Suffixes of files and domains. Suffixes that are words are not listed,
// because they may begin a sentence in lower case after a period without a
// space.
const (
	files = `txt md rst pdf doc docx odt rtf tex bib xls xlsx ods ppt pptx csv tsv json jsonl ndjson xml yaml yml toml ini
		cfg conf html htm xhtml css scss js mjs ts tsx jsx py pyc ipynb go rs c h cc cpp hpp hh cs java jar kt rb php pl sh
		bash zsh sql lua asp aspx jsp cgi log bak tmp exe dll bin dat db sqlite parquet avro proto conllu conll tbm onnx
		safetensors jpg jpeg png gif bmp tiff tif svg webp ico psd eps ogg wav flac avi mov mkv webm zip gz xz tgz tar rar
		iso img dmg deb rpm apk eml msg ics vcf url torrent srt epub mobi mod lock env gradle patch diff swift dart vue
		pages`
	domains = "com org net edu gov mil info biz io dev uk eu ru nl jp cn ai tv fm ly fr tr gr ch pl cz br"
	// Folders with which paths begin, and modules with which names begin.
	folders = "cmd src bin lib pkg usr var tmp opt docs srv internal vendor node_modules scripts testdata include static dist " +
		"utils"
	modules = `fmt os io np pd plt sys std sql json xml http https strconv bufio stdlib regexp ctx cfg args argv req tf
		filepath numpy pandas stdout stderr stdin`
)

// Characters of emoji sequences (Unicode Technical Standard 51).
const (
	anEmoji  = '\U0001F600' // all emoji are this one to the features
	selector = '\uFE0F'
	keycap   = '\u20E3'
)

// isEmoji reports whether r may be an emoji by itself. Signs that are text
// unless a selector follows, such as © and ™, do not count.
func isEmoji(r rune) bool {
	switch {
	case r < 0x231A:
		return false
	case r >= 0x1F000:
		return r <= 0x1FAFF && (r >= 0x1F1E6 && r <= 0x1F1FF || r >= 0x1F300 || r == 0x1F004 || r == 0x1F0CF ||
			r >= 0x1F18E && r <= 0x1F19A)
	case r >= 0x2600 && r <= 0x27BF:
		return r < 0x2701 || r == 0x2705 || r >= 0x2708 && r <= 0x270F || r == 0x2728 || r == 0x274C || r == 0x274E ||
			r >= 0x2753 && r <= 0x2757 || r >= 0x2763 && r <= 0x2764 || r >= 0x2795 && r <= 0x2797
	}
	return r == 0x231A || r == 0x231B || r >= 0x23E9 && r <= 0x23F3 || r == 0x2B50 || r == 0x2B55
}

// isKeycap reports whether a keycap begins at i: 1️⃣, #️⃣.
func (c *chunk) isKeycap(i int) bool {
	if r := c.norm[i]; r != '0' && r != '#' && r != '*' {
		return false
	}
	rest := c.norm[i+1:]
	return len(rest) > 0 && rest[0] == keycap || len(rest) > 1 && rest[0] == selector && rest[1] == keycap
}
