package graph

import (
	"cmp"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/part/parttest"
)

// under reports whether w is h or below it.
func under(head []int32, w, h int32) bool {
	for range head {
		if w == h {
			return true
		}
		w = head[w]
	}
	return false
}

// covers reports whether all words between h and m are below h.
func covers(head []int32, h, m int32) bool {
	for k := min(h, m) + 1; k < max(h, m); k++ {
		if !under(head, k, h) {
			return false
		}
	}
	return true
}

var projective = parttest.IsProjective

// liftable returns the modifiers of the arcs that are not projective, that of the
// shortest one first.
func liftable(head []int32) (list []int32) {
	for m := int32(1); int(m) < len(head); m++ {
		if !covers(head, head[m], m) {
			list = append(list, m)
		}
	}
	length := func(m int32) int32 { return max(m-head[m], head[m]-m) }
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(length(a), length(b)) })
	return list
}

// lifted returns a copy of head with the arc of word m lifted.
func lifted(head []int32, m int32) []int32 {
	out := slices.Clone(head)
	out[m] = head[head[m]]
	return out
}

// ends returns the trees to which lifts lead, whichever arc is lifted next.
func ends(head []int32) (list [][]int32) {
	seen := map[[7]int32]bool{}
	var rec func(head []int32)
	rec = func(head []int32) {
		key := [7]int32{}
		copy(key[:], head)
		if seen[key] {
			return
		}
		seen[key] = true
		arcs := liftable(head)
		if len(arcs) == 0 {
			list = append(list, head)
		}
		for _, m := range arcs {
			rec(lifted(head, m))
		}
	}
	rec(slices.Clone(head))
	return list
}

// Of all trees to which lifts lead, Lift finds the one that has every word lowest.
func TestLiftAgainstAllOrders(t *testing.T) {
	r := hash.Rand(14)
	changed, higher := 0, 0
	for n := 1; n <= 6; n++ {
		a := randomArcs(n, 8, 1, &r)
		trees(&a, func(arcs []int) {
			head := make([]int32, n+1)
			for m, arc := range arcs {
				head[m+1] = a.Heads[arc]
			}
			got := slices.Clone(head)
			if looks := Lift(got); looks > 3*n || !projective(got) || slices.Equal(got, head) != projective(head) {
				t.Fatalf("%v became %v, with %d looks", head[1:], got[1:], looks)
			}
			list := ends(head)
			if !slices.ContainsFunc(list, func(end []int32) bool { return slices.Equal(end, got) }) {
				t.Fatalf("%v became %v, to which no lifts lead", head[1:], got[1:])
			}
			for m := int32(1); int(m) <= n; m++ {
				if !under(head, head[m], got[m]) || head[m] == 0 && got[m] != 0 || head[m] != 0 && got[m] == 0 {
					t.Fatalf("%v became %v: word %d", head[1:], got[1:], m)
				}
				for _, end := range list {
					if !under(head, got[m], end[m]) {
						t.Fatalf("%v became %v: word %d is higher than in %v", head[1:], got[1:], m, end[1:])
					}
				}
			}
			shortest := slices.Clone(head)
			for next := liftable(shortest); len(next) > 0; next = liftable(shortest) {
				shortest = lifted(shortest, next[0])
			}
			if !slices.Equal(got, head) {
				changed++
			}
			if !slices.Equal(got, shortest) {
				higher++
			}
		})
	}
	if changed != 8477-911 || higher == 0 { // all trees less projective ones (Sloane's A000169, A006013)
		t.Errorf("%d trees are lifted, %d with the shortest arc first end otherwise", changed, higher)
	}
}

// randomTree hangs the first of the words on 0 and every other on one of the last
// few before it.
func randomTree(order []int32, few int, r *hash.Rand) []int32 {
	head := make([]int32, len(order)+1)
	for i := 1; i < len(order); i++ {
		head[order[i]] = order[i-1-int(r.Below(uint32(min(i, few))))]
	}
	return head
}

func shuffled(n int, r *hash.Rand) []int32 {
	order := make([]int32, n)
	for i := range order {
		k := r.Below(uint32(i + 1))
		order[i], order[k] = order[k], int32(i+1)
	}
	return order
}

// Every word of a large tree gets the lowest word above it that has all words
// between the two below it, and a second time changes nothing.
func TestLiftLargeTrees(t *testing.T) {
	r := hash.Rand(15)
	for k := range 60 {
		n := 100 + int(r.Below(150))
		head := randomTree(shuffled(n, &r), []int{1, 3, 20, n}[k%4], &r)
		got := slices.Clone(head)
		Lift(got)
		for m := int32(1); int(m) <= n; m++ {
			want := head[m]
			for !covers(head, want, m) {
				want = head[want]
			}
			if got[m] != want {
				t.Fatalf("%d words, word %d: head %d, want %d", n, m, got[m], want)
			}
		}
		again := slices.Clone(got)
		if Lift(again); !slices.Equal(again, got) || !projective(got) {
			t.Fatalf("%d words: the tree is not projective", n)
		}
	}
}

// One lift at a time would take time in the square of the words of some of these.
func TestLiftLooksAtFewNeighbors(t *testing.T) {
	const n, half = 1<<16 - 1, 1 << 15
	r := hash.Rand(16)
	inwards, star, lowStar, fan := make([]int32, n), make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)
	for m := int32(1); m <= n; m++ {
		inwards[m-1] = []int32{(m + 1) / 2, n + 1 - m/2}[1-m%2]
		star[m], fan[m] = half, max(m-40, min(m-1, 1))
		if lowStar[m] = 1; m <= half { // below a chain
			lowStar[m] = (m + 1) % (half + 1)
		}
	}
	star[half] = 0
	for name, head := range map[string][]int32{
		"star": star, "star below a chain": lowStar, "40 chains": fan,
		"chain inwards":         randomTree(inwards, 1, &r),
		"chain through all":     randomTree(shuffled(n, &r), 1, &r),
		"branches through all":  randomTree(shuffled(n, &r), 5, &r),
		"branches of all sizes": randomTree(shuffled(n, &r), n, &r),
	} {
		if looks := Lift(head); looks > 3*n {
			t.Errorf("%s: %d looks at neighbors of %d words", name, looks, n)
		}
		last := head
		if head = slices.Clone(head); Lift(head) > 3*n || !slices.Equal(head, last) {
			t.Errorf("%s: not projective", name)
		}
	}
}
