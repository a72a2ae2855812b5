package transforms

import (
	"fmt"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// keeping is m.Parse for a pruned sentence some of whose words have heads:
// they keep them, and their deprels if they have one, and the search finds
// those of the others.
func keeping(m Stages) func(s *syntax.Sentence, o output.ParseOptions) error {
	return func(s *syntax.Sentence, o output.ParseOptions) error {
		heads, deprels := make([]int32, len(s.Words)), make([]string, len(s.Words))
		given := false
		for i := range s.Words {
			w := &s.Words[i]
			heads[i] = w.Head
			if w.Head != syntax.NoHead {
				given, deprels[i] = true, w.Deprel
			}
		}
		if !given {
			return m.Parse(s, o)
		}
		if err := prune.Keep(s, heads); err != nil {
			return err
		}
		if o.Projective {
			if err := prune.Project(s, heads); err != nil {
				return err
			}
		}
		if err := m.Parse(s, o); err != nil {
			return err
		}
		known := make([]bool, 2*len(heads))
		keptHeads, keptDeprels := known[:len(heads)], known[len(heads):]
		for i, h := range heads {
			w := &s.Words[i]
			keptHeads[i], keptDeprels[i] = h != syntax.NoHead, deprels[i] != ""
			if h != syntax.NoHead && w.Head != h {
				panic(fmt.Sprintf("word %d got head %d, not the given %d", i+1, w.Head, h))
			}
			if deprels[i] == "" {
				continue
			}
			w.Deprel = deprels[i]
			if i < len(s.Confidence.LabelProb) {
				s.Confidence.LabelProb[i] = 1
			}
		}
		if c, ok := m.(Calibrator); ok {
			c.Calibrate(s, keptHeads, keptDeprels)
		}
		return nil
	}
}
