package graph

// Lift makes a single-root tree, head[1..n], projective in place. The new head of a
// word is its lowest ancestor that dominates all words between the two. A projective
// tree stays as it is, and so does the root.
//
// This is pseudo-projective parsing (Nivre and Nilsson 2005) in another order. An arc
// is lifted to its head's head if a word between its ends is not below its head. The
// paper lifts the shortest such arc first; Lift starts at the lowest heads. Each word
// then ends as low as it can in any order: a lift puts no word below another one, so an
// arc that must be lifted now must also be lifted later. With the shortest arc first,
// some words end higher.
//
// Lift takes O(n) time and memory. For tests, it returns how often it looked at an
// adjacent tree, at most 3n times.
func Lift(head []int32) (looks int) {
	n := int32(len(head) - 1)
	order, of := subtrees(head)
	// A finished tree covers a span of words. Both ends of the span know its top,
	// which knows the ends.
	top, from, to := make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)
	for m := range n + 1 {
		top[m], from[m], to[m] = m, m, m
	}
	for _, h := range order {
		lo, hi := h, h
		take := func(t int32) bool {
			looks++
			if !of[h].above(of[t]) {
				return false
			}
			head[t] = h
			return true
		}
		for lo > 1 && take(top[lo-1]) {
			lo = from[top[lo-1]]
		}
		for hi < n && take(top[hi+1]) {
			hi = to[top[hi+1]]
		}
		top[lo], top[hi], from[h], to[h] = h, h, lo, hi
	}
	return looks
}

// A subtree is the range of its words in preorder. Its top is first.
type subtree struct{ first, end int32 }

// above reports whether y is a proper part of x.
func (x subtree) above(y subtree) bool { return x.first < y.first && y.first < x.end }

// subtrees returns the words of a tree, each before its head, and the subtree of
// each.
func subtrees(head []int32) (order []int32, of []subtree) {
	n := len(head) - 1
	order, of = make([]int32, 0, n), make([]subtree, n+1)
	waiting, size, next := make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)
	for m := 1; m <= n; m++ {
		waiting[head[m]]++
		size[m] = 1
	}
	for m := int32(1); int(m) <= n; m++ {
		if waiting[m] == 0 {
			order = append(order, m)
		}
	}
	for i := 0; i < len(order); i++ {
		h := head[order[i]]
		size[h] += size[order[i]]
		if waiting[h]--; waiting[h] == 0 && h > 0 {
			order = append(order, h)
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		m := order[i]
		first := next[head[m]]
		next[head[m]] += size[m]
		next[m], of[m] = first+1, subtree{first, first + size[m]}
	}
	return order, of
}
