package view

import (
	"cmp"
	_ "embed"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// SVGOptions say how SVG draws.
type SVGOptions struct {
	Conf       Conf   // which probabilities it shows; with any, arcs below 0.9 have another color
	Lemmas     bool   // a line of lemmas below the forms
	MaxWords   int    // the most words drawn, around the least certain arc; 0 is 200, and the most is 1,000
	Background string // CSS color; "" is white, "none" leaves the page's
	Paper      bool   // for print: black on white, with serifs
}

// Bounds of MaxWords.
const (
	standardSVGWords = 200
	mostSVGWords     = 1000
)

// A style has the colors and the font of a picture outside a page. A page that holds it
// changes them, as all that the attributes say, by rules for the classes.
type style struct{ ink, soft, arc, warn, font string }

var (
	screen = style{"#1c2321", "#56615c", "#4a6a8a", "#a8420c", "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"}
	paper  = style{"#000000", "#000000", "#000000", "#000000", "'Latin Modern Roman', 'CMU Serif', 'Times New Roman', 'Liberation Serif', Times, serif"}
)

const pageColor = "#ffffff"

// SVG appends a sentence as a picture: its words from left to right, or from right to
// left if it is written so, each with its tag below, and labeled arcs from heads to
// dependents above. The picture is a whole SVG document without a declaration, with the
// namespace, and can be part of HTML, too. It needs no style sheet, no script, no font
// and nothing from elsewhere; what the sentence holds is escaped, and no control
// character is left in it.
//
// Its elements have classes, for pages with colors of their own: tree (the svg
// element), page (the background), arc, arrow, under (hides arcs behind a label),
// label, form, lemma, tag, low (a probability); and unsure (an arc of a probability
// below 0.9) and outside (an arc from a word that is not drawn) in addition to arc. SVG
// is safe for concurrent use.
func SVG(dst []byte, s *syntax.Sentence, o SVGOptions) []byte { return SVGRow(dst, rowOf(s), o) }

// SVGRow is SVG for a row of trees/. Lists of the row that are too short are
// read as far as they go.
func SVGRow(dst []byte, t *parquet.Tree, o SVGOptions) []byte {
	dst, _ = svgRow(dst, t, o)
	return dst
}

// svgRow is SVGRow; width is the width of the picture, in CSS pixels.
func svgRow(dst []byte, t *parquet.Tree, o SVGOptions) (_ []byte, width int) {
	p := draw(t, pictureOptions{min(cmp.Or(max(o.MaxWords, 0), standardSVGWords), mostSVGWords), o.Conf, o.Lemmas})
	p.style = &screen
	if o.Paper {
		p.style = &paper
	}
	return p.svg(dst, textOf(t), cmp.Or(o.Background, pageColor)), p.Width
}

// svg appends the picture as SVG describes it.
func (p *picture) svg(dst []byte, title, background string) []byte {
	v := vector{dst, cmp.Or(p.style, &screen)}
	v.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="tree" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" font-family="%s" font-size="%d" text-anchor="middle">`,
		p.Width, p.Height, v.font, tagSize)
	v.printf("\n<title>%s</title>\n", xmlText(Clip(title, maxText)))
	if background != "none" {
		v.printf(`<rect class="page" width="100%%" height="100%%" fill="%s"/>`+"\n", xmlText(background))
	}
	v.arcs(p, background)
	v.words(p)
	return append(v.dst, "</svg>\n"...)
}

// A vector appends the elements of a picture.
type vector struct {
	dst []byte
	*style
}

func (v *vector) printf(format string, a ...any) { v.dst = fmt.Appendf(v.dst, format, a...) }

// text appends a text around x, on the line y.
func (v *vector) text(class, attributes string, x float64, y int, s string) {
	v.printf(`<text class="%s" x="%s" y="%d"%s>%s</text>`, class, decimal(x), y, attributes, xmlText(s))
}

// arcs appends the arcs, then their labels, which hide what is behind them.
func (v *vector) arcs(p *picture, background string) {
	for i := range p.Arcs {
		a := &p.Arcs[i]
		class, color, dashes := "", v.arc, ""
		if a.Unsure {
			class, color = " unsure", v.warn
		}
		arrow := class
		if a.Outside {
			class, dashes = class+" outside", ` stroke-dasharray="4 3"`
		}
		v.printf(`<path class="arc%s" d="%s" fill="none" stroke="%s" stroke-width="1.3"%s/>`, class, a.Path, color, dashes)
		v.printf(`<path class="arrow%s" d="%s" fill="%s"/>`+"\n", arrow, a.Arrow, color)
	}
	for i := range p.Arcs {
		a := &p.Arcs[i]
		class, color := "label", v.ink
		if a.Unsure {
			class, color = "label low", v.warn
		}
		v.printf(`<rect class="under" x="%s" y="%s" width="%s" height="14" fill="%s"/>`, decimal(a.LabelLeft), decimal(a.LabelTop), decimal(a.LabelWidth), xmlText(background))
		v.text(class, ` dy="4" fill="`+color+`"`, a.LabelX, int(a.LabelY), a.Label)
		v.dst = append(v.dst, '\n')
	}
}

// words appends the words with the text below them.
func (v *vector) words(p *picture) {
	for i := range p.Words {
		w := &p.Words[i]
		v.text("form", fmt.Sprintf(` font-size="%d" fill="%s"`, formSize, v.ink), w.X, p.FormY, w.Form)
		if !w.Outside {
			if w.Lemma != "" {
				v.text("lemma", ` font-style="italic" fill="`+v.soft+`"`, w.X, p.LemmaY, w.Lemma)
			}
			v.text("tag", ` fill="`+v.soft+`"`, w.X, p.TagY, w.Tag)
			if w.Probability != "" {
				color := v.soft
				if w.Unsure {
					color = v.warn
				}
				v.text("low", ` fill="`+color+`"`, w.X, p.ProbabilityY, w.Probability)
			}
		}
		v.dst = append(v.dst, '\n')
	}
}

// decimal is x in as few digits as it needs.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// xmlText is s as the text of an element or an attribute, with nothing in it
// that XML does not allow.
func xmlText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, Visible(strings.ToValidUTF8(s, "\ufffd")))
	return html.EscapeString(s)
}

//go:embed trees.html
var treesHead string

// HTMLHead appends the beginning of a page of trees: the text in UTF-8 of a document
// that has no scripts and fetches nothing, up to where HTMLTree goes on. It follows the
// colors that a reader prefers.
func HTMLHead(dst []byte) []byte { return append(dst, treesHead...) }

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
func HTMLFailure(dst []byte, text, reason string) []byte {
	return fmt.Appendf(htmlHeading(dst, "", text), "<p class=\"warn\">Not parsed: %s</p>\n</section>\n", xmlText(Clip(reason, maxText)))
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
