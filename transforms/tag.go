package transforms

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Tag fills in tags, features and lemmas of sentences in which a word has no
// UPOS, or replaces those of all. In a sentence that is tagged, empty features
// mean that there are none: it stays as it is. It leaves alone what Encode does.
//
// PCollection<Chunk> -> PCollection<Chunk>
func Tag(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return perChunk(s, "Tag", job, chunks)
}

// TagChunk is Tag on one chunk.
func TagChunk(c Chunk, m Stages, o output.RowOptions) Chunk {
	if x, _ := encoder(m, &o); x == nil {
		c.perSentence(stageTag, func(s *syntax.Sentence) { tagSentence(s, m, &o) })
	}
	return c
}

func tagSentence(s *syntax.Sentence, m Stages, o *output.RowOptions) {
	if needsTags(s, o) {
		m.Tag(s, o.Retag)
		return
	}
	s.TagsGiven = true
}

// needsTags reports whether a word has no UPOS, or those of all are replaced.
func needsTags(s *syntax.Sentence, o *output.RowOptions) bool {
	return o.Retag || slices.ContainsFunc(s.Words, func(w syntax.Word) bool { return w.UPOS == "" })
}
