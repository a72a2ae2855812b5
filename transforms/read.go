package transforms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[readFn]())
	register.Emitter1[Chunk]()
}

// activeRanges bounds the memory of a process: while one range is parsed, one
// more may read or write.
const activeRanges = 2

var rangeSlots = make(chan struct{}, activeRanges)

// Read reads the ranges of spans as chunks of blocks and CoNLL sentences. A range whose
// parts already exist becomes one chunk with Skip. An engine may split a span between two
// ranges at any time; a split changes no chunk.
//
// PCollection<Span> -> PCollection<Chunk>
func Read(s beam.Scope, job Job, spans beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Read"), &readFn{Job: job}, spans)
}

// A readFn is splittable. Its restrictions are intervals of numbers of ranges.
type readFn struct {
	Job    Job
	stages Stages
}

// Setup opens the models, which say what languages there are.
func (f *readFn) Setup(ctx context.Context) error {
	o := f.Job.Parsing()
	p, err := o.checked()
	if err == nil {
		f.stages, err = p.open(ctx)
	}
	return err
}

func (f *readFn) CreateInitialRestriction(s Span) offsetrange.Restriction {
	first := s.Ranges[0].K
	return offsetrange.Restriction{Start: int64(first), End: int64(first + len(s.Ranges))}
}

// SplitRestriction leaves a span whole: Expand has made enough of them.
func (f *readFn) SplitRestriction(_ Span, part offsetrange.Restriction) []offsetrange.Restriction {
	return []offsetrange.Restriction{part}
}

// RestrictionSize is in stored bytes.
func (f *readFn) RestrictionSize(s Span, part offsetrange.Restriction) (bytes float64) {
	for i := range s.Ranges {
		if r := &s.Ranges[i]; part.Start <= int64(r.K) && int64(r.K) < part.End {
			bytes += float64(r.Bytes()) // none of a range that is done
		}
	}
	return bytes
}

func (f *readFn) CreateTracker(part offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(part))
}

func (f *readFn) ProcessElement(ctx context.Context, tracker *sdf.LockRTracker, s Span, emit func(Chunk)) error {
	part := tracker.GetRestriction().(offsetrange.Restriction)
	seen := sync.OnceValue(func() func(k int) bool { return f.Job.Seen(ctx, int(part.Start), int(part.End-1)) })
	for _, r := range s.Ranges[part.Start-int64(s.Ranges[0].K):] {
		if !tracker.TryClaim(int64(r.K)) {
			return nil
		}
		if err := f.read(ctx, r, seen, emit); err != nil {
			return f.Job.failed(ctx, r.K, err)
		}
	}
	return nil
}

func (f *readFn) read(ctx context.Context, r source.Range, seen func() func(k int) bool, emit func(Chunk)) error {
	leave, err := enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := f.Job.CheckToken(); err != nil {
		return err
	}
	if r.Done || seen()(r.K) && f.Job.Done(r.K) { // an engine may try again what one attempt has written
		emit(Chunk{Range: r.K, Last: true, Skip: true})
		return nil
	}
	id := rand.Uint64()
	err = ReadPaced(ctx, &r, f.stages, f.Job.Options, nil, func(c Chunk) error {
		c.Attempt = id
		emit(c)
		return nil
	})
	if err != nil {
		emit(Chunk{Range: r.K, Attempt: id, Void: true}) // the harness tells Write nothing of an error
	}
	return err
}

// enter waits until the process may have another range under way.
func enter(ctx context.Context) (leave func(), err error) {
	select {
	case rangeSlots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	count := Progress.Active.Add(1)
	for peak := Progress.Peak.Load(); count > peak && !Progress.Peak.CompareAndSwap(peak, count); {
		peak = Progress.Peak.Load()
	}
	return func() {
		Progress.Active.Add(-1)
		<-rangeSlots
	}, nil
}

func newRangeReader(ctx context.Context, r *source.Range, m Stages, o output.RowOptions, emit func(Chunk) error) *rangeReader {
	return &rangeReader{ctx: ctx, r: r, stages: m, options: o, keep: o.KeepColumns(), now: o, emit: emit, chunk: Chunk{Range: r.K}}
}

// all reads all pieces of the range.
func (rd *rangeReader) all() (err error) {
	if rd.rules, err = output.ParseRules(rd.options.Rules); err != nil {
		return fmt.Errorf("the rules: %w", err)
	}
	rd.files = source.NewFiles(rd.ctx, rd.r)
	defer rd.files.Close()
	for i := range rd.r.Pieces {
		if err := rd.piece(i); err != nil {
			return err
		}
	}
	rd.chunk.Last = true
	rd.chunk.Ends = rd.ends
	return rd.flush()
}

type rangeReader struct {
	ctx     context.Context
	r       *source.Range
	files   *source.Files
	stages  Stages // nil: nobody asks for languages
	options output.RowOptions
	rules   output.Rules      // of options
	keep    []string          // the columns of values to keep
	now     output.RowOptions // for the file that is being read
	emit    func(Chunk) error

	chunk Chunk
	size  int // of the chunk, in tokens or what may become tokens
	seq   int
	ends  []output.File
	pace  *Pace // nil: chunks of ChunkTokens

	emitting bool  // the stages after this one are at work
	live     *Live // nil: pieces are files

	read, shown int64        // stored bytes of the pieces: read, and reported to Progress
	unzipping   *source.File // the compressed file that is being read, which read does not count yet
}

// bytesPerToken turns bytes of raw text into tokens, about. Other sentences
// count as a word for every bytesPerWord, if they have fewer: a chunk is
// bounded in bytes, too.
const (
	bytesPerToken = 5
	bytesPerWord  = 100
	// perRow is what a sentence or a failure counts in addition to its tokens: a row
	// with no token or one token takes as much memory as ten tokens.
	perRow = 10
)

// Only one chunk of at least largeChunk tokens is parsed and written at a time in a
// process. Only a very long sentence makes a chunk so large. The chunks of other ranges
// are small meanwhile.
const largeChunk = ChunkTokens * 3 / 2

var oneLarge sync.Mutex

// flush emits the chunk and begins the next one.
func (rd *rangeReader) flush() error {
	if err := rd.ctx.Err(); err != nil {
		return err
	}
	if rd.size >= largeChunk {
		oneLarge.Lock()
		defer oneLarge.Unlock()
	}
	c := rd.chunk
	c.Seq = rd.seq
	rd.seq++
	rd.size = 0
	rd.pace.next()
	rd.chunk = Chunk{Range: c.Range}
	rd.emitting = true
	err := rd.emit(c)
	rd.emitting = false
	read := rd.read
	if rd.unzipping != nil {
		read += rd.unzipping.Consumed()
	}
	Progress.Bytes.Add(read - rd.shown)
	rd.shown = read
	return err
}

// file returns the index of f, a file or a document in one, in the chunk's
// files.
func (rd *rangeReader) file(f *output.File) int32 {
	files := rd.chunk.Files
	if n := len(files); n > 0 {
		last := &files[n-1]
		if last.Piece == f.Piece && last.DocID == f.DocID && last.Lines == f.Lines && last.Language == f.Language && last.Ruled == f.Ruled && !last.Ended && slices.Equal(last.Meta, f.Meta) {
			return int32(n - 1)
		}
	}
	rd.chunk.Files = append(files, *f)
	return int32(len(files))
}

// ended notes that the document f, a file or a part of one, has ended.
func (rd *rangeReader) ended(f *output.File) {
	if rd.pace != nil && rd.pace.Ends {
		rd.chunk.Files[rd.file(f)].Ended = true
	}
}

// hasParts reports whether the documents are parts of f: records or lines.
func (rd *rangeReader) hasParts(f *output.File) bool {
	format := source.Format(f.Format)
	return ofRecords(format) || format == source.Text && rd.now.Document == output.ByLine
}

// ofRecords reports whether a file of the format holds records.
func ofRecords(f source.Format) bool { return f == source.JSONL || f.Table() }

// grow counts another row, with its tokens, in the chunk and emits the chunk when it is
// full.
func (rd *rangeReader) grow(tokens int) error {
	if rd.size += tokens + perRow; rd.size < rd.pace.full() {
		return nil
	}
	return rd.flush()
}

// fail appends a failure row that is about f. It keeps of the text what the
// row will show: many rows must not hold large files in memory.
func (rd *rangeReader) fail(f *output.File, row output.Failure) {
	row.File = rd.file(f)
	row.Text = strings.Clone(output.Cut(row.Text, output.FailureText))
	rd.chunk.Failures = append(rd.chunk.Failures, row)
}

// piece reads piece i. What is wrong with the file for good becomes a row.
func (rd *rangeReader) piece(i int) error {
	p := &rd.r.Pieces[i]
	before := rd.read
	rd.now = rd.rules.Options(&rd.options, &p.Input)
	f := output.File{Piece: i, DocID: p.DocID, URI: p.URI, Stored: p.Size, Tail: p.Tail}
	err := rd.open(&f)
	var why syntax.Fault
	var at place
	var fault *source.Error
	var notText *source.NotText
	var headless *noTable
	switch {
	case err == nil:
	case errors.As(err, &headless):
		f.Failed, why, f.Format = true, headless.Fault, ""
	case errors.As(err, &notText):
		f.Failed, why = true, syntax.Because(syntax.KindNotText, "%v", err)
	case errors.As(err, &fault) && fault.Kind == source.Permanent && errors.As(fault, &why):
		f.Failed, at.offset = true, fault.Offset
	case errors.As(err, &fault):
		return fmt.Errorf("reading %w", err) // which names the file
	case errors.As(err, &why): // an internal error
		f.Failed, at.offset = true, f.End
	default:
		return fmt.Errorf("reading %s: %w", p.URI, err)
	}
	// Every range that cannot read its piece says so, because other ranges may have
	// read theirs. A file that is not text is not text for any range: one row is
	// enough.
	if f.Failed && (notText == nil && headless == nil || p.Start == p.Tail) {
		start, _ := p.Interval()
		at.offset = max(at.offset, start)
		rd.fail(&f, failed(stageRead, why, at, ""))
	}
	if p.End == p.Size && !rd.hasParts(&f) {
		rd.ended(&f)
	}
	if fault != nil && fault.Access() || why.Kind == syntax.KindInternal && f.Failed {
		f.Sum = nil // what was read is not all: a state tries the file again
	}
	rd.read = before + p.End - p.Start
	rd.ends = append(rd.ends, f)
	return rd.ctx.Err()
}

// recovered turns a panic of a reader into a fault, so that it costs the rest of the
// piece, not the run. It leaves panics of later stages, which emit calls, alone. If a
// block was counted but not emitted, the sums show it.
func (rd *rangeReader) recovered(err *error) {
	if rd.emitting {
		return
	}
	if r := recover(); r != nil {
		*err = recovered(r)
	}
}

// open opens the piece, decides what it is and reads it.
func (rd *rangeReader) open(f *output.File) (err error) {
	defer rd.recovered(&err)
	in, err := rd.openPiece(f.Piece)
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := rd.newPart(in, f)
	if _, ok := errors.AsType[*source.NotText](err); ok {
		return err
	}
	if err == nil {
		err = rd.contents(p)
	}
	if !in.Live() && wasRead(err) {
		sum, failed := in.Sum(rd.ctx)
		if failed != nil {
			return failed
		}
		f.Sum = &sum
	}
	// A file that changed while it was read explains what else is wrong with it.
	return errors.Join(in.Verify(), err)
}

// wasRead reports whether a piece was read to its end, or as far as possible.
func wasRead(err error) bool {
	var fault *source.Error
	var notText *source.NotText
	var headless *noTable
	return err == nil || errors.As(err, &notText) || errors.As(err, &headless) ||
		errors.As(err, &fault) && fault.Kind == source.Permanent && !fault.Access()
}

// contents reads what a part has of its file.
func (rd *rangeReader) contents(p *part) error {
	f := p.file
	if p.in.Compressed() {
		rd.unzipping = p.in
		defer func() { rd.unzipping = nil }()
	}
	if !rd.hasParts(f) {
		p.found(f, p.sample)
	}
	blocks, err := p.open(p)
	if err == nil {
		err = rd.blocks(p, blocks)
	}
	if !rd.hasParts(f) && p.start == 0 {
		f.AddLanguage(output.Language{Code: f.Language, Documents: 1})
	}
	piece := &rd.r.Pieces[f.Piece]
	f.EOF = err == nil && piece.End == piece.Size
	return err
}

// blocks counts the blocks of a part and puts them into chunks.
func (rd *rangeReader) blocks(p *part, blocks iter.Seq2[block, error]) error {
	f := p.file
	for b, err := range blocks {
		f.Start, f.End = p.covered()
		if err != nil {
			return err
		}
		if err := rd.block(p, &b); err != nil {
			return err
		}
	}
	f.Start, f.End = p.covered()
	if p.start == 0 && f.Encoding == "utf-8" && p.format != source.JSONL && f.MuchRepaired() {
		f.Suspect = text.Suspect(p.head)
	}
	return nil
}

// block puts one block into the chunk.
func (rd *rangeReader) block(p *part, b *block) error {
	document := cmp.Or(b.document, p.file)
	if !p.in.Compressed() {
		rd.read += b.size
	}
	p.file.Repaired += int64(b.repaired)
	if b.record {
		p.file.Records++
		p.file.MergeMeta(document.Meta)
	}
	if b.text != nil || b.sentence != nil {
		p.foundLater(document, b)
	}
	lost := false
	for _, row := range b.faults {
		rd.fail(document, row)
		lost = lost || row.Block
	}
	switch {
	case b.text != nil:
		rd.chunk.Blocks = append(rd.chunk.Blocks, Block{File: rd.file(document), First: b.first, Block: *b.text})
	case b.sentence != nil:
		b.sentence.File = rd.file(document)
		rd.chunk.Sentences = append(rd.chunk.Sentences, *b.sentence)
	}
	if lost || b.text != nil || b.sentence != nil {
		p.file.Blocks++
	}
	if b.record && !lost {
		for _, v := range document.Meta {
			rd.size += len(v.Value) / bytesPerToken
		}
		return nil
	}
	err := rd.grow(b.tokens)
	if err == nil && b.last {
		rd.ended(document)
	}
	return err
}
