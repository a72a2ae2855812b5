package segment

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

func TestExpansions(t *testing.T) {
	for _, c := range []struct{ form, words, apply, want string }{
		{"wouldn't", "would n't", "couldn't", "could n't"},
		{"yakasındaki", "yakasında ki", "evdeki", "evde ki"},
		{"lwalad", "l walad", "lbayt", "l bayt"},
		{"gonna", "going to", "", ""},
		{"dámelo", "dá me lo", "témelo", "té me lo"},
	} {
		words := strings.ReplaceAll(c.words, " ", wordMark)
		e, ok := infer(c.form, words)
		if !ok {
			t.Errorf("no expansion for %s", c.form)
			continue
		}
		if got := e.apply(c.form); got != words {
			t.Errorf("the expansion of %s gives %q for it", c.form, got)
		}
		if got := strings.ReplaceAll(e.apply(c.apply), wordMark, " "); got != c.want {
			t.Errorf("the expansion of %s gives %q for %s", c.form, got, c.apply)
		}
	}
	e, _ := infer("wouldn't", "would"+wordMark+"n't")
	if got := e.spell("a" + wordMark + "bn't"); got != nil {
		t.Errorf("a token with the mark between words becomes %q: a word may be empty", got)
	}
	if _, ok := infer("ab", "x"+wordMark+"y"); ok {
		t.Error("an expansion without a stem")
	}
}

func TestCopyCase(t *testing.T) {
	for _, c := range []struct{ form, words, want string }{
		{"Don't", "do n't", "Do n't"}, {"DON'T", "do n't", "DO N'T"}, {"dOn'T", "do n't", "dO n'T"},
		{"Au", "à le", "À le"}, {"AU", "à le", "À LE"}, {"au", "à le", "à le"}, {"Aux", "à les", "À les"},
		{"İyiydi", "iyi ydi", "İyi ydi"},
	} {
		if got := strings.Join(copyCase(c.form, strings.ToLower(c.form), strings.Fields(c.words)), " "); got != c.want {
			t.Errorf("copyCase(%s, %s) = %s, want %s", c.form, c.words, got, c.want)
		}
	}
}

func TestGapKinds(t *testing.T) {
	var l layout
	l.read("Heading\nsome words  that fill a line\nand then the rest.")
	var toks []token
	for _, s := range l.chunks {
		toks = append(toks, token{span: s})
	}
	l.setGaps(toks)
	want := []uint8{gapEarly, gapSpace, gapWide, gapSpace, gapSpace, gapSpace, gapNewline, gapSpace, gapSpace,
		gapSpace, gapBlockEnd}
	for i := range toks {
		if toks[i].gap != want[i] {
			t.Errorf("after %q: gap %d, want %d", l.text(toks[i].span), toks[i].gap, want[i])
		}
	}
}

func TestParagraphs(t *testing.T) {
	list := (&tongue{hash.Rand(1)}).treebank(3)
	list[1].Comments = []string{"# sent_id = x", "#newdoc id = d"}
	list[2].Comments = []string{"# newpart = no"}
	if all := paragraphs(list); len(all) != 2 {
		t.Errorf("%d paragraphs", len(all))
	}
}

// A token longer than any contraction is no stem with affixes.
func TestInferIsBounded(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	if _, ok := infer(long+"n't", long+wordMark+"n't"); ok {
		t.Error("a token of 300,000 characters gave an expansion")
	}
}

// A validator refuses a MISC that ends with white space of any kind.
func TestEscapeSpaces(t *testing.T) {
	for text, want := range map[string]string{
		"  ":           `\s\s`,
		" \t\r\n":      `\s\t\r\n`,
		`|\`:           `\p\\`,
		"\u00a0":       `\u00A0`,
		"\u3000\u2028": `\u3000\u2028`,
		"\v\f":         `\u000B\u000C`,
		"\ufeff":       `\uFEFF`,
	} {
		if got := escapeSpaces(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
