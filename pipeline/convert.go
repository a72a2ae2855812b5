package pipeline

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Format appends a row to dst.
type Format func(dst []byte, r *output.Row) []byte

// ConfidentCoNLLU is the name of the format that conllu is with --conf.
const ConfidentCoNLLU = "conllu-conf"

// Formats are those that are no more than rows one after the other. That of ConfidentCoNLLU is
// CoNLL-U with what is known of how sure a tree is in MISC and in comments.
var Formats = map[string]Format{"conllu": appendCoNLLURow, ConfidentCoNLLU: appendSureCoNLLURow, "text": appendTextRow, "jsonl": appendJSONRow}

func appendCoNLLURow(dst []byte, r *output.Row) []byte { return appendTree(dst, r, nil) }

func appendSureCoNLLURow(dst []byte, r *output.Row) []byte { return appendTree(dst, r, noteConfidence) }

// appendTree appends a row as CoNLL-U after its sentence was changed.
func appendTree(dst []byte, r *output.Row, change func(*syntax.Sentence)) []byte {
	if r.Tree == nil {
		return append(dst, r.Failure.Block...)
	}
	s, err := parquet.FromRow(r.Tree)
	if err != nil {
		return append(dst, "# treebeam_failure = "+err.Error()+"\n\n"...)
	}
	s = withNames(&s, r.DocID, r.Format)
	if change != nil {
		change(&s)
	}
	return conllu.Append(dst, &s)
}

func appendTextRow(dst []byte, r *output.Row) []byte {
	text := ""
	switch {
	case r.Tree == nil:
		text = blockText(r.Failure)
	case r.Tree.Text != "":
		text = r.Tree.Text
	default:
		text = strings.Join(r.Tree.Tokens, " ")
	}
	return append(append(dst, strings.Join(strings.FieldsFunc(text, breaks), " ")...), '\n')
}

// blockText is the text of a CoNLL sentence that failed: what its comment "#
// text" says, or its forms. The column text is cut.
func blockText(f *parquet.Failure) string {
	for b, err := range conllu.Read(strings.NewReader(f.Block), conllu.Options{NoHeads: true}) {
		if err != nil || b.Err != nil {
			break
		}
		if b.Sentence.Text != "" {
			return b.Sentence.Text
		}
		forms := make([]string, len(b.Sentence.Words))
		for i := range forms {
			forms[i] = b.Sentence.Words[i].Form
		}
		return strings.Join(forms, " ")
	}
	return f.Text
}

// breaks says whether r is white space that is none of the text's own: an
// ASCII space or what some reader takes for the end of a line. No-break spaces
// stay.
func breaks(r rune) bool {
	return r == ' ' || '\t' <= r && r <= '\r' || 0x1c <= r && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

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
