package view

import (
	"regexp"
	"strings"
	"testing"
)

// A page of trees is well formed, whatever the sentences hold, and needs nothing
// from elsewhere.
func TestHTMLIsHarmless(t *testing.T) {
	page := HTMLHead(nil, attack)
	for _, row := range nasty() {
		page = HTMLTree(page, row, SVGOptions{Conf: LowConf, Lemmas: true})
	}
	page = HTMLTail(HTMLFailure(page, attack, attack, attack))
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
	svg := string(SVGRow(nil, nasty()[0], SVGOptions{Conf: AllConf, Lemmas: true, Marked: []int{1}}))
	for _, m := range regexp.MustCompile(`class="(\w+)[^"]*"[^>]* (?:fill|stroke)="#`).FindAllStringSubmatch(svg, -1) {
		if !strings.Contains(treesHead, ".tree ."+m[1]) {
			t.Errorf("no rule for %q", m[1])
		}
	}
}
