package transforms

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Keys of the footers, beside those of package parquet.
const (
	keyFiles   = "treebeam.files"   // of trees/: []File as JSON, what the range read of each file
	keyReasons = "treebeam.reasons" // of trees/: []Reason as JSON
	keyStatus  = "treebeam.status"  // of trees/: rows by status, as JSON
	keyWork    = "treebeam.work"    // of trees/: a Work as JSON
)

// A Reason says how often a kind of thing went wrong in a stage, and where for
// the first time.
type Reason struct {
	Stage      string      `json:"stage"`
	Severity   string      `json:"severity"`
	Kind       syntax.Kind `json:"kind"`
	Count      int64       `json:"count"`
	Reason     string      `json:"reason"` // of the first, at most FailureText bytes
	SourceURI  string      `json:"source_uri"`
	ByteOffset int64       `json:"byte_offset"`
	Line       int64       `json:"line,omitempty"`
}

// reasonOf is the Reason of one row.
func reasonOf(f *syntax.Failure) Reason {
	return Reason{
		Stage: f.Stage, Severity: f.Severity, Kind: f.Kind, Count: 1, Reason: cut(f.Reason, FailureText),
		SourceURI: f.SourceURI, ByteOffset: f.ByteOffset, Line: f.Line,
	}
}

func (r *Reason) same(o *Reason) bool {
	return r.Kind == o.Kind && r.Stage == o.Stage && r.Severity == o.Severity
}

// addReason counts r in list, which stays in order of first appearance. It
// has an element for a kind, a stage and a severity at most: some dozens.
func addReason(list []Reason, r Reason) []Reason {
	for i := range list {
		if list[i].same(&r) {
			list[i].Count += r.Count
			return list
		}
	}
	return append(list, r)
}

// rangeParts are the two open parts of a range and its sums.
type rangeParts struct {
	job  *Job
	part *parquet.Part
	next int // number of the chunk that must come next

	still func()     // ends what keeps the temporary files from being swept
	using sync.Mutex // held while part is written or published

	files   pieceSums
	reasons []Reason
	status  map[string]int64
	work    Work
}

func (j *Job) partID(k int) parquet.PartID {
	return parquet.PartID{Out: j.Output, K: k, N: j.Ranges, FP: j.FP}
}

// footer is the job's provenance in the order of its keys.
func (j *Job) footer() []parquet.KeyValue {
	var list []parquet.KeyValue
	for _, key := range slices.Sorted(maps.Keys(j.Footer)) {
		list = append(list, parquet.KeyValue{Key: key, Value: j.Footer[key]})
	}
	return list
}

func openRangeParts(job *Job, k int) (*rangeParts, error) {
	part, err := parquet.Create(job.partID(k), tmpDir(job.Output), job.footer())
	if err != nil {
		return nil, err
	}
	return &rangeParts{job: job, part: part, files: pieceSums{}, status: map[string]int64{}, still: every(touchAfter, part.Touch)}, nil
}

// abandonWithin is how long abandon waits for a write that is under way.
const abandonWithin = 2 * time.Second

// abandon drops the parts. It may be called from any goroutine: whoever writes
// them fails with the next row. A write that hangs is left alone, and what it
// leaves is swept some day.
func (p *rangeParts) abandon() {
	p.still()
	p.part.Cancel()
	for end := time.Now().Add(abandonWithin); !p.using.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return
		}
	}
	defer p.using.Unlock()
	p.part.Abort()
}

// add writes the rows of c, which must be the next chunk of the range.
func (p *rangeParts) add(c *Chunk) error {
	if c.Seq != p.next {
		return fmt.Errorf("chunk %d came to Write where chunk %d was due: "+
			"runner %q does not keep the order of a range; run on prism or Dataflow", c.Seq, p.next, p.job.Runner)
	}
	p.next++
	if len(c.Blocks) > 0 {
		return fmt.Errorf("%d blocks came to Write without having been segmented", len(c.Blocks))
	}
	p.files.add(c)
	rows := make([]parquet.Tree, len(c.Sentences))
	words := int64(0)
	for i := range c.Sentences {
		s := &c.Sentences[i]
		rows[i] = c.TreeRow(i, p.job.ModelID)
		words += int64(len(s.Words))
		p.status[s.Status.String()]++
		p.work.note(s.Confidence.Weighed)
	}
	p.using.Lock()
	err := p.part.Trees(rows...)
	p.using.Unlock()
	if err != nil {
		return err
	}
	Progress.Words.Add(words)
	return p.addFailures(c)
}

func (p *rangeParts) addFailures(c *Chunk) error {
	rows := make([]parquet.Failure, len(c.Failures))
	for i := range c.Failures {
		row := &c.Failures[i]
		rows[i] = c.FailureRow(i)
		row.SourceURI = c.Files[row.File].URI
		p.reasons = addReason(p.reasons, reasonOf(&row.Failure))
	}
	p.using.Lock()
	defer p.using.Unlock()
	return p.part.Failures(rows...)
}

// TreeRow returns the row of sentence i.
func (c *Chunk) TreeRow(i int, modelID string) parquet.Tree {
	s := &c.Sentences[i]
	f := &c.Files[s.File]
	return parquet.ToRow(&s.Sentence, &parquet.Doc{
		DocID: f.DocID, SourceURI: f.URI, SourceVersion: f.Version, ModelID: modelID,
	})
}

// FailureRow returns the row of failure i.
func (c *Chunk) FailureRow(i int) parquet.Failure {
	f := c.Failures[i]
	f.DocID, f.SourceURI = c.Files[f.File].DocID, c.Files[f.File].URI
	f.Text = cut(f.Text, FailureText)
	row := parquet.ToFailure(&f.Failure)
	row.Block = f.CoNLLU
	return row
}

// commit checks what Read counted against what arrived and publishes the
// parts.
func (p *rangeParts) commit(ends []File) error {
	if err := p.files.close(ends); err != nil {
		return err
	}
	return p.publish(ends)
}

// publish writes the footers and makes the parts visible.
func (p *rangeParts) publish(ends []File) error {
	if leaving.Load() {
		select {}
	}
	for key, value := range map[string]any{keyFiles: ends, keyReasons: p.reasons, keyStatus: p.status, keyWork: &p.work} {
		text, err := json.Marshal(value) // maps are written by key
		if err != nil {
			return err
		}
		p.part.SetFooter(key, string(text))
	}
	p.still()
	p.using.Lock()
	defer p.using.Unlock()
	return p.part.Commit()
}

// cut returns the longest beginning of s of at most n bytes that does not end
// inside a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
