package pipeline

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A panic in any stage costs one sentence and leaves a row; the neighbours
// are parsed and the sums close.
func TestPlantedPanics(t *testing.T) {
	for stage, word := range map[string]string{
		"segment": transformstest.PanicSegment, "tag": transformstest.PanicTag,
		"prune": transformstest.PanicPrune, "parse": transformstest.PanicParse, "tree": transformstest.Headless,
	} {
		t.Run(stage, func(t *testing.T) {
			text := "Before it .\n\nSome " + word + " here .\n\nAfter it .\n"
			o := options(write(t, map[string]string{"x.txt": text}), filepath.Join(t.TempDir(), "out"))
			run(t, o)
			rows := rowsOf[parquet.Failure](t, o.Output, "failures")
			if len(rows) != 1 || rows[0].Kind != "internal" || !strings.HasPrefix(rows[0].Reason, "internal: ") || rows[0].ByteOffset != 13 ||
				!strings.Contains(rows[0].Text, word) || rows[0].Line == nil || *rows[0].Line != 3 {
				t.Fatalf("rows %+v", rows)
			}
			got := converted(t, o.Output)
			before, after := strings.Index(got, "\tBefore\t"), strings.Index(got, "\tAfter\t")
			if before < 0 || after < before {
				t.Errorf("the neighbours were not parsed:\n%s", got)
			}
			if at := strings.Index(got, word); stage != "segment" && (at < before || at > after ||
				!strings.Contains(got, "# treebeam_failure = internal: ")) {
				t.Errorf("the sentence that failed is not in its place:\n%s", got)
			}
			if sum := summary(t, o.Output); sum.Trees != 2 || sum.Errors != 1 || sum.Internal != 1 {
				t.Errorf("summary %+v", sum)
			}
		})
	}
}

// Too many defects of the program fail the run.
func TestManyPanics(t *testing.T) {
	text := strings.Repeat("Some PANICTAG here .\n\n", 10) + prose(50)
	o := options(write(t, map[string]string{"x.txt": text}), filepath.Join(t.TempDir(), "out"))
	if err := tryRun(o); err == nil || !strings.Contains(err.Error(), "defects of the program") {
		t.Errorf("got %v", err)
	}
	if _, err := output.ReadManifest(o.Output); err == nil {
		t.Error("the output was marked complete")
	}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[dropFn]())
}

// A dropFn loses something on the way.
type dropFn struct{ Block, Sentence, Chunk bool }

func (f *dropFn) ProcessElement(c transforms.Chunk, emit func(transforms.Chunk)) {
	if f.Block && len(c.Blocks) > 1 {
		c.Blocks = c.Blocks[1:]
	}
	if f.Sentence && len(c.Sentences) > 1 {
		c.Sentences = c.Sentences[1:]
	}
	if !f.Chunk || c.Range != 0 {
		emit(c)
	}
}

// What is lost between two stages is noticed: the run fails and its output is
// not marked complete.
func TestLossIsNoticed(t *testing.T) {
	for name, c := range map[string]struct {
		drop  dropFn
		after string
		want  string
	}{
		"block":    {dropFn{Block: true}, "read", "blocks were read"},
		"sentence": {dropFn{Sentence: true}, "tag", "sentences, but"},
		"range":    {dropFn{Chunk: true}, "parse", "lost on the way"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
			o.RangeBytes = rangeBytes
			p := prepared(t, o)
			pl, scope := beam.NewPipelineWithRoot()
			build(scope, p.Job, func(s beam.Scope, stage string, col beam.PCollection) beam.PCollection {
				if stage != c.after {
					return col
				}
				return beam.ParDo(s, &c.drop, col)
			})
			if _, err := p.run(context.Background(), pl); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("Beam's layers are in the error %q", err)
			}
			if _, err := output.ReadManifest(o.Output); err == nil {
				t.Error("the output was marked complete")
			}
		})
	}
}
