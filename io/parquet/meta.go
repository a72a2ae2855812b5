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
