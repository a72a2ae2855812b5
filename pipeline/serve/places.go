package serve

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// places finds the tokens of a text in it again, and the white space between them.
// Sentences are described in order.
type places struct {
	data string
	end  int // of the token before and the white space after it, in bytes

	bytes, runes int   // the first bytes of data are this many code points
	bounds       []int // of the characters of a sentence, see text.Bounds
}

// describe sets MISC of the tokens of s as UDPipe does: SpaceAfter, SpacesAfter,
// SpacesBefore, SpacesInToken and, if wanted, TokenRange.
func (p *places) describe(s *syntax.Sentence, o *tokenizer) {
	first := int(s.StartByte)
	p.bounds = text.Bounds(p.bounds[:0], p.data[first:s.EndByte])
	mwts := s.MWTs
	for i := 0; i < len(s.Words); i++ {
		w := &s.Words[i]
		start, end := first+p.bounds[w.StartChar], first+p.bounds[w.EndChar]
		form, misc := w.Form, &w.Misc
		if len(mwts) > 0 && int(mwts[0].First) == i+1 {
			form, misc = mwts[0].Form, &mwts[0].Misc
			i, mwts = int(mwts[0].Last)-1, mwts[1:]
		}
		*misc = p.misc(form, start, end, o)
	}
}

// misc describes the token data[start:end].
func (p *places) misc(form string, start, end int, o *tokenizer) string {
	var list []string
	before, after := p.data[p.end:start], p.data[end:end+spaces(p.data[end:])]
	p.end = end + len(after)
	switch {
	case after == "":
		list = append(list, "SpaceAfter=No")
	case after != " " && !o.normalized:
		list = append(list, "SpacesAfter="+escape(after))
	}
	if !o.normalized {
		if before != "" { // the first token, or a byte order mark is there
			list = append(list, "SpacesBefore="+escape(before))
		}
		if inside := p.data[start:end]; inside != form && strings.ContainsFunc(inside, isSpace) {
			list = append(list, "SpacesInToken="+escape(inside))
		}
	}
	if o.ranges {
		from := p.count(start)
		list = append(list, fmt.Sprintf("TokenRange=%d:%d", from, from+utf8.RuneCountInString(p.data[start:end])))
	}
	return strings.Join(list, "|")
}

// count is the number of code points before a byte. The byte must not come before the
// byte of the last call.
func (p *places) count(at int) int {
	p.runes += utf8.RuneCountInString(p.data[p.bytes:at])
	p.bytes = at
	return p.runes
}

// isSpace reports what the reader of text takes for white space, except a byte order
// mark, which may be a token.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// spaces is the length of the white space at the beginning of a text.
func spaces(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, isSpace))
}

// escapes are what UDPipe writes for characters in values of MISC.
var escapes = []string{" ", `\s`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "|", `\p`, `\`, `\\`}

var escaper = strings.NewReplacer(escapes...)

// escape writes white space as UDPipe does, and what is left of it, such as a
// no-break space, by its code, as treebeam parse does. Other characters stay.
func escape(s string) string {
	var b strings.Builder
	for _, r := range escaper.Replace(s) {
		if isSpace(r) || unicode.IsControl(r) || r == '\ufeff' {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var escaped = regexp.MustCompile(`(?s)\\(u[0-9A-Fa-f]{4}|.)`)

// unescape is the inverse of escape. An unknown escape becomes its character.
func unescape(s string) string {
	return escaped.ReplaceAllStringFunc(s, func(e string) string {
		if r, err := strconv.ParseUint(strings.TrimPrefix(e, `\u`), 16, 32); err == nil {
			return string(rune(r))
		}
		if i := slices.Index(escapes, e); i%2 == 1 {
			return escapes[i-1]
		}
		return e[1:]
	})
}
