package output

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Batch is what a range adds to an output at once: consecutive rows in input
// order.
type Batch struct {
	Files     []File  // what the rows are about
	Segmented []Count // by file: what became of its blocks
	Trees     []Tree
	Failures  []Failure
	Last      bool   // the range ends with this batch
	Ends      []File // in the last batch: what was read and counted, by piece
}

// A Tree is a parsed sentence and the file that it came from.
type Tree struct {
	File     int32 // index into Batch.Files
	Sentence *syntax.Sentence
}

// A Failure is a row of failures/ and the file that it is about. Block and Sentence say
// what it counts as in the sums.
type Failure struct {
	File     int32  // index into Batch.Files
	Block    bool   // a block that became no sentence
	Sentence bool   // a sentence that became no tree
	CoNLLU   string // a failed sentence without its tree: convert gives it back
	syntax.Failure
}

// A Count says how many blocks were segmented, and into how many sentences.
type Count struct{ Blocks, Sentences int64 }

// FailureText is how many bytes of an offending text a failure row keeps.
const FailureText = 1000

// TreeRow returns the row of trees/ for tree i of a run.
func (b *Batch) TreeRow(i int, made *Provenance) parquet.Tree {
	t := &b.Trees[i]
	f := &b.Files[t.File]
	return parquet.ToRow(t.Sentence, &parquet.Doc{
		DocID: f.DocID, SourceURI: f.URI, ModelID: made.modelID(t.Sentence), Meta: f.Meta,
	})
}

// FailureRow returns the row of failures/ for failure i.
func (b *Batch) FailureRow(i int) parquet.Failure {
	f := b.Failures[i]
	f.DocID, f.SourceURI = b.Files[f.File].DocID, b.Files[f.File].URI
	f.Text = Cut(f.Text, FailureText)
	row := parquet.ToFailure(&f.Failure)
	row.Block = f.CoNLLU
	return row
}

// Cut returns the longest beginning of s of at most n bytes that does not end
// inside a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Keys of the footers, in addition to the keys of package parquet.
const (
	keyFiles   = "treebeam.files"   // of trees/: []File as JSON, what the range read of each file
	keyReasons = "treebeam.reasons" // of trees/: []Reason as JSON
	keyStatus  = "treebeam.status"  // of trees/: rows by status, as JSON
)

// A Reason counts one kind of failure in a stage, with the place of the first case.
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
		Stage: f.Stage, Severity: f.Severity, Kind: f.Kind, Count: 1, Reason: Cut(f.Reason, FailureText),
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

// Parts are the open parts of a range and its sums. Add and Commit are called by one
// goroutine; Abandon by any.
type Parts struct {
	run  *Run
	part *parquet.Part

	end   func()     // the parts are published or abandoned
	using sync.Mutex // held while part is written or published
	added chan error // of the batch that is being added; nil if there is none

	footer  map[string]string // of the trees that were published
	files   pieceSums
	reasons []Reason
	status  map[string]int64
}

// open are the parts that this process has open: see Leave.
var open sync.Map // *Parts -> nothing

// Open opens the parts of range k: temporary files, which nobody sees before Commit.
// They are abandoned when ctx ends. Open fails as CheckToken does: an engine may let another
// machine write than the one that has read.
func (r *Run) Open(ctx context.Context, k int) (*Parts, error) {
	if err := r.CheckToken(); err != nil {
		return nil, err
	}
	part, err := parquet.Create(r.partID(k), parquet.PartOptions{
		Temp: tmpDir(r.Output), Replace: r.Redo, Meta: r.footer(), Keys: r.Options.KeepColumns(),
	})
	if err != nil {
		return nil, err
	}
	p := &Parts{run: r, part: part, files: pieceSums{}, status: map[string]int64{}}
	ended := make(chan struct{})
	p.end = sync.OnceFunc(func() {
		close(ended)
		open.Delete(p)
	})
	open.Store(p, nil)
	go p.keep(ctx, ended)
	return p, nil
}

// touchAfter is how often a process says that its temporary files are in use. Tests
// make it shorter.
var touchAfter = time.Hour

// keep keeps the temporary files from being swept until the parts have ended, and
// abandons the parts when ctx ends.
func (p *Parts) keep(ctx context.Context, ended <-chan struct{}) {
	tick := time.NewTicker(touchAfter)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			p.Abandon()
			return
		case <-tick.C:
			if p.using.TryLock() { // what is written is new anyway
				p.part.Touch()
				p.using.Unlock()
			}
		}
	}
}

// abandonWithin is how long Abandon waits for a write that is under way.
const abandonWithin = 2 * time.Second

// Abandon drops the parts, unless they were published. Any goroutine may call it, more
// than once. The writer of the parts then fails at the next row. A write that hangs
// leaves temporary files, which a later run deletes.
func (p *Parts) Abandon() {
	p.end()
	p.part.Cancel()
	for end := time.Now().Add(abandonWithin); !p.using.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return
		}
	}
	defer p.using.Unlock()
	p.part.Abort()
}

// largeBatch is how many words a batch has that nothing else is done beside.
const largeBatch = 7500

// Add writes the rows of b, which must be the next ones of the range. It returns before
// they are written, so that the next batch can be parsed meanwhile; b must not be
// changed afterwards. The error may be about the batch before.
func (p *Parts) Add(b *Batch) error {
	if err := p.wait(); err != nil {
		return err
	}
	added := make(chan error, 1)
	p.added = added
	go func() {
		defer func() {
			if r := recover(); r != nil {
				added <- fmt.Errorf("writing rows: %v\n%s", r, debug.Stack())
			}
		}()
		added <- p.add(b)
	}()
	words := 0
	for i := range b.Trees {
		words += len(b.Trees[i].Sentence.Words)
	}
	if words < largeBatch {
		return nil
	}
	return p.wait()
}

// wait waits until the last batch is written.
func (p *Parts) wait() error {
	if p.added == nil {
		return nil
	}
	err := <-p.added
	p.added = nil
	return err
}

func (p *Parts) add(b *Batch) error {
	p.files.add(b)
	rows := make([]parquet.Tree, len(b.Trees))
	for i := range b.Trees {
		s := b.Trees[i].Sentence
		rows[i] = b.TreeRow(i, &p.run.Provenance)
		p.status[s.Status.String()]++
	}
	if err := p.trees(rows...); err != nil {
		return err
	}
	return p.addFailures(b)
}

func (p *Parts) trees(rows ...parquet.Tree) error {
	p.using.Lock()
	defer p.using.Unlock()
	return p.part.Trees(rows...)
}

func (p *Parts) failures(rows ...parquet.Failure) error {
	p.using.Lock()
	defer p.using.Unlock()
	return p.part.Failures(rows...)
}

func (p *Parts) addFailures(b *Batch) error {
	rows := make([]parquet.Failure, len(b.Failures))
	for i := range b.Failures {
		row := &b.Failures[i]
		rows[i] = b.FailureRow(i)
		row.SourceURI = b.Files[row.File].URI
		p.reasons = addReason(p.reasons, reasonOf(&row.Failure))
	}
	return p.failures(rows...)
}

// Commit compares the counts of what was read of the range, in ends by piece, with what
// was added. Then it publishes the parts, the trees last, because they mark the range
// as done.
func (p *Parts) Commit(ends []File) error {
	if err := p.wait(); err != nil {
		return err
	}
	if err := p.files.close(ends); err != nil {
		return err
	}
	return p.publish(ends)
}

// leaving says that the process is about to end.
var leaving atomic.Bool

// Leave is for a process that is about to end. It abandons all parts. From then on,
// none is published: a goroutine that tries to publish one blocks until the process
// ends. Otherwise a range could seem complete although its inputs have already
// disappeared.
func Leave() {
	leaving.Store(true)
	open.Range(func(p, _ any) bool {
		p.(*Parts).Abandon()
		return true
	})
}

// publish writes the footers and makes the parts visible.
func (p *Parts) publish(ends []File) error {
	if leaving.Load() {
		select {}
	}
	footer := map[string]string{}
	for key, value := range map[string]any{keyFiles: ends, keyReasons: p.reasons, keyStatus: p.status} {
		text, err := json.Marshal(value) // maps are written by key
		if err != nil {
			return err
		}
		footer[key] = string(text)
	}
	p.end()
	p.using.Lock()
	defer p.using.Unlock()
	p.footer = footer
	return p.part.Commit(footer)
}

// maxSums bounds what Sums returns. A range of many small files has more.
const maxSums = 4 << 10

// Sums returns the counts in the footer of the committed trees, for Finish. It is "" if
// they are long, or on a disk, where Finish reads the footers.
func (p *Parts) Sums() string {
	text, err := json.Marshal(p.footer)
	if err != nil || len(text) > maxSums || !store.IsRemote(p.run.Output) {
		return ""
	}
	return string(text)
}

// Rewrite writes the parts of range k from rows that other runs have made: the rows of
// the files, in order. It does nothing if the parts are there.
func (r *Run) Rewrite(k int, files []File, trees iter.Seq2[*parquet.Tree, error], failures iter.Seq2[*parquet.Failure, error]) error {
	if r.Done(k) {
		return nil
	}
	p, err := r.Open(context.Background(), k)
	if err != nil {
		return err
	}
	defer p.Abandon()
	for t, err := range trees {
		if err != nil {
			return err
		}
		p.status[t.Status]++
		if err := p.trees(*t); err != nil {
			return err
		}
	}
	for f, err := range failures {
		if err != nil {
			return err
		}
		row, err := parquet.FromFailure(f)
		if err != nil {
			return err
		}
		p.reasons = addReason(p.reasons, reasonOf(&row))
		if err := p.failures(*f); err != nil {
			return err
		}
	}
	for i := range files {
		if err := files[i].check(); err != nil {
			return fmt.Errorf("%s: %w: something was lost", files[i].URI, err)
		}
	}
	return p.publish(slices.Clone(files))
}
