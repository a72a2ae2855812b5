package pipeline

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/model"
)

// The comments stand at the head of a file, once, and not where the input has its
// own; a second parse changes nothing.
func TestGenerator(t *testing.T) {
	const head = "# generator = treebeam test\n# model = "
	dir := write(t, map[string]string{"a.txt": prose(3), "b.conllu": small})
	o := options(dir, "")
	plain := streamed(t, o)
	o.Write.Generator = "treebeam test"
	got := streamed(t, o)
	comments, rest, _ := strings.Cut(got, "# newdoc")
	if "# newdoc"+rest != plain || !strings.HasPrefix(comments, head) || strings.Count(comments, "\n") != 2 {
		t.Fatalf("got\n%.500s\nwithout it\n%.500s", got, plain)
	}
	o.Inputs, o.Stdin = []string{"-"}, strings.NewReader(got)
	if again := streamed(t, o); again != got {
		t.Errorf("parsed again:\n%.500s", again)
	}
	for name, file := range map[string]string{
		"b.conllu": small, "c.conllu": "# generator = another\n" + small, "d.conllu": "# model = another\n" + small, "e.conll": strings.Join(noComments(small), "\n") + "\n\n",
	} {
		o.Inputs = []string{write(t, map[string]string{name: file})}
		o.Write.Generator = ""
		plain := streamed(t, o)
		o.Write.Generator = "treebeam test"
		want := plain
		if name == "b.conllu" {
			want = comments + plain
		}
		if got := streamed(t, o); got != want {
			t.Errorf("%s: got\n%.500s", name, got)
		}
	}
}

func noComments(block string) (lines []string) {
	for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
		if !strings.HasPrefix(line, "#") && line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// The models in the program are named by their treebank, too.
func TestModelName(t *testing.T) {
	m, err := model.Open(model.Embedded)
	must(t, err)
	want := "embedded en_ewt-ud-" + m.Info.Release + " " + m.Digest[:16]
	if got := ModelName(m.Digest, new(output.RowOptions)); got != want || modelName(model.Embedded, m.Digest) != want {
		t.Errorf("%q and %q, want %q", got, modelName(model.Embedded, m.Digest), want)
	}
	if got := modelName("", m.Digest); !strings.HasPrefix(got, model.Default()+" en_ewt-ud-") {
		t.Errorf("the default is called %q", got)
	}
	if got := ModelName("0123456789abcdef0123", new(output.RowOptions)); got != "0123456789abcdef" {
		t.Error(got)
	}
}

// With end marks, every document is a file of its own.
func TestGeneratorOfDocuments(t *testing.T) {
	o := options("-", "")
	o.Stdin = strings.NewReader("{\"id\": 1, \"text\": \"One .\"}\n{\"id\": 2, \"text\": \"Two . And two .\"}\n")
	o.Rows.From, o.EndMarks, o.Write.Generator = "jsonl", true, "treebeam test"
	if got := streamed(t, o); strings.Count(got, "# generator = treebeam test\n# model = ") != 2 {
		t.Errorf("got\n%s", got)
	}
}

// Formats with a beginning and an end have them, whatever stands between.
func TestFormatsOfPeople(t *testing.T) {
	const failing = "PANICPARSE here ."
	for _, test := range []struct{ to, text, has, error string }{
		{"tree", "One two .", "One two .\n", ""},
		{"tree", "One two .\n\n" + failing, failing + "\n· not parsed: ", ""},
		{"svg", "One two .", "<svg ", ""},
		{"svg", "One two .\n\nThree .", "", "use --to html"},
		{"svg", failing, "", "could not be parsed"},
		{"svg", "", "", "no sentence to draw"},
		{"html", "One two .\n\nThree .", "</svg>", ""},
		{"html", failing, "Not parsed: ", ""},
		{"html", "", "<title>Dependency trees</title>", ""},
	} {
		o := options(write(t, map[string]string{"a.txt": test.text}), "")
		o.To = test.to
		var out strings.Builder
		_, err := Stream(context.Background(), o, &out)
		if test.error != "" {
			refused(t, err, test.error)
			continue
		}
		got := out.String()
		if err != nil || !strings.Contains(got, test.has) {
			t.Errorf("%s of %q: %v\n%s", test.to, test.text, err, got)
		}
		if test.to == "html" && (strings.Count(got, "<html") != 1 || !strings.HasSuffix(got, "</html>\n")) {
			t.Errorf("no page:\n%s", got)
		}
	}
	if _, err := NewWriter("pdf", WriteOptions{}); err == nil || !strings.Contains(err.Error(), OneOfFormats()) {
		t.Errorf("%v", err)
	}
}

// A writer gives the same rows of an output and of a stream, in all formats.
func TestWriterOfOutput(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": prose(20) + "PANICPARSE here .\n\nAnd PANICTAG .\n", "b.conllu": small, "c.txt": "Bad \xff byte .\n"})
	out := filepath.Join(t.TempDir(), "out")
	must(t, tryRun(options(dir, out)))
	from, err := output.Open(t.Context(), out)
	must(t, err)
	for _, to := range FormatNames() {
		if to == "svg" { // draws one sentence
			continue
		}
		o := options(dir, "")
		o.To, o.Write.Generator = to, "treebeam test"
		want := streamed(t, o)
		got := convertedTo(t, out, to, WriteOptions{Generator: "treebeam test", Model: output.ModelID(from.Made.ModelDigest)})
		if got != want {
			t.Errorf("%s:\n%.300s\nwant\n%.300s", to, got, want)
		}
	}
}

// In steady state, the comments cost a row nothing.
func TestWriterDoesNotAllocate(t *testing.T) {
	w, err := NewWriter("conllu", WriteOptions{Generator: "treebeam test", Model: "m"})
	must(t, err)
	row := &output.Row{Format: "conllu", Failure: &parquet.Failure{Block: "# text = a\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"}}
	buf, _ := w.Append(nil, row)
	if n := testing.AllocsPerRun(100, func() { buf, _ = w.Append(buf[:0], row) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
