package pipeline

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Format is a format of sentences that a Writer writes.
type Format struct {
	Name       string   // as --to names it
	Extensions []string // of the names of its files, the usual one first
	Table      bool     // it has all columns of a tree, including the columns for values of --keep
	Conf       bool     // it shows confidence on demand
	marks      bool     // it has a place for MISC and for end marks, after beforeMark
	beforeMark string
	begin      func(o WriteOptions) rowWriter // begins a file
}

// formats are all formats but Parquet.
var formats = []Format{
	{Name: "conllu", Extensions: []string{".conllu"}, Conf: true, marks: true, beforeMark: "# treebeam_end = ",
		begin: func(o WriteOptions) rowWriter { return &conlluFile{o: o} }},
	{Name: "jsonl", Extensions: []string{".jsonl", ".ndjson"}, Table: true, marks: true, begin: only(appendJSONRow)},
	{Name: "tsv", Extensions: []string{".tsv"}, Table: true, begin: func(o WriteOptions) rowWriter { return &flat{separator: '\t', kept: o.Keep} }},
	{Name: "csv", Extensions: []string{".csv"}, Table: true, begin: func(o WriteOptions) rowWriter { return &flat{separator: ',', kept: o.Keep} }},
	{Name: "text", Extensions: []string{".txt"}, begin: only(appendTextRow)},
	{Name: "tree", Extensions: []string{".tree"}, Conf: true, begin: func(o WriteOptions) rowWriter { return &terminal{o.Tree} }},
	{Name: "svg", Extensions: []string{".svg"}, Conf: true, begin: func(o WriteOptions) rowWriter { return &picture{o: o.Picture} }},
	{Name: "html", Extensions: []string{".html", ".htm"}, Conf: true, begin: func(o WriteOptions) rowWriter { return &page{o: o.Picture} }},
}

// FormatOf returns the format with a name, or nil.
func FormatOf(name string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// FormatOfFile returns the format of a file by the extension of its name, without the
// extension of a compression, or nil.
func FormatOfFile(name string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return slices.Contains(f.Extensions, path.Ext(name)) })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// FormatNames lists the names of the formats.
func FormatNames() (names []string) {
	for i := range formats {
		names = append(names, formats[i].Name)
	}
	return names
}

// mustFormat is FormatOf; a name that no format has is a *Refusal.
func mustFormat(name string) (*Format, error) {
	if f := FormatOf(name); f != nil {
		return f, nil
	}
	return nil, refuse("--to %s: must be %s", name, OneOfFormats())
}

// OneOfFormats lists the names of the formats, for messages.
func OneOfFormats() string {
	names := FormatNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// WriteOptions say what a Writer writes in addition to the columns of its format.
type WriteOptions struct {
	// Generator and Model are the values of the comments "# generator" and
	// "# model" at the head of CoNLL-U; "" writes none.
	Generator, Model string
	Keep             []string         // columns of values, for the header of a tsv or csv without rows
	Conf             bool             // CoNLL-U has confidence in MISC and comments
	Tree             view.TreeOptions // of tree
	Picture          view.SVGOptions  // of svg and html
}

// A rowWriter appends what one file holds.
type rowWriter interface {
	append(dst []byte, r *output.Row) ([]byte, error)
	end(dst []byte) ([]byte, error) // appends what follows the last row
}

// A Writer writes the rows of one file in a format. It is not safe for concurrent use.
type Writer struct {
	format *Format
	o      WriteOptions
	file   rowWriter
}

// NewWriter returns a writer of a format that FormatOf knows; any other is a
// *Refusal.
func NewWriter(to string, o WriteOptions) (*Writer, error) {
	f, err := mustFormat(to)
	if err != nil {
		return nil, err
	}
	return &Writer{f, o, f.begin(o)}, nil
}

// Append appends a row to dst. In CoNLL-U, the first row of a file begins with the
// comments generator and model. It does not if its input was CoNLL-U with a comment of
// one of these names, which is kept, or CoNLL-X, which has no comments. A second row of
// svg, or a row of svg without a tree, is a *Refusal.
func (w *Writer) Append(dst []byte, r *output.Row) ([]byte, error) { return w.file.append(dst, r) }

// End appends what follows the last row. An svg without a row is a *Refusal.
func (w *Writer) End(dst []byte) ([]byte, error) { return w.file.end(dst) }

// Restart makes the next row the first one of another file.
func (w *Writer) Restart() { w.file = w.format.begin(w.o) }

// An eachRow is a format that consists of nothing but rows, one after the other.
type eachRow func(dst []byte, r *output.Row) []byte

func (f eachRow) append(dst []byte, r *output.Row) ([]byte, error) { return f(dst, r), nil }
func (f eachRow) end(dst []byte) ([]byte, error)                   { return dst, nil }

func only(f eachRow) func(WriteOptions) rowWriter { return func(WriteOptions) rowWriter { return f } }

// A terminal is the format tree.
type terminal struct{ o view.TreeOptions }

func (f *terminal) append(dst []byte, r *output.Row) ([]byte, error) {
	if r.Tree != nil {
		return view.TreeRow(dst, r.Tree, f.o), nil
	}
	text := strings.Join(strings.Fields(blockText(r.Failure)), " ")
	dst = append(append(dst, view.Clip(view.Visible(text), 1000)...), "\n· not parsed: "...)
	return append(append(dst, view.Clip(view.Visible(r.Failure.Reason), 1000)...), "\n\n"...), nil
}

func (f *terminal) end(dst []byte) ([]byte, error) { return dst, nil }

// A picture is the format svg: one sentence.
type picture struct {
	o     view.SVGOptions
	begun bool
}

func (f *picture) append(dst []byte, r *output.Row) ([]byte, error) {
	switch {
	case f.begun:
		return dst, refuse("--to svg draws one sentence, and there are more: use --to html, or treebeam show with --id")
	case r.Tree == nil:
		return dst, refuse("--to svg: the sentence could not be parsed: %s", r.Failure.Reason)
	}
	f.begun = true
	return view.SVGRow(dst, r.Tree, f.o), nil
}

func (f *picture) end(dst []byte) ([]byte, error) {
	if !f.begun {
		return dst, refuse("--to svg: there is no sentence to draw")
	}
	return dst, nil
}

// A page is the format html.
type page struct {
	o     view.SVGOptions
	begun bool
}

// head appends the beginning of the page, once.
func (f *page) head(dst []byte) []byte {
	if f.begun {
		return dst
	}
	f.begun = true
	return view.HTMLHead(dst)
}

func (f *page) append(dst []byte, r *output.Row) ([]byte, error) {
	dst = f.head(dst)
	if r.Tree == nil {
		return view.HTMLFailure(dst, blockText(r.Failure), r.Failure.Reason), nil
	}
	return view.HTMLTree(dst, r.Tree, f.o), nil
}

func (f *page) end(dst []byte) ([]byte, error) { return view.HTMLTail(f.head(dst)), nil }

// appendTextRow writes the text of a sentence as a line.
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

// breaks reports whether r is white space that is none of the text's own: an
// ASCII space or what some reader takes for the end of a line. No-break spaces
// stay.
func breaks(r rune) bool {
	return r == ' ' || '\t' <= r && r <= '\r' || 0x1c <= r && r <= 0x1e || r == 0x85 || r == 0x2028 || r == 0x2029
}

// ModelName returns the name for the comment "# model" of the model with a digest: its
// model_id. For a model in the program, the name and treebank come first, such as
// "embedded en_ewt-ud-2.16". If the options fix one language of the built-in models,
// the name is like "world:de". ModelName opens the models in the program.
func ModelName(digest string, o *output.RowOptions) string {
	if name := worldName(o); name != "" {
		return name
	}
	if uri, m := model.BuiltIn(digest); m != nil {
		return modelName(uri, digest)
	}
	return output.ModelID(digest)
}

// worldName is the name of the one language of a world that options ask for, or "".
func worldName(o *output.RowOptions) string {
	if o.World == "" || o.Language == model.AutoLanguage || o.Language == syntax.English || strings.Contains(o.Language, ",") {
		return ""
	}
	return model.EmbeddedWorld + ":" + o.Language + " " + output.ModelID(o.World)
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
	return cmp.Or(uri, model.Default()) + " " + name
}
