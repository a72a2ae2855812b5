package label

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// An example is a training tree turned into numbers: what gradients need and
// nothing else.
type example struct {
	n     int
	order []int32 // heads before modifiers
	head  []int32 // by word, [0] unused; 0 where no pair factor joins
	ctx   []uint8 // tag*2+side of each word
	sets  []uint16
	gold  []uint8 // index into the set
	off   []int32 // into arrays over (word, allowed relation), length n+2
	from  []int32 // rows of word m are rows[from[m]:from[m+1]]; none if its set has one relation
	rows  []int32
	size  int // of arrays over (word, head's relation, relation)
}

// A slotTable counts keys and then numbers the frequent ones. It is an
// open-addressing hash table over the keys, which are hashes already.
type slotTable struct {
	keys  []uint64 // 0 is empty
	count []int32  // then row+1; 0 is none
	used  int
}

func newSlotTable() *slotTable {
	return &slotTable{keys: make([]uint64, 1<<16), count: make([]int32, 1<<16)}
}

func (t *slotTable) slot(key uint64) int {
	mask := len(t.keys) - 1
	i := int(key>>20) & mask
	for t.keys[i] != key && t.keys[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (t *slotTable) add(key uint64) {
	i := t.slot(key)
	if t.keys[i] == 0 {
		t.keys[i] = key
		t.used++
		if t.used*3 > len(t.keys)*2 {
			t.grow()
			i = t.slot(key)
		}
	}
	t.count[i]++
}

func (t *slotTable) grow() {
	keys, count := t.keys, t.count
	t.keys, t.count = make([]uint64, 2*len(keys)), make([]int32, 2*len(keys))
	for j, k := range keys {
		if k != 0 {
			i := t.slot(k)
			t.keys[i], t.count[i] = k, count[j]
		}
	}
}

// number replaces the counts by row numbers plus one, in the order of slots,
// for keys counted at least cut times, and returns the rows' keys.
func (t *slotTable) number(cut int32) []uint64 {
	var rows []uint64
	for i, k := range t.keys {
		if k == 0 || t.count[i] < cut {
			t.count[i] = 0
			continue
		}
		rows = append(rows, k)
		t.count[i] = int32(len(rows))
	}
	return rows
}

// goldName is the relation to learn for a word: root if and only if head is 0.
func goldName(w *syntax.Word) string {
	switch {
	case w.Head == syntax.Root:
		return rootName
	case w.Deprel == rootName:
		return unspecified
	}
	return w.Deprel
}

// check reports why a sentence cannot be learned from.
func check(s *syntax.Sentence, words []word) error {
	for i := range s.Words {
		if words[i+1].loose {
			return fmt.Errorf("label: sentence %q: the heads of word %d form no tree: training needs gold trees", s.ID, i+1)
		}
		if s.Words[i].Deprel == "" && s.Words[i].Head != syntax.Root {
			return fmt.Errorf("label: sentence %q: word %d has no DEPREL: training needs gold relations", s.ID, i+1)
		}
	}
	return nil
}

// makeExamples counts relations and features of the sentences and turns them
// into examples. It returns the keys of the rows, all seen at least cut times.
func makeExamples(train []syntax.Sentence, cut int32) (*relations, []*example, []uint64, error) {
	var count relationCount
	slots := newSlotTable()
	var c chart
	for k := range train {
		s := &train[k]
		c.words, c.order = resize(c.words, len(s.Words)+1), resize(c.order, len(s.Words))
		readSentence(s, c.words, c.order)
		if err := check(s, c.words); err != nil {
			return nil, nil, nil, err
		}
		for m := 1; m <= len(s.Words); m++ {
			w := &c.words[m]
			count.add(c.words[w.head].pos, w.pos, w.side, goldName(&s.Words[m-1]))
			if w.head == 0 {
				continue
			}
			c.keys.of(c.words, int32(m))
			for _, key := range c.keys.keys[:c.keys.n] {
				slots.add(key)
			}
		}
	}
	rel, err := count.relations()
	if err != nil {
		return nil, nil, nil, err
	}
	keys := slots.number(cut)
	number := map[string]uint8{}
	for i, name := range rel.names {
		number[name] = uint8(i)
	}
	list := make([]*example, len(train))
	for k := range train {
		list[k] = newExample(&train[k], rel, number, slots, &c)
	}
	return rel, list, keys, nil
}

func newExample(s *syntax.Sentence, rel *relations, number map[string]uint8, slots *slotTable, c *chart) *example {
	n := len(s.Words)
	c.words, c.order = resize(c.words, n+1), resize(c.order, n)
	readSentence(s, c.words, c.order)
	c.layout(rel)
	e := &example{
		n:     n,
		order: append([]int32(nil), c.order...),
		head:  make([]int32, n+1),
		ctx:   make([]uint8, n+1),
		sets:  append([]uint16(nil), c.sets[:n+1]...),
		gold:  make([]uint8, n+1),
		off:   append([]int32(nil), c.off[:n+2]...),
		from:  make([]int32, n+2),
	}
	for m := 1; m <= n; m++ {
		w := &c.words[m]
		e.head[m] = w.head
		e.ctx[m] = w.pos*2 + w.side
		set := rel.set(e.sets[m])
		want := number[goldName(&s.Words[m-1])]
		for j, l := range set {
			if l == want {
				e.gold[m] = uint8(j)
			}
		}
		if w.head > 0 {
			e.size += len(set) * len(rel.set(e.sets[w.head]))
		}
		if len(set) > 1 {
			c.keys.of(c.words, int32(m))
			for _, key := range c.keys.keys[:c.keys.n] {
				if r := slots.count[slots.slot(key)]; r > 0 {
					e.rows = append(e.rows, r-1)
				}
			}
		}
		e.from[m+1] = int32(len(e.rows))
	}
	return e
}
