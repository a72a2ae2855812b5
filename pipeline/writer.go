package pipeline

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
)

// Formats that are more than rows one after the other.
const (
	TreeFormat = "tree" // for a terminal
	SVGFormat  = "svg"  // one sentence
	HTMLFormat = "html" // a page
)

// FormatNames lists the formats, for messages.
const FormatNames = "conllu, jsonl, tsv, csv, text, tree, svg or html"

// IsFormat says whether a Writer knows a format.
func IsFormat(to string) bool {
	_, rows := Formats[to]
	return rows || to == TSVFormat || to == CSVFormat || to == TreeFormat || to == SVGFormat || to == HTMLFormat
}

// WriteOptions say what a Writer writes beside the name of its format.
type WriteOptions struct {
	// Generator and Model are the values of the comments "# generator" and
	// "# model" at the head of CoNLL-U; "" writes none.
	Generator, Model string
	Tree             view.TreeOptions // of tree
	Picture          view.SVGOptions  // of svg and html
}

// A Writer writes rows in a format: those of one file. It is not safe for
// concurrent use.
type Writer struct {
	to     string
	format Format
	o      WriteOptions
	begun  bool // a row was written
	flat   *flat
}

// NewWriter returns a writer of a format that IsFormat knows; any other is a
// *Refusal.
func NewWriter(to string, o WriteOptions) (*Writer, error) {
	if !IsFormat(to) {
		return nil, refuse("--to %s: must be %s", to, FormatNames)
	}
	w := &Writer{to: to, format: Formats[to], o: o}
	switch to {
	case TSVFormat:
		w.flat = &flat{separator: '\t'}
	case CSVFormat:
		w.flat = &flat{separator: ','}
	}
	return w, nil
}

// Append appends a row to dst. In CoNLL-U, the first row of a file begins with the
// comments generator and model, unless it is from CoNLL-U that has a comment of one of
// these names, for that comes back as it was, or from CoNLL-X, which has no comments. A
// second row of svg, or one without a tree, is a *Refusal.
func (w *Writer) Append(dst []byte, r *output.Row) ([]byte, error) {
	first := !w.begun
	switch w.to {
	case TSVFormat, CSVFormat:
		return w.flat.append(dst, r), nil
	case TreeFormat:
		return w.tree(dst, r), nil
	case SVGFormat:
		switch w.begun = true; {
		case !first:
			return dst, refuse("--to svg draws one sentence, and there are more: use --to html, or treebeam show with --id")
		case r.Tree == nil:
			return dst, refuse("--to svg: the sentence could not be parsed: %s", r.Failure.Reason)
		}
		return view.SVGRow(dst, r.Tree, w.o.Picture), nil
	case HTMLFormat:
		dst = w.head(dst)
		if r.Tree == nil {
			return view.HTMLFailure(dst, "", blockText(r.Failure), r.Failure.Reason), nil
		}
		return view.HTMLTree(dst, r.Tree, w.o.Picture), nil
	}
	start := len(dst)
	dst = w.format(dst, r)
	if w.begun = w.begun || len(dst) > start; w.begun && first && (w.to == "conllu" || w.to == ConfidentCoNLLU) {
		dst = w.comment(dst, start, r)
	}
	return dst, nil
}

// End appends what stands behind the last row. An svg without a row is a *Refusal.
func (w *Writer) End(dst []byte) ([]byte, error) {
	switch {
	case w.flat != nil:
		return w.flat.header(dst, nil), nil
	case w.to == HTMLFormat:
		return view.HTMLTail(w.head(dst)), nil
	case w.to == SVGFormat && !w.begun:
		return dst, refuse("--to svg: there is no sentence to draw")
	}
	return dst, nil
}

// Restart makes the next row the first one of another file.
func (w *Writer) Restart() {
	w.begun = false
	if w.flat != nil {
		w.flat.begun = false
	}
}

// head appends the beginning of a page, once.
func (w *Writer) head(dst []byte) []byte {
	if w.begun {
		return dst
	}
	w.begun = true
	return view.HTMLHead(dst, "Dependency trees")
}

// comment puts the comments of a file before its first row, which is dst[start:].
func (w *Writer) comment(dst []byte, start int, r *output.Row) []byte {
	if r.Format == string(source.CoNLLX) {
		return dst
	}
	for line := range bytes.Lines(dst[start:]) {
		if line[0] != '#' {
			break
		}
		if key, _ := conllu.Comment(strings.TrimSuffix(string(line), "\n")); key == "generator" || key == "model" {
			return dst
		}
	}
	var comments []byte
	for _, c := range [...][2]string{{"generator", w.o.Generator}, {"model", w.o.Model}} {
		if c[1] != "" {
			comments = append(comments, "# "+c[0]+" = "+c[1]+"\n"...)
		}
	}
	return slices.Insert(dst, start, comments...)
}

// tree appends a row for a terminal.
func (w *Writer) tree(dst []byte, r *output.Row) []byte {
	if r.Tree != nil {
		return view.TreeRow(dst, r.Tree, w.o.Tree)
	}
	text := strings.Join(strings.Fields(blockText(r.Failure)), " ")
	dst = append(append(dst, view.Clip(view.Visible(text), 1000)...), "\n· not parsed: "...)
	return append(append(dst, view.Clip(view.Visible(r.Failure.Reason), 1000)...), "\n\n"...)
}

// ModelName is how the comment "# model" names the model of a digest: by the column
// model_id, behind the name and the treebank of a model in the program, such as
// "embedded en_ewt-ud-2.16", if it is one. It opens those.
func ModelName(digest string) string {
	if uri, m := model.BuiltIn(digest); m != nil {
		return modelName(uri, digest)
	}
	return output.ModelID(digest)
}

// modelName is ModelName of a model that was opened by a URI.
func modelName(uri, digest string) string {
	name := output.ModelID(digest)
	if !model.IsEmbedded(uri) {
		return name
	}
	if m, err := model.Open(uri); err == nil && m.Info.Treebank != "" { // it is open already
		name = m.Info.Treebank + "-ud-" + m.Info.Release + " " + name
	}
	return cmp.Or(uri, model.Embedded) + " " + name
}
