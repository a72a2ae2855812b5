package tag

import (
	"math"
	"math/rand/v2"
)

// A problem is the training data of one layer: sequences of words with
// their features and gold labels.
type problem struct {
	labels  *labels
	index   *index
	start   []int32 // words of sequence s are start[s]:start[s+1]
	idStart []int32 // features of word w are ids[idStart[w]:idStart[w+1]]
	ids     []int32
	nEdge   int      // features of a word with the primary before, per word
	edge    []uint64 // their keys, nEdge per word
	edgeIDs []int32  // their numbers or -1, by word, key and primary before
	gold    []uint16
	allowed [][]uint16 // labels that a word may get; shared between words
	second  bool       // score three primaries in a row
}

// settings of learning.
type settings struct {
	epochs  int
	beam    int
	limit   float64 // of a step, PA-I's C
	dropout float64 // share of features left out of a word
	seed    uint64
}

// A cell is the weight of a feature for a part.
type cell struct {
	part uint16
	w    float32
}

type span struct {
	off    uint32
	n, cap uint16
}

// A learner holds float weights while they are learned.
type learner struct {
	p       *problem
	rows    []span
	cells   []cell
	sums    []float64 // what the averages of cells need
	pairs   []float32
	triples []float32
	totals  [2][]float64 // of pairs and triples
	step    float64

	lat   lattice[float32]
	acc   []float32
	keep  []int32 // features of the sequence after dropout
	kept  []int32
	goldC []int32
}

func edgeKey(key uint64, prim uint16) uint64 { return mix(key + uint64(prim+1)*0xE7037ED1A0B428DB) }

// edgeID returns the number of the k-th feature of word w with the primary
// before, or -1.
func (p *problem) edgeID(w, k int, prim uint16) int32 {
	return p.edgeIDs[(w*p.nEdge+k)*p.labels.prims+int(prim)]
}

func newLearner(p *problem) *learner {
	l := &learner{p: p, rows: make([]span, p.index.n), acc: make([]float32, p.labels.n)}
	l.pairs = make([]float32, p.labels.units*p.labels.units)
	l.totals[0] = make([]float64, len(l.pairs))
	if p.second {
		d := p.labels.prims + 1
		l.triples = make([]float32, d*d*d)
		l.totals[1] = make([]float64, len(l.triples))
	}
	return l
}

// learn runs the epochs and calls log after each with its share of wrong
// words.
func (l *learner) learn(o settings, log func(epoch int, wrong float64)) {
	rng := rand.New(rand.NewPCG(o.seed, 0x7461676765720000))
	order := make([]int, len(l.p.start)-1)
	for i := range order {
		order[i] = i
	}
	for e := range o.epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		wrong := 0
		for _, s := range order {
			wrong += l.sequence(s, o, rng)
		}
		if log != nil {
			log(e+1, float64(wrong)/float64(max(1, len(l.p.gold))))
		}
	}
}

// sequence learns from one sequence; it returns its wrong words.
func (l *learner) sequence(s int, o settings, rng *rand.Rand) int {
	p := l.p
	lo, hi := int(p.start[s]), int(p.start[s+1])
	l.step++
	l.drop(lo, hi, o.dropout, rng)
	l.fill(lo, hi, o.beam)
	path := l.lat.best(p.labels, l.triples)
	wrong := 0
	for i, c := range path {
		if l.lat.cand[l.lat.start[i]+c] != p.gold[lo+i] {
			wrong++
		}
	}
	if wrong == 0 {
		return 0
	}
	loss := float64(l.pathScore(path) - l.pathScore(l.goldC))
	norm := l.norm(lo, path)
	if loss <= 0 || norm == 0 {
		return wrong
	}
	l.update(lo, path, float32(math.Min(o.limit, loss/norm)))
	return wrong
}

// drop chooses the features of the words lo..hi-1 for this visit.
func (l *learner) drop(lo, hi int, share float64, rng *rand.Rand) {
	p := l.p
	l.keep, l.kept = append(l.keep[:0], 0), l.kept[:0]
	threshold := uint32(share * (1 << 32))
	for w := lo; w < hi; w++ {
		for _, id := range p.ids[p.idStart[w]:p.idStart[w+1]] {
			if threshold == 0 || rng.Uint32() >= threshold {
				l.kept = append(l.kept, id)
			}
		}
		l.keep = append(l.keep, int32(len(l.kept)))
	}
}

// fill builds the lattice with a cost of 1 on wrong labels; the gold one is
// always a candidate, and goldC its index.
func (l *learner) fill(lo, hi, beam int) {
	p := l.p
	l.lat.reset()
	l.goldC = l.goldC[:0]
	for w := lo; w < hi; w++ {
		clear(l.acc)
		for _, id := range l.kept[l.keep[w-lo]:l.keep[w-lo+1]] {
			l.add(id, l.acc)
		}
		l.lat.push(p.labels, p.allowed[w], l.acc, beam, 0)
		l.addGold(w)
	}
	for w := lo + 1; w < hi && p.nEdge > 0; w++ {
		l.fillEdges(w, w-lo)
	}
	l.lat.addUnits(p.labels, l.pairs)
}

// addGold puts the cost on the candidates of the last word, w, and the gold
// label among them in place of the worst.
func (l *learner) addGold(w int) {
	lat, p := &l.lat, l.p
	i := lat.words() - 1
	b0, b1 := lat.start[i], lat.start[i+1]
	gold := int32(-1)
	for b := b0; b < b1; b++ {
		if lat.cand[b] == p.gold[w] {
			gold = b - b0
		} else {
			lat.emit[b]++
		}
	}
	if gold < 0 {
		gold = b1 - b0 - 1
		var s float32
		for _, part := range p.labels.of(p.gold[w]) {
			s += l.acc[part]
		}
		b := b1 - 1
		lat.cand[b], lat.emit[b], lat.prim[b] = p.gold[w], s, p.labels.of(p.gold[w])[0]
	}
	l.goldC = append(l.goldC, gold)
}

func (l *learner) fillEdges(w, i int) {
	lat, p := &l.lat, l.p
	a0, b0, b1 := lat.start[i-1], lat.start[i], lat.start[i+1]
	if b0-a0 == 1 && b1-b0 == 1 {
		return
	}
	nb := b1 - b0
	for a := range b0 - a0 {
		prim := lat.prim[a0+a]
		row := lat.edge[lat.edgeStart[i]+a*nb : lat.edgeStart[i]+(a+1)*nb]
		if earlier := indexOf(lat.prim[a0:a0+a], prim); earlier >= 0 {
			copy(row, lat.edge[lat.edgeStart[i]+int32(earlier)*nb:][:nb])
			continue
		}
		clear(l.acc)
		for k := range p.nEdge {
			if id := p.edgeID(w, k, prim); id >= 0 {
				l.add(id, l.acc)
			}
		}
		for b, x := range lat.cand[b0:b1] {
			for _, part := range p.labels.of(x) {
				row[b] += l.acc[part]
			}
		}
	}
}

func indexOf(list []uint16, x uint16) int {
	for i, y := range list {
		if x == y {
			return i
		}
	}
	return -1
}

func (l *learner) add(id int32, acc []float32) {
	r := l.rows[id]
	for _, c := range l.cells[r.off : r.off+uint32(r.n)] {
		acc[c.part] += c.w
	}
}

func (l *learner) pathScore(path []int32) float32 {
	lat := &l.lat
	d := l.p.labels.prims + 1
	var s float32
	before, before2 := d-1, d-1
	for i, c := range path {
		s += lat.emit[lat.start[i]+c]
		if i > 0 {
			s += lat.edge[lat.edgeStart[i]+path[i-1]*(lat.start[i+1]-lat.start[i])+c]
		}
		if l.triples != nil {
			prim := int(lat.prim[lat.start[i]+c])
			s += l.triples[(before2*d+before)*d+prim]
			before2, before = before, prim
		}
	}
	return s
}

// average returns the weight averaged over all steps.
func (l *learner) average(w float32, total float64) float32 {
	return float32((float64(w)*(l.step+1) - total) / max(1, l.step))
}

// layer returns the averaged weights, quantised, with at most limit weights of features.
func (l *learner) layer(limit int) *layer {
	keys := l.p.index.keysByNumber()
	rows := make([]row, 0, len(keys))
	for id, key := range keys {
		r := l.rows[id]
		var out row
		for i, c := range l.cells[r.off : r.off+uint32(r.n)] {
			if w := l.average(c.w, l.sums[int(r.off)+i]); w != 0 {
				out.parts = append(out.parts, c.part)
				out.weights = append(out.weights, w)
			}
		}
		if out.parts != nil {
			out.key = key
			rows = append(rows, out)
		}
	}
	m := &layer{labels: *l.p.labels, table: newTable(rows, limit)}
	m.pairs = l.dense(0, l.pairs)
	m.triples = l.dense(1, l.triples)
	return m
}

func (l *learner) dense(which int, w []float32) []int32 {
	if w == nil {
		return nil
	}
	q := make([]int32, len(w))
	for i := range w {
		q[i] = int32(math.Round(float64(l.average(w[i], l.totals[which][i])) * (1 << scoreBits)))
	}
	return q
}
