package parquet

import (
	"slices"
	"unsafe"

	pq "github.com/parquet-go/parquet-go"
)

// A rowBuilder lays a row out as leaf values in the order of the schema, with
// their repetition and definition levels (Dremel, section 4.2). The library's
// own way from structs to columns is not used: it (v0.32.0) loses nulls that
// stand among the elements of a list.
type rowBuilder struct {
	row    pq.Row
	column int
}

func (b *rowBuilder) leaf(v pq.Value, repetition, definition int) {
	b.row = append(b.row, v.Level(repetition, definition, b.column))
}

// required appends a column that always has a value.
func (b *rowBuilder) required(v pq.Value) {
	b.leaf(v, 0, 0)
	b.column++
}

func (b *rowBuilder) text(s string)   { b.required(textValue(s)) }
func (b *rowBuilder) int64(v int64)   { b.required(pq.Int64Value(v)) }
func (b *rowBuilder) int32(v int32)   { b.required(pq.Int32Value(v)) }
func (b *rowBuilder) float(v float32) { b.required(pq.FloatValue(v)) }

// optional appends a column that may be null.
func (b *rowBuilder) optional(v pq.Value, present bool) {
	if present {
		b.leaf(v, 0, 1)
	} else {
		b.leaf(pq.NullValue(), 0, 0)
	}
	b.column++
}

func (b *rowBuilder) optionalText(s string) { b.optional(textValue(s), s != "") }

// textValue returns a string value without copying it.
func textValue(s string) pq.Value {
	return pq.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s))) // which the library only reads
}

// list appends a list of n elements that may not be null; level is the
// definition level of an empty one.
func (b *rowBuilder) list(n, level int, at func(i int) pq.Value) {
	b.elements(n, level, func(i, repetition int) { b.leaf(at(i), repetition, level+1) })
}

// elements appends a column of a list, whose elements each appends itself.
func (b *rowBuilder) elements(n, level int, each func(i, repetition int)) {
	if n == 0 {
		b.leaf(pq.NullValue(), 0, level)
	}
	for i := range n {
		each(i, min(i, 1))
	}
	b.column++
}

// texts appends a list of strings.
func (b *rowBuilder) texts(list []string) {
	b.list(len(list), 0, func(i int) pq.Value { return textValue(list[i]) })
}

// optionalTexts appends a column of a list in which "" stands for null.
func (b *rowBuilder) optionalTexts(n int, at func(i int) string) {
	b.elements(n, 0, func(i, repetition int) {
		if s := at(i); s != "" {
			b.leaf(textValue(s), repetition, 2)
		} else {
			b.leaf(pq.NullValue(), repetition, 1)
		}
	})
}

// words appends a list of strings with nulls.
func (b *rowBuilder) words(list []string) {
	b.optionalTexts(len(list), func(i int) string { return list[i] })
}

// optionalInts appends a list that is null if it is nil.
func (b *rowBuilder) optionalInts(list []int32) {
	b.list(len(list), level(list == nil), func(i int) pq.Value { return pq.Int32Value(list[i]) })
}

// floats appends a list that is null if it is nil.
func (b *rowBuilder) floats(list []float32) {
	b.list(len(list), level(list == nil), func(i int) pq.Value { return pq.FloatValue(list[i]) })
}

// level is the definition level of an optional list without elements.
func level(null bool) int {
	if null {
		return 0
	}
	return 1
}

// room makes room in the row for n values, so that a long one is not copied as
// it grows.
func (b *rowBuilder) room(n int) { b.row = slices.Grow(b.row, n) }

func (t *Tree) columns(b *rowBuilder) {
	const single, perWord, perMWT, perEmpty = 20, 17, 5, 10 // columns
	b.room(single + len(t.Comments) + perWord*len(t.Tokens) + perMWT*(len(t.MWT)+1) + perEmpty*(len(t.EmptyNodes)+1))
	b.text(t.SentID)
	b.optionalText(t.Text)
	b.texts(t.Comments)
	b.texts(t.Tokens)
	b.words(t.Lemmas)
	b.words(t.UPOS)
	b.words(t.XPOS)
	b.words(t.Feats)
	b.list(len(t.Head), 0, func(i int) pq.Value { return pq.Int32Value(t.Head[i]) })
	b.words(t.Deprel)
	b.words(t.Deps)
	b.words(t.Misc)
	t.surface(b)
	b.text(t.DocID)
	b.text(t.SourceURI)
	b.text(t.SourceVersion)
	b.int64(t.StartByte)
	b.int64(t.EndByte)
	b.optionalInts(t.StartChar)
	b.optionalInts(t.EndChar)
	b.floats(t.HeadMarginal)
	b.floats(t.HeadMargin)
	b.floats(t.LabelMarginal)
	b.floats(t.HeadConf)
	b.floats(t.DeprelConf)
	b.floats(t.UPOSConf)
	b.float(t.TreeMargin)
	b.float(t.TreeScore)
	if t.TreeConf != nil {
		b.optional(pq.FloatValue(*t.TreeConf), true)
	} else {
		b.optional(pq.Value{}, false)
	}
	b.optionalText(t.Certificate)
	b.int32(t.Restarts)
	b.int32(t.NCandidates)
	b.text(t.Status)
	b.text(t.ModelID)
}

// surface appends the columns of multiword tokens and empty nodes.
func (t *Tree) surface(b *rowBuilder) {
	n := len(t.MWT)
	b.list(n, 0, func(i int) pq.Value { return textValue(t.MWT[i].ID) })
	b.list(n, 0, func(i int) pq.Value { return textValue(t.MWT[i].Form) })
	b.optionalTexts(n, func(i int) string { return t.MWT[i].Feats })
	b.optionalTexts(n, func(i int) string { return t.MWT[i].Misc })
	b.optionalTexts(n, func(i int) string { return t.MWT[i].Rest })
	n = len(t.EmptyNodes)
	b.list(n, 0, func(i int) pq.Value { return textValue(t.EmptyNodes[i].ID) })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Form })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Lemma })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].UPOS })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].XPOS })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Feats })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Head })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Deprel })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Deps })
	b.optionalTexts(n, func(i int) string { return t.EmptyNodes[i].Misc })
}

func (r *Failure) columns(b *rowBuilder) {
	b.text(r.DocID)
	b.text(r.SourceURI)
	b.int64(r.ByteOffset)
	if r.Line != nil {
		b.optional(pq.Int64Value(*r.Line), true)
	} else {
		b.optional(pq.Value{}, false)
	}
	b.text(r.Stage)
	b.text(r.Severity)
	b.text(r.Kind)
	b.text(r.Reason)
	b.optionalText(r.Text)
	b.optionalText(r.Block)
}

func (d *Document) columns(b *rowBuilder) {
	b.text(d.DocID)
	b.text(d.SourceURI)
	b.text(d.SourceVersion)
	b.int64(d.StoredBytes)
	b.int64(d.StartByte)
	b.int64(d.EndByte)
	b.text(d.Format)
	b.optionalText(d.Encoding)
	b.optionalText(d.Lines)
	for _, v := range [...]int64{d.Blocks, d.BlocksFailed, d.Sentences, d.Trees, d.Words, d.Failures, d.Warnings, d.Repaired, d.UnknownWords} {
		b.int64(v)
	}
	calibrated := d.CalibratedWords > 0
	b.optional(pq.Int64Value(d.CalibratedWords), calibrated)
	for _, v := range [...]float64{d.ExpectedUPOS, d.ExpectedUPOSStderr, d.ExpectedUAS, d.ExpectedUASStderr, d.ExpectedLAS, d.ExpectedLASStderr} {
		b.optional(pq.DoubleValue(v), calibrated)
	}
}

// size is about the bytes of column data of a row.
func (t *Tree) size() int {
	n := 200 + len(t.SentID) + len(t.Text) + len(t.DocID) + len(t.SourceURI)
	for _, list := range [][]string{t.Comments, t.Tokens, t.Lemmas, t.UPOS, t.XPOS, t.Feats, t.Deprel, t.Deps, t.Misc} {
		n += 4 * len(list)
		for _, v := range list {
			n += len(v)
		}
	}
	for _, list := range [][]float32{t.HeadMarginal, t.HeadMargin, t.LabelMarginal, t.HeadConf, t.DeprelConf, t.UPOSConf} {
		n += 4 * len(list)
	}
	for i := range t.MWT {
		m := &t.MWT[i]
		n += 16 + len(m.ID) + len(m.Form) + len(m.Feats) + len(m.Misc) + len(m.Rest)
	}
	for i := range t.EmptyNodes {
		e := &t.EmptyNodes[i]
		n += 40 + len(e.ID) + len(e.Form) + len(e.Lemma) + len(e.Feats) + len(e.Deps) + len(e.Misc)
	}
	return n + 4*(len(t.Head)+len(t.StartChar)+len(t.EndChar)) + keptSize(t.Meta)
}

func (r *Failure) size() int {
	return 80 + len(r.DocID) + len(r.SourceURI) + len(r.Reason) + len(r.Text) + len(r.Block)
}

func (d *Document) size() int {
	return 200 + len(d.DocID) + len(d.SourceURI) + len(d.SourceVersion) + keptSize(d.Meta)
}
