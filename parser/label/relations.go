package label

import (
	"fmt"
	"sort"
)

// maxRelations bounds the inventory: relations are numbered in a byte.
const maxRelations = 255

// rootName is the relation of the word whose head is 0, and of no other.
const rootName = "root"

// unspecified is always in the inventory.
const unspecified = "dep"

// A relationSet is a sorted list of relation numbers.
type relationSet = []uint8

// relations is the inventory of deprels with subtypes, commonest first, and
// which of them an arc may have given the tags of its ends.
type relations struct {
	names []string
	// setOf gives the set of an arc by tagPair; set i holds the relations
	// member[start[i]:start[i+1]]. Set 0 is {root}.
	setOf  []uint16
	start  []uint32
	member []uint8
}

// tagPair numbers (UPOS of head, UPOS of modifier, direction).
func tagPair(head, mod, side uint8) int {
	return (int(head)*numPos+int(mod))*2 + int(side)
}

const numTagPairs = numPos * numPos * 2

func (r *relations) set(i uint16) relationSet {
	return r.member[r.start[i]:r.start[i+1]]
}

func (r *relations) arcSet(head, mod, side uint8) uint16 {
	return r.setOf[tagPair(head, mod, side)]
}

// A relationCount counts relations per tag pair.
type relationCount struct {
	names map[string]int
	pair  [numTagPairs]map[string]int
}

// add counts one arc of the training trees.
func (c *relationCount) add(head, mod, side uint8, name string) {
	if c.names == nil {
		c.names = map[string]int{rootName: 0, unspecified: 0}
	}
	c.names[name]++
	p := tagPair(head, mod, side)
	if c.pair[p] == nil {
		c.pair[p] = map[string]int{}
	}
	c.pair[p][name]++
}

// Back-off of the allowed relations: a tag pair seen fewer than rareTagPair
// times also gets the relations that the modifier's tag has in this
// direction under any head, at least seenOften times.
const (
	rareTagPair = 50
	seenOften   = 3
)

// relations builds the inventory. Its error says that there are too many.
func (c *relationCount) relations() (*relations, error) {
	r := &relations{setOf: make([]uint16, numTagPairs), start: []uint32{0}}
	for name := range c.names {
		r.names = append(r.names, name)
	}
	if len(r.names) > maxRelations {
		return nil, fmt.Errorf("label: the training trees have %d relations, at most %d are supported: check the DEPREL column", len(r.names), maxRelations)
	}
	sort.Slice(r.names, func(i, j int) bool {
		a, b := r.names[i], r.names[j]
		if c.names[a] != c.names[b] {
			return c.names[a] > c.names[b]
		}
		return a < b
	})
	number := map[string]uint8{}
	for i, name := range r.names {
		number[name] = uint8(i)
	}
	known := map[string]uint16{}
	intern := func(in []bool) uint16 {
		var key []byte
		for l, ok := range in {
			if ok {
				key = append(key, uint8(l))
			}
		}
		id, ok := known[string(key)]
		if !ok {
			id = uint16(len(r.start) - 1)
			known[string(key)] = id
			r.member = append(r.member, key...)
			r.start = append(r.start, uint32(len(r.member)))
		}
		return id
	}
	in := make([]bool, len(r.names))
	in[number[rootName]] = true
	intern(in)
	for head := uint8(0); head < numPos; head++ {
		for mod := uint8(0); mod < numPos; mod++ {
			for side := uint8(0); side < 2; side++ {
				p := tagPair(head, mod, side)
				if head == posRoot {
					continue // set 0
				}
				c.allowed(in, number, head, mod, side)
				r.setOf[p] = intern(in)
			}
		}
	}
	return r, nil
}

// allowed sets in[l] for the relations l of the tag pair, with back-off.
func (c *relationCount) allowed(in []bool, number map[string]uint8, head, mod, side uint8) {
	clear(in)
	total, any := 0, false
	for name, k := range c.pair[tagPair(head, mod, side)] {
		in[number[name]] = true
		total += k
		any = true
	}
	if total < rareTagPair {
		under := map[string]int{}
		for h := uint8(1); h < numPos; h++ {
			for name, k := range c.pair[tagPair(h, mod, side)] {
				under[name] += k
			}
		}
		for name, k := range under {
			if k >= seenOften {
				in[number[name]], any = true, true
			}
		}
	}
	if !any {
		for l := range in {
			in[l] = true
		}
	}
	in[number[rootName]] = false
}
