package transforms_test

import (
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// A sentence whose words all have UPOS says so, though nobody tags it.
func TestTagsGiven(t *testing.T) {
	m := encodingToy(t).Toy
	for _, retag := range []bool{false, true} {
		c := chunkOf("a b", "a b", "a b")
		c.Sentences[1].Words[1].UPOS = "X"
		for i := range c.Sentences[2].Words {
			c.Sentences[2].Words[i].UPOS = "X"
		}
		c = transforms.TagChunk(c, m, output.RowOptions{Retag: retag})
		for i, given := range []bool{false, false, !retag} {
			if s := c.Sentences[i]; s.TagsGiven != given || s.Words[0].UPOS == "" {
				t.Errorf("retag %v, sentence %d: tags given %v, want %v: %v", retag, i+1, s.TagsGiven, given, s.Words)
			}
		}
	}
}
