package encode

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/piece"
	"github.com/treebeam/treebeam/parser/syntax"
)

// many returns an encoder of three banks with coarse vectors, and heads.
func many(seed uint64) (*Params, *Heads) {
	p, h := random(small, seed)
	p.Coarse, p.Word = NewCodes(p.Word, p.Width, 15), nil
	p.Banks = []string{"aa", "bb", Anywhere}
	r := hash.Rand(seed + 1)
	for range 3 * p.Width {
		p.Bank = append(p.Bank, float32(2*r.Float()-1))
	}
	return p, h
}

// A bank is added to the embedding of every piece: an encoder without banks whose
// positions have the vector of a bank gives nearly the same.
func TestBanks(t *testing.T) {
	p, h := many(21)
	m := quantized(t, p, h)
	if got := m.banks; !slices.Equal(got, p.Banks) {
		t.Errorf("banks %v", got)
	}
	ids := []int32{0, 7, 20, 33, 39, 1}
	for i, bank := range append(p.Banks, "unheard of") {
		plain := *p
		plain.Banks, plain.Bank, plain.Coarse, plain.Word = nil, nil, nil, p.Coarse.Floats()
		plain.Position = slices.Clone(p.Position)
		for k := range plain.Position {
			plain.Position[k] += p.Bank[min(i, 2)*p.Width+k%p.Width]
		}
		levels := plain.levels(ids)
		got := m.Of(bank).Hidden(ids)
		for k, want := range levels[len(levels)-1] {
			if c := cosine(got[k*p.Width:(k+1)*p.Width], want); !(c > 0.995) {
				t.Errorf("bank %s, token %d: cosine %v", bank, k, c)
			}
		}
	}
	if slices.Equal(m.Of("aa").Hidden(ids), m.Of("bb").Hidden(ids)) {
		t.Error("two banks give the same")
	}
}

// reloaded returns the integers of an encoder that was saved and loaded, in floats and in
// integers.
func reloaded(t *testing.T, p *Params, h *Heads) *Model {
	t.Helper()
	var b pack.Builder
	pack.Write(b.Sub("tuned"), func(l *pack.Layout) { LayoutTuned(l, p, h) })
	q, g := new(Params), new(Heads)
	if err := pack.Read(pack.NewView(b.Sections), "tuned", func(l *pack.Layout) { LayoutTuned(l, q, g) }); err != nil {
		t.Fatal(err)
	}
	m, err := Open(pack.NewView(packed(quantized(t, q, g))), "encode")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What is saved, in integers and in floats, gives the same again, in every bank.
func TestSaveAndLoadBanks(t *testing.T) {
	p, h := many(22)
	fresh := quantized(t, p, h)
	loaded := reloaded(t, p, h)
	r := hash.Rand(3)
	for _, bank := range p.Banks {
		x := sentence(&r, 8, small.pieces, 3)
		y := &syntax.Sentence{Words: x.Words}
		fresh.Of(bank).Encode([]*syntax.Sentence{x})
		loaded.Of(bank).Bind(h.Labels, nil, nil).Encode([]*syntax.Sentence{y})
		if !reflect.DeepEqual(x.Dense, y.Dense) || len(x.Dense.Arcs) == 0 {
			t.Errorf("%s: what was loaded scores differently", bank)
		}
	}
}

// Codes are as near to numbers of a normal distribution as Max (1960) says: with 4 bits
// within 1 % of their square, with 2 bits within 12 %.
func TestCodes(t *testing.T) {
	r := hash.Rand(5)
	const rows, width, fine = 200, 64, 100
	floats := make([]float32, rows*width)
	for i := range floats {
		sum := -6.0
		for range 12 {
			sum += r.Float()
		}
		floats[i] = float32(sum) * float32(i/width+1)
	}
	c := NewCodes(floats, width, fine)
	got := c.Floats()
	for _, part := range []struct {
		lo, hi int
		least  float64
		most   float64
	}{{0, fine, 0.003, 0.015}, {fine, rows, 0.09, 0.14}} {
		off, all := 0.0, 0.0
		for i := part.lo * width; i < part.hi*width; i++ {
			off += math.Pow(float64(got[i]-floats[i]), 2)
			all += math.Pow(float64(floats[i]), 2)
		}
		if share := off / all; share < part.least || share > part.most {
			t.Errorf("rows %d to %d are off by %.4f of their squares", part.lo, part.hi, share)
		}
	}
	// Every number becomes the nearest level.
	for i, x := range floats {
		levels, scale := coarseLevels[:], c.scales[i/width]
		if i/width < fine {
			levels = fineLevels[:]
		}
		for _, l := range levels {
			if d := math.Abs(float64(float32(l*scale) - x)); d < math.Abs(float64(got[i]-x))*0.9999 {
				t.Fatalf("element %d: %v became %v, and %v is nearer", i, x, got[i], l*scale)
			}
		}
	}
}

// An encoder whose pieces are in lowercase has a vector for each case.
func TestCase(t *testing.T) {
	p, h := random(small, 23)
	p.Pieces.Lower = true
	p.Case = make([]float32, int(piece.Cases)*p.Width)
	r := hash.Rand(4)
	for i := range p.Case {
		p.Case[i] = float32(r.Float() - 0.5)
	}
	m := quantized(t, p, h)
	loaded := reloaded(t, p, h)
	if got, _ := m.Floats(); !slices.Equal(got.Case, p.Case) {
		t.Error("the floats of the integers have other vectors of case")
	}
	var before []float32
	for _, form := range []string{"ab", "Ab", "AB", "aB"} {
		ids := p.Pieces.Word([]int32{p.Pieces.Begin}, form, true)
		hidden := m.Hidden(ids)
		if slices.Equal(hidden, before) {
			t.Errorf("%s is read as the form before", form)
		}
		if !slices.Equal(loaded.Hidden(ids), hidden) {
			t.Errorf("%s: what was loaded gives other vectors", form)
		}
		levels := p.levels(ids)
		for k, want := range levels[len(levels)-1] {
			if c := cosine(hidden[k*p.Width:(k+1)*p.Width], want); !(c > 0.995) {
				t.Errorf("%s, piece %d: cosine %v", form, k, c)
			}
		}
		before = hidden
	}
}

// Of an encoder with coarse vectors, the first ones stay, and the others are those of Codes, also
// from a file.
func TestCoarse(t *testing.T) {
	p, h := random(small, 24)
	full := quantized(t, p, h)
	const exact, fine = 9, 5
	w := small.Width
	whole, _ := full.Floats()
	want := append(slices.Clone(whole.Word[:exact*w]), NewCodes(whole.Word[exact*w:], w, fine).Floats()...)
	for name, m := range map[string]*Model{"made": full.Coarse(exact, fine), "read": reread(t, full.Coarse(exact, fine))} {
		if got, _ := m.Floats(); got.Coarse != nil || !slices.Equal(got.Word, want) {
			t.Errorf("%s: other vectors", name)
		}
		ids := []int32{0, exact - 1, 5, 1}
		if !slices.Equal(m.Hidden(ids), full.Hidden(ids)) {
			t.Errorf("%s: other results for the first pieces", name)
		}
		if ids[2] = exact; slices.Equal(m.Hidden(ids), full.Hidden(ids)) {
			t.Errorf("%s: the other pieces are not coarse", name)
		}
	}
	if got, _ := reread(t, full.Coarse(0, fine)).Floats(); got.Coarse == nil || len(got.Word) > 0 {
		t.Error("without first pieces, the vectors are not coarse")
	}
}

// reread returns a model from its file.
func reread(t *testing.T, m *Model) *Model {
	t.Helper()
	var b pack.Builder
	m.Pack(b.Sub("encode"))
	again, err := Open(pack.NewView(b.Sections), "encode")
	if err != nil {
		t.Fatal(err)
	}
	return again
}
