package train

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/part"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Training words may have a relation and no head. The relation says much of the
// head, so a first pruner and parser, which learn from the known heads, find it, and
// the final ones learn from these heads as from known ones. Words without a relation
// stay open: heads that a parser finds by itself teach it nothing.

// firstPass is put before the names of the phases of the first pruner and parser.
const firstPass = "first-"

// headless reports whether a word has no head and a relation that says much of it.
// Relation root does not: settleRoot gives the only such word its head, and several,
// or one beside another root, contradict what is known and stay open.
func headless(w *syntax.Word) bool {
	return w.Head == syntax.NoHead && w.Deprel != "" && !w.RootRelation()
}

// openRoot reports whether a word has no head and relation root.
func openRoot(w *syntax.Word) bool { return w.Head == syntax.NoHead && w.RootRelation() }

// lacksHeads reports whether there are such words.
func lacksHeads(list []syntax.Sentence) bool {
	return slices.ContainsFunc(list, func(s syntax.Sentence) bool {
		return slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return headless(&w) })
	})
}

// settleRoot gives the only word whose relation is root the head 0, unless another
// word has it.
func settleRoot(s *syntax.Sentence) {
	at := -1
	for i := range s.Words {
		w := &s.Words[i]
		if named := openRoot(w); w.Head == syntax.Root || named && at >= 0 {
			return
		} else if named {
			at = i
		}
	}
	if at >= 0 {
		s.Words[at].Head = syntax.Root
	}
}

// headed returns the trees with the heads of words that have a relation alone: the
// trees themselves if there are none.
func (t *trainer) headed(trees bank) (bank, error) {
	if !lacksHeads(trees.train) {
		return trees, nil
	}
	first := *t
	first.pass, first.Tensor = firstPass, nil
	var err error
	if first.Families, err = part.Preset("fast"); err != nil {
		return bank{}, err
	}
	g, err := first.finder(bank{syntax.Clone(trees.train), syntax.Clone(trees.dev), trees.key})
	if err != nil {
		return bank{}, err
	}
	b := bank{train: syntax.Clone(trees.train), dev: trees.dev}
	r, err := t.phase("heads", []string{g.candidates.key, g.parser.key}, func(j job) ([]pack.Section, error) {
		list := syntax.Clone(g.candidates.train)
		if err := t.findHeads(list, pack.NewView(g.parser.sections), j); err != nil {
			return nil, err
		}
		return packed("heads", headColumn(list)), nil
	})
	if err != nil {
		return bank{}, err
	}
	b.key = r.key
	return b, readColumns(r, "heads", headColumn(b.train))
}

// findHeads sets the heads of words that have a relation alone, to those that the
// parser finds best together with the known heads and with what the relations say.
func findHeads(train []syntax.Sentence, parser *pack.View, j job) error {
	m, err := search.Open(parser, model.ParseName, j.words)
	if err != nil {
		return err
	}
	prior := label.LearnPrior(train)
	found := make([]int, len(train))
	if err := eval.Each(len(train), j.Workers, func(i int) (err error) {
		found[i], err = findHeadsOf(&train[i], m, prior)
		return err
	}); err != nil {
		return err
	}
	n := 0
	for _, k := range found {
		n += k
	}
	j.Log("%d words with a relation alone have a head now", n)
	return nil
}

// findHeadsOf is findHeads of one sentence. It returns the number of words.
func findHeadsOf(s *syntax.Sentence, m *search.Model, prior label.Prior) (n int, err error) {
	if !lacksHeads([]syntax.Sentence{*s}) {
		return 0, nil
	}
	like := syntax.Clone([]syntax.Sentence{*s})[0]
	like.Candidates = prior.Weigh(s)
	if err := prune.Keep(&like, s.Heads()); err != nil {
		return 0, fmt.Errorf("sentence %q: %w", s.ID, err)
	}
	if err := m.Parse(&like, search.Options{}); err != nil {
		return 0, fmt.Errorf("sentence %q: %w", s.ID, err)
	}
	for i := range s.Words {
		// A root would contradict the relation.
		if w := &s.Words[i]; headless(w) && like.Words[i].Head != syntax.Root {
			w.Head = like.Words[i].Head
			n++
		}
	}
	return n, nil
}
