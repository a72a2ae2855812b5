package transforms

import (
	"cmp"
	"context"
	"reflect"
	"strings"
	"unicode"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A KeyValue is a field of the caller's.
type KeyValue = parquet.KeyValue

// A Document is a text to parse. Only Text is needed, but NewDocument should make it: its
// slices are not nil, on which runners in Java hang. Documents have Beam's row coder.
type Document struct {
	ID   string // column doc_id; ids of sentences are made of it
	Text string
	// Meta are fields of the caller's own, which all trees and failures of the document
	// have. They are a list, because equal maps may have different bytes.
	Meta []KeyValue

	Source string // column source_uri: where the document comes from
	Lines  string // what line breaks mean; "" is Options.Lines

	// If Text is a piece of a larger document, trees and failures have their positions
	// in that document: Text begins at byte Offset, in line Line (0 is unknown if Offset
	// is above 0) and after Chars code points. Continues says that other pieces come
	// before.
	Offset, Line, Chars int64
	Continues           bool

	// Places say where the paragraphs of Text come from; the transforms that read files
	// set them. A DoFn that changes Text must set them to an empty slice.
	Places []Place
}

// NewDocument returns a document with slices that are not nil.
func NewDocument(id, text string, meta ...KeyValue) Document {
	return Document{ID: id, Text: text, Meta: append([]KeyValue{}, meta...), Places: []Place{}}
}

// A Place is where a paragraph of a Document comes from: what text.Block says of the bytes
// [At, At+Length) of Document.Text.
type Place struct {
	At, Length                     int64
	Start, End, Line, Char         int64
	Repaired, FirstBad, Newline    int64
	Cut, Continues, Opens, OneLine bool
	Runs                           []Run
}

// A Run is a text.Run.
type Run struct{ Text, Source, Width, Stored int32 }

// A Tree is a parsed sentence: a row of trees/ with the columns of docs/parquet.md. It
// has Beam's row coder. The slices of trees that a transform emits are not nil.
type Tree = parquet.Tree

// A Failure says what could not be parsed or read, or was repaired (Severity): a row of
// failures/ (docs/parquet.md) with the fields of its document. It has Beam's row coder.
type Failure struct {
	parquet.Failure
	Meta []KeyValue
}

func init() {
	beam.RegisterType(reflect.TypeFor[Document]())
	beam.RegisterType(reflect.TypeFor[Tree]())
	beam.RegisterType(reflect.TypeFor[Failure]())
	register.DoFn3x0[beam.EventTime, Document, func(beam.EventTime, Chunk)](&cutFn{})
	register.Emitter2[beam.EventTime, Chunk]()
	register.DoFn4x0[context.Context, Chunk, func(Tree), func(Failure)](&treesFn{})
	register.DoFn5x0[context.Context, typex.X, Document, func(typex.X, Tree), func(typex.X, Failure)](&keyedFn{})
	register.Emitter1[Tree]()
	register.Emitter1[Failure]()
}

// ParseDocuments parses documents: it is Segment, Encode, Tag, Prune, Parse and Trees in
// a row, in one fused stage.
//
// Trees and failures have the windows, timestamps and panes of their documents, which
// may be unbounded. The sentences of a document are parsed on all cores of the worker.
// So are those of short documents that are in one bundle and have the same timestamp, if
// they have no keys and are in the global window with the default trigger; the last of
// them are emitted when the bundle ends, in the default pane. All others are parsed one
// after the other, and need as many bundles as there are cores.
// Sentences of a document are emitted in order as they are ready, about 5,000 tokens at
// once, so memory does not grow with documents.
// A text that cannot be parsed is a failure and never an error.
//
//	PCollection<Document>       -> PCollection<Tree>,       PCollection<Failure>
//	PCollection<KV<K,Document>> -> PCollection<KV<K,Tree>>, PCollection<KV<K,Failure>>
func ParseDocuments(s beam.Scope, docs beam.PCollection, o Options) (trees, failures beam.PCollection) {
	s = s.Scope("ParseDocuments")
	if typex.IsKV(docs.Type()) {
		return beam.ParDo2(s, &keyedFn{Parsing: o.parsing("ParseDocuments")}, docs)
	}
	chunks := Segment(s, docs, o)
	for _, stage := range []func(beam.Scope, beam.PCollection, Options) beam.PCollection{Encode, Tag, Prune, Parse} {
		chunks = stage(s, chunks, o)
	}
	return Trees(s, chunks, o)
}

// Trees unpacks chunks that went through all stages, in order.
//
//	PCollection<Chunk> -> PCollection<Tree>, PCollection<Failure>
func Trees(s beam.Scope, chunks beam.PCollection, o Options) (trees, failures beam.PCollection) {
	return beam.ParDo2(s.Scope("Trees"), &treesFn{Parsing: o.parsing("Trees")}, chunks)
}

type treesFn struct {
	Parsing parsing
	modelID string
}

func (f *treesFn) Setup() error {
	_, digest, err := OpenModel(f.Parsing.Model)
	f.modelID = output.ModelID(digest)
	return err
}

func (f *treesFn) ProcessElement(ctx context.Context, c Chunk, tree func(Tree), failure func(Failure)) {
	c.count(ctx)
	c.unpack(f.modelID, tree, failure)
}

// unpack emits the rows of a parsed chunk.
func (c *Chunk) unpack(modelID string, tree func(Tree), failure func(Failure)) {
	batch := c.Batch()
	for i := range batch.Trees {
		t := batch.TreeRow(i, modelID)
		notNil(&t)
		tree(t)
	}
	c.unpackFailures(failure)
}

func (c *Chunk) unpackFailures(failure func(Failure)) {
	batch := c.Batch()
	for i := range batch.Failures {
		meta := append([]KeyValue{}, c.Files[batch.Failures[i].File].Meta...)
		failure(Failure{batch.FailureRow(i), meta})
	}
}

// notNil makes the nil slices of a row empty ones.
func notNil[T any](row *T) {
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.IsNil() {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

// A cutFn cuts documents into chunks of blocks. A chunk holds the short documents of a
// bundle that have the same timestamp, if they are Together in the default window: no
// other lets FinishBundle emit.
type cutFn struct {
	Parsing  parsing
	Together bool
	filler   filler
	at       beam.EventTime // of what is in the filler
}

func (f *cutFn) ProcessElement(at beam.EventTime, d Document, emit func(beam.EventTime, Chunk)) {
	if at != f.at {
		f.FinishBundle(emit)
	}
	f.at, f.filler.emit = at, func(c Chunk) { emit(at, c) }
	d.fill(&f.Parsing.Rows, &f.filler)
	if !f.Together {
		f.filler.flush()
	}
}

func (f *cutFn) FinishBundle(emit func(beam.EventTime, Chunk)) {
	f.filler.emit = func(c Chunk) { emit(f.at, c) }
	f.filler.flush()
}

// A keyedFn is all of ParseDocuments for a document with a key.
type keyedFn struct {
	Parsing parsing
	stages  Stages
	modelID string
}

func (f *keyedFn) Setup(ctx context.Context) (err error) {
	if f.stages, err = f.Parsing.open(ctx); err != nil {
		return err
	}
	_, digest, err := OpenModel(f.Parsing.Model)
	f.modelID = output.ModelID(digest)
	return err
}

func (f *keyedFn) ProcessElement(ctx context.Context, key typex.X, d Document, tree func(typex.X, Tree), failure func(typex.X, Failure)) {
	m, o := f.stages, f.Parsing.Rows
	chunks := filler{emit: func(c Chunk) {
		c = StageSegmented(SegmentChunk(c, m, o), m, o)
		c.count(ctx)
		c.unpack(f.modelID, func(t Tree) { tree(key, t) }, func(f Failure) { failure(key, f) })
	}}
	d.fill(&o, &chunks)
	chunks.flush()
}

// A filler fills chunks with documents and emits those that are full.
type filler struct {
	chunk    Chunk
	size     int
	emit     func(Chunk)
	emitting bool
}

func (f *filler) flush() {
	if f.size > 0 {
		f.emitting = true
		f.emit(f.chunk)
		f.emitting = false
	}
	f.chunk, f.size = Chunk{}, 0
}

// readable is U+FFFD for what a comment or a column cannot hold.
func readable(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
		return unicode.ReplacementChar
	}
	return r
}

// fill cuts the document into blocks.
func (d *Document) fill(o *output.RowOptions, f *filler) {
	file := output.File{DocID: strings.Map(readable, d.ID), URI: strings.Map(readable, d.Source), Format: string(source.Text), Lines: d.Lines}
	for _, kv := range d.Meta {
		file.Meta = append(file.Meta, KeyValue{Key: strings.ToValidUTF8(kv.Key, "\ufffd"), Value: strings.ToValidUTF8(kv.Value, "\ufffd")})
	}
	at := len(f.chunk.Files) // where the chunk has or will have the document
	add := func(b block) {
		c := &f.chunk
		if at == len(c.Files) {
			c.Files = append(c.Files, file)
			for _, kv := range d.Meta {
				f.size += len(kv.Value) / bytesPerToken
			}
		}
		if b.text != nil {
			c.Blocks = append(c.Blocks, Block{File: int32(at), First: b.first, Block: *b.text})
		}
		for _, row := range b.faults {
			row.File = int32(at)
			c.Failures = append(c.Failures, row)
		}
		if f.size += b.tokens + perRow; f.size >= ChunkTokens {
			f.flush()
			at = 0
		}
	}
	fail := func(why syntax.Fault) {
		add(block{faults: []output.Failure{failed(stageRead, why, place{d.Offset, d.Line}, d.Text)}})
	}
	defer func() {
		if f.emitting {
			return // what others panic with is theirs
		}
		if r := recover(); r != nil {
			fail(recovered(r))
		}
	}()
	if n := len(d.Places); n > 0 && d.Places[n-1].At+d.Places[n-1].Length != int64(len(d.Text)) {
		fail(syntax.Because(syntax.KindNotText, "Places do not fit Text: a DoFn that changes Text must set Places to an empty slice"))
		return
	}
	for i := range d.Places {
		b := d.Places[i].block(d.Text)
		add(block{text: &b, first: i == 0 && !d.Continues, tokens: len(b.Text) / bytesPerToken})
	}
	if len(d.Places) > 0 {
		return
	}
	found, blocks, err := text.Whole(d.Text, source.HeadBytes, text.Options{Lines: text.Lines(cmp.Or(d.Lines, o.Lines))})
	if err != nil {
		fail(syntax.Because(syntax.KindNotText, "document with Lines %q: %v", d.Lines, err))
		return
	}
	file.Lines = string(found)
	first := !d.Continues
	for b, err := range blocks {
		if err != nil {
			panic(err) // it reads from memory
		}
		d.move(&b)
		add(paragraph(nil, &b, first))
		first = false
	}
}

// move gives a block of Text its place in the larger document.
func (d *Document) move(b *text.Block) {
	b.From, b.Start, b.End, b.Char = b.From+d.Offset, b.Start+d.Offset, b.End+d.Offset, b.Char+d.Chars
	if b.FirstBad >= 0 {
		b.FirstBad += d.Offset
	}
	switch {
	case d.Line > 0:
		b.Line += d.Line - 1
	case d.Offset > 0:
		b.Line = 0
	}
}

// documents returns the blocks of a chunk that was just read as documents: one for each
// run of blocks of the same one.
func (c *Chunk) documents() []Document {
	var list []Document
	var all strings.Builder // Text of the last one
	for i := range c.Blocks {
		b, f := &c.Blocks[i], &c.Files[c.Blocks[i].File]
		if i == 0 || b.First || b.File != c.Blocks[i-1].File {
			d := NewDocument(f.DocID, "", f.Meta...)
			d.Source, d.Lines = f.URI, f.Lines
			d.Offset, d.Line, d.Chars, d.Continues = b.Start, b.Line, b.Char, !b.First
			list = append(list, d)
			all.Reset()
		}
		switch {
		case all.Len() == 0:
		case b.Opens:
			all.WriteString("\n\n")
		case !b.Continues:
			all.WriteString("\n")
		}
		d := &list[len(list)-1]
		d.Places = append(d.Places, placeOf(&b.Block, all.Len()))
		all.WriteString(b.Text)
		d.Text = all.String()
	}
	return list
}

// placeOf is the place of a block that begins at byte at of a document's text.
func placeOf(b *text.Block, at int) Place {
	p := Place{
		At: int64(at), Length: int64(len(b.Text)), Start: b.Start, End: b.End, Line: b.Line, Char: b.Char,
		Repaired: int64(b.Repaired), FirstBad: b.FirstBad, Newline: int64(b.Newline),
		Cut: b.Cut, Continues: b.Continues, Opens: b.Opens, OneLine: b.OneLine, Runs: make([]Run, len(b.Runs)),
	}
	for i, r := range b.Runs {
		p.Runs[i] = Run{r.Text, r.Source, int32(r.Width), int32(r.Stored)}
	}
	return p
}

// block is the block of which placeOf made p.
func (p *Place) block(all string) text.Block {
	b := text.Block{
		Text: all[p.At : p.At+p.Length], From: p.Start, Start: p.Start, End: p.End, Line: p.Line, Char: p.Char,
		Repaired: int(p.Repaired), FirstBad: p.FirstBad, Newline: byte(p.Newline),
		Cut: p.Cut, Continues: p.Continues, Opens: p.Opens, OneLine: p.OneLine,
	}
	for _, r := range p.Runs {
		b.Runs = append(b.Runs, text.Run{Text: r.Text, Source: r.Source, Width: uint8(r.Width), Stored: uint8(r.Stored)})
	}
	return b
}
