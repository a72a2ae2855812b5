package transforms_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/treebeam/treebeam/transforms"
)

func init() {
	register.Function1x1(names)
	register.Function1x0(printTags)
}

// A DoFn of one's own between Tag and Parse.
func Example_stage() {
	var o transforms.Options
	p, s := beam.NewPipelineWithRoot()
	docs := beam.Create(s, transforms.NewDocument("d", "The zorgle runs."))
	tagged := transforms.Tag(s, transforms.Encode(s, transforms.Segment(s, docs, o), o), o)
	named := beam.ParDo(s, names, tagged)
	trees, _ := transforms.Trees(s, transforms.Parse(s, transforms.Prune(s, named, o), o), o)
	beam.ParDo0(s, printTags, trees)
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}
	// Output: DET PROPN VERB PUNCT, root at 3
}

// names tags a word. Elements are immutable, so it copies what it changes.
func names(c transforms.Chunk) transforms.Chunk {
	c.Sentences = slices.Clone(c.Sentences)
	for i := range c.Sentences {
		s := &c.Sentences[i]
		s.Words = slices.Clone(s.Words)
		for j := range s.Words {
			if w := &s.Words[j]; w.Form == "zorgle" {
				w.UPOS, w.XPOS = "PROPN", "NNP"
			}
		}
	}
	return c
}

func printTags(t transforms.Tree) {
	fmt.Printf("%s, root at %d\n", strings.Join(t.UPOS, " "), slices.Index(t.Head, 0)+1)
}
