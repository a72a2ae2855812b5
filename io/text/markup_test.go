package text

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// stripped returns the blocks of a text without HTML, apart by " | ", and checks that
// every character that is not made by markup is where the block says.
func stripped(t *testing.T, source string, read func(io.Reader) io.Reader) string {
	t.Helper()
	l, err := Decide([]byte(source), Options{Lines: Paragraph, StripHTML: true})
	if err != nil || l.Cuttable {
		t.Fatal(l, err)
	}
	rd, err := NewReader(read(strings.NewReader(source)), l, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for {
		b, err := rd.Next()
		if err == io.EOF {
			return strings.Join(list, " | ")
		} else if err != nil {
			t.Fatal(err)
		}
		for i, r := range b.Text {
			at := b.Offset(i)
			if at < b.Start || at >= b.End {
				t.Fatalf("%q: %q at %d is outside of [%d, %d)", source, r, at, b.Start, b.End)
			}
			if r != '\uFFFD' && !strings.HasPrefix(source[at:], string(r)) && source[at] != '<' && source[at] != '&' {
				t.Fatalf("%q: %q of %q is at %d, where %q stands", source, r, b.Text, at, source[at:])
			}
		}
		list = append(list, strings.ReplaceAll(b.Text, "\u2028", "/"))
	}
}

func whole(r io.Reader) io.Reader { return r }

func TestStripHTML(t *testing.T) {
	for source, want := range map[string]string{
		"Great phone.<br/>Love it &amp; more":             "Great phone./Love it & more",
		"<p>One <b>bo</b>ld word.</p>\n<p>Two</p>":        "One bold word. | Two",
		"a < b and c > d, x<y":                            "a < b and c > d, x<y",
		"AT&T &lt;b&gt; &eacute;t&eacute; &#8217;s &x;":   "AT&T <b> été ’s &x;",
		"&#0; and &#xD800;":                               "&#0; and &#xD800;", // no characters
		`See <a href="https://x.org/?a=1&amp;b=2">it</a>`: "See it",
		"I <3 you & <- me <!-- no --> <!DOCTYPE html>":    "I <3 you & <- me  <!DOCTYPE html>",
		"über <i>é</i>\x00 <hr>":                          "über é\uFFFD",
		"<b":                                              "<b",
		"a &am":                                           "a &am",
		"<a\nhref=x> y":                                   "<a | href=x> y",
		"<!-- a > b --> c":                                "c",
		"a <!-- <b>x\nb --> c":                            "a <!-- x | b --> c", // on two lines
		"a&#10;b&#13;&#xA;c\nd <p\tid=x>e":                "a/b /c | d /e",
		"<" + strings.Repeat("a", maxTag) + ">":           "<" + strings.Repeat("a", maxTag) + ">",
	} {
		for _, read := range []func(io.Reader) io.Reader{whole, iotest.OneByteReader, iotest.HalfReader} {
			if got := stripped(t, source, read); got != want {
				t.Errorf("%q: got %q, want %q", source, got, want)
			}
		}
	}
}

// Text without markup is read as without the option, and pieces do not change the result.
func TestStripHTMLInPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	parts := []string{"<b>", "</b>", "<br />", "&amp;", "&", "<", ">", "é", "a", " ", "\n", "&#x41;",
		"<!-- x -->", "<!--", "-->", ";", "\x00", "\xff", "&nbsp;"}
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(30) {
			b.WriteString(parts[rng.IntN(len(parts))])
		}
		want := stripped(t, b.String(), whole)
		if got := stripped(t, b.String(), iotest.OneByteReader); got != want {
			t.Fatalf("%q: %q in pieces, else %q", b.String(), got, want)
		}
	}
}

// In a string of JSON markup may be escaped.
func TestStripHTMLOfValues(t *testing.T) {
	v := NewJSONValues(Options{Lines: Paragraph, StripHTML: true})
	source := `one\u003cbr\/>two &quot;x\"`
	rd := v.Reader(&Value{Bytes: []byte(source), Offset: 10, Escape: '\\'})
	b, err := rd.Next()
	if want := "one\u2028two \"x\""; err != nil || b.Text != want {
		t.Fatalf("%q, %v, want %q", b.Text, err, want)
	}
	if at := b.Offset(strings.Index(b.Text, "two")); at != int64(10+strings.Index(source, "two")) {
		t.Errorf("two is at %d", at)
	}
	if b.Start != 10 || b.End != 10+int64(len(source)) {
		t.Errorf("the block is [%d, %d)", b.Start, b.End)
	}
}
