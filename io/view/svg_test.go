package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A picture is a well-formed document that needs nothing from elsewhere, whatever
// the sentence holds.
func TestSVGIsHarmless(t *testing.T) {
	for _, row := range nasty() {
		for _, o := range []SVGOptions{{}, {Conf: AllConf, Lemmas: true, Background: attack}, {MaxWords: 3}, {MaxWords: -1, Background: "none"}} {
			got := string(SVGRow([]byte("before"), row, o))
			if got = strings.TrimPrefix(got, "before"); !strings.HasPrefix(got, "<svg xmlns=") || !strings.HasSuffix(got, "</svg>\n") {
				t.Fatalf("%.200s", got)
			}
			for _, bad := range []string{"<script", "<img", "<style", "href", "url(", "@import", "NaN"} {
				if strings.Contains(got, bad) {
					t.Errorf("it holds %q", bad)
				}
			}
			if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || r == 0x202e }) {
				t.Error("a control character is in it")
			}
			elements(t, got)
		}
	}
}

// elements counts those of a document, which must be well formed but for void
// elements, and hands them to each.
func elements(t *testing.T, text string, each ...func(xml.StartElement)) map[string]int {
	t.Helper()
	text = regexp.MustCompile(`<(meta|link)([^>]*)>`).ReplaceAllString(strings.Replace(text, "<!DOCTYPE html>", "", 1), "<$1$2/>")
	d := xml.NewDecoder(strings.NewReader(text))
	d.Entity = xml.HTMLEntity
	seen := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return seen
		}
		if err != nil {
			t.Fatalf("%v in\n%.10000s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			seen[e.Name.Local]++
			for _, f := range each {
				f(e)
			}
		}
	}
}

// Lines and lists of a word are drawn as they are asked for.
func TestSVGOptions(t *testing.T) {
	row := nasty()[0]
	count := func(o SVGOptions, what string) int { return strings.Count(string(SVGRow(nil, row, o)), what) }
	for _, test := range []struct {
		o    SVGOptions
		what string
		want int
	}{
		{SVGOptions{}, `class="form"`, 9},
		{SVGOptions{}, `class="label"`, 9},
		{SVGOptions{}, "low", 0},
		{SVGOptions{}, "unsure", 0},
		{SVGOptions{}, `class="lemma"`, 0},
		{SVGOptions{}, `class="page" width="100%" height="100%" fill="#ffffff"`, 1},
		{SVGOptions{Background: "none"}, `class="page"`, 0},
		{SVGOptions{Lemmas: true}, `class="lemma"`, 9},
		{SVGOptions{Conf: LowConf}, `class="low"`, 5},
		{SVGOptions{Conf: LowConf}, `class="arc unsure"`, 5},
		{SVGOptions{Conf: AllConf}, `class="low"`, 9},
		{SVGOptions{Conf: AllConf}, `class="arc unsure"`, 5},
		{SVGOptions{Conf: AllConf}, `>NOUN 1.00<`, 8},
		{SVGOptions{MaxWords: 4}, `class="form"`, 6}, // two of them stand for the others
		{SVGOptions{}, "<title>A hearing is scheduled on the issue today .</title>", 1},
	} {
		if got := count(test.o, test.what); got != test.want {
			t.Errorf("%+v: %d times %q, want %d", test.o, got, test.what, test.want)
		}
	}
}

// A sentence of any length costs what its drawn words do.
func TestSVGOfLongSentence(t *testing.T) {
	s := syntax.Sentence{Words: make([]syntax.Word, syntax.MaxWords)}
	for i := range s.Words {
		s.Words[i] = syntax.Word{Form: "w", Head: int32(i)}
	}
	if n := len(SVG(nil, &s, SVGOptions{MaxWords: 1 << 30})); n > 1<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestSVGIsGolden(t *testing.T) {
	got := SVGRow(nil, nasty()[0], SVGOptions{Conf: LowConf, Lemmas: true})
	golden := filepath.Join("testdata", "tree.svg")
	if *rewrite {
		must(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nlook at it in a browser, then: go test ./io/view -run Golden -rewrite", got)
	}
}

// A page of trees is well formed, whatever the sentences hold, and needs nothing
// from elsewhere.
func TestHTMLIsHarmless(t *testing.T) {
	page := HTMLHead(nil)
	for _, row := range nasty() {
		page = HTMLTree(page, row, SVGOptions{Conf: LowConf, Lemmas: true})
	}
	page = HTMLTail(HTMLFailure(page, attack, attack))
	text := string(page)
	for _, bad := range []string{"<script", "<img", "onerror=alert(2)>", "\x00", "\x1b", "\u202e", "https://", "@import", "url("} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if got := strings.Count(text, "http:"); got != strings.Count(text, `xmlns="http://www.w3.org/2000/svg"`) {
		t.Error("the page names something elsewhere")
	}
	if strings.Count(text, "<svg ") != len(nasty()) || strings.Count(text, "<section>") != len(nasty())+1 {
		t.Error("not all trees are there")
	}
	elements(t, text)
}

// Every class that a picture has is one that the page knows, so that no color of
// a picture that stands alone is left on a dark page.
func TestHTMLHasAllColors(t *testing.T) {
	svg := string(SVGRow(nil, nasty()[0], SVGOptions{Conf: AllConf, Lemmas: true}))
	for _, m := range regexp.MustCompile(`class="(\w+)[^"]*"[^>]* (?:fill|stroke)="#`).FindAllStringSubmatch(svg, -1) {
		if !strings.Contains(treesHead, ".tree ."+m[1]) {
			t.Errorf("no rule for %q", m[1])
		}
	}
}
