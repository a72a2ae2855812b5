package transforms

import (
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Parse finds the trees, their labels and how sure they are. It leaves alone
// what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Parse(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Parse", job, chunks)
}

// ParseChunk is Parse on one chunk. What comes out is a tree with one root,
// or the sentence is a failure.
func ParseChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if x, _ := encoder(m, &o); x != nil {
		return c
	}
	refused := make([]syntax.Fault, len(c.Sentences))
	panics := each(len(c.Sentences),
		func(i int) int { return len(c.Sentences[i].Words) },
		func(i int) {
			refused[i] = parseSentence(&c.Sentences[i].Sentence, m, &o)
		})
	for i, fault := range panics {
		if fault != noFault {
			refused[i] = fault
		}
	}
	c.keep(stageParse, refused)
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

// faultOf is why a sentence could not be parsed: its own fault, or else a
// defect, for every sentence can be.
func faultOf(err error) syntax.Fault {
	var fault syntax.Fault
	if errors.As(err, &fault) {
		return fault
	}
	return internal(err)
}
