package transforms

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[writeFn]())
	register.Emitter1[Done]()
}

// A Done is the row that Write emits for a range.
type Done struct {
	K       int
	Skipped bool   // its parts existed before
	Sums    string // the sums of output.Parts for Finish, "" if they are long
}

// Write writes the chunks of each range as its parts. The part with the trees comes last
// and commits the range. Write needs the chunks of one reading of a range in order in one
// bundle; runners that fuse the stages from Read to Write deliver them so. Any other range
// is torn: Write drops what it has of it and leaves the range to Mend.
//
// PCollection<Chunk> -> PCollection<Done> (written), PCollection<Done> (torn, with duplicates)
func Write(s beam.Scope, job Job, chunks beam.PCollection) (written, torn beam.PCollection) {
	return beam.ParDo2(s.Scope("Write"), &writeFn{Job: job}, chunks)
}

type writeFn struct {
	Job  Job
	open *openRange // nil: none
}

// An openRange is a range that is being written.
type openRange struct {
	*output.Parts
	attempt uint64
	next    int // number of the chunk that must come next
}

// wants reports whether c is the next chunk of the range.
func (o *openRange) wants(c *Chunk) bool { return o.holds(c) && o.next == c.Seq }

func (o *openRange) holds(c *Chunk) bool { return o != nil && o.attempt == c.Attempt }

func (f *writeFn) ProcessElement(ctx context.Context, c Chunk, written, torn func(Done)) error {
	if c.Skip {
		c.count(ctx)
		Progress.Skipped.Add(1)
		written(Done{K: c.Range, Skipped: true})
		return nil
	}
	if c.Seq == 0 && !c.Void {
		f.drop()
		parts, err := f.Job.Open(ctx, c.Range)
		if err != nil {
			return f.failed(ctx, &c, err)
		}
		f.open = &openRange{Parts: parts, attempt: c.Attempt}
	}
	if !f.open.wants(&c) {
		if f.open.holds(&c) {
			f.drop()
		}
		if !c.Void {
			torn(Done{K: c.Range})
		}
		return nil
	}
	f.open.next++
	if err := writeChunk(ctx, f.open.Parts, &c); err != nil {
		return f.failed(ctx, &c, err)
	}
	if c.Last {
		written(Done{K: c.Range, Sums: f.open.Sums()})
		f.open = nil
	}
	return nil
}

// FinishBundle drops a range whose last chunks are in another bundle.
func (f *writeFn) FinishBundle(_ context.Context, _, _ func(Done)) { f.drop() }

func (f *writeFn) failed(ctx context.Context, c *Chunk, err error) error {
	f.drop()
	return f.Job.failed(ctx, c.Range, fmt.Errorf("range %d: %w", c.Range, err))
}

// drop removes the temporary files of the range that is open.
func (f *writeFn) drop() {
	if f.open != nil {
		f.open.Abandon()
		f.open = nil
	}
}

// writeChunk adds c to the parts of its range, and publishes them after the last chunk.
func writeChunk(ctx context.Context, parts *output.Parts, c *Chunk) error {
	if len(c.Blocks) > 0 {
		return fmt.Errorf("%d blocks came to Write without having been segmented", len(c.Blocks))
	}
	if err := parts.Add(c.Batch()); err != nil {
		return err
	}
	if c.Last {
		if err := parts.Commit(c.Ends); err != nil {
			return err
		}
		Progress.Written.Add(1)
	}
	for i := range c.Sentences {
		Progress.Words.Add(int64(len(c.Sentences[i].Words)))
	}
	c.count(ctx)
	return nil
}
