package calibrate

import (
	"runtime"
	"slices"

	"github.com/treebeam/treebeam/parser/linear"
)

// bins is the number of values of a feature that boosting distinguishes.
const bins = 32

// A plan holds the settings with which a forest is grown.
type plan struct {
	trees  int
	rate   int64 // step of a tree, in 1/256
	ridge  int64 // ridge of a leaf, in cases of weight 1
	sample int   // a tree chooses among one in sample features
	seed   uint64
}

// A booster grows the forest of one function. It sums integers only, so the
// forest is the same for any number of goroutines, on any machine.
type booster struct {
	plan
	features []uint8   // features that trees may split on
	cuts     [][]int32 // by feature: the bounds between its bins
	columns  [][]uint8 // by feature: the bin of every case
	cases    []instance
	z        []int32 // sums so far
	g, h     []int32 // slope and curvature of the loss
	leaf     []uint8
}

// weightOne is the unit of weights of examples.
const weightOne = 16

// newBooster bins the features of cases that begin with the sums z.
func newBooster(cases []instance, features []uint8, z []int32, p plan) *booster {
	n := len(z)
	b := &booster{plan: p, features: features, cases: cases, z: z,
		g: make([]int32, n), h: make([]int32, n), leaf: make([]uint8, n),
		cuts: make([][]int32, len(features)), columns: make([][]uint8, len(features))}
	parallel(len(features), func(k int) {
		column := make([]int32, n)
		for i := range column {
			column[i] = cases[i].x[features[k]]
		}
		b.cuts[k] = cutsOf(slices.Clone(column))
		b.columns[k] = make([]uint8, n)
		for i, x := range column {
			at, _ := slices.BinarySearch(b.cuts[k], x) // cuts below x
			b.columns[k][i] = uint8(at)
		}
	})
	return b
}

// cutsOf returns fewer than bins bounds that divide the values into equal
// shares. A value is above a bound or not. It sorts its argument.
func cutsOf(values []int32) (cuts []int32) {
	slices.Sort(values)
	for k := 1; k < bins && len(values) > 0; k++ {
		cut := values[len(values)*k/bins]
		if cut == values[len(values)-1] {
			break
		}
		if len(cuts) == 0 || cut > cuts[len(cuts)-1] {
			cuts = append(cuts, cut)
		}
	}
	if n := len(values); n > 0 && values[0] < values[n-1] && (len(cuts) == 0 || cuts[0] > values[0]) &&
		len(cuts) < bins-1 {
		cuts = slices.Insert(cuts, 0, values[0])
	}
	return cuts
}

// A node sums slopes and curvatures.
type node struct{ g, h int64 }

// worth returns how much the best step of the node lowers the loss.
func (n node) worth(ridge int64) float64 {
	return float64(n.g) * float64(n.g) / float64(n.h+ridge)
}

// grow returns the forest, and adds its leaves to the sums.
func (b *booster) grow() (f forest) {
	state := b.seed
	for range b.trees {
		b.differentiate()
		clear(b.leaf)
		var chosen []int
		for k := range b.features {
			state = state*6364136223846793005 + 1442695040888963407
			if state>>33%uint64(b.sample) == 0 && len(b.cuts[k]) > 0 {
				chosen = append(chosen, k)
			}
		}
		if len(chosen) == 0 {
			continue
		}
		for level := range depth {
			k, cut := b.split(chosen, level)
			f.features = append(f.features, b.features[k])
			f.bounds = append(f.bounds, b.cuts[k][cut])
			for i, bin := range b.columns[k] {
				if int(bin) > cut {
					b.leaf[i] |= 1 << level
				}
			}
		}
		f.leaves = append(f.leaves, b.step()...)
	}
	return f
}

// differentiate sets slopes and curvatures, in units of 1/(1<<16*weightOne).
func (b *booster) differentiate() {
	for i, z := range b.z {
		p := probability(z) >> 4
		d := p
		if b.cases[i].right {
			d -= fine >> 4
		}
		b.g[i] = d * b.cases[i].weight
		b.h[i] = int32(int64(p)*int64(fine>>4-p)>>16) * b.cases[i].weight
	}
}

// ridgeUnit is a case of weight 1 in units of curvature.
const ridgeUnit = fine >> 4 * weightOne

// split returns the split of a level with the least loss, as indexes of a
// feature and of one of its cuts.
func (b *booster) split(chosen []int, level int) (feature, cut int) {
	type answer struct {
		worth float64
		cut   int
	}
	answers := make([]answer, len(chosen))
	parallel(len(chosen), func(c int) {
		var sums [1 << (depth - 1)][bins]node
		column := b.columns[chosen[c]]
		leaf, g, h := b.leaf[:len(column)], b.g[:len(column)], b.h[:len(column)]
		for i, bin := range column {
			n := &sums[leaf[i]%(1<<(depth-1))][bin%bins]
			n.g += int64(g[i])
			n.h += int64(h[i])
		}
		cuts := len(b.cuts[chosen[c]])
		worth := make([]float64, cuts)
		for l := range 1 << level {
			var total, low node
			for _, n := range sums[l] {
				total.g += n.g
				total.h += n.h
			}
			for k := range cuts {
				low.g += sums[l][k].g
				low.h += sums[l][k].h
				high := node{total.g - low.g, total.h - low.h}
				worth[k] += low.worth(b.ridge * ridgeUnit)
				worth[k] += high.worth(b.ridge * ridgeUnit)
			}
		}
		best := answer{worth: -1}
		for k, w := range worth {
			if w > best.worth {
				best = answer{w, k}
			}
		}
		answers[c] = best
	})
	best := 0
	for c := range answers {
		if answers[c].worth > answers[best].worth {
			best = c
		}
	}
	return chosen[best], answers[best].cut
}

// step returns the leaves of the tree whose splits were chosen, and adds them
// to the sums.
func (b *booster) step() []int32 {
	var sums [1 << depth]node
	for i, l := range b.leaf {
		sums[l].g += int64(b.g[i])
		sums[l].h += int64(b.h[i])
	}
	leaves := make([]int32, 1<<depth)
	for l, n := range sums {
		x := -n.g * one / (n.h + b.ridge*ridgeUnit) * b.rate / 256
		leaves[l] = int32(min(max(x, -mostLeaf), mostLeaf))
	}
	for i, l := range b.leaf {
		b.z[i] = min(max(b.z[i]+leaves[l], -limit), limit)
	}
	return leaves
}

// parallel calls run for 0..n-1 on a goroutine per thread.
func parallel(n int, run func(i int)) {
	linear.Parallel(n, runtime.GOMAXPROCS(0), func(_, i int) { run(i) })
}
