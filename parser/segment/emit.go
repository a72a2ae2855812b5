package segment

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// emit builds the sentences.
func (w *workspace) emit() (out []syntax.Sentence) {
	l, i := &w.layout, 0
	words, tokens := make([]syntax.Word, 0, len(w.tokens)*9/8), []syntax.MultiwordToken(nil)
	ends := int32(certain) // log-odds of the least certain decision about the ends of the sentence
	odds := make([]int32, 0, cap(words))
	for toks := range sentences(w.tokens) {
		end := toks[len(toks)-1]
		s := syntax.Sentence{StartByte: int64(l.at[toks[0].start]), EndByte: int64(l.at[end.end]), Segmented: true}
		s.Text = oneLine(l.block[s.StartByte:s.EndByte])
		if end.last == ofPiece {
			s.Status = syntax.Long
		}
		firstWord, firstToken, first := len(words), len(tokens), l.column[toks[0].start]
		for _, t := range toks {
			word := syntax.Word{Form: l.form(t.span), Misc: w.misc(i), Head: syntax.NoHead}
			word.StartChar, word.EndChar = l.column[t.start]-first, l.column[t.end]-first
			if i+1 < len(w.tokens) {
				ends = min(ends, max(t.score, -t.score))
			}
			i++
			for range t.size() {
				odds = append(odds, t.odds/perOdds)
			}
			if t.words == nil {
				words = append(words, word)
				continue
			}
			at := int32(len(words) - firstWord)
			tokens = append(tokens, syntax.MultiwordToken{First: at + 1, Last: at + int32(len(t.words)), Form: word.Form,
				Misc: word.Misc})
			word.Misc = ""
			for _, word.Form = range t.words {
				words = append(words, word)
			}
		}
		s.Words = words[firstWord:len(words):len(words)]
		s.WordOdds = odds[firstWord:len(words):len(words)]
		s.EndOdds, ends = ends/perOdds, max(end.score, -end.score)
		if len(tokens) > firstToken {
			s.MWTs = tokens[firstToken:len(tokens):len(tokens)]
		}
		out = append(out, s)
	}
	return out
}

// perOdds is the number of units of a score in a unit of syntax.Sentence.WordOdds.
const perOdds = unit / 256

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
func (w *workspace) misc(i int) string {
	last := i+1 == len(w.tokens)
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

// escapeSpaces writes white space as UDPipe does. UDPipe leaves other
// characters as they are. Here any that is not ASCII or is a control character
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
