// Package pipeline runs treebeam parse: Prepare checks the user's Options and writes
// the plan, Run runs it as a Beam pipeline (Build), and Stream parses in this process
// without an output folder. It also reads and writes the formats of sentences.
package pipeline

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/transforms"
)

// Build adds a whole run to s, from the ranges of the plan to the finished output
// folder.
//
//	Expand -> Read -> Segment -> Encode -> Tag -> Prune -> Parse -> Write -> Finish
//
// The stages from Read to Write are one linear chain, which prism, Flink, Spark and
// Dataflow fuse. Only ranges and one small row for each range are shuffled, never text.
// A runner that shuffles or retries between two of these stages takes more time but
// changes no byte: Write leaves ranges that arrive incomplete to Mend.
func Build(s beam.Scope, job transforms.Job) {
	build(s, job, nil)
}

// build is Build with between applied to the output of every stage from
// Expand to Parse, for tests.
func build(s beam.Scope, job transforms.Job, between func(s beam.Scope, stage string, c beam.PCollection) beam.PCollection) {
	if between == nil {
		between = func(_ beam.Scope, _ string, c beam.PCollection) beam.PCollection { return c }
	}
	o := job.Parsing()
	spans := between(s, "expand", transforms.Expand(s, job))
	chunks := between(s, "read", transforms.Read(s, job, spans))
	chunks = between(s, "segment", transforms.Segment(s, chunks, o))
	chunks = between(s, "encode", transforms.Encode(s, chunks, o))
	chunks = between(s, "tag", transforms.Tag(s, chunks, o))
	chunks = between(s, "prune", transforms.Prune(s, chunks, o))
	chunks = between(s, "parse", transforms.Parse(s, chunks, o))
	written, torn := transforms.Write(s, job, chunks)
	mended := transforms.Mend(s, job, torn)
	transforms.Finish(s, job, beam.Flatten(s, written, mended))
}
