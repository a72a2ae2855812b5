package transforms_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/source/sourcetest"
	"github.com/treebeam/treebeam/transforms"
)

func TestTokens(t *testing.T) {
	content := "A cat .\nIt\tsat .\n\nThe end\n" + strings.Repeat("x ", 70000) + "\nLast \xff one ."
	dir := write(t, "x.tok", content)
	want := stage(t, dir, output.RowOptions{Lines: "wrapped"}, 0)
	last := len(content) - len("Last \xff one .")
	equal(t, "tree", want.trees, []string{
		`x.tok 0-7 "A cat ." ["# newdoc id = x.tok" "# newpar"]`,
		`x.tok 8-16 "It sat ." []`,
		`x.tok 18-25 "The end" ["# newpar"]`,
		fmt.Sprintf(`x.tok %d-%d "Last � one ." []`, last, len(content)),
	})
	equal(t, "failure", want.failures, []string{
		"x.tok 26 error sentence too long: 70000 words, the limit is 65535",
		fmt.Sprintf("x.tok %d warning invalid bytes: 1 character replaced by U+FFFD", last+5),
	})
	sameInRanges(t, dir, output.RowOptions{}, want, 3000, 50000)
	vertical := stage(t, write(t, "x.txt", "A\tDET\ncat\tNOUN\n\nIt\nsat\n"), output.RowOptions{From: "vertical"}, 0)
	equal(t, "tree", vertical.trees, []string{`x.txt 0-14 "A cat" ["# newdoc id = x.txt"]`, `x.txt 16-22 "It sat" []`})
}

// However the bytes are packed and whatever the name says, the rows are the
// same but for their names.
func TestCompressedFormats(t *testing.T) {
	for name, content := range map[string]string{
		"a.jsonl":   `{"id": "d", "text": "One. Two."}` + "\n{}\n",
		"b.tok":     "A cat .\nIt sat .\n",
		"c.vert":    "A\ncat\n\nIt\n",
		"d.txt":     "One. Two.\n\nThree.\n",
		"e.conllu":  row(1, "_", "_") + row(2, "_", "1") + "\n",
		"f.conllx":  row(1, "NN", "_") + "\n",
		"g.txt":     "# sent_id = s\n" + row(1, "_", "_") + "\n", // CoNLL-U by content
		"h.txt":     strings.Repeat(`{"text": "By its content."}`+"\n", 3),
		"tabs.txt":  "1\tone\n2\ttwo\n", // no CoNLL-U
		"odd.jsonl": "no record",
	} {
		plain := stage(t, write(t, name, content), output.RowOptions{}, 0)
		if len(plain.trees)+len(plain.failures) == 0 {
			t.Errorf("%s: no rows", name)
		}
		for ext, pack := range map[string]func(string) string{".gz": gzipped, ".zst": zstandard} {
			packed := stage(t, write(t, name+ext, pack(content)), output.RowOptions{}, 10)
			for _, list := range [][]string{packed.trees, packed.failures} {
				for i := range list {
					list[i] = strings.ReplaceAll(list[i], name+ext, name)
				}
			}
			equal(t, name+ext, packed.trees, plain.trees)
			equal(t, name+ext, packed.failures, plain.failures)
		}
	}
}

// A compressed file that is cut before its members gives the rows of the plain one.
func TestCutCompressed(t *testing.T) {
	contents := map[string]*strings.Builder{"a.txt": {}, "b.jsonl": {}, "c.csv": {}, "d.conllu": {}, "e.tok": {}}
	contents["c.csv"].WriteString("id,text\n")
	for i := range 300 {
		says := fmt.Sprintf("It is word %x , or %x .", i*i*7919, i*104729)
		fmt.Fprintf(contents["a.txt"], "%s\nMore \xff of it.\n\n", says)
		fmt.Fprintf(contents["b.jsonl"], "{\"text\": %q}\n", strings.Repeat(says+"\n", i%7))
		fmt.Fprintf(contents["c.csv"], "%d,\"%s\n \"\"Yes\"\".\"\n", i, says)
		contents["d.conllu"].WriteString("# text = " + says + "\n" + row(1, "_", "_") + row(2, "_", "1") + "\n")
		contents["e.tok"].WriteString(says + "\n")
	}
	for name, content := range contents {
		text := content.String()
		plain := stage(t, write(t, name, text), output.RowOptions{}, 0)
		for _, n := range []int{500, 3000} {
			for ext, data := range map[string]string{".gz": sourcetest.BGZF(text, n), ".zst": sourcetest.Frames(text, n)} {
				dir := write(t, name+ext, data)
				size := int64(len(data) / 7)
				if k := len(planned(t, dir, size)); k < 4 {
					t.Errorf("%s%s: %d ranges", name, ext, k)
				}
				packed := stage(t, dir, output.RowOptions{}, size)
				for _, list := range [][]string{packed.trees, packed.failures} {
					for i := range list {
						list[i] = strings.ReplaceAll(list[i], name+ext, name)
					}
				}
				equal(t, name+ext, packed.trees, plain.trees)
				equal(t, name+ext, packed.failures, plain.failures)
				if !reflect.DeepEqual(packed.sums.Counts, plain.sums.Counts) {
					t.Errorf("%s%s: sums %+v, not %+v", name, ext, packed.sums, plain.sums)
				}
			}
		}
	}
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func zstandard(s string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(s), nil))
}

// row is a line of CoNLL without a lemma.
func row(id int, tag, head string) string {
	return fmt.Sprintf("%d\tw%d\t_\t%s\t_\t_\t%s\t_\t_\t_\n", id, id, tag, head)
}

// CoNLL in which columns are not filled in: what is "_" is found, what is
// given stays.
func TestPartlyFilledCoNLL(t *testing.T) {
	words := func(name, content string, o output.RowOptions) string {
		t.Helper()
		var b strings.Builder
		each(t, write(t, name, content), o, 0, func(c *transforms.Chunk) {
			for _, f := range c.Failures {
				b.WriteString("! " + f.Reason + "\n")
			}
			for _, s := range c.Sentences {
				for _, w := range s.Words {
					fmt.Fprintf(&b, "%s %s %s %d %s\n", w.Form, w.Lemma, w.UPOS, w.Head, w.Deprel)
				}
			}
		})
		return b.String()
	}
	keep := output.RowOptions{KeepHeads: true}
	content := row(1, "_", "_") + row(2, "X", "_") + row(3, "_", "_") + "\n"
	tagged := words("a.conllu", content, output.RowOptions{})
	if !strings.Contains(tagged, "w1 w1 ") || !strings.Contains(tagged, "w2 w2 X ") || strings.Contains(tagged, "-1") {
		t.Errorf("got\n%s", tagged)
	}
	if x, y := words("a.conll", content, output.RowOptions{}), words("a.txt", content, output.RowOptions{From: "conllx"}); x != tagged || y != tagged {
		t.Errorf("as CoNLL-X: got\n%s, with --from conllx\n%s", x, y)
	}
	for what, c := range map[string]struct {
		content string
		o       output.RowOptions
		want    string
	}{
		"lemmas of tagged words stay absent": {row(1, "X", "_"), output.RowOptions{}, "w1  X 0 root\n"},
		// The toy hangs every word on the one before; what is kept agrees with it.
		"--keep-heads":             {row(1, "X", "0") + row(2, "X", "_") + row(3, "X", "2"), keep, "w1  X 0 root\nw2  X 1 dep\nw3  X 2 dep\n"},
		"a cycle that is not kept": {row(1, "X", "2") + row(2, "X", "1"), output.RowOptions{}, "w1  X 0 root\nw2  X 1 dep\n"},
	} {
		if got := words("a.conllu", c.content+"\n", c.o); got != c.want {
			t.Errorf("%s: got %q", what, got)
		}
	}
	if got := words("a.conllu", row(1, "X", "2")+row(2, "X", "1")+row(3, "X", "_")+"\n", keep); !strings.HasPrefix(got, "! ") || !strings.Contains(got, "cycle") {
		t.Errorf("a cycle: got %q", got)
	}
	// CoNLL-X has no multiword tokens; the row says so.
	if got := words("a.conll", "1-2\tw\t_\t_\t_\t_\t_\t_\t_\t_\n"+content, output.RowOptions{}); !strings.HasPrefix(got, "! column 1: ") {
		t.Errorf("a range in CoNLL-X: got %q", got)
	}
}

// What is no text is one row with its remedy.
func TestOtherFormats(t *testing.T) {
	for name, content := range map[string]string{
		"a.html": "<p>Text.</p>", "b.json": "[{\"text\": \"a\"}]", "c.pdf": "%PDF-1.4", "e.xml": "<a/>", "f.docx": "PK\x03\x04",
	} {
		dir := write(t, name, content)
		got := stage(t, dir, output.RowOptions{}, 0)
		if len(got.trees) != 0 || len(got.failures) != 1 || !strings.HasPrefix(got.failures[0], name+" 0 error not text: ") {
			t.Errorf("%s: got %q, %q", name, got.trees, got.failures)
		}
		asText := stage(t, dir, output.RowOptions{From: "text"}, 0)
		if binary := name == "c.pdf" || name == "f.docx"; (len(asText.trees) == 0) != binary {
			t.Errorf("%s as text: got %q, %q", name, asText.trees, asText.failures)
		}
	}
}

// Many bad records do not gather in memory: chunks stay small.
func TestFailuresAreHandedOn(t *testing.T) {
	dir := t.TempDir()
	for name, line := range map[string]string{"a.jsonl": "{}\n", "b.conllu": "x\n\n", "c.vert": "<s>\n\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), bytes.Repeat([]byte(line), 3*transforms.ChunkTokens), 0o644))
	}
	chunks, failures := 0, 0
	each(t, dir, output.RowOptions{}, 0, func(c *transforms.Chunk) {
		chunks++
		failures += len(c.Failures)
		if len(c.Failures) > transforms.ChunkTokens {
			t.Errorf("a chunk with %d failures", len(c.Failures))
		}
	})
	if failures != 9*transforms.ChunkTokens || chunks < 9 {
		t.Errorf("%d failures in %d chunks", failures, chunks)
	}
}

// A compressed file that is written to while it is read looks damaged: the run
// fails, and no row says that the file is.
func TestChangedWhileRead(t *testing.T) {
	var text strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		fmt.Fprintf(&text, "%x .\n", rng.Uint64())
	}
	dir := write(t, "a.txt.gz", gzipped(text.String()))
	plan := planned(t, dir, 0)
	path := filepath.Join(dir, "a.txt.gz")
	chunks := 0
	err := transforms.ReadPaced(t.Context(), &plan[0], nil, output.RowOptions{}, nil, func(c transforms.Chunk) error {
		if chunks++; chunks > 1 {
			return nil
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		half := plan[0].Pieces[0].Size / 2
		_, err = f.WriteAt(make([]byte, half), half)
		return errors.Join(err, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	})
	var fault *source.Error
	if !errors.As(err, &fault) || fault.Kind != source.Changed {
		t.Errorf("%d chunks, %v", chunks, err)
	}
}
