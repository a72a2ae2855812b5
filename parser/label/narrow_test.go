package label

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A narrowed model gives an arc the relations that are frequent enough among
// those that it had, and what it is not sure to know stays as it is.
func TestNarrowed(t *testing.T) {
	m := small()
	train, dev := sample(rand.New(rand.NewPCG(31, 9)), 2000, 12), sample(rand.New(rand.NewPCG(32, 9)), 200, 12)
	count := map[int]map[string]int{}
	m.arcs(train, func(pair, relation int) {
		if count[pair] == nil {
			count[pair] = map[string]int{}
		}
		if relation >= 0 {
			count[pair][m.rel.names[relation]]++
		}
	})
	const least = 0.2
	narrow := m.Narrowed(train, least)
	dropped := 0
	for pair := range m.rel.setOf {
		sum, most := 0, 0
		for _, k := range count[pair] {
			sum, most = sum+k, max(most, k)
		}
		var want relationSet
		for _, l := range m.rel.set(m.rel.setOf[pair]) {
			if sum < rareTagPair || float64(count[pair][m.rel.names[l]]) >= least*float64(most) {
				want = append(want, l)
			} else {
				dropped++
			}
		}
		if got := narrow.rel.set(narrow.rel.setOf[pair]); !slices.Equal(got, want) {
			t.Fatalf("pair %d: relations %v, want %v", pair, got, want)
		}
	}
	if dropped < 20 {
		t.Errorf("only %d relations were dropped: the test sees too little", dropped)
	}
	opened, err := Open(pack.NewView(sections(narrow)), "label", vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	labels := func(m *Model) (list []syntax.Sentence) {
		for _, s := range dev {
			s.Words = slices.Clone(s.Words)
			m.LabelFreely(&s)
			list = append(list, s)
		}
		return list
	}
	if !reflect.DeepEqual(labels(narrow), labels(opened)) {
		t.Error("a narrowed model that was packed and opened labels otherwise")
	}
	if !reflect.DeepEqual(labels(m), labels(m.Narrowed(train, 0))) {
		t.Error("a model from which nothing is dropped labels otherwise")
	}
	narrow.arcs(labels(narrow), func(pair, relation int) {
		if !slices.Contains(narrow.rel.set(narrow.rel.setOf[pair]), uint8(relation)) {
			t.Fatalf("pair %d has relation %s, which was dropped", pair, m.rel.names[relation])
		}
	})
	words, kept, single, relations := narrow.Coverage(dev)
	all, had, _, more := m.Coverage(dev)
	if words != all || kept > had || kept == 0 || single == 0 || relations >= more {
		t.Errorf("%d words, %d kept of %d, %d with one relation, %d relations of %d", words, kept, had, single, relations, more)
	}
}
