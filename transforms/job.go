package transforms

import (
	"context"
	"errors"
	"slices"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ChunkTokens is about how many tokens one chunk holds. Of every range under way, Beam
// holds some ten versions of chunks: what each stage was given last.
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

// A Job is everything that a worker has to know. It travels in the exported
// field of every DoFn; a worker never sees the launcher's flags.
type Job struct {
	output.Run
	Model string // as OpenModel wants it
}

// failed is err as a DoFn returns it, after it has left err in the output as the cause
// for which the run fails. k is the range that it is about, or -1.
func (j *Job) failed(ctx context.Context, k int, err error) error {
	if err == nil {
		return nil
	}
	cause := output.Cause{Range: k, Kind: output.Failed, Message: err.Error()}
	var fault *source.Error
	if errors.As(err, &fault) && fault.Kind == source.Changed {
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

// keep drops the sentences that have a fault and puts failure rows in their
// place. Nil faults keep all of them.
func (c *Chunk) keep(stage string, faults []syntax.Fault) {
	if !slices.ContainsFunc(faults, func(f syntax.Fault) bool { return f != noFault }) {
		return
	}
	list := make([]stageFault, len(faults))
	for i := range faults {
		list[i] = stageFault{stage, faults[i]}
	}
	c.keepStages(list)
}

// A stageFault says what went wrong with a sentence, and in which stage.
type stageFault struct {
	stage string
	fault syntax.Fault
}

// keepStages is keep for faults of several stages.
func (c *Chunk) keepStages(faults []stageFault) {
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

// perSentence runs body on every sentence of the chunk, longest first, and
// turns the sentences in which it panicked into failure rows of stage.
func (c *Chunk) perSentence(stage string, body func(s *syntax.Sentence)) {
	panics := each(len(c.Sentences),
		func(i int) int { return len(c.Sentences[i].Words) },
		func(i int) { body(&c.Sentences[i].Sentence) })
	c.keep(stage, panics)
}
