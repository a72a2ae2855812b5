package parquet

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	pq "github.com/parquet-go/parquet-go"
)

// metaPrefix begins the names of the columns of kept values.
const metaPrefix = "meta_"

// MetaColumn is the name of the column for values kept under a key of the
// input.
func MetaColumn(key string) string { return metaPrefix + key }

// A keeper is a row that may have kept values.
type keeper interface{ kept() *[]KeyValue }

func (t *Tree) kept() *[]KeyValue     { return &t.Meta }
func (d *Document) kept() *[]KeyValue { return &d.Meta }

// keptSize is about the bytes of column data of kept values.
func keptSize(list []KeyValue) int {
	n := 0
	for i := range list {
		n += len(list[i].Value)
	}
	return n
}

// A keptNode is the root of a schema with columns of kept values behind the
// others.
type keptNode struct {
	pq.Node
	fields []pq.Field
}

func (n keptNode) Fields() []pq.Field { return n.fields }

type keptField struct {
	pq.Node
	name string
}

func (f keptField) Name() string                      { return f.name }
func (f keptField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// withKept is the schema of rows with columns for kept values.
func withKept(schema *pq.Schema, keys []string) *pq.Schema {
	if len(keys) == 0 {
		return schema
	}
	fields := slices.Clone(schema.Fields())
	for _, key := range keys {
		fields = append(fields, keptField{pq.Optional(pq.Encoded(pq.String(), &pq.RLEDictionary)), MetaColumn(key)})
	}
	return pq.NewSchema(schema.Name(), keptNode{schema, fields})
}

// keptColumns appends the columns of kept values, "" as null.
func (b *rowBuilder) keptColumns(keys []string, values []KeyValue) {
	for i, key := range keys {
		if i >= len(values) || values[i].Key != key {
			j := slices.IndexFunc(values, func(kv KeyValue) bool { return kv.Key == key })
			if j < 0 {
				b.optionalText("")
				continue
			}
			b.optionalText(values[j].Value)
			continue
		}
		b.optionalText(values[i].Value)
	}
}

// A keptReader reads the columns of kept values beside the rows.
type keptReader struct {
	keys    []string
	columns []*keptColumn
}

// A keptColumn reads a column of text, one value a row.
type keptColumn struct {
	groups []pq.RowGroup // not begun
	index  int
	pages  pq.Pages
	values pq.ValueReader
	buf    [64]pq.Value
	have   []pq.Value
}

// keptReader returns a reader of the columns of kept values of the file, nil if
// it has none.
func (r *Reader[T]) keptReader() (*keptReader, error) {
	if _, ok := any(new(T)).(keeper); !ok {
		return nil, nil
	}
	var k *keptReader
	ours := pq.SchemaOf(new(T))
	for _, f := range r.file.Schema().Fields() {
		key, ok := strings.CutPrefix(f.Name(), metaPrefix)
		if _, known := ours.Lookup(f.Name()); !ok || known {
			continue
		}
		leaf, ok := r.file.Schema().Lookup(f.Name())
		if !ok || leaf.MaxRepetitionLevel > 0 || leaf.Node.Type().Kind() != pq.ByteArray {
			return nil, fmt.Errorf("%s: %w: its column %s is no text", r.name, ErrForeign, f.Name())
		}
		if k == nil {
			k = &keptReader{}
		}
		k.keys = append(k.keys, key)
		k.columns = append(k.columns, &keptColumn{groups: r.file.RowGroups(), index: leaf.ColumnIndex})
	}
	return k, nil
}

// next returns the values of the next row.
func (k *keptReader) next() ([]KeyValue, error) {
	list := make([]KeyValue, len(k.keys))
	for i, c := range k.columns {
		v, err := c.next()
		if err == io.EOF {
			err = errors.New("a column has fewer values than the file has rows")
		}
		if err != nil {
			return nil, err
		}
		list[i] = KeyValue{k.keys[i], v}
	}
	return list, nil
}

func (c *keptColumn) next() (string, error) {
	for len(c.have) == 0 {
		switch {
		case c.values != nil:
			n, err := c.values.ReadValues(c.buf[:])
			c.have = c.buf[:n]
			if err == io.EOF {
				c.values = nil
			} else if err != nil {
				return "", err
			}
		case c.pages != nil:
			page, err := c.pages.ReadPage()
			if err == io.EOF {
				c.close()
			} else if err != nil {
				return "", err
			} else {
				c.values = page.Values()
			}
		case len(c.groups) == 0:
			return "", io.EOF
		default:
			c.pages = c.groups[0].ColumnChunks()[c.index].Pages()
			c.groups = c.groups[1:]
		}
	}
	v := c.have[0]
	c.have = c.have[1:]
	if v.IsNull() {
		return "", nil
	}
	return string(v.ByteArray()), nil
}

func (c *keptColumn) close() {
	if c.pages != nil {
		c.pages.Close()
		c.pages = nil
	}
}

func (k *keptReader) close() {
	if k != nil {
		for _, c := range k.columns {
			c.close()
		}
	}
}
