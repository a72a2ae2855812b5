package view

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
)

//go:embed trees.html
var treesHead string

// HTMLHead appends the beginning of a page of trees: the text in UTF-8 of a document
// that has no scripts and fetches nothing, up to where HTMLTree goes on. It follows the
// colors that a reader prefers.
func HTMLHead(dst []byte, title string) []byte {
	before, after, _ := strings.Cut(treesHead, "{{title}}")
	return append(append(append(dst, before...), xmlText(Clip(title, maxText))...), after...)
}

// HTMLTree appends a tree to a page: its id, its text and its picture, with the
// background of the page. A picture that is too wide for the page becomes smaller, down
// to 80%, and scrolls by itself.
func HTMLTree(dst []byte, t *parquet.Tree, o SVGOptions) []byte {
	o.Background = pageColor // for the labels; the page has rules for it
	dst = htmlHeading(dst, t.SentID, textOf(t))
	if o.Conf != NoConf {
		if say := certainty(t); say != "" {
			dst = fmt.Appendf(dst, "<p class=\"soft\">%s</p>\n", xmlText(say))
		}
	}
	picture, width := svgRow(nil, t, o)
	dst = fmt.Appendf(dst, `<div class="scroll" tabindex="0" role="region" aria-label="The tree"><div style="max-width:%dpx;min-width:%dpx">`, width, width*4/5)
	return append(append(dst, picture...), "</div></div>\n</section>\n"...)
}

// HTMLFailure appends a sentence that has no tree, and why.
func HTMLFailure(dst []byte, id, text, reason string) []byte {
	return fmt.Appendf(htmlHeading(dst, id, text), "<p class=\"warn\">Not parsed: %s</p>\n</section>\n", xmlText(Clip(reason, maxText)))
}

func htmlHeading(dst []byte, id, text string) []byte {
	dst = append(dst, "<section>\n"...)
	if id != "" {
		dst = fmt.Appendf(dst, "<h2><bdi>%s</bdi></h2>\n", xmlText(Clip(id, 120)))
	}
	return fmt.Appendf(dst, "<p dir=\"auto\">%s</p>\n", xmlText(Clip(text, maxText)))
}

// HTMLTail appends the end of a page.
func HTMLTail(dst []byte) []byte { return append(dst, "</body>\n</html>\n"...) }
