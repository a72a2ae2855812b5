package transforms

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
)

// Prune finds the candidate heads of every word. It leaves alone what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Prune(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Prune", job, chunks)
}

// PruneChunk is Prune on one chunk.
func PruneChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if x, _ := encoder(m, &o); x == nil {
		c.perSentence(stagePrune, m.Prune)
	}
	return c
}
