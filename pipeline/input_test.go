package pipeline

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/transforms"
)

// documents returns the rows of documents/ of an output, by document.
func documents(t *testing.T, output string) map[string]parquet.Document {
	t.Helper()
	list := map[string]parquet.Document{}
	names, _ := filepath.Glob(filepath.Join(output, "documents", "*.parquet"))
	for _, name := range names {
		r, err := parquet.Open[parquet.Document](name)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for d, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			list[d.DocID] = *d
		}
	}
	return list
}

var headings = regexp.MustCompile(`(?m)^# (newdoc|newpar|text).*`)

// TestLinesAreSentences checks that a line stays whole where lines are
// sentences, and that blank lines begin paragraphs there.
func TestLinesAreSentences(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "One two . Three\nfour\n\nFive . Six !\r\n  Seven\n"})
	o := options(dir, "")
	o.Rows.Lines = "sentence"
	got := strings.Join(headings.FindAllString(streamed(t, o), -1), "\n")
	want := `# newdoc id = a.txt
# newpar
# text = One two . Three
# text = four
# newpar
# text = Five . Six !
# text = Seven`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	o.Rows.MaxWords = 2
	got = streamed(t, o)
	for _, part := range []string{"# text = One two\n", "# text = . Three\n", "# text = four\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
}

// TestLinesAreRecorded checks that documents/ says what line breaks were taken
// for, file by file.
func TestLinesAreRecorded(t *testing.T) {
	dir := write(t, map[string]string{
		"list.txt":  strings.Repeat("One sentence here .\nAnother one of some more words .\n", 20),
		"prose.txt": prose(20),
		"mail.txt":  "> We went down to the river and there was a\n> boat that nobody had seen before , so we\n> went home .\n",
	})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	run(t, o)
	for name, want := range map[string]string{"list.txt": "sentence", "prose.txt": "paragraph", "mail.txt": "wrapped"} {
		if got := documents(t, o.Output)[name].Lines; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// TestSuggestions checks that the summary names files that seem to be in
// another encoding, and which.
func TestSuggestions(t *testing.T) {
	french := "L'\xe9t\xe9 dernier , les \xe9l\xe8ves de la r\xe9gion ont visit\xe9 le ch\xe2teau .\n"
	dir := write(t, map[string]string{
		"much.txt":   strings.Repeat(french, 20),
		"little.txt": strings.Repeat("Nothing is wrong here .\n", 20) + "caf\xe9\n",
		"noise.txt":  strings.Repeat("\xff\xc0 word \xc1 . ", 200),
		"none.txt":   "caf\u00e9\n",
	})
	o := options(dir, filepath.Join(t.TempDir(), "out"))
	run(t, o)
	sum, err := ReadSummary(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(sum.Suggestions, "\n")
	if len(sum.Suggestions) != 2 || !strings.Contains(all, "much.txt: 140 of its characters were invalid utf-8; it looks like windows-1252: give --encoding windows-1252") ||
		!strings.Contains(all, "noise.txt") {
		t.Errorf("got %s", all)
	}

	o.Output += "-1252"
	o.Rows.Encoding = "windows-1252"
	run(t, o)
	if sum, err = ReadSummary(o.Output); err != nil || len(sum.Suggestions) != 0 {
		t.Errorf("got %v, %v", sum.Suggestions, err)
	}
	if d := documents(t, o.Output)["much.txt"]; d.Repaired != 0 || d.Encoding != "windows-1252" {
		t.Errorf("got %+v", d)
	}
}

func TestManySuggestions(t *testing.T) {
	content := map[string]string{}
	for _, name := range strings.Fields("a b c d e f g h") {
		content[name] = "\xff\xff\xff"
	}
	o := options(write(t, content), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	sum, err := ReadSummary(o.Output)
	if err != nil || len(sum.Suggestions) != 6 || !strings.HasPrefix(sum.Suggestions[5], "3 more files") {
		t.Errorf("got %+v, %v", sum, err)
	}
}

// TestStateUnion reads addresses of which some are in ISO-8859-1: by default
// as UTF-8, which loses nothing, and as what they are, which repairs nothing.
func TestStateUnion(t *testing.T) {
	dir := filepath.Join("..", "..", "shared", "corpora", "state_union")
	names, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	if len(names) == 0 {
		t.Skip("../shared is absent")
	}
	mended := map[string]bool{"1954-Eisenhower.txt": true, "1970-Nixon.txt": true, "1971-Nixon.txt": true,
		"1972-Nixon.txt": true, "1973-Nixon.txt": true, "1974-Nixon.txt": true}
	trees := [2]int64{}
	for i, encoding := range []string{"", "latin1"} {
		o := options(dir, filepath.Join(t.TempDir(), "out"))
		o.Rows.Encoding = encoding
		run(t, o)
		docs := documents(t, o.Output)
		if len(docs) != len(names) {
			t.Errorf("%d documents of %d files", len(docs), len(names))
		}
		for name, d := range docs {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if d.StartByte != 0 || d.EndByte != info.Size() || d.Failures != 0 || d.Trees != d.Sentences || d.Trees == 0 {
				t.Errorf("%s of %d bytes: %+v", name, info.Size(), d)
			}
			wrong := encoding == "" && mended[name]
			if d.Repaired > 0 != wrong || d.Warnings > 0 != wrong {
				t.Errorf("%s as %q: %d characters repaired, %d warnings", name, encoding, d.Repaired, d.Warnings)
			}
		}
		var sum *transforms.Summary
		sum, err := ReadSummary(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Status["repaired"] > 0 != (encoding == "") || len(sum.Suggestions) > 0 { // 0.4 % of one file at most
			t.Errorf("as %q: status %v, suggestions %v", encoding, sum.Status, sum.Suggestions)
		}
		trees[i] = sum.Trees
	}
	if trees[0] != trees[1] {
		t.Errorf("%d trees, %d with the right encoding", trees[0], trees[1])
	}
}
