package transforms_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Whatever a stage does, the chunk that it was given stays as it was: a collection of
// chunks may have several consumers.
func TestStagesChangeNoChunk(t *testing.T) {
	type stage struct {
		name string
		do   func(c transforms.Chunk, m transforms.Stages, o output.RowOptions) transforms.Chunk
	}
	stages := []stage{
		{"Segment", transforms.SegmentChunk},
		{"Encode", func(c transforms.Chunk, m transforms.Stages, o output.RowOptions) transforms.Chunk {
			c, _ = transforms.EncodeChunk(c, m, o)
			return c
		}},
		{"Tag", transforms.TagChunk}, {"Prune", transforms.PruneChunk}, {"Parse", transforms.ParseChunk},
	}
	given := chunkOf("A hearing is scheduled on the issue today .", transformstest.PanicTag, transformstest.PanicParse)
	for _, word := range []string{"Shut", "up", "and", "What", "the", "hell"} {
		given.Sentences[0].Words = append(given.Sentences[0].Words, syntax.Word{Form: word, Head: syntax.NoHead})
	}
	given.Sentences[0].Words[2].Head = 4
	given.Files = append(given.Files, output.File{DocID: "b.txt", Lines: string(text.Wrapped)})
	for _, b := range []string{"The cat that I saw sat. It slept on the couch and dreamed of " + transformstest.PanicSegment + ".", "Who did you talk to? Nobody."} {
		given.Blocks = append(given.Blocks, transforms.Block{File: 1, Block: text.Block{Text: b, End: int64(len(b))}})
	}
	for _, name := range []string{"../sample/text", "../docs/input.md"} {
		given.Blocks = append(given.Blocks, blocksBelow(t, name)...)
	}
	given.Failures = append(make([]output.Failure, 0, 10), output.Failure{})
	toy := transformstest.Register()
	for _, uri := range []string{"", transformstest.ModelURI, transformstest.EncoderURI} {
		m, _, err := transforms.OpenModel(uri)
		must(t, err)
		for _, o := range []output.RowOptions{{MaxWords: 100, Retag: true, Ranges: true}, {MaxWords: 100, KeepHeads: true}, {MaxWords: 100, Parse: output.ParseOptions{Projective: true}}} {
			c := given
			for _, stage := range stages {
				before, _ := transforms.EncodedChunk(c)
				after := stage.do(c, m, o)
				once, _ := transforms.EncodedChunk(after)
				if now, _ := transforms.EncodedChunk(c); !bytes.Equal(before, now) {
					t.Errorf("%s of model %q with %+v changes its chunk", stage.name, uri, o)
				}
				again, _ := transforms.EncodedChunk(stage.do(c, m, o))
				if now, _ := transforms.EncodedChunk(after); !bytes.Equal(once, again) || !bytes.Equal(once, now) {
					t.Errorf("%s of model %q with %+v: two consumers do not get the same", stage.name, uri, o)
				}
				c = after
			}
			if len(c.Sentences) == 0 || uri != "" && len(c.Failures) < 3 {
				t.Errorf("model %q: %d sentences and %d failures", uri, len(c.Sentences), len(c.Failures))
			}
		}
	}
	if toy.Parsed.Load() == 0 {
		t.Error("the toy did nothing")
	}
}

// blocksBelow are the blocks of the files in a path, as those of the second file.
func blocksBelow(t *testing.T, path string) (list []transforms.Block) {
	t.Helper()
	for _, r := range planned(t, path, 0) {
		if err := transforms.ReadPaced(t.Context(), &r, nil, output.RowOptions{}, nil, func(c transforms.Chunk) error {
			for _, b := range c.Blocks {
				b.File = 1
				list = append(list, b)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func TestOptionsCheck(t *testing.T) {
	transformstest.Register()
	for _, c := range []struct {
		o    transforms.Options
		want string
	}{
		{transforms.Options{}, ""},
		{transforms.Options{Effort: 1, Lines: "sentence", MaxWords: 50}, ""},
		{transforms.Options{Model: transformstest.EncoderURI, Effort: transforms.NoEncoder}, ""},
		{transforms.Options{Model: transformstest.EncoderURI, Effort: 0.5}, ""},
		{transforms.Options{Model: "there/is/none.tbm"}, ""}, // a worker may see it
		{transforms.Options{Model: model.Embedded, Effort: 0.5}, "option Effort: 0.5: the model has no encoder"},
		{transforms.Options{Model: transformstest.ModelURI, Language: "de"}, "option Language: de: the model knows one language"},
		{transforms.Options{Language: "xx"}, "option Language: xx: "},
		{transforms.Options{Effort: 2}, "option Effort: 2: must be from 0 to 1"},
		{transforms.Options{Lines: "many"}, "unknown meaning of line breaks"},
		{transforms.Options{MaxWords: 1 << 30}, "option MaxWords: 1073741824: must be from 1"},
		{transforms.Options{Budget: -1}, "must not be negative"},
		{transforms.Options{Custom: transforms.CustomFiles{Exceptions: "there/is/none.tsv"}}, "option Custom.Exceptions: there/is/none.tsv: "},
	} {
		err := c.o.Check()
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}
