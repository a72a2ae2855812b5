package transforms

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[parseFn]())
}

// Parse finds the trees, their labels and how sure they are. It leaves alone
// what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Parse(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Parse"), &parseFn{Job: job}, chunks)
}

type parseFn struct {
	Job    Job
	stages Stages
}

func (f *parseFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

func (f *parseFn) ProcessElement(_ context.Context, c Chunk, emit func(Chunk)) {
	emit(ParseChunk(c, f.stages, f.Job.Options))
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
	} else if err := checkTree(s.Words); err != nil {
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

// checkTree says what is wrong with the heads of words, nil if they are one
// tree with one root.
func checkTree(words []syntax.Word) error {
	roots := 0
	seen := make([]int32, len(words)+1) // the walk in which a word was met
	for i := range words {
		h := words[i].Head
		if h < 0 || int(h) > len(words) {
			return fmt.Errorf("word %d got head %d in a sentence of %d words", i+1, h, len(words))
		}
		if h == syntax.Root {
			roots++
		}
		walk := int32(i + 1)
		for at := walk; at != syntax.Root && seen[at] == 0; at = words[at-1].Head {
			seen[at] = walk
			next := words[at-1].Head
			if next < 0 || int(next) > len(words) {
				break // reported when its turn comes
			}
			if next != syntax.Root && seen[next] == walk {
				return fmt.Errorf("the heads of words %d and %d form a cycle", at, next)
			}
		}
	}
	if roots != 1 && len(words) > 0 {
		return fmt.Errorf("the tree has %d roots", roots)
	}
	return nil
}
