package calibrate

import (
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
)

// A calibrator of many languages is fitted to all of them, because each has few examples. On
// top, each has a line for every function: an offset for all words, another one for words
// that the segmenter has found, which is less often right in some languages than in others,
// and a factor. Text in no known language has none.

// functions is the number of functions of a Model.
const functions = 4

// functions returns the functions of the model: of words, then of trees.
func (m *Model) functions() [functions]*function {
	return [functions]*function{&m.heads, &m.labels, &m.upos, &m.whole}
}

// A line corrects the log-odds z: they become z*(1+slope) + offset, and + segmented for
// words that the segmenter has found. All are in units of 1/one. The zero value changes
// nothing.
type line struct{ slope, offset, segmented int32 }

func (x line) at(z int32, segmented bool) int32 {
	z += int32(int64(z)*int64(x.slope)/one) + x.offset
	if segmented {
		z += x.segmented
	}
	return min(max(z, -limit), limit)
}

// lineNumbers is the number of numbers of a line.
const lineNumbers = 3

// mostLine is the largest number of a line.
const mostLine = 4 * one

// languageRidge pulls the numbers of a line to 0, in cases of weight 1.
const languageRidge = 50

// Of returns the calibrator for a language, or m if m does not know it.
func (m *Model) Of(language string) *Model {
	k := m.languages.of(language)
	if k == 0 {
		return m
	}
	out := m.copy()
	for q, f := range out.functions() {
		f.language = m.lines[functions*(int(k)-1)+q]
	}
	return out
}

// copy returns a copy without lines for other languages. It shares what it does not change.
func (m *Model) copy() *Model {
	return &Model{tags: m.tags, relations: m.relations, heads: m.heads, labels: m.labels, upos: m.upos, whole: m.whole,
		subtypeShare: m.subtypeShare, overdispersion: m.overdispersion}
}

// setLanguages makes lines that change nothing for the languages of the examples, if there
// are several.
func (m *Model) setLanguages(examples []Example) {
	var codes []string
	for k := range examples {
		codes = append(codes, examples[k].Language)
	}
	slices.Sort(codes)
	if codes = slices.Compact(codes); len(codes) > 1 {
		m.languages, m.lines = newInventory(codes), make([]line, functions*len(codes))
	}
}

// A lineFit collects the cases of function q by language, for its lines.
type lineFit struct {
	m       *Model
	q       int
	samples [][]sample // by number of the language
}

func (m *Model) newLineFit(q int) *lineFit {
	return &lineFit{m, q, make([][]sample, len(m.languages.names)+1)}
}

// add adds a case with sum z.
func (x *lineFit) add(e *Example, z int32, right bool) {
	of := []float64{1, float64(x.m.functions()[x.q].curve.at(z)) / one, 0}
	if e.Sentence.Segmented {
		of[2] = 1
	}
	k := x.m.languages.of(e.Language)
	x.samples[k] = append(x.samples[k], sample{of, right, float64(e.Weight) / weightOne})
}

// fit sets the lines. None turns certain into doubtful.
func (x *lineFit) fit() {
	for k, samples := range x.samples[1:] {
		w := []float64{0, 1, 0}
		fit(w, samples, languageRidge)
		number := func(v float64) int32 { return int32(nearest(min(max(v*one, -mostLine), mostLine))) }
		x.m.lines[functions*k+x.q] = line{number(max(w[1], 0) - 1), number(w[0]), number(w[2])}
	}
}

func (m *Model) layoutLanguages(l *pack.Layout) {
	m.languages.layout(l, "languages")
	layoutLines(l, "lines", &m.lines)
	l.Check("lines", len(m.lines) == functions*len(m.languages.names), "does not fit the languages")
}

// layoutLines writes or reads lines.
func layoutLines(l *pack.Layout, name string, lines *[]line) {
	var numbers []int32
	for _, x := range *lines {
		numbers = append(numbers, x.slope, x.offset, x.segmented)
	}
	pack.Array(l, name, &numbers)
	l.Check(name, len(numbers)%lineNumbers == 0, "holds no whole lines")
	within(l, name, numbers, mostLine)
	if l.Reading() {
		*lines = nil
		for x := range slices.Chunk(numbers, lineNumbers) {
			*lines = append(*lines, line{x[0], x[1], x[2]})
		}
	}
}
