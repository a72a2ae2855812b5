package transforms

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/output"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[writeFn]())
}

// Write turns the chunks of each range into its parts, the trees last:
// the trees are the commit mark. It wants the chunks of one reading of a range
// in order and in one process, and fails on a runner that does otherwise.
//
// PCollection<Chunk> -> PCollection<Done>
func Write(s beam.Scope, job Job, chunks beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Write"), &writeFn{Job: job}, chunks)
}

type writeFn struct {
	Job Job
}

func (f *writeFn) ProcessElement(ctx context.Context, c Chunk, emit func(Done)) error {
	if c.Skip {
		c.count(ctx)
		Progress.Skipped.Add(1)
		emit(Done{K: c.Range, Skipped: true})
		return nil
	}
	key := attempt{f.Job.Output, f.Job.FP, c.Range, c.Attempt}
	out, err := key.parts(&f.Job, c.Seq)
	if err == nil {
		err = out.add(&c)
	}
	if err == nil && c.Last {
		err = out.Commit(c.Ends)
	}
	if err != nil {
		key.abandon()
		return f.Job.failed(ctx, c.Range, fmt.Errorf("range %d: %w", c.Range, err))
	}
	c.count(ctx)
	if c.Last {
		active.Delete(key)
		Progress.Written.Add(1)
		emit(Done{K: c.Range})
	}
	return nil
}

// An attempt names one reading of one range. Write, which fills its open files, finds
// them here, and so does Read, which makes sure that they are closed: Beam calls
// neither FinishBundle nor Teardown after an error.
type attempt struct {
	output, fp string
	k          int
	id         uint64
}

var active sync.Map // attempt -> *openParts

// openParts are the parts of a range that is being written.
type openParts struct {
	*output.Parts
	runner string // for messages
	next   int    // number of the chunk that must come next
}

// add writes the rows of c, which must be the next chunk of the range.
func (p *openParts) add(c *Chunk) error {
	if c.Seq != p.next {
		return fmt.Errorf("chunk %d came to Write where chunk %d was due: "+
			"runner %q does not keep the order of a range; run on prism or Dataflow", c.Seq, p.next, p.runner)
	}
	p.next++
	if len(c.Blocks) > 0 {
		return fmt.Errorf("%d blocks came to Write without having been segmented", len(c.Blocks))
	}
	if err := p.Add(c.Batch()); err != nil {
		return err
	}
	for i := range c.Sentences {
		Progress.Words.Add(int64(len(c.Sentences[i].Words)))
	}
	return nil
}

// parts returns the open parts of the attempt, or opens them for chunk 0.
func (a attempt) parts(job *Job, seq int) (*openParts, error) {
	if seq == 0 {
		parts, err := job.Open(a.k)
		if err != nil {
			return nil, err
		}
		out := &openParts{Parts: parts, runner: job.Runner}
		active.Store(a, out)
		return out, nil
	}
	out, ok := active.Load(a)
	if !ok {
		return nil, fmt.Errorf("chunk %d came to Write before chunk 0 or to another process: "+
			"runner %q does not keep the stages of a range together; run on prism or Dataflow", seq, job.Runner)
	}
	return out.(*openParts), nil
}

// abandon removes what the attempt has open, if anything.
func (a attempt) abandon() {
	if out, ok := active.LoadAndDelete(a); ok {
		out.(*openParts).Abandon()
	}
}

// Abandon ends what is under way for the job in this process after a run that
// has failed, and removes its temporary files: a range whose files are gone
// fails with its next chunk. It returns when no range is active, or after the
// given time.
func Abandon(job *Job, within time.Duration) {
	for end := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		active.Range(func(key, _ any) bool {
			if a := key.(attempt); a.output == job.Output && a.fp == job.FP {
				a.abandon()
			}
			return true
		})
		if Progress.Active.Load() == 0 || time.Now().After(end) {
			return
		}
	}
}

// Leave is AbandonAll for a process that is about to end. Its inputs may disappear now,
// so a range that is not complete by then is not published: a goroutine that tries to
// publish one blocks until the process ends.
func Leave() {
	output.Leave()
	AbandonAll()
}

// AbandonAll removes the temporary files of all ranges under way in this
// process.
func AbandonAll() {
	active.Range(func(key, _ any) bool {
		key.(attempt).abandon()
		return true
	})
}
