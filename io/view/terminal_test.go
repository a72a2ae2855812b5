package view

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/io/parquet"
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

func drawn(t *parquet.Tree, columns int) string {
	var b strings.Builder
	if err := Text(&b, t, columns); err != nil {
		panic(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	row := tree("They/2", "saw/0", "old/4", "boats/2", "./2")
	row.HeadMarginal[3] = 0.5
	const want = "id\nThey saw old boats .\n0.5 of 5 words wrong by head_marginal, which is not calibrated\n└─ saw NOUN root\n   ├─ They NOUN dep\n   ├─ boats NOUN dep 0.50\n" +
		"   │  └─ old NOUN dep\n   └─ . NOUN dep\n\n"
	if got := drawn(row, 80); got != want {
		t.Errorf("got\n%s", got)
	}
	row.HeadConf = []float32{1, 1, 0.5, 1, 1} // goes before the marginal
	row.DeprelConf, row.UPOSConf = []float32{1, 1, 0.25, 1, 1}, []float32{1, 1, 0.75, 0.875, 1}
	if got := drawn(row, 80); strings.Contains(got, "0.50") || !strings.Contains(got, "old NOUN 0.75 dep 0.25") || !strings.Contains(got, "boats NOUN 0.88 dep\n") {
		t.Errorf("got\n%s", got)
	}
}

// Words without a head, or in a cycle, are there all the same.
func TestTextWithoutTree(t *testing.T) {
	row := tree("a/2", "b/1", "c/0", "d/9")
	row.Head[3] = -1
	if got := drawn(row, 80); got != "id\na b c d\n0.0 of 4 words wrong by head_marginal, which is not calibrated\n└─ c NOUN root\n· a NOUN dep\n· b NOUN dep\n· d NOUN dep\n\n" {
		t.Errorf("got\n%s", got)
	}
	row.Head, row.Deprel = nil, nil
	if got := drawn(row, 80); strings.Count(got, "· ") != 4 {
		t.Errorf("got\n%s", got)
	}
}

// Nothing that a row holds acts on the terminal, and no line is wider than it.
func TestTextIsHarmless(t *testing.T) {
	hostile := "\x1b[31mred\x1b]0;title\a\x00\r\n\t\u009b2J\u202eback\u2066\u2028x"
	row := tree(hostile+"/0", strings.Repeat("long", 60)+"/1", strings.Repeat("長", 100)+"/1", "👩\u200d👩\u200d👧/1", "e\u0301\u0323/1")
	row.SentID, row.UPOS[0], row.Deprel[1] = hostile, hostile, hostile+hostile
	row.Text = strings.Repeat(hostile+" ", 20) + strings.Repeat("長", 200)
	got := drawn(row, 80)
	for _, r := range got {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' {
			t.Errorf("%U reaches the terminal", r)
		}
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	for _, line := range lines {
		if Width(line) > 80 {
			t.Errorf("%d columns: %s", Width(line), line)
		}
	}
	if !strings.Contains(got, "␛[31mred␛]0;title␇␀␍␊␉") || !strings.Contains(got, "👩\u200d👩\u200d👧 NOUN") {
		t.Errorf("got\n%s", got)
	}
	if words := strings.Count(got, "─ "); words != 5 {
		t.Errorf("%d words", words)
	}
}

// A chain of any depth stays readable, and costs memory for its words only.
func TestTextOfDeepTree(t *testing.T) {
	var words []string
	for i := range 8000 {
		words = append(words, fmt.Sprintf("w%d/%d", i, i))
	}
	row := tree(words...)
	row.Text = ""
	lines := strings.Split(drawn(row, 80), "\n")
	for i, line := range lines {
		if Width(line) > 80 {
			t.Fatalf("line %d has %d columns: %s", i, Width(line), line)
		}
	}
	if want := "…7988 " + strings.Repeat("   ", 11) + "└─ w7999 NOUN dep"; lines[8001] != want {
		t.Errorf("%q", lines[8001])
	}
}

func TestTextRightToLeft(t *testing.T) {
	got := drawn(tree("הספינה/2", "הפליגה/0"), 80)
	if !strings.Contains(got, "\u200e└─ הפליגה\u200e NOUN root\n") {
		t.Errorf("%q", got)
	}
	if got := drawn(tree("a/0"), 80); strings.Contains(got, "\u200e") {
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
	check("0.5 of 3 words expected wrong; the whole tree right with 0.12", 4)
	row.Certificate = "all"
	check("0.5 of 3 words expected wrong; the whole tree right with 0.12; the best one under the model, of all that were scored", 4)
	row.Certificate = ""
	row.UPOS[0], row.UPOS[4] = "PUNCT", "PUNCT"
	check("0.0 of 1 word expected wrong; the whole tree right with 0.12", 1)
	row.UPOS[1] = "PUNCT"
	check("", 2)
	row.DeprelConf, row.HeadMarginal = nil, nil
	check("", 0)
}
