package transforms

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window/trigger"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A KeyValue is a field of a Document that the caller adds.
type KeyValue = parquet.KeyValue

// A Document is a text to parse. Only Text is required. Make documents with NewDocument,
// because runners in Java hang on nil slices. Documents have Beam's row coder.
type Document struct {
	ID   string // column doc_id, and the beginning of the ids of its sentences
	Text string // UTF-8; invalid bytes become U+FFFD, and a failure says so
	// Meta holds the caller's own fields. All trees and failures of the document have
	// them. It is a list because the bytes of equal maps may differ. Keys must not repeat.
	Meta []KeyValue

	Source string // column source_uri: where the document comes from
	Lines  string // what line breaks mean, as in Options; "" is Options.Lines

	// Set these if Text is a piece of a larger document, so that trees and failures have
	// positions in that document. Text begins at byte Offset (from 0), in line Line (from
	// 1; 0 is unknown if Offset is above 0), after Chars code points. Continues is true
	// for all pieces but the first.
	Offset, Line, Chars int64
	Continues           bool

	// Places map the paragraphs of Text to the file that they come from. The transforms
	// that read files set them. A DoFn that changes Text must set them to an empty slice.
	Places []Place
}

// NewDocument returns a document with slices that are not nil.
func NewDocument(id, text string, meta ...KeyValue) Document {
	return Document{ID: id, Text: text, Meta: append([]KeyValue{}, meta...), Places: []Place{}}
}

// A Place says where the paragraph at the bytes [At, At+Length) of Document.Text comes
// from. The other fields are those of text.Block.
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
// has Beam's row coder. The transforms emit trees without nil slices.
type Tree = parquet.Tree

// A Failure says what could not be read or parsed, or, if its Severity is "warning", what
// was repaired. It is a row of failures/ (docs/parquet.md) with the Meta of its document.
// It has Beam's row coder.
type Failure struct {
	parquet.Failure
	Meta []KeyValue
}

func init() {
	beam.RegisterType(reflect.TypeFor[Document]())
	beam.RegisterType(reflect.TypeFor[Tree]())
	beam.RegisterType(reflect.TypeFor[Failure]())
	beam.RegisterDoFn(reflect.TypeFor[cutFn]())
	beam.RegisterDoFn(reflect.TypeFor[treesFn]())
	beam.RegisterDoFn(reflect.TypeFor[keyedFn]())
	register.Emitter2[beam.EventTime, Chunk]()
	register.Emitter1[Tree]()
	register.Emitter1[Failure]()
}

// ParseDocuments parses documents. It is Segment, Encode, Tag, Prune, Parse and Trees in
// a row; with keys, a single DoFn does the same.
//
// Trees and failures have the windows, timestamps and panes of their documents. The
// collection may be unbounded. Sentences of a document are emitted in order, about 5,000
// tokens at a time, so memory does not grow with a document, except for its text.
//
// The sentences of a chunk are parsed on all cores of the worker. A chunk holds several
// documents only if they have the same timestamp and bundle, and are in the global window
// with the default trigger; the last chunk of a bundle is then emitted when the bundle
// ends, in the default pane. Otherwise each document has chunks of its own, and short
// documents keep all cores busy only if there are as many bundles as cores.
//
// A text that cannot be parsed is a failure, never an error. Like all transforms with
// Options, ParseDocuments panics while the pipeline is built if Options.Check fails. A
// worker that cannot open the model fails its bundle.
//
//	PCollection<Document> or <Chunk> -> PCollection<Tree>,       PCollection<Failure>
//	PCollection<KV<K,Document>>      -> PCollection<KV<K,Tree>>, PCollection<KV<K,Failure>>
func ParseDocuments(s beam.Scope, docs beam.PCollection, o Options) (trees, failures beam.PCollection) {
	s = s.Scope("ParseDocuments")
	if typex.IsKV(docs.Type()) {
		return beam.ParDo2(s, &keyedFn{Parsing: o.parsing("ParseDocuments"), Together: together(docs)}, docs)
	}
	chunks := Segment(s, docs, o)
	for _, stage := range []func(beam.Scope, beam.PCollection, Options) beam.PCollection{Encode, Tag, Prune, Parse} {
		chunks = stage(s, chunks, o)
	}
	return Trees(s, chunks, o)
}

// Trees unpacks chunks that went through all stages. The rows of a chunk keep their order.
// A sentence that some stage left out is a failure.
//
//	PCollection<Chunk> -> PCollection<Tree>, PCollection<Failure>
func Trees(s beam.Scope, chunks beam.PCollection, o Options) (trees, failures beam.PCollection) {
	return beam.ParDo2(s.Scope("Trees"), &treesFn{Parsing: o.parsing("Trees")}, chunks)
}

type treesFn struct {
	Parsing parsing
	made    output.Provenance
}

func (f *treesFn) Setup() (err error) {
	f.made, err = f.Parsing.provenance()
	return err
}

func (f *treesFn) ProcessElement(ctx context.Context, c Chunk, tree func(Tree), failure func(Failure)) {
	faults := make([]stageFault, len(c.Sentences))
	for i := range c.Sentences {
		if slices.ContainsFunc(c.Sentences[i].Words, func(w syntax.Word) bool { return w.Head == syntax.NoHead }) {
			faults[i] = stageFault{stageParse, syntax.Because(syntax.KindInternal,
				"internal: no tree: before Trees come Segment, Encode, Tag, Prune and Parse, all with the same Options")}
		}
	}
	c.keep(faults)
	c.count(ctx)
	c.unpack(&f.made, func(_ int32, t Tree) { tree(t) }, func(_ int32, f Failure) { failure(f) })
}

// unpack emits the rows of a parsed chunk, with the place in Files of what they are about.
func (c *Chunk) unpack(made *output.Provenance, tree func(int32, Tree), failure func(int32, Failure)) {
	batch := c.Batch()
	for i := range batch.Trees {
		t := batch.TreeRow(i, made)
		notNil(&t)
		tree(batch.Trees[i].File, t)
	}
	for i := range batch.Failures {
		file := batch.Failures[i].File
		failure(file, Failure{batch.FailureRow(i), append([]KeyValue{}, c.Files[file].Meta...)})
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

// together reports whether a chunk may hold several documents of a bundle. They must be
// in the default window and pane: FinishBundle, which emits the last ones, has no other.
func together(docs beam.PCollection) bool {
	w := docs.WindowingStrategy()
	fires := reflect.Indirect(reflect.ValueOf(w.Trigger)).Type()
	return w.Fn.Kind == window.GlobalWindows && fires == reflect.TypeFor[trigger.DefaultTrigger]()
}

// A cutFn cuts documents into chunks of blocks.
type cutFn struct {
	Parsing  parsing
	stages   Stages
	Together bool
	filler   filler
}

func (f *cutFn) Setup(ctx context.Context) (err error) {
	f.stages, err = f.Parsing.open(ctx)
	return err
}

func (f *cutFn) ProcessElement(at beam.EventTime, d Document, emit func(beam.EventTime, Chunk)) {
	f.filler.emit = f.to(emit)
	f.filler.add(at, nil, &d, f.stages, &f.Parsing.Rows, f.Together)
}

func (f *cutFn) FinishBundle(emit func(beam.EventTime, Chunk)) {
	f.filler.emit = f.to(emit)
	f.filler.flush()
}

func (f *cutFn) to(emit func(beam.EventTime, Chunk)) func(Chunk) {
	return func(c Chunk) { emit(f.filler.at, c) }
}

// A keyedFn is all of ParseDocuments for documents with keys.
type keyedFn struct {
	Parsing  parsing
	Together bool
	filler   filler
	stages   Stages
	made     output.Provenance
}

func (f *keyedFn) Setup(ctx context.Context) (err error) {
	if f.stages, err = f.Parsing.open(ctx); err == nil {
		f.made, err = f.Parsing.provenance()
	}
	return err
}

type (
	keyedTree    = func(beam.EventTime, typex.X, Tree)
	keyedFailure = func(beam.EventTime, typex.X, Failure)
)

func (f *keyedFn) ProcessElement(ctx context.Context, at beam.EventTime, key typex.X, d Document, tree keyedTree, failure keyedFailure) {
	f.filler.emit = f.to(ctx, tree, failure)
	f.filler.add(at, key, &d, f.stages, &f.Parsing.Rows, f.Together)
}

func (f *keyedFn) FinishBundle(ctx context.Context, tree keyedTree, failure keyedFailure) {
	f.filler.emit = f.to(ctx, tree, failure)
	f.filler.flush()
}

func (f *keyedFn) to(ctx context.Context, tree keyedTree, failure keyedFailure) func(Chunk) {
	return func(c Chunk) {
		c = StageSegmented(SegmentChunk(c, f.stages, f.Parsing.Rows), f.stages, f.Parsing.Rows)
		c.count(ctx)
		at, keys := f.filler.at, f.filler.keys
		c.unpack(&f.made, func(file int32, t Tree) { tree(at, keys[file], t) }, func(file int32, row Failure) { failure(at, keys[file], row) })
	}
}

// A filler fills chunks with documents and emits those that are full.
type filler struct {
	chunk    Chunk
	keys     []typex.X      // of its documents
	at       beam.EventTime // of all of them
	place    int            // in the chunk's Files: of the document that is being added
	size     int
	emit     func(Chunk)
	emitting bool
}

// add adds a document. Unless documents may be together, a chunk holds only one.
func (f *filler) add(at beam.EventTime, key typex.X, d *Document, m Stages, o *output.RowOptions, together bool) {
	if at != f.at {
		f.flush()
	}
	f.at = at
	d.fill(m, o, key, f)
	if !together {
		f.flush()
	}
}

func (f *filler) flush() {
	if f.size > 0 {
		f.emitting = true
		f.emit(f.chunk)
		f.emitting = false
	}
	f.chunk, f.keys, f.place, f.size = Chunk{}, nil, 0, 0
}

// put adds a block of the document, which has a key.
func (f *filler) put(document *output.File, key typex.X, b block) {
	c := &f.chunk
	if f.place == len(c.Files) {
		c.Files, f.keys = append(c.Files, *document), append(f.keys, key)
		for _, kv := range document.Meta {
			f.size += len(kv.Value) / bytesPerToken
		}
	}
	if b.text != nil {
		c.Blocks = append(c.Blocks, Block{File: int32(f.place), First: b.first, Block: *b.text})
	}
	for _, row := range b.faults {
		row.File = int32(f.place)
		c.Failures = append(c.Failures, row)
	}
	if f.size += b.tokens + perRow; f.size >= ChunkTokens {
		f.flush()
	}
}

// readable is U+FFFD for what a comment or a column cannot hold.
func readable(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
		return unicode.ReplacementChar
	}
	return r
}

// fill cuts the document into blocks, and finds its language.
func (d *Document) fill(m Stages, o *output.RowOptions, key typex.X, f *filler) {
	file := output.File{DocID: strings.Map(readable, d.ID), URI: strings.Map(readable, d.Source), Format: string(source.Text), Lines: d.Lines}
	for _, kv := range d.Meta {
		file.Meta = append(file.Meta, KeyValue{Key: strings.ToValidUTF8(kv.Key, "\ufffd"), Value: strings.ToValidUTF8(kv.Value, "\ufffd")})
	}
	g := documentLanguage(m, func() string { return d.Text })
	file.Language, file.LanguageConf = g.Code, g.Conf
	f.place = len(f.chunk.Files)
	add := func(b block) { f.put(&file, key, b) }
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
	found, blocks, err := text.Whole(d.Text, source.HeadBytes, text.Options{UTF8: true, Lines: text.Lines(cmp.Or(d.Lines, o.Lines))})
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
