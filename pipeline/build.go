// Package pipeline is the product in one function: Build puts the stages
// together, Prepare checks what the user asked for and writes the plan, Run
// runs it.
package pipeline

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/transforms"
)

// Build adds the whole job to s: from the ranges of the plan to the finished
// output folder.
//
//	Expand -> Read -> Segment -> Encode -> Tag -> Prune -> Parse -> Write -> Finish
//
// The stages from Read to Write are one linear chain, which prism, Flink, Spark and
// Dataflow fuse: text never goes through a shuffle, only ranges and one small row for
// each of them do. A runner that puts a shuffle or a retry between two of them costs
// time and changes no byte: Write leaves the ranges that do not come whole to Mend.
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
