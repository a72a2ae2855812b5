package part

import "math"

// Barred in worth makes AttachAll skip a head.
const Barred = math.MinInt32

// Attach returns what word m adds to the score of tree y as a child of the head of arc,
// in local parts, if m is first detached from its present head. The difference of two
// such values is the difference of the scores of the two trees without their global
// parts. The head may be below m, although the move would then make a cycle:
// first-order models use such values too (search.linearize).
func (x *Scores) Attach(y *Tree, m int, arc int32) int32 {
	worth := [1]int32{}
	x.attach(y, m, arc, worth[:])
	return worth[0]
}

// AttachAll sets worth[k] to the value of Attach for candidate head k of word m, unless
// worth[k] is Barred.
func (x *Scores) AttachAll(y *Tree, m int, worth []int32) {
	x.attach(y, m, x.Arcs.Start[m-1], worth)
}

// attach weighs consecutive arcs of m, from first on. An arc with a part whose
// score was not known is weighed twice.
func (x *Scores) attach(y *Tree, m int, first int32, worth []int32) {
	x.moves, x.deferred = x.moves[:0], true
	for k, w := range worth {
		if w == Barred {
			continue
		}
		arc := first + int32(k)
		x.moves = append(x.moves, Move{Word: int32(m), Head: x.Arcs.Heads[arc], Arc: arc})
		last := len(x.moves) - 1
		if v := &x.moves[last]; x.lists && v.Head != 0 {
			v.findNeighbours(y)
		}
		x.Count.Gains++
		x.open = false
		if worth[k] = x.gain(y, &x.moves[last]); !x.open {
			x.moves = x.moves[:last]
		}
	}
	x.deferred = false
	if len(x.moves) > 0 {
		x.answer()
	}
	for i := range x.moves {
		worth[x.moves[i].Arc-first] = x.gain(y, &x.moves[i])
	}
}

// gain returns what a move is worth.
func (x *Scores) gain(y *Tree, v *Move) int32 {
	sum := x.Arcs.Score[v.Arc]
	for i, gain := range x.gains {
		sum += gain(x.local[i], x, y, v)
	}
	return sum
}

// Total returns the score of a tree, in units of 1/score.Unit.
func (x *Scores) Total(y *Tree) int64 {
	sum := x.sum(y, x.local)
	for m := 1; m <= x.N; m++ {
		sum += int64(x.Arcs.Score[y.Arc[m]])
	}
	return sum + x.Globals(y)
}

// HasGlobals reports whether the model has global families.
func (x *Scores) HasGlobals() bool { return len(x.global) > 0 }

// Globals returns the score of the global parts of a tree, or 0 if the model has no
// global families.
func (x *Scores) Globals(y *Tree) int64 {
	if !x.HasGlobals() {
		return 0
	}
	x.Count.Globals++
	return x.sum(y, x.global)
}

// sum scores the parts of some families in a tree.
func (x *Scores) sum(y *Tree, of []Kind) (sum int64) {
	x.parts = x.visit(y, of, x.parts[:0])
	x.partScores = resize(x.partScores, len(x.parts))
	x.ScoreAll(x.parts, x.partScores)
	for _, s := range x.partScores {
		sum += int64(s)
	}
	return sum
}

// ScoreAll sets scores[i] to Score(parts[i]). It looks up all new parts together, which
// is faster.
func (x *Scores) ScoreAll(parts []Part, scores []int32) {
	x.deferred, x.open = true, false
	for i, p := range parts {
		scores[i] = x.Score(p)
	}
	if x.deferred = false; !x.open {
		return
	}
	x.answer()
	for i, p := range parts {
		scores[i] = x.Score(p)
	}
}

// visit appends the parts of some families in a tree.
func (x *Scores) visit(y *Tree, of []Kind, list []Part) []Part {
	for _, k := range of {
		for m := int32(1); int(m) <= x.N; m++ {
			list = x.families[k].Visit(k, x, y, m, list)
		}
	}
	return list
}

// Parts appends all parts of a tree to list, including its arcs.
func (x *Scores) Parts(y *Tree, list []Part) []Part {
	for m := int32(1); int(m) <= x.N; m++ {
		list = append(list, arcs.Part(y.Head[m], m, 0, 0))
	}
	return x.visit(y, x.global, x.visit(y, x.local, list))
}

// FromScratch sums the weights of the keys of all parts of a tree, without the memo. It
// leaves out all else that is in Arcs.Score. Tests compare Total and Attach with it.
func (x *Scores) FromScratch(y *Tree) (sum int64) {
	for _, p := range x.Parts(y, nil) {
		sum += int64(x.scorer.Sum(x.Keys(p, nil)))
	}
	return sum
}
