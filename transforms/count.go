package transforms

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tally"
	"github.com/treebeam/treebeam/parser/word"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[countFn]())
}

// Count reads ranges, segments them and counts their words and bigrams. The counts of
// a range go into files of the job's output folder, in which ReadCounted finds them;
// no word goes through a shuffle. A range whose counts are there already is not read.
//
// PCollection<source.Range> -> PCollection<Done>
func Count(s beam.Scope, job Job, ranges beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Count"), &countFn{Job: job}, ranges)
}

type countFn struct {
	Job    Job
	stages Stages
}

func (f *countFn) Setup() (err error) {
	f.stages, err = f.Job.open()
	return err
}

// A Counted is what is known of the counts of a range, or of several.
type Counted struct {
	Runs      int   `json:"runs"` // files with counts
	Sentences int64 `json:"sentences"`
	Words     int64 `json:"words"`
	Long      int64 `json:"long"`     // of these, longer than cluster.MaxWord, which get no class
	Failures  int64 `json:"failures"` // what could not be read or segmented
}

func (f *countFn) ProcessElement(ctx context.Context, r source.Range, emit func(Done)) error {
	rangeSlots <- struct{}{}
	defer func() { <-rangeSlots }()
	Progress.Active.Add(1)
	defer Progress.Active.Add(-1)
	if err := f.Job.CheckToken(); err != nil {
		return f.Job.marked(err)
	}
	if _, err := ReadCounted(ctx, &f.Job, r.K); err == nil {
		emit(Done{K: r.K, Skipped: true})
		return nil
	}
	if err := f.count(ctx, &r); err != nil {
		return f.Job.marked(fmt.Errorf("range %d: %w", r.K, err))
	}
	Progress.Written.Add(1)
	emit(Done{K: r.K})
	return nil
}

// count writes the counts of r, and last of all what is known of them.
func (f *countFn) count(ctx context.Context, r *source.Range) error {
	var all Counted
	var t tally.Tally
	write := func() error {
		name := countsName(&f.Job, r.K, all.Runs)
		all.Runs++
		return output.WriteFile(ctx, f.Job.Output, name, t.Run())
	}
	err := ReadRange(ctx, r, f.Job.Options, func(c Chunk) error {
		return EachSentence(c, f.stages, f.Job.Options, &all, func(words []string) error {
			t.Add(words)
			if t.Full() {
				return write()
			}
			return nil
		})
	})
	if err == nil && !t.Empty() {
		err = write()
	}
	if err != nil {
		return err
	}
	data, err := json.Marshal(&summedCounts{all, all.sum()})
	if err != nil {
		return err
	}
	return output.WriteFile(ctx, f.Job.Output, countedName(&f.Job, r.K), data)
}

// A summedCounts is the file of a Counted. Without the sum, one digit of it could
// leave out runs.
type summedCounts struct {
	Counted
	Sum uint32 `json:"crc32"`
}

// sum is a CRC-32 of c.
func (c *Counted) sum() uint32 {
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain data
	}
	return crc32.ChecksumIEEE(data)
}

// EachSentence segments a chunk and calls f with the forms of every sentence, as all
// features see them: word.Plain. The slice is valid during the call only. What there
// is in the chunk is added to to.
func EachSentence(c Chunk, m Stages, o output.RowOptions, to *Counted, f func(words []string) error) error {
	c = SegmentChunk(c, m, o)
	var words []string
	for i := range c.Sentences {
		s := &c.Sentences[i].Sentence
		words = words[:0]
		for j := range s.Words {
			w := word.Plain(s.Words[j].Form)
			if words = append(words, w); len(w) > cluster.MaxWord {
				to.Long++
			}
		}
		to.Sentences++
		to.Words += int64(len(words))
		Progress.Words.Add(int64(len(words)))
		if err := f(words); err != nil {
			return err
		}
	}
	for i := range c.Failures {
		if c.Failures[i].Severity == syntax.SeverityError {
			to.Failures++
		}
	}
	return nil
}

// CountsDir is the folder of the counts in the output folder of a job.
const CountsDir = "counts"

// countedName is the file that says of a range that its counts are complete.
func countedName(job *Job, k int) string {
	return fmt.Sprintf("%s/%.16s-%06d.json", CountsDir, job.FP, k)
}

// countsName is the file of a run of counts of a range.
func countsName(job *Job, k, run int) string {
	return fmt.Sprintf("%s/%.16s-%06d-%04d.counts", CountsDir, job.FP, k, run)
}

// CountsPath is where run number run of range k is.
func CountsPath(job *Job, k, run int) string { return store.Join(job.Output, countsName(job, k, run)) }

// ReadCounted returns what is known of the counts of range k. They are complete, or it
// is an error.
func ReadCounted(ctx context.Context, job *Job, k int) (Counted, error) {
	var c summedCounts
	data, err := store.ReadFile(ctx, store.Join(job.Output, countedName(job, k)))
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err == nil && (c.Runs < 0 || c.Runs > 1<<20 || c.Sum != c.sum()) {
		err = fmt.Errorf("%s is damaged", countedName(job, k))
	}
	return c.Counted, err
}
