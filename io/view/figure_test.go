package view

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// A figure has the words that are wanted, the arcs between them, and all that is said of
// them; the row stays as it is.
func TestExcerpt(t *testing.T) {
	row := tree("They/2", "saw/0", ",/4", "boats/2", "old/4", "./2")
	row.HeadMarginal = []float32{0.1, 0.2, 0.3, 0.4, 0.5} // too short, as damaged rows are
	row.Feats = []string{"a", "b", "c", "d", "e", "f"}
	part := Excerpt(row, func(word int) bool { return word != 3 && word != 4 })
	if strings.Join(part.Tokens, " ") != "They saw old ." || strings.Join(part.Feats, "") != "abef" || part.Text != row.Text {
		t.Errorf("%v %v %q", part.Tokens, part.Feats, part.Text)
	}
	for i, want := range []int32{2, 0, -1, 2} {
		if part.Head[i] != want {
			t.Errorf("heads %v", part.Head)
		}
	}
	if len(part.HeadMarginal) != 3 || part.HeadMarginal[2] != 0.5 {
		t.Errorf("marginals %v", part.HeadMarginal)
	}
	if len(row.Tokens) != 6 || row.Head[4] != 4 {
		t.Errorf("the row has changed: %v %v", row.Tokens, row.Head)
	}
	for _, row := range nasty() {
		SVGRow(nil, Excerpt(row, func(word int) bool { return word%2 == 1 && !IsPunctuation(row, word) }), SVGOptions{Conf: AllConf, Paper: true})
	}
}

// A picture for paper has no color, and is otherwise the same.
func TestPaper(t *testing.T) {
	color := regexp.MustCompile(`#[0-9a-f]{6}`)
	font := regexp.MustCompile(`font-family="[^"]*"`)
	row := nasty()[0]
	o := SVGOptions{Conf: AllConf, Lemmas: true}
	plain := func(o SVGOptions) string {
		return font.ReplaceAllString(color.ReplaceAllString(string(SVGRow(nil, row, o)), "#"), "")
	}
	normal := plain(o)
	o.Paper = true
	if got := plain(o); got != normal {
		t.Errorf("%s\nwant\n%s", got, normal)
	}
	got := string(SVGRow(nil, row, o))
	for _, c := range color.FindAllString(got, -1) {
		if c[1:3] != c[3:5] || c[3:5] != c[5:7] {
			t.Errorf("the color %s", c)
		}
	}
	if !strings.Contains(got, "serif") {
		t.Error(got[:300])
	}
}

// A figure for LaTeX has a cell for each word and an edge for each arc, and nothing in it is a
// command of the text's own.
func TestTikZ(t *testing.T) {
	row := tree("A&B/2", `\input{x}/0`, "50%/2", "é_[x]/3")
	row.Deprel[2], row.SentID = "obl:#1", "a\nb"
	const want = `% a␊b
\begin{dependency}
\begin{deptext}
A\char38{}B \& \textbackslash{}input\{x\} \& 50\% \& é\_{[}x{]} \\
\textit{a\char38{}b} \& \textit{\textbackslash{}input\{x\}} \& \textit{50\%} \& \textit{é\_{[}x{]}} \\
NOUN \& NOUN \& NOUN \& NOUN \\
\end{deptext}
\depedge{2}{1}{dep}
\deproot{2}{root}
\depedge{2}{3}{obl:\#1}
\depedge{3}{4}{dep}
\end{dependency}

`
	if got := string(TikZ(nil, row, true)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, row := range nasty() {
		got := string(TikZ(TikZHead(nil), row, false))
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Error("a control character is in it")
		}
		bare := strings.NewReplacer(`\{`, "", `\}`, "").Replace(got)
		if strings.Count(bare, "{") != strings.Count(bare, "}") {
			t.Errorf("the braces do not match\n%s", got)
		}
		if cells := strings.Count(got, ` \& `); len(row.Tokens) > 0 && cells != 2*(len(row.Tokens)-1) {
			t.Errorf("%d cells of %d words", cells, len(row.Tokens))
		}
	}
}

// TeX makes other marks of some pairs.
func TestTikZPairs(t *testing.T) {
	for text, want := range map[string]string{"``a''": "`{}`{}a'{}'{}", "```": "`{}`{}`", "?`!`": "?{}`{}!{}`{}", ",,": ",{},{}", "don't, `x'": "don't, `x'", "--": "-{}-{}"} {
		if got := texText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
