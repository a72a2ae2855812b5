package text

import (
	"bytes"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// Markup of HTML inside running text, as reviews and posts have it: tags and comments on
// one line, of at most maxTag bytes, and character references. Block tags become line
// separators, other tags vanish. What is none of these stays as it is: a < b, AT&T.

const (
	maxTag       = 1000
	maxReference = 32
)

// blockTags end a line.
var blockTags = strings.Fields(`address article blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li main nav
	ol p pre section table tbody td tfoot th thead tr ul`)

// A stripper takes markup out of what a decoder has decoded.
type stripper struct{ in window }

// strip moves what is complete, or all if it is the last, to w.
func (s *stripper) strip(w *window, last bool) {
	text, i := s.in.text, 0
	for i < len(text) {
		n := bytes.IndexAny(text[i:], "<&")
		if n < 0 {
			n = len(text) - i
		}
		s.copy(w, i, i+n)
		if i += n; i == len(text) {
			break
		}
		n, whole := s.markup(w, text[i:], s.in.base+int64(i))
		if !whole && !last {
			break
		}
		if n == 0 {
			s.copy(w, i, i+1)
			n = 1
		}
		i += n
	}
	s.in.drop(i)
}

// markup writes what the markup that begins at text[0], decoded offset at, stands for,
// and returns its length, 0 if there is none. whole is false if more text might change
// the answer.
func (s *stripper) markup(w *window, text []byte, at int64) (n int, whole bool) {
	if text[0] == '&' {
		end := bytes.IndexAny(text[1:min(len(text), maxReference)], "; \n\r<&") + 1
		if end == 0 {
			return 0, len(text) >= maxReference
		}
		source := string(text[:end+1])
		means := html.UnescapeString(source)
		if text[end] != ';' || means == source || strings.ContainsRune(means, utf8.RuneError) {
			return 0, true
		}
		from, stored := s.in.source(at), int(s.in.source(at+int64(end+1))-s.in.source(at))
		for i, r := range means {
			if i > 0 {
				from, stored = from+int64(stored), 0
			}
			switch r { // a break that is no line break of the file
			case '\n':
				r = '\u2028'
			case '\r':
				r = ' '
			}
			w.char(r, from, stored)
		}
		return end + 1, true
	}
	reach := text[:min(len(text), maxTag)]
	end := bytes.IndexAny(reach[1:], ">\n\r") + 1
	if bytes.HasPrefix(reach, []byte("<!--")) {
		line := reach
		if k := bytes.IndexAny(reach, "\n\r"); k >= 0 {
			line = reach[:k]
		}
		k := bytes.Index(line, []byte("-->"))
		if k < 0 {
			return 0, len(line) < len(text) || len(text) >= maxTag
		}
		end = k + len("-->") - 1
	}
	if end == 0 {
		return 0, len(text) >= maxTag
	}
	name, ok := tagName(text[1:end])
	if text[end] != '>' || !ok || bytes.ContainsAny(text[:end], "\n\r") {
		return 0, true
	}
	if slices.Contains(blockTags, name) {
		w.rune('\u2028', s.in.source(at), 1)
	}
	return end + 1, true
}

// tagName returns the name of a tag, in lower case, "" of a comment, and whether text is
// what is between the brackets of one.
func tagName(text []byte) (name string, ok bool) {
	if bytes.HasPrefix(text, []byte("!--")) {
		return "", true
	}
	text = bytes.TrimPrefix(text, []byte("/"))
	i := 0
	for i < len(text) && (text[i]|' ' >= 'a' && text[i]|' ' <= 'z' || i > 0 && text[i] >= '0' && text[i] <= '9') {
		i++
	}
	rest := text[i:]
	ok = i > 0 && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || string(rest) == "/") && !bytes.Contains(rest, []byte("<"))
	return strings.ToLower(string(text[:i])), ok
}

// copy moves text[from:to], which has no markup, to w with its map.
func (s *stripper) copy(w *window, from, to int) {
	at, end := s.in.base+int64(from), s.in.base+int64(to)
	for _, r := range s.in.repairs {
		if r.text >= at && r.text < end {
			w.repairs = append(w.repairs, repair{w.end() + r.text - at, r.source})
		}
	}
	for k := max(s.in.spanAt(at), 0); k < len(s.in.spans) && s.in.spans[k].text < end; k++ {
		x := s.in.spans[k]
		start := max(x.text, at)
		w.put(w.end()+start-at, s.in.source(start), x.width, x.stored)
	}
	w.text = append(w.text, s.in.text[from:to]...)
}

// at returns where the first byte that is not in w yet is in the source.
func (d *decoder) at() int64 {
	if d.markup != nil && len(d.markup.in.text) > 0 {
		return d.markup.in.source(d.markup.in.base)
	}
	return d.source
}
