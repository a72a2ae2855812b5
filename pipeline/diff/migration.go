package diff

import (
	"cmp"
	"math"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
)

// A Shape is what an arc is like, wherever it stands.
type Shape struct {
	Head      string `json:"head"` // UPOS, "ROOT" for the root
	Label     string `json:"label"`
	Modifier  string `json:"modifier"`  // UPOS
	Direction string `json:"direction"` // of the modifier, seen from its head: "left", "right", or "" below the root
}

// A Migration is a change of arcs of one shape into another: Count of them,
// by expectation, so that it need not be whole.
type Migration struct {
	From Shape `json:"from"`
	To   Shape `json:"to"`
	// Where the new head stands, seen from the old one, and the new modifier
	// likewise: "left", "right" or "same".
	Head     string  `json:"head"`
	Modifier string  `json:"modifier"`
	Count    float64 `json:"count"`
}

// Parameters of the model of migrations: Liang and Klein, "Analyzing the Errors
// of Unsupervised Learning" (ACL 2008), section 3.2, with arcs for parts. The
// distance of two arcs counts the ends in which they differ.
const (
	alpha     = 3    // every end that differs makes an origin e^alpha times less likely
	steps     = 8    // of EM for a batch
	unseen    = 1e-3 // count of a migration that no earlier batch had
	maxDense  = 64   // changed arcs of a sentence up to which all pairs are looked at
	batchSize = 200_000
)

// An arc is one arc that only one of two trees has.
type arc struct {
	head, modifier int32
	shape          int32
}

// A kind is a kind of migration: shapes by number, and the signs of how far
// the head and the modifier moved.
type kind struct {
	from, to       int32
	head, modifier int8
}

// given is what the probability of the new shape hangs on.
type given struct {
	from           int32
	head, modifier int8
}

// A candidate is an old arc from which a new one may come.
type candidate struct {
	kind   kind
	weight float64 // e^(-alpha distance)
}

// A table learns which arcs turn into which. In the sentences that changed,
// every new arc comes from one of the old ones, which it resembles in place
// and which often turn into its like: EM finds both. It works in batches, each
// of which begins with what those before have learnt, so that its memory is
// that of a batch.
type table struct {
	shapes []Shape
	number map[Shape]int32
	counts map[kind]float64
	sums   map[given]float64
	total  int64 // new arcs

	batch  []candidate
	bounds []int // ends of the candidates of each new arc in batch
}

func newTable() *table {
	return &table{number: map[Shape]int32{}, counts: map[kind]float64{}, sums: map[given]float64{}}
}

// shape returns the number of the shape of the arc to word m (from 1).
func (t *table) shape(tree *parquet.Tree, m int) int32 {
	h := int(tree.Head[m-1])
	s := Shape{Head: "ROOT", Label: tree.Deprel[m-1], Modifier: tree.UPOS[m-1]}
	if h > 0 {
		s.Head, s.Direction = tree.UPOS[h-1], "right"
		if m < h {
			s.Direction = "left"
		}
	}
	n, ok := t.number[s]
	if !ok {
		n = int32(len(t.shapes))
		t.number[s] = n
		t.shapes = append(t.shapes, s)
	}
	return n
}

// add adds the arcs in which two trees over the same words differ.
func (t *table) add(a, b *parquet.Tree) {
	var before, now []arc
	heads := map[int32][]int32{} // old arcs by head
	for i := range a.Tokens {
		old, new := arc{a.Head[i], int32(i + 1), t.shape(a, i+1)}, arc{b.Head[i], int32(i + 1), t.shape(b, i+1)}
		if old != new {
			heads[old.head] = append(heads[old.head], int32(len(before)))
			before, now = append(before, old), append(now, new)
		}
	}
	for i, new := range now {
		t.total++
		switch {
		case len(before) <= maxDense:
			for _, old := range before {
				t.candidate(old, new)
			}
		default: // those that share an end; the others are far less likely
			t.candidate(before[i], new)
			for _, j := range heads[new.head] {
				if int(j) != i {
					t.candidate(before[j], new)
				}
			}
		}
		t.bounds = append(t.bounds, len(t.batch))
	}
	if len(t.batch) >= batchSize {
		t.flush()
	}
}

func (t *table) candidate(old, new arc) {
	distance := 0
	if old.head != new.head {
		distance++
	}
	if old.modifier != new.modifier {
		distance++
	}
	k := kind{old.shape, new.shape, int8(cmp.Compare(new.head, old.head)), int8(cmp.Compare(new.modifier, old.modifier))}
	t.batch = append(t.batch, candidate{k, math.Exp(float64(-alpha * distance))})
}

// flush runs EM over the batch and adds its expected counts to the table.
func (t *table) flush() {
	counts, sums := map[kind]float64{}, map[given]float64{}
	var posterior []float64
	for step := range steps {
		newCounts, newSums := map[kind]float64{}, map[given]float64{}
		from := 0
		for _, to := range t.bounds {
			posterior = posterior[:0]
			sum := 0.0
			for _, c := range t.batch[from:to] {
				p := c.weight
				if step > 0 || len(t.counts) > 0 {
					g := given{c.kind.from, c.kind.head, c.kind.modifier}
					p *= (t.counts[c.kind] + counts[c.kind] + unseen) / (t.sums[g] + sums[g] + 1)
				}
				posterior = append(posterior, p)
				sum += p
			}
			for i, c := range t.batch[from:to] {
				share := posterior[i] / sum
				newCounts[c.kind] += share
				newSums[given{c.kind.from, c.kind.head, c.kind.modifier}] += share
			}
			from = to
		}
		counts, sums = newCounts, newSums
	}
	for k, n := range counts {
		t.counts[k] += n
	}
	for g, n := range sums {
		t.sums[g] += n
	}
	t.batch, t.bounds = t.batch[:0], t.bounds[:0]
}

// top returns the n commonest migrations.
func (t *table) top(n int) []Migration {
	list := make([]Migration, 0, len(t.counts))
	for k, count := range t.counts {
		list = append(list, Migration{t.shapes[k.from], t.shapes[k.to], side(k.head), side(k.modifier), math.Round(count*16) / 16})
	}
	text := func(s Shape) string { return s.Head + " " + s.Label + " " + s.Modifier + " " + s.Direction }
	slices.SortFunc(list, func(a, b Migration) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(text(a.From), text(b.From)), cmp.Compare(text(a.To), text(b.To)),
			cmp.Compare(a.Head, b.Head), cmp.Compare(a.Modifier, b.Modifier))
	})
	list = list[:min(n, len(list))]
	return slices.DeleteFunc(list, func(m Migration) bool { return m.Count == 0 })
}

func side(sign int8) string {
	switch sign {
	case -1:
		return "left"
	case 1:
		return "right"
	}
	return "same"
}
