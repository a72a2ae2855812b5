package conllu

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// checkRoundTrip checks that text is reproduced by Write.
func checkRoundTrip(t *testing.T, name, text string, f Format) {
	t.Helper()
	var written bytes.Buffer
	for b, err := range Read(strings.NewReader(text), Options{Format: f}) {
		must(t, err)
		if b.Err != nil || len(b.Warnings) > 0 {
			t.Fatalf("%s: %v %v", name, b.Err, b.Warnings)
		}
		if text[b.Start:b.End] != b.Raw {
			t.Fatalf("%s: block at [%d,%d) is not the bytes there", name, b.Start, b.End)
		}
		must(t, Write(&written, &b.Sentence))
	}
	if got := written.String(); got != text {
		i := 0
		for i < len(got) && i < len(text) && got[i] == text[i] {
			i++
		}
		t.Errorf("%s: differs at byte %d: got %.80q, want %.80q", name, i, got[i:], text[i:])
	}
}

func TestRoundTripOddities(t *testing.T) {
	files, err := filepath.Glob("testdata/*.conll*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata: %v", err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		must(t, err)
		format := U
		if filepath.Ext(path) == ".conllx" {
			format = X
		}
		checkRoundTrip(t, path, string(data), format)
	}
}

func TestRoundTripTreebanks(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/treebanks/*/*.conllu")
	if len(files) == 0 {
		t.Skip("no treebanks in ../shared/treebanks beside the repository")
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		must(t, err)
		checkRoundTrip(t, path, string(data), U)
		sents, err := ReadAll(path)
		if err != nil {
			t.Error(err)
		}
		for i := range sents {
			if s := &sents[i]; s.Text == "" || s.Words[len(s.Words)-1].EndChar == 0 {
				t.Errorf("%s: words of %s not found in its text", path, s.ID)
			}
		}
		checkRawText(t, path, sents)
	}
}

// checkRawText compares the raw text with the text comments, but for spaces.
func checkRawText(t *testing.T, path string, sents []syntax.Sentence) {
	var raw, want strings.Builder
	must(t, RawText(&raw, sents))
	for i := range sents {
		want.WriteString(sents[i].Text)
	}
	bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if bare(raw.String()) != bare(want.String()) {
		t.Errorf("%s: raw text differs from the text comments", path)
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
