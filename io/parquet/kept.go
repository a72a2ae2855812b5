package parquet

import (
	"reflect"
	"slices"

	pq "github.com/parquet-go/parquet-go"
)

// metaPrefix begins the names of the columns of kept values.
const metaPrefix = "meta_"

// MetaColumn is the name of the column for values kept under a key of the
// input.
func MetaColumn(key string) string { return metaPrefix + key }

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

// keptText is a column of kept values.
var keptText = column{optional: true}

// kept appends the columns of kept values, "" as null.
func (b *rowBuilder) kept(keys []string, values []KeyValue) {
	for i, key := range keys {
		if i >= len(values) || values[i].Key != key {
			i = slices.IndexFunc(values, func(kv KeyValue) bool { return kv.Key == key })
		}
		v := ""
		if i >= 0 {
			v = values[i].Value
		}
		b.value(&keptText, textValue(v), v != "")
	}
	for i := range values {
		b.bytes += len(values[i].Value)
	}
}
