package syntax

// CheckTree returns nil if the heads of words form a tree with one root, or if there
// are no words. Otherwise it returns a Fault that says why they do not.
func CheckTree(words []Word) error {
	if word, fault := CheckHeads(words, false, false); word > 0 {
		return fault
	}
	return nil
}

// CheckHeads returns the number of the first word whose head is wrong, from 1, and why;
// or 0 if the heads form a tree with one root. If partial is true, words may have
// NoHead. If manyRoots is true, several words may be roots.
func CheckHeads(words []Word, partial, manyRoots bool) (word int, fault Fault) {
	n, root, missing := len(words), 0, 0
	for i := range words {
		switch h := words[i].Head; {
		case h == NoHead && partial:
			missing++
		case h == NoHead:
			return i + 1, Because(KindHead, "word %d has no head", i+1)
		case h < 0 || int(h) > n:
			return i + 1, Because(KindHead, "head %d of word %d is not in the sentence, which has %d words", h, i+1, n)
		case h == Root && root > 0 && !manyRoots:
			return i + 1, Because(KindTwoRoots, "words %d and %d are both roots: a tree has one", root, i+1)
		case h == Root:
			root = i + 1
		}
	}
	if root == 0 && missing == 0 && n > 0 {
		return 1, Because(KindNoRoot, "no word has head 0: a tree has one root")
	}
	if at := Cycle(words); at > 0 {
		return at, Because(KindCycle, "the heads of word %d lead back to it: a cycle", at)
	}
	return 0, Fault{}
}

// Cycle returns the number of a word on a cycle, from 1, or 0 if there is none. Heads
// must be at most len(words). A head below 1 ends a path.
func Cycle(words []Word) int {
	met := make([]int32, len(words)+1) // the walk that met each word, 0 none
	for i := range words {
		walk := int32(i + 1)
		at := walk
		for at > 0 && met[at] == 0 {
			met[at] = walk
			at = words[at-1].Head
		}
		if at > 0 && met[at] == walk {
			return int(at)
		}
	}
	return 0
}

// IsTree reports whether heads form a tree with one root. heads[m] is the head of word
// m, a word or Root; heads[0] is unused.
func IsTree(heads []int32) bool {
	roots := 0
	for m := 1; m < len(heads); m++ {
		if heads[m] == Root {
			roots++
		}
		steps := 0
		for u := heads[m]; u != Root; u = heads[u] {
			if steps++; steps > len(heads) {
				return false
			}
		}
	}
	return roots == 1
}

// Cross reports whether the arcs between a and b and between c and d cross.
func Cross(a, b, c, d int32) bool {
	a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
	return a < c && c < b && b < d || c < a && a < d && d < b
}

// Roots returns the number of words whose head is Root.
func (s *Sentence) Roots() (n int) {
	for i := range s.Words {
		if s.Words[i].Head == Root {
			n++
		}
	}
	return n
}
