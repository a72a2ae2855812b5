package serve

import (
	"regexp"
	"slices"

	rules "github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A change is what a page asks for: other values of a word, or none, if the sentence is
// right as it is.
type change struct {
	Version string  `json:"version"` // of the sentence that was shown
	At      int     `json:"at"`      // its place in the order of the page, from 0
	Word    int     `json:"word"`    // from 1; 0 changes none
	Head    *int32  `json:"head"`
	Deprel  *string `json:"deprel"`
	UPOS    *string `json:"upos"`
}

// wellFormed is a relation with its subtypes.
var wellFormed = regexp.MustCompile(`^[a-z]+(:[a-z]+)*$`)

const maxDeprel = 60 // bytes

// apply changes words. A tree stays a tree: a change after which there would be a cycle, or
// no root, is refused. A new root takes the place of the old one, which then depends on it
// as dep, until somebody says how.
func (c *change) apply(words []syntax.Word) error {
	if c.Word == 0 && c.Head == nil && c.Deprel == nil && c.UPOS == nil {
		return nil
	}
	if c.Word < 1 || c.Word > len(words) {
		return badRequest("The sentence has no word %d.", c.Word)
	}
	w := &words[c.Word-1]
	if c.Head != nil {
		if err := attach(words, c.Word, *c.Head); err != nil {
			return err
		}
	}
	if c.UPOS != nil {
		if !slices.Contains(pattern.Tags, *c.UPOS) {
			return badRequest("%.60q is not a part of speech of Universal Dependencies.", *c.UPOS)
		}
		w.UPOS = *c.UPOS
	}
	if c.Deprel != nil {
		name := *c.Deprel
		switch known := wellFormed.MatchString(name) && slices.Contains(pattern.Relations, syntax.Universal(name)); {
		case !known || len(name) > maxDeprel:
			return badRequest("%.60q is not a relation of Universal Dependencies.", name)
		case w.Head == syntax.NoHead:
			return badRequest("%s has no head. Choose one first.", w.Form)
		case (syntax.Universal(name) == syntax.RootDeprel) != (w.Head == syntax.Root):
			return badRequest("The word without a head has the relation root, and no other word has it.")
		}
		w.Deprel = name
	}
	return nil
}

// unspecified is the relation of a word whose relation nobody has chosen yet.
const unspecified = "dep"

// attach gives word m another head.
func attach(words []syntax.Word, m int, h int32) error {
	w := &words[m-1]
	switch {
	case h < 0 || int(h) > len(words):
		return badRequest("The sentence has no word %d.", h)
	case int(h) == m:
		return badRequest("%s cannot depend on itself.", w.Form)
	case h == syntax.Root:
		for i := range words {
			if words[i].Head == syntax.Root && i != m-1 {
				words[i].Head, words[i].Deprel = int32(m), unspecified
			}
		}
		w.Head, w.Deprel = syntax.Root, syntax.RootDeprel
		return nil
	case w.Head == syntax.Root && roots(words) == 1:
		return badRequest("%s is the root. Make another word the root first.", w.Form)
	}
	for at, steps := h, 0; at > 0 && int(at) <= len(words) && steps <= len(words); at, steps = words[at-1].Head, steps+1 {
		if int(at) == m {
			return badRequest("%s depends on %s already, so this would be a cycle. First give %[1]s another head.", words[h-1].Form, w.Form)
		}
	}
	if w.Head = h; w.Deprel == syntax.RootDeprel || w.Deprel == "" {
		w.Deprel = unspecified
	}
	return nil
}

// roots counts the words without a head above them.
func roots(words []syntax.Word) int { return (&syntax.Sentence{Words: words}).Roots() }

// A remark is what a rule of Universal Dependencies says against a word of a tree. Word is
// 0 if it is about the whole sentence.
type remark struct {
	Word   int    `json:"word"`
	Reason string `json:"reason"`
}

// remarks returns what the rules say against a tree.
func remarks(words []syntax.Word) []remark {
	list := []remark{}
	if word, fault := syntax.CheckHeads(words, false, false); word > 0 {
		list = append(list, remark{word, fault.Reason})
	}
	for i := range words {
		w := &words[i]
		if w.Deprel == unspecified {
			list = append(list, remark{i + 1, "choose a relation in place of dep"})
		}
		if w.Deprel != "" && !slices.Contains(pattern.Relations, syntax.Universal(w.Deprel)) {
			list = append(list, remark{i + 1, w.Deprel + " is not a relation of Universal Dependencies"})
		}
		if w.UPOS != "" && !slices.Contains(pattern.Tags, w.UPOS) {
			list = append(list, remark{i + 1, w.UPOS + " is not a part of speech of Universal Dependencies"})
		}
	}
	for _, b := range rules.Breaches(words) {
		list = append(list, remark{b.Word, b.Reason})
	}
	slices.SortStableFunc(list, func(a, b remark) int { return a.Word - b.Word })
	return list
}
