package view

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// tree makes a tree of "form head" pairs; the deprel is "dep", or "root".
func tree(words ...string) *parquet.Tree {
	t := &parquet.Tree{SentID: "id", DocID: "doc", SourceURI: "in/doc", Status: "ok"}
	for _, w := range words {
		form, head, _ := strings.Cut(w, "/")
		h := int32(0)
		fmt.Sscan(head, &h)
		t.Tokens, t.Head = append(t.Tokens, form), append(t.Head, h)
		t.Lemmas, t.UPOS = append(t.Lemmas, strings.ToLower(form)), append(t.UPOS, "NOUN")
		deprel := "dep"
		if h == 0 {
			deprel = "root"
		}
		t.Deprel = append(t.Deprel, deprel)
		t.HeadMarginal, t.HeadMargin = append(t.HeadMarginal, 1), append(t.HeadMargin, 64)
	}
	t.Text = strings.Join(t.Tokens, " ")
	return t
}

func drawn(t *parquet.Tree, o TreeOptions) string { return string(TreeRow(nil, t, o)) }

func TestTree(t *testing.T) {
	row := tree("They/2", "saw/0", "old/4", "boats/2", "./2")
	row.HeadMarginal[3] = 0.5
	for _, test := range []struct {
		o    TreeOptions
		want string
	}{
		{TreeOptions{}, `
id
They saw old boats .
 ╭───╼ They   NOUN  dep
─┼───╼ saw    NOUN  root
 │ ╭─╼ old    NOUN  dep
 ├─┴─╼ boats  NOUN  dep
 ╰───╼ .      NOUN  dep
`},
		{TreeOptions{Conf: LowConf, Lemmas: true, Marked: []int{3}}, `
id
They saw old boats .
0.5 of 5 words wrong by head_marginal, which is not calibrated
 ╭───╼ They   they   NOUN  dep
─┼───╼ saw    saw    NOUN  root
 │ ╭─╼ *old   old    NOUN  dep
 ├─┴─╼ boats  boats  NOUN  dep   0.50
 ╰───╼ .      .      NOUN  dep
`},
		{TreeOptions{Conf: AllConf}, `
id
They saw old boats .
0.5 of 5 words wrong by head_marginal, which is not calibrated
 ╭───╼ They   NOUN  dep   1.00
─┼───╼ saw    NOUN  root  1.00
 │ ╭─╼ old    NOUN  dep   1.00
 ├─┴─╼ boats  NOUN  dep   0.50
 ╰───╼ .      NOUN  dep   1.00
`},
	} {
		if got := drawn(row, test.o); got != test.want[1:]+"\n" {
			t.Errorf("%+v: got\n%s", test.o, got)
		}
	}
	row.HeadConf = []float32{1, 1, 0.5, 1, 1} // goes before the marginal
	row.DeprelConf, row.UPOSConf = []float32{1, 1, 0.25, 1, 1}, []float32{1, 1, 0.75, 0.875, 1}
	got := drawn(row, TreeOptions{Conf: LowConf})
	if strings.Contains(got, "0.50") || !strings.Contains(got, "old    NOUN  0.75  dep   0.25\n") || !strings.Contains(got, "boats  NOUN  0.88  dep\n") {
		t.Errorf("got\n%s", got)
	}
}

// Colors are escape sequences around what stands there without them.
func TestTreeInColor(t *testing.T) {
	sequence := regexp.MustCompile("\x1b\\[[0-9]+m")
	for _, row := range nasty() {
		o := TreeOptions{Conf: LowConf, Lemmas: true}
		plain := drawn(row, o)
		o.Color = true
		got := drawn(row, o)
		if sequence.ReplaceAllString(got, "") != plain {
			t.Errorf("got\n%s", got)
		}
		if len(row.Tokens) > 0 && got == plain {
			t.Errorf("no color in\n%s", got)
		}
		o.Marked = []int{1}
		if marked := drawn(row, o); len(row.Tokens) > 0 && !strings.Contains(marked, "\x1b["+reverse+"m") {
			t.Errorf("got\n%s", marked)
		}
	}
}

// Words without a head, or in a cycle, are there all the same.
func TestTreeWithoutTree(t *testing.T) {
	row := tree("a/2", "b/1", "c/0", "d/9")
	row.Head[3] = -1
	if got := drawn(row, TreeOptions{}); got != "id\na b c d\n · a  NOUN  dep\n · b  NOUN  dep\n─╼ c  NOUN  root\n · d  NOUN  dep\n\n" {
		t.Errorf("got\n%s", got)
	}
	row.Head, row.Deprel = nil, nil
	if got := drawn(row, TreeOptions{}); strings.Count(got, "· ") != 4 {
		t.Errorf("got\n%s", got)
	}
}

// What is drawn has the heads of the tree, and no others: they are read back
// from the lines. Random trees cross in all ways; projective ones do not cross.
func TestArcsAreReadable(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	for round := range 3000 {
		n := 1 + chance.IntN(12)
		heads := make([]int32, n)
		for i := range heads {
			heads[i] = int32(chance.IntN(n + 1)) // cycles, several roots, none
		}
		if round%3 == 0 {
			heads = randomProjective(chance, n)
		}
		a := newArcs(heads, n, maxBars)
		want := slices.Clone(a.heads[1:])
		reachable(heads, want, t)
		var rows [][]rune
		for w := range n {
			var b strings.Builder
			a.draw(&b, int32(w+1))
			rows = append(rows, []rune(b.String()))
			if len(rows[w]) != a.width() {
				t.Fatalf("%v: %q has not %d columns", heads, b.String(), a.width())
			}
		}
		for w := range rows {
			if got := readHead(rows, w); got != want[w] {
				t.Fatalf("%v: word %d hangs on %d\n%s", heads, w+1, got, picturesque(rows))
			}
		}
		if text := picturesque(rows); round%3 == 0 && strings.Contains(text, "─│─") {
			t.Fatalf("%v is projective, and arcs cross:\n%s", heads, text)
		}
	}
}

// reachable fails unless want has the heads of the words that some root is above,
// and noArc for the others.
func reachable(heads, want []int32, t *testing.T) {
	t.Helper()
	for w := range heads {
		at, steps := int32(w+1), 0
		for at != syntax.Root && steps <= len(heads) {
			at = heads[at-1]
			steps++
		}
		if is := at == syntax.Root; is && want[w] != heads[w] || !is && want[w] != noArc {
			t.Fatalf("%v: the head of word %d is %d", heads, w+1, want[w])
		}
	}
}

// randomProjective returns the heads of a projective tree.
func randomProjective(chance *rand.Rand, n int) []int32 {
	heads := make([]int32, n)
	var fill func(lo, hi int, head int32) // words lo..hi, one subtree
	fill = func(lo, hi int, head int32) {
		root := lo + chance.IntN(hi-lo+1)
		heads[root-1] = head
		for _, side := range [][2]int{{lo, root - 1}, {root + 1, hi}} {
			for at := side[0]; at <= side[1]; {
				end := at + chance.IntN(side[1]-at+1)
				fill(at, end, int32(root))
				at = end + 1
			}
		}
	}
	fill(1, n, syntax.Root)
	return heads
}

// readHead follows the line of a word, from 0, to its head.
func readHead(rows [][]rune, w int) int32 {
	line := rows[w]
	c := len(line) - 2
	if line[c] == '·' {
		return noArc
	}
	for c--; c >= 0 && !strings.ContainsRune("╭├╰", line[c]); c-- {
		if line[c] == ' ' {
			return -9
		}
	}
	if c < 0 {
		return syntax.Root
	}
	for _, step := range []int{-1, 1} {
		if line[c] == '╭' && step < 0 || line[c] == '╰' && step > 0 {
			continue
		}
		for at := w + step; at >= 0 && at < len(rows); at += step {
			switch rows[at][c] {
			case '┬', '┼', '┴':
				return int32(at + 1)
			case '│', '├':
				continue
			}
			break
		}
	}
	return -8
}

func picturesque(rows [][]rune) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(string(r) + "\n")
	}
	return b.String()
}

// Nothing that a row holds acts on the terminal, and no line is wider than it.
func TestTreeIsHarmless(t *testing.T) {
	hostile := "\x1b[31mred\x1b]0;title\a\x00\r\n\t\u009b2J\u202eback\u2066\u2028x"
	row := tree(hostile+"/0", strings.Repeat("long", 60)+"/1", strings.Repeat("長", 100)+"/1", "👩\u200d👩\u200d👧/1", "e\u0301\u0323/1")
	row.SentID, row.UPOS[0], row.Deprel[1], row.Lemmas[2] = hostile, hostile, hostile+hostile, hostile
	row.Text = strings.Repeat(hostile+" ", 20) + strings.Repeat("長", 200)
	for _, o := range []TreeOptions{{}, {Width: 1, Conf: AllConf, Lemmas: true}, {Width: 80, Conf: AllConf}, {Width: 200, Lemmas: true}} {
		got := drawn(row, o)
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' {
				t.Errorf("%U reaches the terminal", r)
			}
		}
		for line := range strings.Lines(got) {
			if most := max(cmp.Or(o.Width, 80), 60); Width(strings.TrimSuffix(line, "\n")) > most {
				t.Errorf("%+v: %d columns: %s", o, Width(line), line)
			}
		}
		if words := strings.Count(got, "─╼ "); words != 5 {
			t.Errorf("%d words", words)
		}
	}
	if got := drawn(row, TreeOptions{}); !strings.Contains(got, "␛[31mred␛]0;title␇␀␍␊␉") || !strings.Contains(got, "👩\u200d👩\u200d👧 ") {
		t.Errorf("got\n%s", got)
	}
}

// Wide letters, marks and joined emoji take the columns that they have on a
// terminal: tags stand below each other.
func TestTreeIsAligned(t *testing.T) {
	for _, row := range nasty()[:4] {
		row.UPOS = slices.Repeat([]string{"NOUN"}, len(row.Tokens))
		at := -1
		for line := range strings.Lines(drawn(row, TreeOptions{})) {
			before, _, found := strings.Cut(line, "NOUN")
			if found && at >= 0 && Width(before) != at {
				t.Errorf("%q: the tag stands in column %d, not %d", line, Width(before), at)
			}
			if found {
				at = Width(before)
			}
		}
	}
}

// A chain of any depth stays readable, and costs memory for its words only.
func TestTreeOfDeepTree(t *testing.T) {
	var words []string
	for i := range 8000 {
		words = append(words, fmt.Sprintf("w%d/%d", i, i))
	}
	row := tree(words...)
	row.Text = ""
	lines := strings.Split(drawn(row, TreeOptions{Conf: AllConf, Lemmas: true}), "\n")
	for i, line := range lines {
		if Width(line) > 80 {
			t.Fatalf("line %d has %d columns: %s", i, Width(line), line)
		}
	}
	if line := lines[8001]; !strings.Contains(line, "… 8000→7999  w7999  w7999") {
		t.Errorf("%q", line)
	}
	if line := lines[3]; !strings.Contains(line, "╰─┬") || !strings.Contains(line, "╼ 2 ") {
		t.Errorf("%q", line)
	}
}

func TestTreeRightToLeft(t *testing.T) {
	got := drawn(tree("הספינה/2", "הפליגה/0"), TreeOptions{})
	if !strings.Contains(got, "\u200e─┴─╼ הפליגה\u200e  NOUN") {
		t.Errorf("%q", got)
	}
	if got := drawn(tree("a/0"), TreeOptions{}); strings.Contains(got, "\u200e") {
		t.Errorf("%q", got)
	}
}

func TestClipAndWrap(t *testing.T) {
	for _, test := range []struct {
		s       string
		columns int
		want    string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"長長", 4, "長長"}, {"長長長", 4, "長…"}, {"長長長", 5, "長長…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"", 1, ""}, {"長", 1, "…"},
		{"⸻", 4, "⸻"}, {"⸻", 3, "…"}, {"⸻⸻", 7, "⸻…"},
	} {
		if got := Clip(test.s, test.columns); got != test.want {
			t.Errorf("%q in %d: %q, want %q", test.s, test.columns, got, test.want)
		}
	}
	for s, want := range map[string][]string{
		"":           {""},
		"a bc def":   {"a bc", "def"},
		"abcdefgh i": {"abcd", "efgh", "i"},
		"abcdef gh":  {"abcd", "ef", "gh"},
		"abcdef g":   {"abcd", "ef g"},
		"長長長 a":      {"長長", "長 a"},
		"a⸻":         {"a", "⸻"},
		"a  b":       {"a  b"},
	} {
		if got := wrap(s, 4); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// The time for a long word grows with its length, not with the square of it.
func TestWrapOfLongWord(t *testing.T) {
	if n := len(wrap(strings.Repeat("é", 800000), 80)); n != 10000 {
		t.Errorf("%d lines", n)
	}
}

// What is said of a tree, and around which word a long one is drawn.
func TestCertainty(t *testing.T) {
	row := tree("They/2", "saw/0", ",/2", "”/2", "boats/2")
	row.UPOS[2], row.UPOS[3] = "PUNCT", "PUNCT"
	row.HeadMarginal = []float32{0.5, 0.75, 0.125, 0.25, 1}
	check := func(want string, word int) {
		t.Helper()
		if got := certainty(row); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := leastCertain(row); got != word {
			t.Errorf("word %d is the least certain one, want %d", got, word)
		}
	}
	check("0.8 of 3 words wrong by head_marginal, which is not calibrated", 0)
	conf := float32(0.125)
	row.DeprelConf, row.TreeConf = []float32{1, 1, 0.125, 0.25, 0.5}, &conf
	check("0.5 of 3 words expected to be wrong; the whole tree is right with probability 0.12", 4)
	row.Certificate = "all"
	check("0.5 of 3 words expected to be wrong; the whole tree is right with probability 0.12; no tree scores higher: all were scored", 4)
	row.Certificate = ""
	row.UPOS[0], row.UPOS[4] = "PUNCT", "PUNCT"
	check("0.0 of 1 word expected to be wrong; the whole tree is right with probability 0.12", 1)
	row.UPOS[1] = "PUNCT"
	check("", 2)
	row.DeprelConf, row.HeadMarginal = nil, nil
	check("", 0)
}
