package transforms

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ChunkTokens is about how many tokens one chunk holds. Beam holds some ten versions of
// chunks for every range under way: the last input of each stage.
const ChunkTokens = 5000

// Names of the stages, as the column stage of failures/ has them.
const (
	stageRead    = "read"
	stageSegment = output.StopSegment
	stageEncode  = "encode"
	stageTag     = output.StopTag
	stagePrune   = "prune"
	stageParse   = "parse"
)

// A Job is a run of treebeam parse as its workers know it. It travels in an exported
// field of every DoFn; workers do not see the launcher's flags.
type Job struct {
	output.Run
	Model string // as for OpenModel
}

// failed returns err for a DoFn to return, after recording it in the output as the cause
// why the run fails. k is its range, or -1.
func (j *Job) failed(ctx context.Context, k int, err error) error {
	if err == nil {
		return nil
	}
	cause := output.Cause{Range: k, Kind: output.Failed, Message: err.Error()}
	if fault, ok := errors.AsType[*source.Error](err); ok && fault.Kind == source.Changed {
		cause.Kind = output.Changed
	}
	j.WriteCause(ctx, cause)
	return err
}

// fail appends a failure row for sentence s.
func (c *Chunk) fail(s *Sentence, stage string, why syntax.Fault) {
	at := place{s.StartByte, s.Line}
	if s.Fault != nil {
		at, stage = place{s.Fault.Offset, s.Fault.Line}, stageRead
	}
	f := failed(stage, why, at, s.surface())
	f.File, f.Sentence, f.CoNLLU = s.File, true, s.unparsed(why.Reason)
	c.Failures = append(c.Failures, f)
}

// noFault marks what has not failed.
var noFault syntax.Fault

// A stageFault says what went wrong with a sentence, and in which stage.
type stageFault struct {
	stage string
	fault syntax.Fault
}

// keep drops the sentences that have a fault and puts failure rows in their place.
func (c *Chunk) keep(faults []stageFault) {
	if !slices.ContainsFunc(faults, func(f stageFault) bool { return f.fault != noFault }) {
		return
	}
	kept := c.Sentences[:0:0]
	c.Failures = slices.Clip(c.Failures)
	for i := range c.Sentences {
		if f := &faults[i]; f.fault == noFault {
			kept = append(kept, c.Sentences[i])
		} else {
			c.fail(&c.Sentences[i], f.stage, f.fault)
		}
	}
	c.Sentences = kept
}

// fast returns the stages of the sentences that Encode leaves to Tag, Prune and Parse, by
// sentence, and nil for the others; or nil if it leaves none.
func (c *Chunk) fast(m Stages, o *output.RowOptions) (list []Stages) {
	for i := range c.Sentences {
		if of := stagesOf(m, c.Sentences[i].Language); !scores(of, o) {
			if list == nil {
				list = make([]Stages, len(c.Sentences))
			}
			list[i] = of
		}
	}
	return list
}

// perSentence runs body on the sentences of the chunk that have stages, longest first,
// and turns the sentences for which it returned a fault, or panicked, into failure rows of
// stage.
func (c *Chunk) perSentence(stage string, stages []Stages, body func(s *syntax.Sentence, m Stages) syntax.Fault) {
	faults := make([]stageFault, len(c.Sentences))
	panics := each(len(c.Sentences),
		func(i int) int { return len(c.Sentences[i].Words) },
		func(i int) {
			if stages[i] != nil {
				faults[i] = stageFault{stage, body(&c.Sentences[i].Sentence, stages[i])}
			}
		})
	for i, fault := range panics {
		faults[i] = stageFault{stage, cmp.Or(fault, faults[i].fault)}
	}
	c.keep(faults)
}
