// Package calibrate turns the signals of a parse into the probabilities that a UPOS, a
// head, a head with its deprel, and a whole tree are right (Model.Apply). It also
// computes how many words of a sentence are expected to be right.
//
// Each probability comes from a logistic regression on the signals (Platt 2000). A
// small boosted forest adds to its log-odds what a linear function misses (Friedman
// 2001), for example the signals of neighbours in the sentence and in the tree. Fit
// learns both from parses of sentences with gold trees that the parser has not learned
// from. All values between the signals and the table of the sigmoid are integers.
package calibrate

import (
	"sync"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Model is a calibrator. It is read-only and safe for concurrent use.
type Model struct {
	tags, relations inventory // inventories with target encodings

	heads  function // whether a head is right
	labels function // whether a deprel is right, if its head is
	upos   function // whether a UPOS is right
	whole  function // whether a tree is right

	// A calibrator of many languages has lines for each of them (Of).
	languages inventory
	lines     []line // of function q of language k at functions*(k-1)+q

	// subtypeShare is the share, in 1/one, of deprels that are wrong only in their
	// subtype, among the wrong deprels with right heads. UD's LAS counts them as
	// right.
	subtypeShare int32
	// overdispersion is the variance of the number of right words in a
	// sentence, divided by the variance if words were right independently, in
	// 1/nat: of UPOS, of heads, and of heads with deprels.
	overdispersion [3]int32

	pool sync.Pool // *scratch
}

// A scratch holds the memory of one call of Apply.
type scratch struct {
	reader
	x row
}

// Apply sets the calibrated probabilities of a parsed sentence, and Expected.
// Probabilities are multiples of 1/4096 in [0,1], and no DeprelConf is above its
// HeadConf. A sentence without HeadMarginal or HeadMargin gets none; other signals may
// be missing. Apply reads the words, the candidates and the raw signals.
func (m *Model) Apply(s *syntax.Sentence) { m.ApplyGiven(s, nil, nil) }

// ApplyGiven is Apply for a sentence with some heads or deprels from the caller. heads
// and deprels, indexed by word minus 1 or nil, say which. Given columns count as right,
// and so does a tree that is given completely.
func (m *Model) ApplyGiven(s *syntax.Sentence, heads, deprels []bool) {
	c, n := &s.Confidence, len(s.Words)
	c.HeadConf, c.DeprelConf, c.UPOSConf, c.TreeConf, c.HasTreeConf = nil, nil, nil, 0, false
	c.Expected = syntax.Expected{}
	if !hasSignals(s) {
		return
	}
	sc, _ := m.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	sc.read(m, s)
	lists := make([]float32, 3*n)
	c.HeadConf, c.DeprelConf, c.UPOSConf = lists[:n:n], lists[n:2*n:2*n], lists[2*n:]
	sum, kept := summary{}, 0
	for i := range n {
		sc.word(&sc.x, s, i)
		p := m.ofWord(&sc.x, &sc.reader, i)
		if heads != nil && heads[i] {
			p.head = fine
			if deprels != nil && deprels[i] {
				kept++
				p.label = fine
			}
		}
		if s.TagsGiven {
			p.upos = fine
		}
		head, deprel, upos := toGrain(p.head), toGrain(p.both()), toGrain(p.upos)
		c.HeadConf[i], c.DeprelConf[i], c.UPOSConf[i] = float32(head)/one, float32(deprel)/one, float32(upos)/one
		sum.add(p)
		las := deprel + (head-deprel)*m.subtypeShare/one
		for k, right := range [...]int32{upos, head, las} {
			e := c.Expected.Estimates()[k]
			e.Right += int64(right)
			e.Variance += int64(right) * int64(one-right)
		}
	}
	c.Expected.Words = int64(n)
	for k, e := range c.Expected.Estimates() {
		e.Variance = e.Variance / one * int64(m.overdispersion[k]) / nat
	}
	c.HasTreeConf, c.TreeConf = true, 1
	if kept < n {
		sum.row(&sc.x, &sc.reader)
		c.TreeConf = float32(toGrain(m.whole.chance(m.whole.sum(&sc.x, wholeLinear), s.Segmented))) / one
	}
	m.pool.Put(sc) // but not after a panic, which leaves it as it is
}

func hasSignals(s *syntax.Sentence) bool {
	n := len(s.Words)
	return n > 0 && len(s.Confidence.HeadMarginal) == n && len(s.Confidence.HeadMargin) == n
}

// chances are the probabilities of a word, in units of 1/fine.
type chances struct{ head, label, upos int32 }

// both returns the probability that head and deprel are right.
func (p chances) both() int32 { return int32(int64(p.head) * int64(p.label) / fine) }

// ofWord returns the chances of word i, from 0, whose case is x.
func (m *Model) ofWord(x *row, r *reader, i int) chances {
	return m.chancesOf(m.oddsOfWord(x, r, i), x[segmented] != 0)
}

// oddsOfWord returns the log-odds of head, deprel and UPOS before curves.
func (m *Model) oddsOfWord(x *row, r *reader, i int) (z [3]int32) {
	m.heads.encode(x, r, i)
	z[0] = m.heads.sum(x, headLinear)
	m.labels.encode(x, r, i)
	z[1] = m.labels.sum(x, labelLinear)
	m.upos.encode(x, r, i)
	z[2] = m.upos.sum(x, uposLinear)
	return z
}

// chancesOf returns the chances that belong to log-odds before curves, of a word that the
// segmenter has found or of a given one.
func (m *Model) chancesOf(z [3]int32, segmented bool) chances {
	return chances{head: m.heads.chance(z[0], segmented), label: m.labels.chance(z[1], segmented),
		upos: m.upos.chance(z[2], segmented)}
}

// A function computes the log-odds of a case.
type function struct {
	linear []int32 // weights of 1 and of a list of features, in 1/one
	forest forest
	// Target encodings of UPOS, of deprels and of UPOS of heads, by number in the
	// inventory.
	tagTargets, labelTargets, headTargets []int32
	curve                                 curve // of the sum of line and forest
	language                              line  // of the result of the curve
	// The result of the line is multiplied by slope and moved by offset, both in units
	// of 1/one. Adapt sets them, for other text.
	slope, offset int32
	// bound is the largest absolute value of log-odds: n cases show no more than
	// that one in about n is otherwise (the rule of succession).
	bound int32
}

// encode sets the function's target encodings of word i, from 0.
func (f *function) encode(x *row, r *reader, i int) {
	x[tagTarget] = f.tagTargets[r.tags[i+1]]
	x[labelTarget] = f.labelTargets[r.names[i+1]]
	x[headTarget] = f.headTargets[r.tags[r.heads[i+1]]]
}

// sum returns the log-odds of a case before the curve, in units of 1/one.
func (f *function) sum(x *row, features []uint8) int32 {
	return min(max(f.line(x, features)+f.forest.sum(x), -limit), limit)
}

// chance returns the probability that belongs to a sum, in units of 1/fine.
func (f *function) chance(z int32, segmented bool) int32 {
	z = f.offset + int32(int64(f.before(z, segmented))*int64(f.slope)/one)
	return probability(min(max(z, -f.bound), f.bound))
}

// before returns the log-odds that belong to a sum, before slope and offset.
func (f *function) before(z int32, segmented bool) int32 {
	return f.language.at(f.curve.at(z), segmented)
}

func (f *function) line(x *row, features []uint8) int32 {
	z := int64(f.linear[0]) * nat
	for k, feature := range features {
		z += int64(f.linear[k+1]) * int64(x[feature%width])
	}
	return int32(min(max(z/one, -limit), limit))
}

// An inventory numbers strings from 1, sorted; 0 is any other.
type inventory struct {
	names   []string
	numbers map[string]int16
}

func (v *inventory) of(name string) int16 { return v.numbers[name] }

func newInventory(names []string) inventory {
	v := inventory{names, make(map[string]int16, len(names))}
	for i, name := range names {
		v.numbers[name] = int16(i + 1)
	}
	return v
}

func (v *inventory) layout(l *pack.Layout, name string) {
	l.Strings(name, &v.names)
	l.Check(name, len(v.names) <= mostNames, "holds too many names")
	if l.Reading() {
		*v = newInventory(v.names)
	}
}

// version is the version of the layout and of the features. A calibrator of
// another version is ignored and can be fitted again.
const version = 4

const (
	mostNames  = 1000
	mostWeight = 1 << 30
)

func (m *Model) layout(l *pack.Layout) {
	v := uint32(version)
	pack.Value(l, "version", &v)
	l.Check("version", v == version, "is of another version")
	m.tags.layout(l, "tags")
	m.relations.layout(l, "relations")
	for _, f := range []struct {
		name     string
		f        *function
		features []uint8
	}{{"heads", &m.heads, headLinear}, {"labels", &m.labels, labelLinear}, {"upos", &m.upos, uposLinear},
		{"whole", &m.whole, wholeLinear}} {
		l.Nested(f.name, func(l *pack.Layout) { f.f.layout(l, len(f.features), len(m.tags.names), len(m.relations.names)) })
	}
	pack.Value(l, "lenient", &m.subtypeShare)
	l.Check("lenient", m.subtypeShare >= 0 && m.subtypeShare <= one, "is out of range")
	ratios := m.overdispersion[:]
	pack.Array(l, "spread", &ratios)
	l.Check("spread", len(ratios) == len(m.overdispersion), "does not have three numbers")
	for _, x := range ratios {
		l.Check("spread", x >= 0 && x <= mostOverdispersion, "is out of range")
	}
	if l.Reading() {
		copy(m.overdispersion[:], ratios)
	}
	if l.Optional("languages", len(m.lines) > 0) {
		m.layoutLanguages(l)
	}
}

// mostOverdispersion keeps variances of whole corpora within an int64.
const mostOverdispersion = 64 * nat

func (f *function) layout(l *pack.Layout, features, tags, relations int) {
	pack.Array(l, "linear", &f.linear)
	l.Check("linear", len(f.linear) == features+1, "has another number of weights")
	within(l, "linear", f.linear, mostWeight)
	l.Nested("forest", f.forest.layout)
	for _, targets := range []struct {
		name string
		list *[]int32
		n    int
	}{{"tag-codes", &f.tagTargets, tags}, {"label-codes", &f.labelTargets, relations},
		{"head-codes", &f.headTargets, tags}} {
		pack.Array(l, targets.name, targets.list)
		l.Check(targets.name, len(*targets.list) == targets.n+1, "has another number of target encodings")
		within(l, targets.name, *targets.list, mostValue)
	}
	l.Nested("curve", f.curve.layout)
	moved := []int32{f.slope, f.offset}
	pack.Array(l, "line", &moved)
	l.Check("line", len(moved) == 2 && moved[0] >= 0, "is not a slope and an offset")
	within(l, "line", moved, limit)
	if l.Reading() {
		f.slope, f.offset = moved[0], moved[1]
	}
	if l.Optional("language", f.language != line{}) {
		lines := []line{f.language}
		layoutLines(l, "language", &lines)
		l.Check("language", len(lines) == 1, "is not one line")
		if l.Reading() {
			f.language = lines[0]
		}
	}
	pack.Value(l, "reach", &f.bound)
	l.Check("reach", f.bound >= 0 && f.bound <= limit, "is out of range")
}

// Pack stores the calibrator in s.
func (m *Model) Pack(s *pack.Sub) { pack.Write(s, m.layout) }

// Has reports whether the component is there and is a calibrator of this version of the
// program.
func Has(v *pack.View, component string) bool {
	found := uint32(0)
	return v.Has(component, "version") && pack.Read(v, component,
		func(l *pack.Layout) { pack.Value(l, "version", &found) }) == nil && found == version
}

// Open is the inverse of Pack. The calibrator aliases the bytes of v.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	return m, pack.Read(v, component, m.layout)
}
