package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Sizes of a picture, in CSS pixels. What is wide is estimated from the number
// of columns of a fixed-width font: a page without scripts cannot measure.
const (
	formSize   = 14 // of the font
	tagSize    = 11
	levelStep  = 20 // height of an arc over the arcs below it
	wordGap    = 16
	labelRoom  = 22 // what an arc needs in addition to its label
	margin     = 8
	maxDrawn   = 40   // words in a picture of the report
	maxPicture = 1320 // pixels of a picture in the report: one in a window of 1,280 is five sixths as large
	maxForm    = 24   // columns of a form
	maxLabel   = 18   // columns of a label or tag
)

// A picture is a dependency tree as the template draws it.
type picture struct {
	Width, Height  int
	Base           int // y of the foot of the arcs
	FormY, LemmaY  int
	TagY           int
	ProbabilityY   int
	Words          []drawnWord
	Arcs           []drawnArc
	RightToLeft    bool
	First, Last, N int // words drawn, from 1, and words of the sentence
	style          *style
}

type drawnWord struct {
	Number                 int // of the word, from 1
	X                      float64
	Form, Tag, Probability string // Probability is "" where it is not shown
	Lemma                  string // "" where lemmas are not shown
	Unsure                 bool   // the arc is
	Outside                bool   // in place of the words that are not drawn
}

type drawnArc struct {
	Path, Arrow    string
	Label          string
	LabelX, LabelY float64 // of its middle
	// The rectangle where the label hides the line.
	LabelLeft, LabelTop, LabelWidth float64
	Unsure                          bool
	Outside                         bool // the head is not drawn
}

// An arc between two columns of a picture.
type arc struct {
	head, dependent int // columns; head -1 is the root
	label           string
	labelWidth      float64
	level           int // from 1
	offset          float64
	unsure, outside bool
}

func (a *arc) left() int  { return min(a.head, a.dependent) }
func (a *arc) right() int { return max(a.head, a.dependent) }

// pictureOptions say what of a tree draw draws.
type pictureOptions struct {
	limit  int // words
	conf   Conf
	lemmas bool
}

// draw lays out a tree. If the tree has more than limit words, draw takes the words
// around the least certain arc. It takes up to limit*limit steps.
func draw(t *parquet.Tree, o pictureOptions) *picture {
	n := len(t.Tokens)
	if n == 0 {
		return &picture{First: 1, Width: 2 * margin, Height: 2 * margin}
	}
	first, end := window(t, o.limit)
	p := &picture{First: first + 1, Last: end, N: n, RightToLeft: isRightToLeft(t.Tokens[first:end])}
	before, after := first > 0, end < n
	column := func(word int) int { // of a word from 0, or of the words outside
		c := word - first
		switch {
		case word < first:
			c = -1
		case word >= end:
			c = end - first
		}
		if before {
			c++
		}
		return c
	}
	if before {
		p.Words = append(p.Words, drawnWord{Form: "…", Outside: true})
	}
	var arcs []arc
	for i := first; i < end; i++ {
		w := drawnWord{Form: Clip(Visible(t.Tokens[i]), maxForm), Tag: strings.TrimSuffix(at(t.UPOS, i)+" "+o.conf.tag(t, i), " "),
			Number: i + 1, Probability: o.conf.arc(t, i)}
		if o.lemmas {
			w.Lemma = Clip(at(t.Lemmas, i), maxForm)
		}
		probability, known := arcProbability(t, i)
		unsure := known && probability < sure && o.conf != NoConf
		w.Unsure = unsure
		p.Words = append(p.Words, w)
		if i >= len(t.Head) || t.Head[i] < 0 || int(t.Head[i]) > n || int(t.Head[i]) == i+1 {
			continue
		}
		a := arc{head: -1, dependent: column(i), label: at(t.Deprel, i), unsure: unsure}
		if head := int(t.Head[i]) - 1; t.Head[i] != syntax.Root {
			a.head, a.outside = column(head), head < first || head >= end
		}
		a.labelWidth = pixels(a.label, tagSize) + 4
		arcs = append(arcs, a)
	}
	if after {
		p.Words = append(p.Words, drawnWord{Form: "…", Outside: true})
	}
	p.place(arcs, o.lemmas)
	return p
}

// drawWithin is draw with as many words as fit in the given pixels.
func drawWithin(t *parquet.Tree, o pictureOptions, width int) *picture {
	o.limit = min(o.limit, len(t.Tokens))
	for {
		p := draw(t, o)
		if p.Width <= width || o.limit <= 1 {
			return p
		}
		o.limit = max(1, min(o.limit-1, o.limit*width/p.Width))
	}
}

// window returns the words to draw, half open from 0.
func window(t *parquet.Tree, limit int) (first, end int) {
	n := len(t.Tokens)
	if n <= limit {
		return 0, n
	}
	least := leastCertain(t)
	first = min(max(least-limit/2, 0), n-limit)
	return first, first + limit
}

// at is the value of word i as a short label.
func at(list []string, i int) string {
	if i >= len(list) || list[i] == "" {
		return "_"
	}
	return Clip(Visible(list[i]), maxLabel)
}

// place gives words and arcs their places.
func (p *picture) place(arcs []arc, lemmas bool) {
	setLevels(arcs)
	widths := make([]float64, len(p.Words))
	for i, w := range p.Words {
		widths[i] = max(24, pixels(w.Form, formSize), pixels(w.Lemma, tagSize), pixels(w.Tag, tagSize), pixels(w.Probability, tagSize))
	}
	setOffsets(arcs, widths)
	p.placeWords(arcs, widths)
	top := 0
	for i := range arcs {
		top = max(top, arcs[i].level)
	}
	p.Base = margin + 8 + (top+1)*levelStep
	p.FormY, p.TagY, p.ProbabilityY = p.Base+18, p.Base+34, p.Base+49
	if lemmas {
		p.LemmaY = p.TagY
		p.TagY, p.ProbabilityY = p.TagY+15, p.ProbabilityY+15
	}
	p.Height = p.TagY + margin
	if slices.ContainsFunc(p.Words, func(w drawnWord) bool { return w.Probability != "" }) {
		p.Height = p.ProbabilityY + margin
	}
	for i := range arcs {
		p.Arcs = append(p.Arcs, p.arc(&arcs[i], top+1))
	}
}

// setLevels puts every arc above the arcs that it spans or crosses, the shorter ones
// first.
func setLevels(arcs []arc) {
	order := make([]*arc, 0, len(arcs))
	for i := range arcs {
		if arcs[i].head >= 0 {
			order = append(order, &arcs[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *arc) int {
		return cmp.Or(cmp.Compare(a.right()-a.left(), b.right()-b.left()), cmp.Compare(a.left(), b.left()))
	})
	for i, a := range order {
		a.level = 1
		for _, b := range order[:i] {
			if max(a.left(), b.left()) < min(a.right(), b.right()) {
				a.level = max(a.level, b.level+1)
			}
		}
	}
}

// setOffsets spreads the feet of a head's arcs, the longest next to its middle,
// so that they do not cross; heads with many dependents get wider.
func setOffsets(arcs []arc, widths []float64) {
	type side struct {
		head int
		left bool
	}
	feet := map[side][]*arc{}
	for i := range arcs {
		if a := &arcs[i]; a.head >= 0 {
			s := side{a.head, a.dependent < a.head}
			feet[s] = append(feet[s], a)
		}
	}
	for s, list := range feet { // each is independent of the others
		const step = 5
		widths[s.head] = max(widths[s.head], 2*step*float64(len(list)+1))
		slices.SortStableFunc(list, func(a, b *arc) int { return cmp.Compare(b.level, a.level) })
		for k, a := range list {
			a.offset = step * float64(k+1)
			if s.left {
				a.offset = -a.offset
			}
		}
	}
}

// placeWords sets the words as near to each other as they and the labels over
// them allow.
func (p *picture) placeWords(arcs []arc, widths []float64) {
	x := make([]float64, len(widths))
	for i := range x {
		x[i] = margin + widths[i]/2
		if i > 0 {
			x[i] = x[i-1] + widths[i-1]/2 + wordGap + widths[i]/2
		}
		for k := range arcs {
			if a := &arcs[k]; a.head >= 0 && a.right() == i {
				x[i] = max(x[i], x[a.left()]+a.labelWidth+labelRoom+math.Abs(a.offset))
			}
			if a := &arcs[k]; a.head < 0 && a.dependent == i && i == 0 {
				x[i] = max(x[i], margin+a.labelWidth/2)
			}
		}
	}
	last := len(x) - 1
	right := x[last] + widths[last]/2
	for k := range arcs {
		if a := &arcs[k]; a.head < 0 {
			right = max(right, x[a.dependent]+a.labelWidth/2)
		}
	}
	p.Width = int(math.Ceil(right)) + margin
	for i := range x {
		p.Words[i].X = round(x[i])
		if p.RightToLeft {
			p.Words[i].X = float64(p.Width) - p.Words[i].X
		}
	}
}

// arc draws an arc; the root's comes from above all others.
func (p *picture) arc(a *arc, above int) drawnArc {
	to := p.Words[a.dependent].X
	d := drawnArc{Label: a.label, Unsure: a.unsure, Outside: a.outside,
		Arrow: fmt.Sprintf("M%.1f %dh7l-3.5 6z", to-3.5, p.Base-6)}
	label := func(x, y float64) {
		d.LabelX, d.LabelY, d.LabelWidth = round(x), y, round(a.labelWidth)
		d.LabelLeft, d.LabelTop = round(x-a.labelWidth/2), y-7
	}
	if a.head < 0 {
		y := p.Base - above*levelStep
		d.Path = fmt.Sprintf("M%.1f %dV%d", to, y, p.Base-5)
		label(to, float64(y))
		return d
	}
	offset, turn := a.offset, 6.0
	if p.RightToLeft {
		offset = -offset
	}
	from := p.Words[a.head].X + offset
	if to < from {
		turn = -turn
	}
	y := float64(p.Base - a.level*levelStep)
	d.Path = fmt.Sprintf("M%.1f %dV%.1fQ%.1f %.1f %.1f %.1fH%.1fQ%.1f %.1f %.1f %.1fV%d",
		from, p.Base, y+6, from, y, from+turn, y, to-turn, to, y, to, y+6, p.Base-5)
	label((from+to)/2, y)
	return d
}

// round keeps a decimal.
func round(v float64) float64 { return float64(int64(v*10+0.5)) / 10 }

// pixels estimates how wide s is at a font size. Letters of scripts that
// fixed-width fonts lack come from fonts with wider ones.
func pixels(s string, size int) float64 {
	ems, state := 0.0, -1
	for s != "" {
		var cluster string
		var columns int
		cluster, s, columns, state = uniseg.FirstGraphemeClusterInString(s, state)
		ems += 0.605 * float64(columns)
		switch r, _ := utf8.DecodeRuneInString(cluster); {
		case r >= 0x700 && r < 0x1100, r >= 0x1200 && r < 0x1e00:
			ems += 0.3 + 0.15*float64(utf8.RuneCountInString(cluster))
		case r == 0xfdfd: // a whole phrase in one letter
			ems += 10
		case r >= 0xfdf0 && r < 0xfdfd: // whole words
			ems += 3
		}
	}
	return ems * float64(size)
}
