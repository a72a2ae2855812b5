package tensor

import (
	"bytes"
	"encoding/gob"
	"math"
	"unsafe"

	"github.com/treebeam/treebeam/parser/feature"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Fixed point of a Model. Bounds are such that no sum of Arc can overflow.
const (
	fixedBits    = 16                // U, V, projections and W are in units of 2^-16
	maxShift     = 17                // a row's scale is at most 2^(17-16)
	maxProjected = 256 << fixedBits  // projections are cut to this
	maxW         = 64<<fixedBits - 1 // so is W
	unitBits     = 12                // score.Unit is 2^12
	maxScore     = 1 << 24           // of an arc, in units of 1/score.Unit
)

// The shift of Arc is right: a negative constant would not compile.
const _ = uint(score.Unit-1<<unitBits) + uint(1<<unitBits-score.Unit)

// No projection overflows: a position adds up one row for every feature of its
// word and one for each of three vectors.
const _ = uint(math.MaxInt32 - (feature.WordKinds+2*syntax.MaxFeats+3)<<(7+maxShift))

// A Model is a tensor whose training is over: 8-bit rows with a power of two
// as scale each, integers throughout. Row f of U is
// U[f*rank : (f+1)*rank] << shift[2*f], in units of 2^-16, row f of V likewise
// with shift[2*f+1]. Rows are those of dict, then three for every word of the
// lexicon, of the word to the left, the word and the one to the right: the
// dimensions of its vector, summed up. W is in units of 2^-16, times 1-gamma.
type Model struct {
	rank    int
	dict    dictionary
	lexicon lexicon
	u, v    []int8
	shift   []uint8
	w       []int32 // [bin*rank + r]
}

// quantise makes a Model of f.
func quantise(f *factors, dict *dictionary, gamma float64, vectors *Vectors) *Model {
	R := f.rank
	m := &Model{rank: R, dict: *dict, lexicon: vectors.lexiconOf()}
	rows := m.rows()
	m.u, m.v, m.shift = make([]int8, rows*R), make([]int8, rows*R), make([]uint8, 2*rows)
	put := func(row int, u, v []float64) {
		m.shift[2*row] = quantiseRow(u, m.u[row*R:][:R])
		m.shift[2*row+1] = quantiseRow(v, m.v[row*R:][:R])
	}
	for row := range dict.n {
		put(row, f.U[row*R:][:R], f.V[row*R:][:R])
	}
	u, v := make([]float64, R), make([]float64, R)
	dim := vectors.dim()
	for block := range 3 {
		for word := range m.lexicon.size() {
			clear(u)
			clear(v)
			for d, x := range vectors.of(int32(word)) {
				at := (dict.n + block*dim + d) * R
				axpy(float64(x), f.U[at:][:R], u)
				axpy(float64(x), f.V[at:][:R], v)
			}
			put(dict.n+block*m.lexicon.size()+word, u, v)
		}
	}
	m.w = make([]int32, Bins*R)
	for i, x := range f.W {
		m.w[i] = int32(math.Round(max(-maxW, min(maxW, math.Ldexp((1-gamma)*x, fixedBits)))))
	}
	return m
}

// quantiseRow writes the row with the smallest scale that holds it.
func quantiseRow(row []float64, q []int8) (shift uint8) {
	largest := 0.0
	for _, x := range row {
		largest = max(largest, math.Abs(x))
	}
	for shift < maxShift && math.Ldexp(largest, fixedBits-int(shift)) > 127 {
		shift++
	}
	for i, x := range row {
		q[i] = int8(math.Round(max(-127, min(127, math.Ldexp(x, fixedBits-int(shift))))))
	}
	return shift
}

func (m *Model) rows() int { return m.dict.n + 3*m.lexicon.size() }

// Project implements Scorer.
func (m *Model) Project(c *feature.Codes, s *syntax.Sentence, p *Projection) (lookups int) {
	R := m.rank
	p.rank = R
	p.head, p.modifier = resize(p.head, (c.N+1)*R), resize(p.modifier, (c.N+1)*R)
	clear(p.head)
	clear(p.modifier)
	for pos := 0; pos <= c.N; pos++ {
		p.keys = c.Word(pos, p.keys[:0])
		lookups += len(p.keys)
		for _, k := range p.keys {
			if row := m.dict.row(k); row >= 0 {
				m.addRow(p, pos, int(row))
			}
		}
		for block := range 3 {
			if word := m.lexicon.at(s, pos+block-1); word >= 0 {
				m.addRow(p, pos, m.dict.n+block*m.lexicon.size()+int(word))
			}
		}
	}
	for _, a := range [...][]int32{p.head, p.modifier} {
		for i, x := range a {
			a[i] = max(-maxProjected, min(maxProjected, x))
		}
	}
	return lookups
}

// addRow adds a row of U and V to the projections of a position.
func (m *Model) addRow(p *Projection, pos, row int) {
	R := m.rank
	head, modifier := p.head[pos*R:][:R], p.modifier[pos*R:][:R]
	a, b := m.shift[2*row]&31, m.shift[2*row+1]&31
	v := m.v[row*R:][:R]
	for r, x := range m.u[row*R:][:R] {
		head[r] += int32(x) << a
		modifier[r] += int32(v[r]) << b
	}
}

// Arc implements Scorer.
func (m *Model) Arc(p *Projection, h, mod int) int32 {
	R := m.rank
	u, v := p.head[h*R:][:R], p.modifier[mod*R:][:R]
	w0, w := m.w[:R], m.w[int(feature.Distance(h, mod))*R:][:R]
	sum := int64(0)
	for r, x := range u {
		sum += int64(x) * int64(v[r]) >> fixedBits * int64(w0[r]+w[r])
	}
	const drop = 2*fixedBits - unitBits
	return int32(max(-maxScore, min(maxScore, (sum+1<<(drop-1))>>drop)))
}

// Pack stores the model.
func (m *Model) Pack(s *pack.Sub) {
	m.dict.pack(s, "tensor.rows")
	m.lexicon.pack(s)
	pack.Put(s, "tensor.u", m.u)
	pack.Put(s, "tensor.v", m.v)
	pack.Put(s, "tensor.shift", m.shift)
	pack.Put(s, "tensor.w", m.w)
}

// Packed reports whether a component holds a tensor.
func Packed(v *pack.View, component string) bool { return v.Has(component, "tensor.w") }

// Open is the inverse of Pack.
func Open(v *pack.View, component string) (*Model, error) {
	m := &Model{}
	var err error
	if m.dict, err = openDictionary(v, component, "tensor.rows"); err != nil {
		return nil, err
	}
	if m.lexicon, err = openLexicon(v, component); err != nil {
		return nil, err
	}
	if m.u, err = pack.Get[int8](v, component, "tensor.u"); err != nil {
		return nil, err
	}
	if m.v, err = pack.Get[int8](v, component, "tensor.v"); err != nil {
		return nil, err
	}
	if m.shift, err = pack.Get[uint8](v, component, "tensor.shift"); err != nil {
		return nil, err
	}
	if m.w, err = pack.Get[int32](v, component, "tensor.w"); err != nil {
		return nil, err
	}
	m.rank = len(m.w) / Bins
	rows := m.rows()
	if m.rank < 1 || m.rank > maxRank || len(m.w) != Bins*m.rank ||
		len(m.u) != rows*m.rank || len(m.v) != len(m.u) || len(m.shift) != 2*rows {
		return nil, feature.ErrDamaged(component + ".tensor.w")
	}
	for _, x := range m.shift {
		if x > maxShift {
			return nil, feature.ErrDamaged(component + ".tensor.shift")
		}
	}
	for _, x := range m.w {
		if x > maxW || x < -maxW {
			return nil, feature.ErrDamaged(component + ".tensor.w")
		}
	}
	return m, nil
}

// GobEncode writes m for a checkpoint.
func (m *Model) GobEncode() ([]byte, error) {
	var b pack.Builder
	m.Pack(b.Sub("t"))
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(b.Sections)
	return out.Bytes(), err
}

// GobDecode is the inverse of GobEncode.
func (m *Model) GobDecode(data []byte) error {
	var list []pack.Section
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&list); err != nil {
		return err
	}
	for i, s := range list { // a View wants data at multiples of 8
		words := make([]uint64, len(s.Data)/8+1)
		list[i].Data = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(s.Data))
		copy(list[i].Data, s.Data)
	}
	back, err := Open(pack.NewView(list), "t")
	if err != nil {
		return err
	}
	*m = *back
	return nil
}
