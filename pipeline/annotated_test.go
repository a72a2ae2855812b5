package pipeline

import (
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
)

// annotatedRows are the rows of files, and the error that ends them, or the first
// broken block.
func annotatedRows(stdin string, patterns ...string) (rows []*parquet.Tree, err error) {
	broken := func(e *conllu.Error) {
		if err == nil {
			err = e
		}
	}
	for t, e := range ReadAnnotated(context.Background(), patterns, strings.NewReader(stdin), broken) {
		if e != nil {
			return rows, e
		}
		rows = append(rows, t)
	}
	return rows, err
}

// Trees, documents and confidence come back from what was written, by all
// ways to it.
func TestReadAnnotated(t *testing.T) {
	in := write(t, map[string]string{"a.txt": prose(6), "b.txt": "One more .\n"})
	o := options(in, "")
	o.Write.Conf = true
	text := streamed(t, o)
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(text))
	z.Close()
	dir := write(t, map[string]string{"x.conllu": text, "y.conllu.gz": zipped.String(), "z.conllx": "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"})
	want, err := annotatedRows(text, "-")
	if err != nil || len(want) < 3 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	if last := want[len(want)-1]; want[0].DocID != "a.txt" || last.DocID != "b.txt" || last.SentID != "b.txt@0" || last.Text != "One more ." {
		t.Errorf("%+v", last)
	}
	sure := 0
	for _, row := range want {
		if row.Head[0] < 0 || row.Deprel[0] == "" {
			t.Errorf("%+v", row)
		}
		sure += len(row.HeadConf)
	}
	if n := strings.Count(text, "HeadConf="); n == 0 || n != sure {
		t.Errorf("%d words have a probability, and %d are read", n, sure)
	}
	for _, name := range []string{"x.conllu", "y.conllu.gz", "[x].conllu"} {
		rows, err := annotatedRows("", filepath.Join(dir, name))
		if err != nil || len(rows) != len(want) || rows[1].Text != want[1].Text {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
	if rows, err := annotatedRows("", dir); err != nil || len(rows) != 2*len(want)+1 || rows[len(rows)-1].DocID != "z.conllx" {
		t.Errorf("%d rows of the folder, %v", len(rows), err)
	}
	if rows, err := annotatedRows("", "-"); err != nil || len(rows) != 0 {
		t.Errorf("nothing has %d rows, %v", len(rows), err)
	}
}

// What holds no trees is refused with a remedy, and what is broken named by its
// place.
func TestReadAnnotatedOfOthers(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "Some text .\n", "b.conllu": small + "1\tbroken\n\n"})
	for name, want := range map[string]string{
		"a.txt": "treebeam parse", "b.conllu": "b.conllu:", "none.conllu": "none.conllu",
	} {
		rows, err := annotatedRows("", filepath.Join(dir, name))
		var refused *Refusal
		if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &refused) != (name != "b.conllu") || (len(rows) > 0) != (name == "b.conllu") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

// A broken block is named, and costs neither the others nor the document that it
// begins.
func TestReadAnnotatedOfBroken(t *testing.T) {
	good := "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
	rows, err := annotatedRows("# newdoc id = p\n"+good+"# newdoc id = q\n1\tshort\n\n"+good+"# only a comment\n", "-")
	if err == nil || !strings.Contains(err.Error(), "-:5: ") {
		t.Errorf("%v", err)
	}
	if len(rows) != 2 || rows[0].DocID != "p" || rows[1].DocID != "q" {
		t.Errorf("%d rows", len(rows))
	}
}

func TestNamesFiles(t *testing.T) {
	t.Chdir(write(t, map[string]string{"file": "x", "folder/file": "x", "odd[1]/file": "x"}))
	for name, want := range map[string]bool{
		"-": true, "file": true, "folder": false, "odd[1]": false, "none": false, "none.conllu.gz": true, "*.conllu": true,
		"gs://b/x": false, "gs://b/x.conllu": true, "s3://b/x.conllu.zst": true, "s3://b/*.conllu": true, os.DevNull: true,
	} {
		if got := NamesFiles(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
