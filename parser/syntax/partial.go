package syntax

import "slices"

// Open returns how many words of a training sentence have an open head (NoHead), and
// how many have an open relation. A word with an open head counts in both, because its
// relation has no arc.
func (s *Sentence) Open() (heads, relations int) {
	for i := range s.Words {
		switch w := &s.Words[i]; {
		case w.Head == NoHead:
			heads++
			relations++
		case w.OpenRelation():
			relations++
		}
	}
	return heads, relations
}

// Partial reports whether some word of the sentence has no head.
func (s *Sentence) Partial() bool {
	return slices.ContainsFunc(s.Words, func(w Word) bool { return w.Head == NoHead })
}

// RootRelation reports whether the relation of the word is root or a subtype of root.
func (w *Word) RootRelation() bool {
	return Universal(w.Deprel) == "root"
}

// OpenRelation reports whether the relation of the word is unknown: the word has no
// relation, or no head. The relation of a root word follows from its head and is never
// open.
func (w *Word) OpenRelation() bool {
	return w.Head == NoHead || w.Deprel == "" && w.Head != Root
}

// Heads returns the heads of all words, indexed by word minus 1.
func (s *Sentence) Heads() []int32 {
	list := make([]int32, len(s.Words))
	for i := range list {
		list[i] = s.Words[i].Head
	}
	return list
}
