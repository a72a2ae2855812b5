package segment

import (
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A goldToken is a surface token of the treebank with what follows it.
type goldToken struct {
	form  string
	words []string // of a multiword token, else nil
	after string   // white space up to the next token of the paragraph
	ends  bool     // the last token of its sentence
}

// A paragraph is the token sequence of one block of raw text.
type paragraph []goldToken

// paragraphs rebuilds the raw text of a treebank by the rule of
// conllu.RawText: the sentences of a paragraph follow each other on one line,
// with a space between tokens unless SpaceAfter=No; a sentence whose comments
// have "# newpar" or "# newdoc" starts a new one.
func paragraphs(sentences []syntax.Sentence) []paragraph {
	var all []paragraph
	var p paragraph
	for i := range sentences {
		s := &sentences[i]
		if len(p) > 0 && startsParagraph(s.Comments) {
			all = append(all, p)
			p = nil
		}
		p = appendTokens(p, s)
	}
	if len(p) > 0 {
		all = append(all, p)
	}
	return all
}

func startsParagraph(comments []string) bool {
	for _, c := range comments {
		key, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(c, "#"), " \t"), "=")
		if name := strings.Fields(key); len(name) > 0 && (name[0] == "newpar" || name[0] == "newdoc") {
			return true
		}
	}
	return false
}

// appendTokens appends the surface tokens of a sentence.
func appendTokens(p paragraph, s *syntax.Sentence) paragraph {
	next := 0 // multiword token
	for i := 0; i < len(s.Words); {
		t := goldToken{form: s.Words[i].Form, after: after(s.Words[i].Misc)}
		size := 1
		for next < len(s.MWTs) && int(s.MWTs[next].First) < i+1 {
			next++
		}
		if next < len(s.MWTs) && int(s.MWTs[next].First) == i+1 {
			m := &s.MWTs[next]
			t.form, t.after = m.Form, after(m.Misc)
			size = max(1, min(int(m.Last), len(s.Words))-i)
			for _, w := range s.Words[i : i+size] {
				t.words = append(t.words, w.Form)
			}
			next++
		}
		i += size
		t.form = strings.Join(strings.Fields(t.form), " ")
		if t.form == "" {
			continue
		}
		t.ends = i >= len(s.Words)
		p = append(p, t)
	}
	if n := len(p); n > 0 {
		p[n-1].ends = true
	}
	return p
}

// after returns the white space that MISC says follows a token.
func after(misc string) string {
	for misc != "" {
		var field string
		field, misc, _ = strings.Cut(misc, "|")
		if field == "SpaceAfter=No" {
			return ""
		}
	}
	return " "
}

// A sighting is an occurrence of a multiword token, lower case.
type sighting struct {
	form  string
	words []string
}

// A lesson is a paragraph as the classifiers meet it: its layout, its gold
// tokens, and the pieces of those, which differ from them only where tokens
// have spaces inside.
type lesson struct {
	weight float32 // of its instances of sentence ends
	layout layout
	tokens []token
	gold   []goldToken // of tokens
	pieces []token
	goesOn []bool // piece i and the next are of one token
}

// newLesson lays out the text of a paragraph.
func newLesson(p paragraph) *lesson {
	var text strings.Builder
	for i := range p {
		text.WriteString(p[i].form)
		if i+1 < len(p) {
			text.WriteString(p[i].after)
		}
	}
	l := &lesson{gold: p, weight: 1}
	l.layout.read(text.String())
	at := int32(0)
	for i := range p {
		n := int32(runeCount(p[i].form))
		t := token{span: span{at, at + n}}
		t.describe(&l.layout)
		l.tokens = append(l.tokens, t)
		l.addPieces(t)
		at += n + int32(runeCount(p[i].after))
	}
	l.setGaps(l.tokens)
	return l
}

func (l *lesson) addPieces(t token) {
	start := t.start
	for i := t.start; i <= t.end; i++ {
		if i < t.end && !isSpace(l.layout.class[i]) {
			continue
		}
		if i > start {
			piece := token{span: span{start, i}}
			piece.describe(&l.layout)
			l.pieces = append(l.pieces, piece)
			l.goesOn = append(l.goesOn, i < t.end)
		}
		start = i + 1
	}
}

func (l *lesson) setGaps(toks []token) { l.layout.setGaps(toks) }

// setGaps fills in what stands between the tokens.
func (l *layout) setGaps(toks []token) {
	chunk := 0
	for i := range toks {
		if i+1 == len(toks) {
			toks[i].gap = gapBlockEnd
			return
		}
		if toks[i].end == toks[i+1].start {
			toks[i].gap = gapNone
			continue
		}
		for l.chunk[chunk].end <= toks[i+1].start {
			chunk++
		}
		toks[i].gap = l.gap(toks[i].end, toks[i+1].start, l.chunk[chunk].end)
	}
}

// count counts the tokens of the lesson in the lexicon.
func (l *lesson) count(counts map[uint64]wordCount) {
	start := true
	for i := range l.tokens {
		t := &l.tokens[i]
		c := counts[t.word]
		c.n++
		c.starts += int32(b2u(start))
		c.lower += int32(b2u(t.role&roleLower != 0))
		c.ends += int32(b2u(l.gold[i].ends))
		counts[t.word] = c
		start = l.gold[i].ends
	}
	for i := range l.pieces {
		if l.goesOn[i] || i > 0 && l.goesOn[i-1] {
			c := counts[l.pieces[i].word]
			c.n++
			counts[l.pieces[i].word] = c
		}
	}
}
