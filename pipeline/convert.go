package pipeline

import (
	"cmp"
	"encoding/json"
	"iter"
	"reflect"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
)

// A Row is what Convert gives: a tree, or a sentence in whose place a failure
// stands.
type Row struct {
	DocID   string
	Format  string        // of the input file: text, conllu or conllx
	Tree    *parquet.Tree // nil for a failure; its heads are syntax.NoHead if it was not parsed
	Failure *parquet.Failure
}

// Converted says what Convert met beside trees.
type Converted struct {
	Unparsed int64 // sentences that failed: given, without a tree
	Lost     int64 // failures that are no sentence: not given
}

// Convert gives the sentences of a complete output to yield, in input order.
func Convert(output string, yield func(*Row) error) (Converted, error) {
	var stats Converted
	formats, err := inputFormats(output)
	if err != nil {
		return stats, err
	}
	trees, err := PartPaths(output, "trees")
	if err != nil {
		return stats, err
	}
	failures, err := PartPaths(output, "failures")
	if err != nil {
		return stats, err
	}
	for k := range trees {
		if err := convertPart(trees[k], failures[k], formats, &stats, yield); err != nil {
			return stats, err
		}
	}
	return stats, nil
}

func convertPart(trees, failures string, formats map[string]string, stats *Converted, yield func(*Row) error) error {
	tr, err := parquet.Open[parquet.Tree](trees)
	if err != nil {
		return err
	}
	defer tr.Close()
	fr, err := parquet.Open[parquet.Failure](failures)
	if err != nil {
		return err
	}
	defer fr.Close()
	next, stop := iter.Pull2(fr.All())
	defer stop()
	failed, err, more := next()
	// before gives the failures that stand before t, all if t is nil.
	before := func(t *parquet.Tree) error {
		for ; more; failed, err, more = next() {
			if err != nil {
				return err
			}
			if t != nil && cmp.Or(cmp.Compare(failed.SourceURI, t.SourceURI), cmp.Compare(failed.ByteOffset, t.StartByte)) > 0 {
				return nil
			}
			switch {
			case failed.Block != "":
				stats.Unparsed++
				row := Row{DocID: failed.DocID, Format: formats[failed.SourceURI], Failure: failed}
				if err := yield(&row); err != nil {
					return err
				}
			case failed.Severity == "error":
				stats.Lost++
			}
		}
		return nil
	}
	for t, err := range tr.All() {
		if err != nil {
			return err
		}
		if err := before(t); err != nil {
			return err
		}
		if err := yield(&Row{DocID: t.DocID, Format: formats[t.SourceURI], Tree: t}); err != nil {
			return err
		}
	}
	return before(nil)
}

// inputFormats returns the format of every input file.
func inputFormats(output string) (map[string]string, error) {
	formats := map[string]string{}
	err := Documents(output, func(d *parquet.Document) error {
		formats[d.SourceURI] = d.Format
		return nil
	})
	return formats, err
}

// Documents gives the rows of documents/ of a complete output to yield, in
// order.
func Documents(output string, yield func(*parquet.Document) error) error {
	return eachRow(output, "documents", yield)
}

// Failures gives the rows of failures/ of a complete output to yield, in order.
func Failures(output string, yield func(*parquet.Failure) error) error {
	return eachRow(output, "failures", yield)
}

// Trees gives the rows of trees/ of a complete output to yield, in order.
func Trees(output string, yield func(*parquet.Tree) error) error {
	return eachRow(output, "trees", yield)
}

func eachRow[T parquet.Row](output, kind string, yield func(*T) error) error {
	paths, err := PartPaths(output, kind)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := eachRowOf(path, yield); err != nil {
			return err
		}
	}
	return nil
}

func eachRowOf[T parquet.Row](path string, yield func(*T) error) error {
	r, err := parquet.Open[T](path)
	if err != nil {
		return err
	}
	defer r.Close()
	for row, err := range r.All() {
		if err == nil {
			err = yield(row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A Format appends a row to dst.
type Format func(dst []byte, r *Row) []byte

// FormatNames lists the keys of Formats, for messages.
const FormatNames = "conllu, jsonl or text"

// Formats are those that rows can be written in.
var Formats = map[string]Format{"conllu": appendCoNLLURow, "text": appendTextRow, "jsonl": appendJSONRow}

func appendCoNLLURow(dst []byte, r *Row) []byte {
	if r.Tree == nil {
		return append(dst, r.Failure.Block...)
	}
	s, err := parquet.FromRow(r.Tree)
	if err != nil {
		return append(dst, "# treebeam_failure = "+err.Error()+"\n\n"...)
	}
	return AppendCoNLLU(dst, &s, r.DocID, r.Format)
}

func appendTextRow(dst []byte, r *Row) []byte {
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
func appendJSONRow(dst []byte, r *Row) []byte {
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
