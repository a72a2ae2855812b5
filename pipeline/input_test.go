package pipeline

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// documents returns the rows of documents/ of an output, by document.
func documents(t *testing.T, folder string) map[string]parquet.Document {
	t.Helper()
	list := map[string]parquet.Document{}
	for _, d := range rowsOf[parquet.Document](t, folder, "documents") {
		list[d.DocID] = d
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
	equal(t, t.Name(), got, want)
	o.Rows.MaxWords = 2
	got = streamed(t, o)
	for _, part := range []string{"# text = One two\n", "# text = . Three\n", "# text = four\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
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
	sum := summary(t, o.Output)
	all := strings.Join(ofEncodings(sum), "\n")
	if len(ofEncodings(sum)) != 2 || !strings.Contains(all, "much.txt: 140 of its characters were invalid utf-8; it looks like windows-1252: give --encoding windows-1252") ||
		!strings.Contains(all, "noise.txt") {
		t.Errorf("got %s", all)
	}

	o.Output += "-1252"
	o.Rows.Encoding = "windows-1252"
	run(t, o)
	if sum := summary(t, o.Output); len(ofEncodings(sum)) != 0 {
		t.Errorf("got %v", sum.Suggestions)
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
	sum := summary(t, o.Output)
	if len(ofEncodings(sum)) != 5 || !strings.Contains(strings.Join(sum.Suggestions, "\n"), "\n3 more files are like these") {
		t.Errorf("got %+v", sum)
	}
}

// Options of CoNLL input that met none are told, by a run and by a stream.
func TestIdleOptions(t *testing.T) {
	for conllu, want := range map[string]int{"": 2, "1\tWord\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n": 0} {
		o := options(write(t, map[string]string{"a.txt": "A word .\n", "b.conllu": conllu}), filepath.Join(t.TempDir(), "out"))
		o.Rows.Retag, o.Rows.KeepHeads = true, true
		if conllu == "" {
			o.Exclude = []string{"*.conllu"}
		}
		run(t, o)
		streamed, err := Stream(context.Background(), o, new(strings.Builder))
		must(t, err)
		for _, got := range [][]string{summary(t, o.Output).Suggestions, streamed.Suggestions} {
			if len(got) != want || want > 0 && (!strings.Contains(got[0], "--retag") || !strings.Contains(got[1], "--keep-heads")) {
				t.Errorf("want %d suggestions, got %q", want, got)
			}
		}
	}
}

// ofEncodings returns the suggestions about files in other encodings.
func ofEncodings(sum *output.Summary) []string {
	return slices.DeleteFunc(slices.Clone(sum.Suggestions), func(s string) bool { return !strings.Contains(s, "--encoding") })
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
			must(t, err)
			if d.StartByte != 0 || d.EndByte != info.Size() || d.Failures != 0 || d.Trees != d.Sentences || d.Trees == 0 {
				t.Errorf("%s of %d bytes: %+v", name, info.Size(), d)
			}
			wrong := encoding == "" && mended[name]
			if d.Repaired > 0 != wrong || d.Warnings > 0 != wrong {
				t.Errorf("%s as %q: %d characters repaired, %d warnings", name, encoding, d.Repaired, d.Warnings)
			}
		}
		sum := summary(t, o.Output)
		if sum.Status["repaired"] > 0 != (encoding == "") || len(ofEncodings(sum)) > 0 { // 0.4 % of one file at most
			t.Errorf("as %q: status %v, suggestions %v", encoding, sum.Status, sum.Suggestions)
		}
		trees[i] = sum.Trees
	}
	if trees[0] != trees[1] {
		t.Errorf("%d trees, %d with the right encoding", trees[0], trees[1])
	}
}

// TestUTF16 checks text in UTF-16 with and without a byte order mark: what is
// said of it, and that places are those of the stored bytes.
func TestUTF16(t *testing.T) {
	wide := func(order binary.AppendByteOrder, s string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	const plain = "Γεια σου κόσμε . 😀 !\n\nOne more of them .\n"
	for _, c := range []struct {
		name, data, encoding string
		sentences            []int // offsets in characters of plain, as bytes of the file
	}{
		{"le, marked", wide(binary.LittleEndian, "\ufeff"+plain), "", []int{2, 36, 48}},
		{"be, marked", wide(binary.BigEndian, "\ufeff"+plain), "", []int{2, 36, 48}},
		{"le", wide(binary.LittleEndian, plain), "utf-16le", []int{0, 34, 46}},
		{"be", wide(binary.BigEndian, plain), "UTF-16BE", []int{0, 34, 46}},
	} {
		o := options(write(t, map[string]string{"a.txt": c.data}), "")
		o.Rows.Encoding = c.encoding
		got := streamed(t, o)
		for _, at := range c.sentences {
			if !strings.Contains(got, fmt.Sprintf("# sent_id = a.txt@%d\n", at)) {
				t.Errorf("%s: no sentence at byte %d in\n%s", c.name, at, got)
			}
		}
		if !strings.Contains(got, "# text = Γεια σου κόσμε .\n") || !strings.Contains(got, "# text = 😀 !\n") {
			t.Errorf("%s: got\n%s", c.name, got)
		}
	}
}

// Text of which the model does not know most words is noticed: in a run, in
// some of its files, and in a stream; a few words are not enough to tell.
func TestForeignText(t *testing.T) {
	greek, english := strings.Repeat("η βάρκα lay εκεί . ", 40), strings.Repeat("the boat lay there . ", 200)
	short := strings.Repeat("η βάρκα . ", 20)
	for name, c := range map[string]struct {
		files map[string]string
		want  []string // in the only suggestion; nil: there is none
	}{
		"all":     {map[string]string{"a.txt": greek}, []string{"75 % of the words", "toy (ASCII)", "docs/languages.md", "--model"}},
		"a file":  {map[string]string{"a.txt": english, "b.txt": greek}, []string{"1 of 2 files", "toy (ASCII)", "b.txt: 75 %", "docs/languages.md"}},
		"short":   {map[string]string{"a.txt": short}, nil},
		"none":    {map[string]string{"a.txt": english}, nil},
		"numbers": {map[string]string{"a.txt": strings.Repeat("1234 . ", 300)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(write(t, c.files), filepath.Join(t.TempDir(), "out"))
			run(t, o)
			sum := summary(t, o.Output)
			check := func(got []string) {
				t.Helper()
				if len(got) != min(len(c.want), 1) {
					t.Fatalf("suggestions: %q", got)
				}
				for _, part := range c.want {
					if !strings.Contains(got[0], part) {
						t.Errorf("no %q in %q", part, got[0])
					}
				}
			}
			check(sum.Suggestions)
			streamed, err := Stream(context.Background(), o, new(strings.Builder))
			must(t, err)
			if name != "a file" { // a stream keeps no count of each file
				check(streamed.Suggestions)
			}
			if streamed.Lexical != sum.Lexical || streamed.Unknown != sum.Unknown {
				t.Errorf("the stream counted %d of %d, the run %d of %d", streamed.Unknown, streamed.Lexical, sum.Unknown, sum.Lexical)
			}
		})
	}
}

// documents/ says what line breaks were taken for, file by file, and how many words
// are unknown; given tags leave nothing to look up.
func TestDocuments(t *testing.T) {
	o := options(write(t, map[string]string{
		"list.txt":  strings.Repeat("One sentence here .\nAnother one of some more words .\n", 20),
		"prose.txt": prose(20),
		"mail.txt":  "> We went down to the river and there was a\n> boat that nobody had seen before , so we\n> went home .\n",
		"a.txt":     "the βάρκα lay . 5 εκεί", "b.conllu": "1\tβάρκα\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
	}), filepath.Join(t.TempDir(), "out"))
	run(t, o)
	got := documents(t, o.Output)
	for name, want := range map[string]string{"list.txt": "sentence 0", "prose.txt": "paragraph 0", "mail.txt": "wrapped 0", "a.txt": "paragraph 2", "b.conllu": " 0"} {
		d := got[name]
		equal(t, name, fmt.Sprint(d.Lines, " ", d.UnknownWords), want)
	}
}
