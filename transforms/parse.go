package transforms

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Parse finds the tree of each sentence, with relations and confidence. It does not
// change the sentences that Encode parses.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Parse(s beam.Scope, chunks beam.PCollection, o Options) beam.PCollection {
	return perChunk(s, "Parse", o, chunks)
}

// ParseChunk is Parse on one chunk. Every sentence gets a tree with one root or becomes a
// failure.
func ParseChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if left := c.fast(m, &o); left != nil {
		c.own()
		c.perSentence(stageParse, left, func(s *syntax.Sentence, m Stages) syntax.Fault {
			c := &s.Candidates // Parse may add some
			c.Start, c.Heads, c.LogOdds = slices.Clone(c.Start), slices.Clone(c.Heads), slices.Clone(c.LogOdds)
			return parseSentence(s, m, &o)
		})
	}
	return c
}

// parseSentence parses a pruned sentence, and returns why it could not, if so.
func parseSentence(s *syntax.Sentence, m Stages, o *output.RowOptions) (refused syntax.Fault) {
	parse := m.Parse
	if o.KeepHeads {
		parse = keeping(m)
	}
	if err := parse(s, o.Parse); err != nil {
		refused = faultOf(err)
	} else if err := syntax.CheckTree(s.Words); err != nil {
		panic(err)
	}
	s.Candidates = syntax.Candidates{}
	return refused
}

// faultOf is why a sentence could not be parsed: a fault of the sentence, otherwise an
// internal error.
func faultOf(err error) syntax.Fault {
	if fault, ok := errors.AsType[syntax.Fault](err); ok {
		return fault
	}
	return internal(err)
}

// keeping is m.Parse for a pruned sentence in which some words already have heads.
// These words keep their heads, and their deprels if they have one; the search finds
// the heads of the other words.
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
		if err := m.Parse(s, o); err != nil {
			return err
		}
		known := make([]bool, 2*len(heads))
		keptHeads, keptDeprels := known[:len(heads)], known[len(heads):]
		for i, h := range heads {
			w := &s.Words[i]
			keptHeads[i], keptDeprels[i] = h != syntax.NoHead, deprels[i] != ""
			switch {
			case h == syntax.NoHead || w.Head == h:
			case o.Projective:
				return syntax.Because(syntax.KindHeadsLost, "the given head of word %d is not kept: its arc crosses another one", i+1)
			default:
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
		m.Calibrate(s, keptHeads, keptDeprels)
		return nil
	}
}
