package transforms

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ChunkTokens is about how many tokens one chunk holds.
const ChunkTokens = 20000

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
	Model  string // as OpenModel wants it
	Runner string // for messages
}

// Causes, as Job.Cause returns them.
const (
	Failed  = "failed"
	Changed = "changed" // the input is not what was listed: running the same command again does not continue the run
)

// mark begins our own message in what a runner makes of an error, which puts
// many lines around it. It has the run's fingerprint, which no name of a file
// has: that is a sum of all names.
func (j *Job) mark() string { return fmt.Sprintf("treebeam %.16s ", j.FP) }

// marked is err as a DoFn returns it.
func (j *Job) marked(err error) error {
	if err == nil {
		return nil
	}
	cause := Failed
	var fault *source.Error
	if errors.As(err, &fault) && fault.Kind == source.Changed {
		cause = Changed
	}
	return fmt.Errorf("%s%s: %w", j.mark(), cause, err)
}

// Cause takes our own message and its cause out of the text of a runner's error: the
// text around it is runner. Without a message of ours, all of it is.
func (j *Job) Cause(text string) (runner, cause, message string) {
	at := strings.LastIndex(text, j.mark())
	if at < 0 {
		return text, "", ""
	}
	cause, message, _ = strings.Cut(text[at+len(j.mark()):], ": ")
	message, _, _ = strings.Cut(message, "\n")
	return text[:at], cause, message
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
