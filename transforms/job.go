package transforms

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// FormatVersion changes whenever the same input and model give other bytes: its
// first number when the program makes other rows, its second one with the columns.
const FormatVersion = "2." + parquet.FormatVersion

// ChunkTokens is about how many tokens one chunk holds.
const ChunkTokens = 20000

// FailureText is how many bytes of an offending text a failure row keeps.
const FailureText = 1000

// RowOptions are the options that change rows. They are part of the
// fingerprint, so nothing else may change a byte of trees/ or failures/.
type RowOptions struct {
	From     string `json:"from"`               // "auto" or a format
	Encoding string `json:"encoding"`           // of raw text
	Lines    string `json:"lines"`              // auto, wrapped, paragraph or sentence
	Document string `json:"document,omitempty"` // of raw text: "" for files, or ByLine
	TextKey  string `json:"text_key,omitempty"` // of JSON lines, "" is jsonl.DefaultTextKey
	IDKey    string `json:"id_key,omitempty"`   // of JSON lines, "" is jsonl.DefaultIDKey
	MaxWords int    `json:"max_words"`          // raw sentences are cut above this
	Retag    bool   `json:"retag"`
	// KeepHeads keeps the heads that CoNLL input gives, and their deprels.
	KeepHeads bool `json:"keep_heads"`
	// StopAfter is the last stage that is run: StopSegment, StopTag or "" for
	// all of them.
	StopAfter string `json:"stop_after,omitempty"`
	// Effort is how sure a parse without the encoder must be to be kept, as a
	// number from 0 to 1; "" is 1, for a model without an encoder too.
	Effort string `json:"effort,omitempty"`
	// Digests of what a user knows of the text (CustomTexts.Note), "" for nothing.
	Abbreviations string `json:"abbreviations,omitempty"`
	KeepTogether  string `json:"keep_together,omitempty"`
	Exceptions    string `json:"exceptions,omitempty"`
	// Unconstrained allows trees that break rules of Universal Dependencies.
	Unconstrained bool `json:"unconstrained,omitempty"`

	Parse ParseOptions `json:"parse"`
}

// Stages that a run can end with, without trees.
const (
	StopSegment = stageSegment
	StopTag     = stageTag
)

// Names of the stages, as the column stage of failures/ has them.
const (
	stageRead    = "read"
	stageSegment = "segment"
	stageEncode  = "encode"
	stageTag     = "tag"
	stagePrune   = "prune"
	stageParse   = "parse"
)

// A Job is everything that a worker has to know. It travels in the exported
// field of every DoFn; a worker never sees the launcher's flags.
type Job struct {
	FP          string            // fingerprint, hex
	Ranges      int               // N
	Output      string            // output folder; the plan is in it
	Model       string            // as OpenModel wants it
	ModelDigest string            // what must be found there
	ModelID     string            // the column model_id
	TrainedOn   string            // language and treebank of the model, for messages
	Options     RowOptions        //
	Footer      map[string]string // provenance, written into every part
	Runner      string            // for messages
	Redo        bool              // --retry-failures: ranges with rows of stage read are not done
	Verify      bool              // --verify: the parts of ranges that are done are read whole
	Token       string            // what TokenFile in the output folder holds; "" if workers need not show that they see it
}

// ErrorMark begins our own message in what a runner makes of an error: it puts
// many lines around it.
const ErrorMark = "treebeam: "

// ChangedMark follows ErrorMark if the input is not what was listed: running
// the same command again does not continue the run.
const ChangedMark = "the input has changed: "

// marked is err as a DoFn returns it.
func marked(err error) error {
	if err == nil {
		return nil
	}
	var fault *source.Error
	if errors.As(err, &fault) && fault.Kind == source.Changed {
		return fmt.Errorf(ErrorMark+ChangedMark+"%w", err)
	}
	return fmt.Errorf(ErrorMark+"%w", err)
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

// A stageFault is what went wrong with a sentence, and in which stage.
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

// Stage runs a chunk that was just read through the stages, up to o.StopAfter.
func Stage(c Chunk, m Stages, o RowOptions) Chunk {
	c = SegmentChunk(c, m, o)
	if o.StopAfter == StopSegment {
		return c
	}
	c, _ = EncodeChunk(c, m, o)
	c = TagChunk(c, m, o)
	if o.StopAfter == StopTag {
		return c
	}
	return ParseChunk(PruneChunk(c, m, o), m, o)
}

// SentenceID is the sentence's own id, else one made of its document's and of
// where it begins.
func SentenceID(s *syntax.Sentence, docID string) string {
	if s.ID != "" {
		return s.ID
	}
	return docID + "@" + strconv.FormatInt(s.StartByte, 10)
}
