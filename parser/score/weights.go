package score

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/linear"
	"github.com/treebeam/treebeam/parser/pack"
)

// Weights is a read-only table of quantised weights, used in place from the bytes of a
// model. It consists of lines of 64 bytes, a cache line each, with up to 16 features. A
// line has one byte of fingerprint for each feature, 0 where the line ends, then three
// bytes for each: 12 bits of fingerprint above a signed weight of 12 bits. The upper
// half of a key chooses its line; a feature that does not fit goes to the next line
// that is not full. So nearly every look-up touches one cache line. Keys of a template
// with and without a flag share the upper half, and so the line. A look-up compares
// sixteen bytes at once, and branches only if a byte of fingerprint agrees.
//
// A key that is not in the table matches the fingerprint of another about ten times in
// a million look-ups. Weights is safe for concurrent use.
type Weights struct {
	lines []uint64 // 8 a line; at most half full, and one line has room
	left  uint     // weight * 2^left / 2^right is in units of 1/Unit
	right uint
}

const (
	lineWords    = 8
	lineFeatures = 16
	weightBits   = 12
	top          = 1<<(weightBits-1) - 1 // largest quantised weight

	// ahead is how many keys are fetched before the first is looked at. A processor
	// that had to guess before every fetch would wait for memory one key at a time.
	ahead = 32
)

// Compact quantises the limit largest weights, by absolute value, that features
// yields. If not all weights equal to the smallest of these fit, all of them are left
// out. All weights share one scale (linear.Scale), and weights beyond its range are
// clipped. The result depends only on the features and weights, not on their order.
// features is called twice.
func Compact(features func(yield func(k hash.Key, weight float32)), limit int) *Weights {
	var sizes []float32
	features(func(_ hash.Key, w float32) {
		if w != 0 {
			sizes = append(sizes, max(w, -w))
		}
	})
	slices.Sort(sizes)
	floor := linear.Floor(sizes, limit)
	exp := max(0, min(linear.Scale(sizes[max(0, len(sizes)-limit):], top), 24)) // one step is 2^-exp
	type weight struct {
		key hash.Key
		q   int32
	}
	var kept []weight
	features(func(k hash.Key, w float32) {
		q := int32(max(-top, min(top, math.Round(math.Ldexp(float64(w), exp)))))
		if max(w, -w) > floor && q != 0 {
			kept = append(kept, weight{k, q})
		}
	})
	slices.SortFunc(kept, func(a, b weight) int { return cmp.Compare(a.key, b.key) })
	w := &Weights{left: uint(max(0, unitBits-exp)), right: uint(max(0, exp-unitBits))}
	w.lines = make([]uint64, lineWords*(len(kept)*2/lineFeatures+1))
	for _, x := range kept {
		w.insert(x.key, x.q)
	}
	return w
}

// split returns the line at which the search for a key begins, and the key's two
// fingerprints. The first is never 0.
func split(k hash.Key, lines uint64) (line uint64, first, second uint32) {
	return k >> 32 * lines >> 32, max(uint32(k)>>24, 1), uint32(k) >> 12 & 0xfff
}

func (w *Weights) insert(k uint64, q int32) {
	_, first, second := split(k, uint64(len(w.lines)/lineWords))
	if at, i, present := w.find(k); !present { // if two keys look alike, the smaller stays
		put(at, i, first, second, q)
	}
}

// with returns the weights of w plus share times the weights of features. The scale of
// w is kept: sums beyond its range are clipped, and changes of less than half a step
// are left out. Weights of w keep their places. New weights, the largest first, take at
// most half of the free places. The result does not depend on the order of features.
func (w *Weights) with(features func(yield func(k hash.Key, weight float32)), share float64) *Weights {
	if len(w.lines) == 0 {
		return w
	}
	type weight struct {
		key hash.Key
		q   int32
	}
	var list []weight
	scale := share * math.Ldexp(Unit, int(w.right)-int(w.left)) // steps in a weight of 1
	features(func(k hash.Key, x float32) {
		if q := int32(max(-2*top, min(2*top, math.Round(float64(x)*scale)))); q != 0 {
			list = append(list, weight{k, q})
		}
	})
	slices.SortFunc(list, func(a, b weight) int {
		return cmp.Or(cmp.Compare(max(b.q, -b.q), max(a.q, -a.q)), cmp.Compare(a.key, b.key))
	})
	out := &Weights{lines: slices.Clone(w.lines), left: w.left, right: w.right}
	free := 0
	for line := range slices.Chunk(out.lines, lineWords) {
		for i := range uint64(lineFeatures) {
			if byteAt(line, i) == 0 {
				free++
			}
		}
	}
	room := free / 2
	for _, x := range list {
		at, i, present := out.find(x.key)
		_, first, second := split(x.key, uint64(len(out.lines)/lineWords))
		switch {
		case present:
			put(at, i, first, second, max(-top, min(top, signed(entryAt(at, i))+x.q)))
		case room > 0:
			room--
			put(at, i, first, second, max(-top, min(top, x.q)))
		}
	}
	return out
}

// find returns the line and place of a key, or the free place where it would be.
func (w *Weights) find(k hash.Key) (at []uint64, i uint64, present bool) {
	n := uint64(len(w.lines) / lineWords)
	for line, first, second := split(k, n); ; line = (line + 1) % n {
		at := w.line(line)
		for i := range uint64(lineFeatures) {
			if b := byteAt(at, i); b == 0 || b == first && entryAt(at, i)>>weightBits == second {
				return at, i, b != 0
			}
		}
	}
}

func (w *Weights) line(i uint64) []uint64 { return w.lines[i*lineWords : (i+1)*lineWords] }

func byteAt(line []uint64, i uint64) uint32 { return uint32(line[i/8]>>(i%8*8)) & 0xff }

// entryAt returns the three bytes of feature i of a line.
func entryAt(line []uint64, i uint64) uint32 {
	bit := i * 24
	low := line[2+bit/64] >> (bit % 64)
	if bit%64 > 40 {
		low |= line[3+bit/64] << (64 - bit%64)
	}
	return uint32(low) & 0xffffff
}

// put writes feature i of a line, over what is there.
func put(line []uint64, i uint64, first, second uint32, q int32) {
	const mask = 1<<24 - 1
	line[i/8] = line[i/8]&^(0xff<<(i%8*8)) | uint64(first)<<(i%8*8)
	e, bit := uint64(second<<weightBits|uint32(q)&(1<<weightBits-1)), i*24
	line[2+bit/64] = line[2+bit/64]&^(mask<<(bit%64)) | e<<(bit%64)
	if bit%64 > 40 {
		line[3+bit/64] = line[3+bit/64]&^(mask>>(64-bit%64)) | e>>(64-bit%64)
	}
}

const (
	ones   = 0x0101010101010101
	sevens = 0x7f7f7f7f7f7f7f7f
)

// zeros returns a word with the top bit of every zero byte of x set.
func zeros(x uint64) uint64 { return ^((x&sevens + sevens) | x | sevens) }

// Sum implements Scorer.
func (w *Weights) Sum(keys []hash.Key) int32 {
	ends, sums := [1]int32{int32(len(keys))}, [1]int32{}
	w.SumParts(keys, ends[:], sums[:])
	return sums[0]
}

// SumParts implements Scorer.
func (w *Weights) SumParts(keys []hash.Key, ends, sums []int32) {
	var low, high [ahead]uint64
	lines := w.lines
	n := uint64(len(lines) / lineWords)
	part, sum, done := 0, int32(0), 0
	for done < len(keys) {
		batch := keys[done:min(len(keys), done+ahead)]
		linear.Prefetch(lines, lineWords, keys[done+len(batch):])
		for j, k := range batch {
			at := k >> 32 * n >> 32 * lineWords
			low[j%ahead], high[j%ahead] = lines[at], lines[at+1]
		}
		for j, k := range batch {
			for done+j == int(ends[part]) {
				sums[part], sum = sum<<w.left>>w.right, 0
				part++
			}
			line, first, second := split(k, n)
			wanted := uint64(first) * ones
			l, h := low[j%ahead], high[j%ahead]
			a, b := zeros(l^wanted), zeros(h^wanted)
			if a|b != 0 {
				if e := match(lines[line*lineWords:(line+1)*lineWords], a, b, second); e != 0 {
					sum += e
					continue
				}
			}
			if h>>56 != 0 { // the line is full
				sum += w.beyond(line, first, second)
			}
		}
		done += len(batch)
	}
	for ; part < len(ends); part++ {
		sums[part], sum = sum<<w.left>>w.right, 0
	}
}

// match looks for the second fingerprint among the features of a line whose first
// fingerprint agrees. The top bits in a and b mark these features. match returns the
// weight, or 0 if it finds none: no feature has the weight 0.
func match(line []uint64, a, b uint64, second uint32) int32 {
	for ; a != 0; a &= a - 1 {
		if e := entryAt(line, uint64(bits.TrailingZeros64(a)/8)); e>>weightBits == second {
			return signed(e)
		}
	}
	for ; b != 0; b &= b - 1 {
		if e := entryAt(line, uint64(8+bits.TrailingZeros64(b)/8)); e>>weightBits == second {
			return signed(e)
		}
	}
	return 0
}

func signed(e uint32) int32 { return int32(e<<(32-weightBits)) >> (32 - weightBits) }

// beyond continues a look-up after a full line.
func (w *Weights) beyond(line uint64, first, second uint32) int32 {
	n := uint64(len(w.lines) / lineWords)
	wanted := uint64(first) * ones
	for {
		line = (line + 1) % n
		at := w.line(line)
		e := match(at, zeros(at[0]^wanted), zeros(at[1]^wanted), second)
		if e != 0 || at[1]>>56 == 0 {
			return e
		}
	}
}

// endless reports whether all lines are full, so that a look-up would not end.
func endless(lines []uint64) bool {
	for line := range slices.Chunk(lines, lineWords) {
		if line[1]>>56 == 0 {
			return false
		}
	}
	return true
}

// Layout names the sections of w.
func (w *Weights) Layout(l *pack.Layout, name string) {
	scale := []uint8{uint8(w.left), uint8(w.right)}
	l.Nested(name, func(l *pack.Layout) {
		pack.Array(l, "lines", &w.lines)
		pack.Array(l, "scale", &scale)
		l.Check("scale", len(scale) == 2 && scale[0] <= 12 && scale[1] <= 12, "is no scale")
		l.Check("lines", len(w.lines)%lineWords == 0 && !endless(w.lines), "has a wrong length, or no empty place")
		if l.Reading() {
			w.left, w.right = uint(scale[0]), uint(scale[1])
		}
	})
}
