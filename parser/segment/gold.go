package segment

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A goldToken is a surface token of the treebank with what follows it.
type goldToken struct {
	form  string
	words string // words of a multiword token, with wordMark between them, else ""
	after string // white space up to the next token of the paragraph
	ends  bool   // the last token of its sentence
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
		if len(p) > 0 && slices.ContainsFunc(s.Comments, opening.MatchString) {
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

// opening matches the comment of a sentence that starts a paragraph.
var opening = regexp.MustCompile(`^#?\s*(newpar|newdoc)(\s|=|$)`)

// appendTokens appends the surface tokens of a sentence.
func appendTokens(p paragraph, s *syntax.Sentence) paragraph {
	mwts := s.MWTs
	for i := 0; i < len(s.Words); {
		t := goldToken{form: s.Words[i].Form, after: after(s.Words[i].Misc)}
		for len(mwts) > 0 && int(mwts[0].First) < i+1 {
			mwts = mwts[1:]
		}
		if len(mwts) > 0 && int(mwts[0].First) == i+1 {
			m := &mwts[0]
			t.form, t.after, t.words = m.Form, after(m.Misc), s.Words[i].Form
			for i++; i < min(int(m.Last), len(s.Words)); i++ {
				t.words += wordMark + s.Words[i].Form
			}
		} else {
			i++
		}
		if t.form = strings.Join(strings.Fields(t.form), " "); t.form != "" {
			p = append(p, t)
		}
	}
	if n := len(p); n > 0 {
		p[n-1].ends = true
	}
	return p
}

// after returns the white space that MISC says follows a token.
func after(misc string) string {
	if syntax.NoSpaceAfter(misc) {
		return ""
	}
	return " "
}

// A goldBlock is a paragraph as the classifiers see it: its layout, its tokens,
// and the pieces of its tokens, which differ from the tokens only where these
// have spaces inside.
type goldBlock struct {
	layout layout
	tokens []token
	gold   paragraph // of tokens
	pieces []token
	open   []bool  // piece i and the next belong to one token
	weight float32 // of its sentence ends
}

func newGoldBlock(p paragraph) *goldBlock {
	var text strings.Builder
	for i := range p {
		text.WriteString(p[i].form)
		if i+1 < len(p) {
			text.WriteString(p[i].after)
		}
	}
	b := &goldBlock{gold: p, weight: 1}
	b.layout.read(text.String())
	at := int32(0)
	for i := range p {
		t := newToken(&b.layout, span{at, at + runes(p[i].form)})
		if p[i].ends {
			t.last = ofSentence
		}
		b.tokens = append(b.tokens, t)
		start := t.start
		for j := t.start; j <= t.end; j++ {
			if j < t.end && !isSpace(b.layout.class[j]) {
				continue
			}
			if j > start {
				b.pieces = append(b.pieces, newToken(&b.layout, span{start, j}))
				b.open = append(b.open, j < t.end)
			}
			start = j + 1
		}
		at = t.end + runes(p[i].after)
	}
	b.layout.setGaps(b.tokens)
	return b
}

func runes(s string) int32 { return int32(utf8.RuneCountInString(s)) }

// occurrence returns what token i adds to the counts of the lexicon.
func (b *goldBlock) occurrence(i int) occurrences {
	c := occurrences{n: 1, lower: bit(b.tokens[i].role, roleLower)}
	if i == 0 || b.gold[i-1].ends {
		c.starts = 1
	}
	if b.gold[i].ends {
		c.ends = 1
	}
	return c
}

// count counts the tokens, and the pieces that are not tokens, in the lexicon.
func (b *goldBlock) count(counts map[uint64]occurrences) {
	for i := range b.tokens {
		word := b.tokens[i].word
		counts[word] = counts[word].plus(b.occurrence(i), 1)
	}
	for i := range b.pieces {
		if b.open[i] || i > 0 && b.open[i-1] {
			word := b.pieces[i].word
			counts[word] = counts[word].plus(occurrences{n: 1}, 1)
		}
	}
}

// recall gives each token the stats that the rest of the treebank has for it.
func (b *goldBlock) recall(counts map[uint64]occurrences) *goldBlock {
	for i := range b.tokens {
		t := &b.tokens[i]
		t.recall(counts[t.word].plus(b.occurrence(i), -1).stats())
	}
	return b
}
