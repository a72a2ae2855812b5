package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
)

// What a caller from Go gets is what the command writes.
func TestLibraryGivesTheSame(t *testing.T) {
	m, err := treebeam.Open("")
	must(t, err)
	libraryGivesTheSame(t, m, "", "")
}

// Likewise with an encoder, for all sentences and for some.
func TestLibraryGivesTheSameWithAnEncoder(t *testing.T) {
	english, err := model.Open(model.Embedded)
	must(t, err)
	data, err := modeltest.WithEncoder(english)
	must(t, err)
	path := filepath.Join(t.TempDir(), "accurate.tbm")
	must(t, os.WriteFile(path, data, 0o600))
	all, err := treebeam.Open(path)
	must(t, err)
	libraryGivesTheSame(t, all, path, "")
	some, err := all.WithEffort(0.8)
	must(t, err)
	libraryGivesTheSame(t, some, path, "0.8")
	if _, err := all.WithEffort(1.5); err == nil {
		t.Error("an effort of 1.5 is none")
	}
}

// libraryGivesTheSame compares m, which is the model at a path, with the command.
func libraryGivesTheSame(t *testing.T, m *treebeam.Model, path, effort string) {
	t.Helper()
	harbour, err := os.ReadFile("../sample/text/harbour.txt")
	must(t, err)
	for name, text := range map[string]string{
		"wrapped.txt":    string(harbour),
		"paragraphs.txt": prose(30),
		"sentences.txt":  strings.Repeat("A line is a sentence.\nDon't cut it. Here\n", 20) + "And \xff so\n",
		"long line.txt":  strings.Repeat("no end in sight, ", 400),
		"odd.txt":        "Bad \xff byte.\r\n\r\n\ufeffTwo\u2028lines\ttwo 😀  smiles\x00.\n\n\n It's\u00a0over",
		"utf16.txt":      "\xff\xfeI\x00t\x00 \x00r\x00a\x00i\x00n\x00s\x00.\x00",
		"empty.txt":      "",
	} {
		o := options(write(t, map[string]string{name: text}), "")
		o.Model, o.Rows.From, o.Rows.Effort = path, "text", effort
		want := streamed(t, o)
		sentences, err := m.Parse(text)
		must(t, err)
		if got := string(treebeam.AppendCoNLLU(nil, name, sentences)); got != want {
			t.Errorf("%s: the library gives\n%.2000s\nand the command\n%.2000s", name, got, want)
		}
	}

	forms := strings.Fields("Ships that don't sail rot .")
	o := options(write(t, map[string]string{"a.tok": strings.Join(forms, " ") + "\n"}), "")
	o.Model, o.Rows.Effort = path, effort
	s, err := m.ParseWords(forms)
	must(t, err)
	if got, want := string(treebeam.AppendCoNLLU(nil, "a.tok", []treebeam.Sentence{s})), streamed(t, o); got != want {
		t.Errorf("of words the library gives\n%s\nand the command\n%s", got, want)
	}
}

// Likewise with what is known of the text, and both are what a run writes.
func TestLibraryGivesTheSameByLists(t *testing.T) {
	m, err := treebeam.Open("")
	must(t, err)
	m, err = m.WithCustom(treebeam.Custom{
		Abbreviations: []string{"approx", "no."}, KeepTogether: []string{"New York"},
		Exceptions:    []treebeam.Exception{{Form: "ran", UPOS: "INTJ", Lemma: "run"}, {Form: "York", UPOS: "X", Lemma: "york"}},
		Unconstrained: true,
	})
	must(t, err)
	text := known + "It came to approx. Nine men saw it . They ran to York , and back .\n"
	dir := write(t, map[string]string{"a.txt": text})
	o := knowing(options(dir, filepath.Join(t.TempDir(), "out")), write(t, lists))
	o.Model = ""
	want := streamed(t, o)
	sentences, err := m.Parse(text)
	must(t, err)
	if got := string(treebeam.AppendCoNLLU(nil, "a.txt", sentences)); got != want {
		t.Errorf("the library gives\n%s\nand the command\n%s", got, want)
	}
	for _, part := range []string{"\tNew York\t", "\tran\trun\tINTJ\t", "\tYork\tyork\tX\t", "approx. Nine men"} {
		if !strings.Contains(want, part) {
			t.Errorf("no %q in\n%s", part, want)
		}
	}
	run(t, o)
	if got := converted(t, o.Output); got != want {
		t.Errorf("a run gives\n%s\nand the command\n%s", got, want)
	}
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
