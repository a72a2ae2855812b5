package pipeline

import (
	"os"
	"strings"
	"testing"

	"github.com/treebeam/treebeam"
)

// What a caller from Go gets is what the command writes.
func TestLibraryGivesTheSame(t *testing.T) {
	m, err := treebeam.Open("")
	if err != nil {
		t.Fatal(err)
	}
	harbour, err := os.ReadFile("../sample/text/harbour.txt")
	if err != nil {
		t.Fatal(err)
	}
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
		o.Model, o.Rows.From = "", "text"
		want := streamed(t, o)
		sentences, err := m.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(treebeam.AppendCoNLLU(nil, name, sentences)); got != want {
			t.Errorf("%s: the library gives\n%.2000s\nand the command\n%.2000s", name, got, want)
		}
	}

	forms := strings.Fields("Ships that don't sail rot .")
	o := options(write(t, map[string]string{"a.tok": strings.Join(forms, " ") + "\n"}), "")
	o.Model = ""
	s, err := m.ParseWords(forms)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(treebeam.AppendCoNLLU(nil, "a.tok", []treebeam.Sentence{s})), streamed(t, o); got != want {
		t.Errorf("of words the library gives\n%s\nand the command\n%s", got, want)
	}
}
