package parquet

import (
	"iter"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	pq "github.com/parquet-go/parquet-go"
)

// A table is what the fields of a row type and their tags say of its columns.
// Schema, rows, sizes, checks, reading, flat files, attributes of find and the
// tables of docs/parquet.md (from the comments) follow from it.
type table struct {
	overhead int      // bytes of a row besides texts and lists
	sorted   []string // sort columns of the rows
	columns  []column
	meta     []int // field of kept values, nil without one
}

// A column is a field of a row. It has one leaf in the schema, or one for each
// field of the elements of a list of structs.
type column struct {
	name     string
	field    []int // see reflect.Value.FieldByIndex
	optional bool  // it may be null, of a list: as a whole
	// Of a list, or of a field of its elements: the definition level of an
	// element that is not null, whether one may be null, bytes of one besides
	// text, and the fields of a struct.
	level    int
	nullable bool
	overhead int
	fields   []column

	// bounded columns of text have statistics: no value is longer than a path or an id
	// may be. The others may have megabytes a value, and the smallest and the largest
	// of every row group would stay in memory up to the footer. What queries could skip
	// by is in these. Statistics in the headers of pages would repeat such values in
	// each page, and no reader needs them in addition to the index.
	bounded bool
	short   bool   // bounded to a few bytes, which overhead counts
	word    string // name of a value of a list with one element per word
	unless  []int  // it is null if this field of the row is zero
}

// tables are the tables of all rows. Row groups close by overhead: another overhead
// gives other bytes.
var tables = map[reflect.Type]*table{
	reflect.TypeFor[Tree]():     tableOf[Tree](200, "source_uri", "start_byte"),
	reflect.TypeFor[Word]():     tableOf[Word](40, "source_uri"),
	reflect.TypeFor[Failure]():  tableOf[Failure](80, "source_uri", "byte_offset"),
	reflect.TypeFor[Document](): tableOf[Document](200),
	reflect.TypeFor[Entry]():    tableOf[Entry](200),
}

// elementOverhead is column.overhead of lists of structs.
var elementOverhead = map[reflect.Type]int{reflect.TypeFor[MWT](): 16, reflect.TypeFor[EmptyNode](): 40}

func tableOf[T Row](overhead int, sorted ...string) *table {
	t := reflect.TypeFor[T]()
	list := &table{overhead: overhead, sorted: sorted, columns: columnsOf(t)}
	if f, ok := t.FieldByName("Meta"); ok {
		list.meta = f.Index
	}
	return list
}

func columnsOf(t reflect.Type) (list []column) {
	for _, f := range reflect.VisibleFields(t) {
		tag := strings.Split(f.Tag.Get("parquet"), ",")
		if f.Anonymous || tag[0] == "-" {
			continue
		}
		c := column{name: tag[0], field: f.Index, optional: slices.Contains(tag, "optional"), word: f.Tag.Get("word"), level: 1, overhead: 4}
		c.short = f.Tag.Get("column") == "short"
		c.bounded = c.short || f.Tag.Get("column") == "bounded"
		if c.optional {
			c.level = 2
		}
		if strings.HasSuffix(f.Tag.Get("parquet-element"), "optional") {
			c.level, c.nullable = c.level+1, true
		}
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			c.overhead, c.fields = elementOverhead[f.Type.Elem()], columnsOf(f.Type.Elem())
			for i := range c.fields {
				c.fields[i].nullable = c.fields[i].optional // and level is as of a list
			}
		}
		if zero, ok := t.FieldByName(f.Tag.Get("null")); ok {
			c.unless = zero.Index
		}
		list = append(list, c)
	}
	return list
}

// column returns the column of a name, nil if there is none.
func (t *table) column(name string) *column {
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &t.columns[i]
}

// of returns a pointer to the field of a row.
func (c *column) of(row reflect.Value) any { return row.FieldByIndex(c.field).Addr().Interface() }

// Columns yields the name of each column of a row, without kept values, and a pointer
// to its field, in the order of the file.
func Columns[T Row](row *T) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		v := reflect.ValueOf(row).Elem()
		t := tables[v.Type()]
		for i := range t.columns {
			if !yield(t.columns[i].name, t.columns[i].of(v)) {
				return
			}
		}
	}
}

// An Attribute is a column of trees. Name is the name of one value, such as lemma, of a
// list with one element per word (OfWord), or of the sentence.
type Attribute struct {
	Name, Column string
	OfWord       bool
	column       *column
}

// Of returns a pointer to the column of a row.
func (a *Attribute) Of(t *Tree) any { return a.column.of(reflect.ValueOf(t).Elem()) }

// Attributes returns the attributes of trees, in the order of the file.
func Attributes() (list []Attribute) {
	columns := tables[reflect.TypeFor[Tree]()].columns
	for i := range columns {
		c := &columns[i]
		if kind := reflect.TypeFor[Tree]().FieldByIndex(c.field).Type.Kind(); c.word != "" {
			list = append(list, Attribute{c.word, c.name, true, c})
		} else if kind != reflect.Slice {
			list = append(list, Attribute{c.name, c.name, false, c})
		}
	}
	return list
}

// A rowBuilder collects the leaf values of rows by column, in the order of the schema,
// with their repetition and definition levels (Dremel, section 4.2). The library's own way
// from structs to columns is not used: it (v0.32.0) loses nulls among the elements of a
// list.
type rowBuilder struct {
	columns [][]pq.Value // of the rows
	values  int          // in all columns
	bytes   int          // approximate bytes of column data
	column  int          // of the next leaf
}

// append appends the columns of a row.
func (b *rowBuilder) append(t *table, row reflect.Value) {
	b.column = 0
	b.bytes += t.overhead
	for i := range t.columns {
		c := &t.columns[i]
		switch f := row.FieldByIndex(c.field); {
		case c.fields != nil:
			b.structs(c, f)
		case f.Kind() == reflect.Slice:
			n := f.Len()
			switch list := f.Addr().Interface().(type) {
			case *[]string:
				appendList(b, c, *list, b.text)
			case *[]int32:
				appendList(b, c, *list, int32Value)
			case *[]float32:
				appendList(b, c, *list, floatValue)
			}
			b.bytes += n * c.overhead
			empty := 0
			if c.optional && !f.IsNil() {
				empty = 1
			}
			b.endList(n, empty)
		case f.Kind() == reflect.Pointer:
			b.value(c, f.Elem(), !f.IsNil())
		case f.Kind() == reflect.String: // "" means null if there may be one
			b.value(c, f, !c.optional || f.Len() > 0)
		default:
			b.value(c, f, c.unless == nil || !row.FieldByIndex(c.unless).IsZero())
		}
	}
}

// value appends a column that is not a list.
func (b *rowBuilder) value(c *column, v reflect.Value, present bool) {
	definition, value := 0, pq.NullValue()
	if present {
		if c.optional {
			definition = 1
		}
		switch v.Kind() {
		case reflect.String:
			value = b.text(c, v.String())
		case reflect.Int32:
			value = pq.Int32Value(int32(v.Int()))
		case reflect.Int64:
			value = pq.Int64Value(v.Int())
		case reflect.Float32:
			value = pq.FloatValue(float32(v.Float()))
		case reflect.Float64:
			value = pq.DoubleValue(v.Float())
		}
	}
	b.leaf(value, definition)
	b.column++
}

// structs appends a list of structs of text.
func (b *rowBuilder) structs(c *column, list reflect.Value) {
	n := list.Len()
	b.bytes += n * c.overhead
	texts := make([]string, n)
	for j := range c.fields {
		f := &c.fields[j]
		for i := range n {
			texts[i] = list.Index(i).FieldByIndex(f.field).String()
		}
		appendList(b, f, texts, b.text)
		b.endList(n, 0)
	}
}

// appendList appends the elements of a list; "" means null if the list may have nulls.
func appendList[E comparable](b *rowBuilder, c *column, list []E, valueOf func(*column, E) pq.Value) {
	values := slices.Grow(b.columns[b.column], len(list))
	var zero E
	for i, e := range list {
		value, definition := pq.NullValue(), c.level-1
		if !c.nullable || e != zero {
			value, definition = valueOf(c, e), c.level
		}
		values = append(values, value.Level(min(i, 1), definition, b.column))
	}
	b.columns[b.column] = values
	b.values += len(list)
}

// endList ends a leaf of a list of n elements; empty is the definition level of one
// without elements.
func (b *rowBuilder) endList(n, empty int) {
	if n == 0 {
		b.leaf(pq.NullValue(), empty)
	}
	b.column++
}

// leaf appends the first value of a row to the column.
func (b *rowBuilder) leaf(value pq.Value, definition int) {
	b.columns[b.column] = append(b.columns[b.column], value.Level(0, definition, b.column))
	b.values++
}

func (b *rowBuilder) text(c *column, s string) pq.Value {
	if !c.short {
		b.bytes += len(s)
	}
	return pq.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s))) // which the library only reads
}

func int32Value(_ *column, n int32) pq.Value   { return pq.Int32Value(n) }
func floatValue(_ *column, x float32) pq.Value { return pq.FloatValue(x) }

// metaPrefix begins the names of the columns of kept values.
const metaPrefix = "meta_"

// MetaColumn returns the name of the column for the values under a key of the input.
func MetaColumn(key string) string { return metaPrefix + key }

// A metaNode is the root of a schema with columns of kept values behind the
// others.
type metaNode struct {
	pq.Node
	fields []pq.Field
}

func (n metaNode) Fields() []pq.Field { return n.fields }

type metaField struct {
	pq.Node
	name string
}

func (f metaField) Name() string                      { return f.name }
func (f metaField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// withMeta is the schema of rows with columns for kept values.
func withMeta(schema *pq.Schema, keys []string) *pq.Schema {
	if len(keys) == 0 {
		return schema
	}
	fields := slices.Clone(schema.Fields())
	for _, key := range keys {
		fields = append(fields, metaField{pq.Optional(pq.Encoded(pq.String(), &pq.RLEDictionary)), MetaColumn(key)})
	}
	return pq.NewSchema(schema.Name(), metaNode{schema, fields})
}

// metaText is a column of kept values.
var metaText = column{optional: true}

// meta appends the columns of kept values, "" as null.
func (b *rowBuilder) meta(keys []string, values []KeyValue) {
	for i, key := range keys {
		if i >= len(values) || values[i].Key != key {
			i = slices.IndexFunc(values, func(kv KeyValue) bool { return kv.Key == key })
		}
		v := ""
		if i >= 0 {
			v = values[i].Value
		}
		b.value(&metaText, reflect.ValueOf(v), v != "")
	}
}
