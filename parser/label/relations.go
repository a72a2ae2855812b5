package label

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// MaxRelations is the largest number of relations of a model: they are numbered in a byte.
const MaxRelations = 255

const (
	rootName = syntax.RootDeprel

	// An arc with a tag pair seen fewer than rareTagPair times may also have
	// the relations that the modifier's tag has in this direction under any
	// head, at least seenOften times.
	rareTagPair = 50
	seenOften   = 3
)

// A relationSet is a sorted list of relation numbers.
type relationSet = []uint8

// relations is the inventory of deprels with subtypes, commonest first, and the
// set of them that an arc may have given the tags of its ends.
type relations struct {
	names []string
	// setOf gives the set of an arc by tagPair; set i holds the relations
	// member[start[i]:start[i+1]]. Set 0 is {root}.
	setOf  []uint16
	start  []uint32
	member []uint8
}

// contexts is the number of tags and directions of a word, numbered by
// context.
const contexts = 2 * word.CoarseTags

func context(pos, side uint8) uint8 { return pos*2 + side }

// tagPair numbers the head's tag with the modifier's context.
func tagPair(head, ctx uint8) int { return int(head)*contexts + int(ctx) }

func (r *relations) set(i uint16) relationSet { return r.member[r.start[i]:r.start[i+1]] }

// inventory lists the relations of the sentences, without open ones.
func inventory(list []syntax.Sentence) ([]string, error) {
	names := syntax.GoldRelations(list)
	if len(names) > MaxRelations {
		return nil, fmt.Errorf("label: the training trees have %d relations, at most %d are supported: check the DEPREL column", len(names), MaxRelations)
	}
	return names, nil
}

// newRelations decides which relations arcs may have, given how often arcs of a
// tag pair have relation l of L in training, count[tagPair*L+l]. An arc with an
// unknown tag pair may have any relation but root.
func newRelations(names []string, count []int32) *relations {
	n := len(names)
	r := &relations{names: names, setOf: make([]uint16, len(count)/n), start: []uint32{0}}
	known := map[string]uint16{} // numbers of the sets so far
	number := func(set relationSet) uint16 {
		id, ok := known[string(set)]
		if !ok {
			id = uint16(len(known))
			known[string(set)] = id
			r.member = append(r.member, set...)
			r.start = append(r.start, uint32(len(r.member)))
		}
		return id
	}
	root := slices.Index(names, rootName)
	number(relationSet{uint8(root)})
	for ctx := range uint8(contexts) {
		under := make([]int32, n) // any head
		for head := range uint8(word.CoarseTags) {
			for l := range under {
				under[l] += count[tagPair(head, ctx)*n+l]
			}
		}
		for head := range uint8(word.CoarseTags) {
			if head == word.Root {
				continue // set 0
			}
			seen, total := count[tagPair(head, ctx)*n:][:n], int32(0)
			for _, k := range seen {
				total += k
			}
			var set, all relationSet
			for l := range n {
				if l != root {
					all = append(all, uint8(l))
				}
				if seen[l] > 0 || total < rareTagPair && under[l] >= seenOften {
					set = append(set, uint8(l))
				}
			}
			if set == nil {
				set = all
			}
			r.setOf[tagPair(head, ctx)] = number(set)
		}
	}
	return r
}

// layout names the arrays of a model. Every set that is read is a non-empty
// increasing list of relations.
func (r *relations) layout(l *pack.Layout) {
	l.Strings("relations", &r.names)
	pack.Array(l, "set_of", &r.setOf)
	pack.Array(l, "set_start", &r.start)
	pack.Array(l, "set_member", &r.member)
	l.Check("relations", len(r.names) > 0 && len(r.names) <= MaxRelations, "has no relation, or too many")
	l.Check("set_of", len(r.setOf) == word.CoarseTags*contexts, "has another number of tag pairs")
	pack.Bounds(l, "set_start", r.start, len(r.member))
	pack.Below(l, "set_of", r.setOf, len(r.start)-1)
	pack.Below(l, "set_member", r.member, len(r.names))
	if !l.Reading() {
		return
	}
	increasing := true
	for i := range len(r.start) - 1 {
		set := r.set(uint16(i))
		increasing = increasing && len(set) > 0
		for j := 1; j < len(set); j++ {
			increasing = increasing && set[j-1] < set[j]
		}
	}
	l.Check("set_member", increasing, "has a set that is empty or not in order")
	if l.Reading() {
		root := r.set(0)
		l.Check("set_member", len(root) == 1 && r.names[root[0]] == rootName, "does not begin with the set of "+rootName)
	}
}
