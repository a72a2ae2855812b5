package pipeline

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// appendJSONRow writes the columns of a tree under their names. A sentence
// that failed has the columns of its failure row.
func appendJSONRow(dst []byte, r *output.Row) []byte {
	var v any = r.Failure
	if r.Tree != nil {
		v = r.Tree
	}
	return append(appendColumns(dst, reflect.ValueOf(v).Elem()), '\n')
}

// appendColumns writes a struct of package parquet as a JSON object by the
// names in its parquet tags: a column that is optional and empty is null, and
// so is an empty string in a list whose elements are optional.
func appendColumns(dst []byte, v reflect.Value) []byte {
	dst = append(dst, '{')
	t := v.Type()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		name, options, _ := strings.Cut(tag.Get("parquet"), ",")
		if name == "-" {
			for _, kv := range v.Field(i).Interface().([]parquet.KeyValue) {
				dst = append(appendJSON(append(dst, ','), parquet.MetaColumn(kv.Key)), ':')
				if kv.Value == "" {
					dst = append(dst, "null"...)
				} else {
					dst = appendJSON(dst, kv.Value)
				}
			}
			continue
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		field := v.Field(i)
		optional := strings.Contains(options, "optional")
		switch {
		case optional && field.IsZero():
			dst = append(dst, "null"...)
		case field.Kind() == reflect.Slice:
			dst = appendList(dst, field, strings.Contains(tag.Get("parquet-element"), "optional"))
		default:
			dst = appendJSON(dst, field.Interface())
		}
	}
	return append(dst, '}')
}

func appendList(dst []byte, v reflect.Value, optional bool) []byte {
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		element := v.Index(i)
		switch {
		case element.Kind() == reflect.Struct:
			dst = appendColumns(dst, element)
		case optional && element.IsZero(), element.Kind() == reflect.Int32 && element.Int() < 0:
			dst = append(dst, "null"...) // a negative number is the head of a word that has none
		default:
			dst = appendJSON(dst, element.Interface())
		}
	}
	return append(dst, ']')
}

func appendJSON(dst []byte, v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return append(dst, "null"...) // a NaN, which no column holds
	}
	return append(dst, strings.TrimSuffix(b.String(), "\n")...)
}
