package transition

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// randomTree returns the heads that a random sequence of actions makes.
func randomTree(n int, r *hash.Rand) []int32 {
	c := begin(n)
	for int(c.next) <= n || len(c.stack) > 1 {
		v := c.view()
		if a := Action(r.Below(3)); v.may(a, true) {
			c = c.after(a, 0)
		}
	}
	c.head[0] = 0
	return c.head
}

// The oracle's actions make the tree that it was given, and there are none for
// trees with crossing arcs, cycles or several roots.
func TestOracle(t *testing.T) {
	r := hash.Rand(3)
	for range 300 {
		head := randomTree(1+int(r.Below(12)), &r)
		path, ok := oracle(head)
		c := begin(len(head) - 1)
		for _, a := range path {
			v := c.view()
			if !v.may(a, true) {
				t.Fatalf("%v: action %d is not allowed", head, a)
			}
			c = c.after(a, 0)
		}
		if !ok || !slices.Equal(c.head[1:], head[1:]) {
			t.Fatalf("%v became %v, %v", head, c.head, ok)
		}
	}
	for _, head := range [][]int32{{0}, {0, 0, 0}, {0, 2, 1}, {0, 0, 4, 1, 1}, {0, 3, 0, 2, 1}, {0, 7}, {0, None}} {
		if path, ok := oracle(head); ok {
			t.Errorf("%v: %v", head, path)
		}
	}
}

// There are 50 templates, and no two give the same key of the same words.
func TestFeatures(t *testing.T) {
	words := []Word{{10, 20}, {11, 21}, {12, 22}, {13, 23}, {14, 24}}
	keys := features(&View{N: 5, Next: 4, S0: 3, S1: 2, S2: 1, L0: None, R0: None, L1: None, R1: None}, words, nil)
	slices.Sort(keys)
	if len(slices.Compact(keys)) != 50 {
		t.Errorf("%d keys, %d different", len(keys), len(slices.Compact(keys)))
	}
}

// toy are sentences whose heads follow from their tags: those of the smallest
// hang on the next larger one.
func toy(count int, r *hash.Rand) (list []Example) {
	for range count {
		n := 2 + int(r.Below(7))
		e := Example{Head: randomTree(n, r)}
		depth := func(w int32) (d uint64) {
			for ; w != 0; w = e.Head[w] {
				d++
			}
			return d
		}
		for m := 1; m <= n; m++ {
			side := uint64(0)
			if int(e.Head[m]) > m {
				side = 1
			}
			e.Words = append(e.Words, Word{Form: uint64(r.Below(50)), Tag: 10*depth(int32(m)) + side})
		}
		list = append(list, e)
	}
	return list
}

// Every strategy learns, in the same way each time.
func TestTrainLearns(t *testing.T) {
	for s := Skip; s <= Latest; s++ {
		for _, width := range []int{1, 4} {
			r := hash.Rand(5)
			list := append(toy(120, &r), Example{Words: make([]Word, 4), Head: []int32{0, 3, 0, 2, 1}})
			var last Counts
			o := TrainOptions{Strategy: s, Width: width, Epochs: 12, Seed: 1}
			p, err := Train(list, o, func(_ int, _ *Perceptron, c Counts) { last = c })
			if err != nil {
				t.Fatal(err)
			}
			if last.Sentences != 120 || last.Wrong > 60 || last.Updates > last.Wrong || s != Skip && last.Updates < last.Wrong-last.Invalid {
				t.Errorf("%v, beam of %d: %+v", s, width, last)
			}
			again, _ := Train(list, o, nil)
			if !slices.Equal(p.weights, again.weights) {
				t.Errorf("%v: other weights the second time", s)
			}
			b, right, words := Beam{Width: width, OneRoot: true}, 0, 0
			for _, e := range list[:120] {
				head := make([]int32, len(e.Head))
				p.Read(e.Words)
				b.Decode(len(e.Words), p, head)
				for m := range e.Words {
					words++
					if head[m+1] == e.Head[m+1] {
						right++
					}
				}
			}
			if right*10 < words*8 && (s != Skip || right*10 < words*6) { // skip throws much away
				t.Errorf("%v, beam of %d: %d of %d words are right", s, width, right, words)
			}
		}
	}
	if _, err := Train(nil, TrainOptions{}, nil); err == nil {
		t.Error("nothing to learn from: no error")
	}
}

// The averaged weights are the mean of the weights after every example.
func TestAverage(t *testing.T) {
	r := hash.Rand(8)
	size := int(numActions) << weightBits
	l := &learner{options: TrainOptions{Strategy: Max}, sums: make([]int64, size), beam: Beam{Width: 2, OneRoot: true}}
	l.weights = make([]int64, size)
	mean := make([]int64, size)
	for _, e := range toy(30, &r) {
		path, _ := oracle(e.Head)
		l.learn(&e, path)
		for i, w := range l.weights {
			mean[i] += w
		}
	}
	if l.seen != 30 || !slices.Equal(l.average().weights, mean) {
		t.Error("the averages differ")
	}
}

// Updates stop where copying finds that they must: at the end if there is a
// violation, where gold is lost, where the violation is largest, or last.
func TestStrategiesAgainstCopying(t *testing.T) {
	size := int(numActions) << weightBits
	r := hash.Rand(12)
	var stops [4]map[int]bool
	for s := range stops {
		stops[s] = map[int]bool{}
	}
	for i := range 120 {
		l := &learner{sums: make([]int64, 1), beam: Beam{Width: 1 + i%4, OneRoot: true}}
		l.weights = make([]int64, size)
		seed := hash.Rand(i)
		for k := range l.weights {
			l.weights[k] = int64(seed.Below(9)) - 4
		}
		e := toy(1, &r)[0]
		n := len(e.Words)
		path, _ := oracle(e.Head)
		l.Read(e.Words)
		golds := l.prefix(n, path)

		list, gold := []*copied{begin(n)}, begin(n)
		lost, end, most, last, at := 0, 0, int64(-1), 0, 0
		for step := 1; step <= 2*n; step++ {
			var next []*copied
			for _, c := range list {
				v := c.view()
				var scores [3]int64
				l.Score(&v, &scores)
				for a := range numActions {
					if v.may(a, true) {
						next = append(next, c.after(a, scores[a]))
					}
				}
			}
			slices.SortStableFunc(next, func(x, y *copied) int { return int(y.score - x.score) })
			list, gold = next[:min(len(next), l.beam.Width)], gold.after(path[step-1], 0)
			same := func(c *copied) bool {
				return c.next == gold.next && slices.Equal(c.stack, gold.stack) && slices.Equal(c.head, gold.head)
			}
			violation := list[0].score - golds[step-1]
			if lost == 0 && !slices.ContainsFunc(list, same) {
				lost = step
			}
			if same(list[0]) || violation < 0 {
				continue
			}
			if last = step; violation > most {
				most, at = violation, step
			}
			if step == 2*n {
				end = step
			}
		}
		wrong := !slices.Equal(list[0].head, gold.head)
		if lost == 0 && wrong {
			lost = 2 * n
		}
		for s, want := range []int{end, lost, at, last} {
			if !wrong && s != int(Early) {
				want = 0
			}
			l.options.Strategy = Strategy(s)
			got := l.search(n, path, golds)
			if got.steps != want || wrong && s != int(Early) && got.ends != (end > 0) {
				t.Fatalf("sentence %d, %v: stops at %+v, want %d", i, Strategy(s), got, want)
			}
			stops[s][got.steps] = true
		}
	}
	for s, set := range stops {
		if s != int(Skip) && len(set) < 5 {
			t.Errorf("%v: only %d places", Strategy(s), len(set))
		}
	}
}
