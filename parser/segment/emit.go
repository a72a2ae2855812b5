package segment

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// emit builds the sentences.
func (w *workspace) emit() []syntax.Sentence {
	words, tokens := make([]syntax.Word, 0, len(w.tokens)*9/8), []syntax.MultiwordToken(nil)
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
		for i := start; i < end.at; i++ {
			t := &w.tokens[i]
			word := syntax.Word{Form: w.layout.form(t.span), Misc: w.misc(i), Head: syntax.NoHead}
			word.StartChar, word.EndChar = w.layout.column[t.start]-w.layout.column[from], w.layout.column[t.end]-w.layout.column[from]
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

// form returns the form of the token at s. In a token with white space inside,
// each run of it is one space in the form.
func (l *layout) form(s span) string {
	for i := s.start; i < s.end; i++ {
		if isSpace(l.class[i]) && (l.block[l.at[i]] != ' ' || isSpace(l.class[i+1])) {
			return strings.Join(strings.FieldsFunc(l.text(s), func(r rune) bool { return isSpace(classOf(r)) }), " ")
		}
	}
	return l.text(s)
}

// misc says what follows token i if it is not a single space.
func (w *workspace) misc(i int32) string {
	last := int(i)+1 == len(w.tokens)
	rest := span{w.tokens[i].end, int32(len(w.layout.class))}
	if !last {
		rest.end = w.tokens[i+1].start
	}
	switch text := w.layout.text(rest); {
	case text == " ", text == "" && last:
		return ""
	case text == "":
		return "SpaceAfter=No"
	default:
		return "SpacesAfter=" + escapeSpaces(text)
	}
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
