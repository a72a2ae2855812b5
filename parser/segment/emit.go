package segment

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// emit builds the sentences.
func (w *workspace) emit() []syntax.Sentence {
	n, multiword := w.words()
	words, tokens := make([]syntax.Word, 0, n), make([]syntax.MultiwordToken, 0, multiword)
	out := make([]syntax.Sentence, len(w.ends))
	start := int32(0)
	for k, end := range w.ends {
		s := &out[k]
		if end.cut {
			s.Status = syntax.Long
		}
		firstWord, firstToken := len(words), len(tokens)
		from, to := w.tokens[start].start, w.tokens[end.at-1].end
		s.StartByte, s.EndByte = int64(w.layout.at[from]), int64(w.layout.at[to])
		s.Text = oneLine(w.layout.block[s.StartByte:s.EndByte])
		origin, seen := from, from // code points lost to CR LF move the origin
		for i := start; i < end.at; i++ {
			t := &w.tokens[i]
			for ; seen < t.start; seen++ {
				if w.layout.isCRLF(seen) {
					origin++
				}
			}
			word := syntax.Word{Head: syntax.NoHead, StartChar: t.start - origin, EndChar: t.end - origin}
			word.Form, word.Misc = w.form(t, &word.EndChar), w.misc(i)
			if t.words == nil {
				words = append(words, word)
				continue
			}
			at := int32(len(words) - firstWord)
			tokens = append(tokens, syntax.MultiwordToken{First: at + 1, Last: at + int32(len(t.words)), Form: word.Form, Misc: word.Misc})
			word.Misc = ""
			for _, word.Form = range t.words {
				words = append(words, word)
			}
		}
		s.Words = words[firstWord:len(words):len(words)]
		if len(tokens) > firstToken {
			s.MWTs = tokens[firstToken:len(tokens):len(tokens)]
		}
		start = end.at
	}
	return out
}

// form returns the form of a token. In a token with white space inside, each
// run of it is one space in the form; end is corrected for CR LF in it.
func (w *workspace) form(t *token, end *int32) string {
	l, plain := &w.layout, true
	for i := t.start; i < t.end; i++ {
		if isSpace(l.class[i]) {
			plain = plain && l.block[l.at[i]] == ' ' && !isSpace(l.class[i+1])
			if l.isCRLF(i) {
				*end--
			}
		}
	}
	text := l.text(t.span)
	if plain {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return isSpace(classOf(r)) }), " ")
}

// misc says what follows token i if it is not a single space.
func (w *workspace) misc(i int32) string {
	l, end := &w.layout, w.tokens[i].end
	rest := l.block[l.at[end]:]
	if int(i)+1 < len(w.tokens) {
		rest = l.block[l.at[end]:l.at[w.tokens[i+1].start]]
	} else if rest == "" {
		return ""
	}
	switch rest {
	case "":
		return "SpaceAfter=No"
	case " ":
		return ""
	case "\n":
		return `SpacesAfter=\n`
	}
	return "SpacesAfter=" + escapeSpaces(rest)
}

// escapeSpaces writes white space as UDPipe does. It leaves other characters
// than these as they are; here any that is not ASCII or is a control character
// becomes \uXXXX, because a column must not end with white space.
func escapeSpaces(text string) string {
	var b strings.Builder
	for _, r := range spaceEscapes.Replace(text) {
		if r <= ' ' || r > '~' {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

var spaceEscapes = strings.NewReplacer(" ", `\s`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "|", `\p`, `\`, `\\`)

// oneLine replaces each line break by one space. CR LF is one line break.
func oneLine(s string) string {
	if !strings.ContainsAny(s, lineBreaks) {
		return s
	}
	return lineReplacer.Replace(s)
}

const lineBreaks = "\n\r\v\f\x1c\x1d\x1e\x1f\u0085\u2028\u2029"

var lineReplacer = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\v", " ", "\f", " ",
	"\x1c", " ", "\x1d", " ", "\x1e", " ", "\x1f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")
