package prune

import "github.com/treebeam/treebeam/parser/feature"

// The coarse pruner scores every pair of words by dense tables over tags,
// the commonest words and the distance, without hashing. All that depends on
// one end of an arc and on the tag, or the distance, of the other is added up
// once a word, in rows; what is left to a pair is a few look-ups. Scores are
// log-odds in 1/coarseUnit nat.
const (
	coarseHeads  = 8
	coarseMargin = 8 * coarseUnit // heads this far below the best are dropped
	coarseUnit   = 16             // integer value of one nat
)

const (
	k         = feature.CoarseTags
	fineTags  = 256
	tagRow    = 2 * k         // direction, coarse tag of the other end
	distances = 12            // bins of the distance to one side
	farRow    = 2 * distances // direction, bin
	lexicon   = 4096          // slots of the lexicon; one more is for other words
)

// A rowTable is one table of rows: contexts of one end of an arc, in the
// order of contexts (see there), each a row of weights.
type rowTable struct {
	at, width int // offset of the table; weights in a row
}

// Contexts of a word that have tables, in this order.
const (
	ctxTag       = iota // coarse tags of the two words to the left and of the word
	ctxAround           // coarse tags of the word and its neighbours
	ctxRight            // coarse tags of the word and of the two to the right
	ctxFine             // fine tag
	ctxLemma            // lemma, if in the lexicon
	ctxForm             // form, likewise
	tagContexts         // the tables above have rows by tag
	ctxFineFar   = iota - 1
	ctxAroundFar // as above, with rows by distance
	ctxLemmaFar
	ctxFormFar
	contexts
)

var contextSize = [contexts]int{
	k * k * k, k * k * k, k * k * k, fineTags, lexicon + 1, lexicon + 1,
	fineTags, k * k * k, lexicon + 1, lexicon + 1,
}

// Tables of pairs, behind those of the two ends.
var (
	headTables, modifierTables [contexts]rowTable

	tabDistance int // coarse m, coarse h, direction, bin
	tabFine     int // fine m, fine h, direction
	tabBetween  int // coarse m, coarse h, direction, kind
	tableSize   int
)

func init() {
	at := 0
	for _, tables := range []*[contexts]rowTable{&headTables, &modifierTables} {
		for i, size := range contextSize {
			width := tagRow
			if i >= tagContexts {
				width = farRow
			}
			tables[i] = rowTable{at, width}
			at += size * width
		}
	}
	tabDistance = at
	tabFine = tabDistance + k*k*farRow
	tabBetween = tabFine + fineTags*fineTags*2
	tableSize = tabBetween + k*k*2*between
}

const between = 6 * 18

// farBin is the bin of a distance of at least 1.
var farBin = func() (bin [64]uint8) {
	for d := range bin {
		switch {
		case d <= 6:
			bin[d] = uint8(max(d, 1) - 1)
		case d <= 8:
			bin[d] = 6
		case d <= 11:
			bin[d] = 7
		case d <= 15:
			bin[d] = 8
		case d <= 22:
			bin[d] = 9
		case d <= 35:
			bin[d] = 10
		default:
			bin[d] = 11
		}
	}
	return bin
}()

// A context holds what the coarse pruner knows of the words of a sentence.
type context struct {
	rows   [][contexts]int32 // by position 0..n: the row of every table, as a number
	verbs  []int32           // number of verbs at positions <= p
	commas []int32
	nouns  []int32
	same   []int32 // [tag*(n+1)+p]: number of words with the tag at positions <= p

	headTag, modifierTag []int32 // tagRow by position: sums of rows
	headFar, modifierFar []int32 // farRow by position
}

// fill prepares x for the sentence in c; words is the lexicon.
func (x *context) fill(c *feature.Codes, words []uint32) {
	n := c.N
	x.verbs, x.commas, x.nouns = resize(x.verbs, n+1), resize(x.commas, n+1), resize(x.nouns, n+1)
	x.same = resize(x.same, k*(n+1))
	x.rows = resize(x.rows, n+1)
	for t := 0; t < k; t++ {
		x.same[t*(n+1)] = 0
	}
	x.verbs[0], x.commas[0], x.nouns[0] = 0, 0, 0
	for p := 0; p <= n; p++ {
		i := p + 1
		t := int32(c.Coarse[i])
		l1, r1 := int32(c.Coarse[i-1]), int32(k-1)
		l2, r2 := int32(k-1), int32(k-1)
		if p > 0 {
			l2 = int32(c.Coarse[i-2])
		}
		r1 = int32(c.Coarse[i+1])
		if p < n {
			r2 = int32(c.Coarse[i+2])
		}
		around := (l1*k+t)*k + r1
		fine := int32(c.Fine[i])
		lemma, form := slot(words, c.Lemma[i]), slot(words, c.Form[i]^formSalt)
		x.rows[p] = [contexts]int32{(l2*k+l1)*k + t, around, (t*k+r1)*k + r2, fine, lemma, form, fine, around, lemma, form}
		if p == 0 {
			continue
		}
		v, comma, noun := c.Clause(p)
		x.verbs[p], x.commas[p], x.nouns[p] = x.verbs[p-1]+v, x.commas[p-1]+comma, x.nouns[p-1]+noun
		for u := 0; u < k; u++ {
			x.same[u*(n+1)+p] = x.same[u*(n+1)+p-1]
		}
		x.same[int(t)*(n+1)+p]++
	}
}

// A pair is where the tables are read for an arc h -> m.
type pair struct {
	tag, far                   int // into the rows of h, of m
	modTag                     int
	distance, fine, betweenRow int
}

// pair returns the places of the arc h -> m, h != m.
func (x *context) pair(c *feature.Codes, h, m int) (p pair) {
	i, j := h+1, m+1
	ch, cm := int(c.Coarse[i]), int(c.Coarse[j])
	lo, hi, dir, d := m, h-1, 0, h-m
	if h < m {
		lo, hi, dir, d = h, m-1, 1, m-h
	}
	far := dir*distances + int(farBin[min(d, len(farBin)-1)])
	same := x.same[ch*(c.N+1):]
	b := int(min(x.verbs[hi]-x.verbs[lo], 2))*6 + int(min(x.commas[hi]-x.commas[lo], 2))*2 + int(min(x.nouns[hi]-x.nouns[lo], 1))
	twin := x.same[cm*(c.N+1):]
	b = (b*3+int(min(same[hi]-same[lo], 2)))*2 + int(min(twin[hi]-twin[lo], 1))
	mh := cm*k + ch
	return pair{
		tag: dir*k + cm, modTag: dir*k + ch, far: far,
		distance:   tabDistance + mh*farRow + far,
		fine:       tabFine + (int(c.Fine[j])*fineTags+int(c.Fine[i]))*2 + dir,
		betweenRow: tabBetween + (mh*2+dir)*between + b,
	}
}

const formSalt = 0x5bd1e9955bd1e995

// slot returns the place of a word in the lexicon, or lexicon if it is not there.
func slot(words []uint32, code uint64) int32 {
	h := uint32(code>>32) | 1
	i := h * 0x9E3779B1 >> (32 - 12)
	for words[i] != 0 {
		if words[i] == h {
			return int32(i)
		}
		i = (i + 1) & (lexicon - 1)
	}
	return lexicon
}

// addUp fills the sums of rows.
func (x *context) addUp(n int, w []int8) {
	x.headTag, x.modifierTag = resize(x.headTag, tagRow*(n+1)), resize(x.modifierTag, tagRow*(n+1))
	x.headFar, x.modifierFar = resize(x.headFar, farRow*(n+1)), resize(x.modifierFar, farRow*(n+1))
	for p := 0; p <= n; p++ {
		r := &x.rows[p]
		sumRows(x.headTag[p*tagRow:][:tagRow], w, r[:tagContexts], headTables[:tagContexts])
		sumRows(x.headFar[p*farRow:][:farRow], w, r[tagContexts:], headTables[tagContexts:])
		if p > 0 {
			sumRows(x.modifierTag[p*tagRow:][:tagRow], w, r[:tagContexts], modifierTables[:tagContexts])
			sumRows(x.modifierFar[p*farRow:][:farRow], w, r[tagContexts:], modifierTables[tagContexts:])
		}
	}
}

func sumRows(to []int32, w []int8, rows []int32, tables []rowTable) {
	for i, t := range tables {
		row := w[t.at+int(rows[i])*t.width:][:len(to)]
		if i == 0 {
			for j, v := range row {
				to[j] = int32(v)
			}
			continue
		}
		for j, v := range row {
			to[j] += int32(v)
		}
	}
}

// score returns the coarse score of the arc h -> m.
func (x *context) score(c *feature.Codes, w []int8, h, m int) int32 {
	p := x.pair(c, h, m)
	return x.headTag[h*tagRow+p.tag] + x.modifierTag[m*tagRow+p.modTag] +
		x.headFar[h*farRow+p.far] + x.modifierFar[m*farRow+p.far] +
		int32(w[p.distance]) + int32(w[p.fine]) + int32(w[p.betweenRow])
}

// What Count counts: a row is one look-up, and a sum of rows is none.
const (
	lookupsPerPair = 3
	lookupsPerWord = 2 * int(contexts)
)

func resize[T any](a []T, n int) []T {
	if cap(a) < n {
		return make([]T, n, n+n/2)
	}
	return a[:n]
}
