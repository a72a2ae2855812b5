package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/record/recordtest"
)

// oddNames are names that a file may have.
var oddNames = []string{
	" ", "-leading", "--output=x", "a\nb.txt", "a\tb.txt", "a\rb.txt", "\x01\x7f", "bad\xff\xfe.txt", "emoji \U0001f600.txt", "e\u0301.txt", "\u00e9.txt",
	"%41.txt", "a b.txt", "back\\slash.txt", "quote'\".txt", "star*[a].txt", "tilde~", "x.TXT", strings.Repeat("n", 251) + ".txt", "\u202etxt.a",
}

// Names, links and things that are no files.
func TestHostileFiles(t *testing.T) {
	named := map[string]string{}
	for _, name := range oddNames {
		named[name] = fine
	}
	in := func(dir, name string) string { return filepath.Join(dir, "in", name) }
	runHostile(t, map[string]hostile{
		"odd names": {in: named, trees: 2 * int64(len(named))},
		"names for terminals": {in: map[string]string{"\x1b[31m.pdf": "%PDF-1.4", "\x1b]0;x\x07.txt": "Caf\xe9 au lait .\n", "\u202e.gz": ""}, trees: 1, last: "--encoding",
			rows: []row{{"", "read", "not text"}, {"", "read", "invalid bytes"}, {"", "read", "end too early"}}},
		"no such terminal":  {args: []string{"IN/\x1b[31mred\u009b.txt", "--output", "OUT"}, want: exitRefused, last: "is not a valid pattern"},
		"two names, one id": {in: map[string]string{"%FF.txt": fine, "\xff.txt": fine}, trees: 4},
		"hidden files":      {in: map[string]string{".a.txt": fine, "_b.txt": fine, ".c/d.txt": fine, "e.txt": fine}, trees: 2},
		"only hidden files": {in: map[string]string{".a.txt": fine}, want: exitRefused, last: "start with . or _"},
		"links in a circle": {in: map[string]string{"a.txt": fine}, trees: 2, rows: []row{{"x", "read", "link"}, {"y", "read", "link"}},
			setup: func(t *testing.T, dir string) {
				must(t, os.Symlink(in(dir, ""), in(dir, "loop")), os.Symlink("y", in(dir, "x")), os.Symlink("x", in(dir, "y")))
			}},
		"a link to nowhere": {in: map[string]string{"a.txt": fine}, trees: 2, rows: []row{{"b.txt", "read", "link to nowhere"}},
			setup: func(t *testing.T, dir string) { must(t, os.Symlink("none", in(dir, "b.txt"))) }},
		"a link to a file": {in: map[string]string{"a.txt": fine}, trees: 4,
			setup: func(t *testing.T, dir string) { must(t, os.Symlink("a.txt", in(dir, "b.txt"))) }},
		"a link to the output": {in: map[string]string{"a.txt": fine}, trees: 2,
			setup: func(t *testing.T, dir string) { must(t, os.Symlink(filepath.Join(dir, "out"), in(dir, "out"))) }},
		"a pipe and a socket": {in: map[string]string{"a.txt": fine}, trees: 2,
			rows: []row{{"pipe", "read", "not a regular file"}, {"socket", "read", "not a regular file"}},
			setup: func(t *testing.T, dir string) {
				must(t, syscall.Mkfifo(in(dir, "pipe"), 0o600))
				l, err := net.Listen("unix", in(dir, "socket"))
				must(t, err)
				t.Cleanup(func() { l.Close() })
			}},
		"a socket by name": {args: []string{"IN/socket", "--output", "OUT"}, want: exitRefused, last: "can be read only once",
			setup: func(t *testing.T, dir string) {
				l, err := net.Listen("unix", in(dir, "socket"))
				must(t, err)
				t.Cleanup(func() { l.Close() })
			}},
		"a pipe by name": {args: []string{"IN/pipe", "--output", "OUT"}, want: exitRefused, last: "can be read only once",
			setup: func(t *testing.T, dir string) { must(t, syscall.Mkfifo(in(dir, "pipe"), 0o600)) }},
		"a device":        {args: []string{"/dev/null", "--output", "OUT"}, want: exitRefused, last: "can be read only once"},
		"a path too long": {setup: deepFolder, in: map[string]string{"a.txt": fine}, trees: 2, rows: []row{{"", "read", "cannot be listed"}}},
		"one file twice":  {in: map[string]string{"a.txt": fine}, args: []string{"IN/*.txt", "IN/a.*", "IN", "IN/../in/a.txt", "--output", "OUT"}, trees: 2},
		"one id twice": {in: map[string]string{"x/a.txt": fine, "y/a.txt": fine}, args: []string{"IN/x", "IN/y", "--output", "OUT"},
			want: exitRefused, last: "same document id"},
		"no file for one pattern": {in: map[string]string{"a.txt": fine}, args: []string{"IN", "IN/*.pdf", "--output", "OUT"}, want: exitRefused, last: "*.pdf: matches no file"},
		"a broken pattern":        {args: []string{"IN/[a", "--output", "OUT"}, want: exitRefused, last: "has no ]"},
		"brackets in a name":      {in: map[string]string{"[a].txt": fine}, args: []string{"IN/[a].txt", "--output", "OUT"}, trees: 2},
		"5,000 files": {setup: func(t *testing.T, dir string) {
			for i := range 5000 {
				must(t, os.WriteFile(in(dir, fmt.Sprintf("%04d.txt", i)), []byte("A file .\n"), 0o644))
			}
		}, trees: 5000, once: true},
		"output inside input": {in: map[string]string{"a.txt": fine}, args: []string{"DIR", "--output", "OUT"}, trees: 2},
		"input inside output": {args: []string{"OUT/texts", "--output", "OUT"}, trees: 2, once: true, setup: func(t *testing.T, dir string) {
			must(t, os.MkdirAll(filepath.Join(dir, "out", "texts"), 0o755), os.WriteFile(filepath.Join(dir, "out", "texts", "a.txt"), []byte(fine), 0o644))
		}},
		"input is the output":         {in: map[string]string{"a.txt": fine}, args: []string{"IN", "--output", "IN"}, want: exitRefused, last: "is the output folder too"},
		"another output inside input": {in: map[string]string{"a.txt": fine, "old/_treebeam/tmp/x": "", "old/manifest.json": "{}", "old/trees/part-0.parquet": "PAR1"}, trees: 2},
		"an output as input":          {in: map[string]string{"_treebeam/tmp/x": "", "manifest.json": "{}"}, want: exitRefused, last: "treebeam show"},
	})
}

// deepFolder makes a folder whose path is longer than the system allows.
func deepFolder(t *testing.T, dir string) {
	at, err := os.OpenRoot(filepath.Join(dir, "in"))
	must(t, err)
	for range 20 {
		must(t, at.Mkdir("d"+strings.Repeat("x", 250), 0o755))
		next, err := at.OpenRoot("d" + strings.Repeat("x", 250))
		must(t, err, at.Close())
		at = next
	}
	must(t, at.WriteFile("lost.txt", []byte(fine), 0o644), at.Close())
}

// A file that is not what it was when it was listed fails the run, which then
// starts anew with --overwrite; one that has gone before it was opened is a
// row.
func TestHostileChanges(t *testing.T) {
	long := strings.Repeat("One two three .\n\n", 20000) // several chunks
	files := map[string]string{"a.txt": long, "b.txt": fine}
	change := func(how func(path string) error) hostile {
		return hostile{in: files, want: exitFailed, last: "--overwrite", once: true, after: startAnew,
			hook: func(t *testing.T, dir string) { must(t, how(filepath.Join(dir, "in", "a.txt"))) }}
	}
	second := func(how func(path string) error) hostile {
		c := change(nil)
		c.hook = func(t *testing.T, dir string) { must(t, how(filepath.Join(dir, "in", "b.txt"))) }
		return c
	}
	grow := func(path string) error {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString("More .\n")
		return err
	}
	replace := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path+".new", []byte(strings.ToUpper(string(data))), 0o644); err != nil {
			return err
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path+".new", past, past); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}
	gone := second(os.Remove)
	gone.want, gone.last, gone.trees, gone.after = exitOK, "", 20000, nil
	gone.rows = []row{{"b.txt", "read", "the file is gone"}}
	runHostile(t, map[string]hostile{
		"grows":                   change(grow),
		"shrinks":                 change(func(path string) error { return os.Truncate(path, 10) }),
		"is emptied":              change(func(path string) error { return os.Truncate(path, 0) }),
		"vanishes":                change(os.Remove),
		"is replaced":             change(replace),
		"becomes a folder":        change(func(path string) error { return joined(os.Remove(path), os.Mkdir(path, 0o755)) }),
		"grows before it is read": second(grow),
		"is replaced before":      second(replace),
		"vanishes before":         gone,
	})
}

func joined(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// startAnew checks the remedy that the failed run names: the same command
// with --overwrite.
func startAnew(t *testing.T, dir string) {
	ends(t, exitOK, "", toyCommand(filepath.Join(dir, "in"), "--output", filepath.Join(dir, "out"), "--overwrite")...)
	if left, err := os.ReadDir(filepath.Join(dir, "out", output.OwnDir, "tmp")); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// Tables that are broken, or could take much memory.
func TestHostileTables(t *testing.T) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("column %d", i)
	}
	wide := strings.Join(names[:5000], "\t") + "\ttext\n" + strings.Repeat(strings.Repeat("x\t", 5000)+"One .\n", 100)
	value := strings.Repeat("k", 10<<20)
	keep := []string{"IN", "--output", "OUT", "--keep", "kept"}
	runHostile(t, map[string]hostile{
		"a line of 20 MB":          {in: map[string]string{"a.tsv": "text\n" + strings.Repeat("x", 20<<20) + "\nOne .\n"}, trees: 1, rows: []row{{"a.tsv#5", "read", "record too long"}}, once: true},
		"a quote never closed":     {in: map[string]string{"a.csv": "text\n\"x\n" + strings.Repeat("\n", 4<<20) + "One .\n"}, trees: 1, rows: []row{{"a.csv#5", "read", "a quote is not closed"}}, once: true},
		"a header that never ends": {in: map[string]string{"a.csv": strings.Repeat("x,", 1<<20)}, rows: []row{{"", "read", "not a header"}}},
		"lines that end in CR":     {in: map[string]string{"a.csv": "text,id\rOne .,1\r\"Two\r.\",2\r"}, trees: -1},
		"a header and no row":      {in: map[string]string{"a.csv": "text,id\n"}, rows: []row{{"", "read", "has no row"}}},
		"no Parquet at all":        {in: map[string]string{"a.parquet": "PAR1" + strings.Repeat("\xff", 100) + "PAR1"}, rows: []row{{"", "read", "a footer of"}}},
		"5,000 columns":            {in: map[string]string{"a.tsv": wide}, trees: 100, once: true},
		"a long prefix, kept":      {in: prefixed("kept"), args: keep, rows: []row{{"", "read", "it and the rows up to 290 are in a page that decodes to"}}},
		"a long prefix of ids":     {in: prefixed("id"), rows: []row{{"", "read", "it and the rows up to 290 are in a page that decodes to"}}},
		"a long prefix of texts":   {in: map[string]string{"a.parquet": string(recordtest.Parquet(290, recordtest.Same("text", 290, 15<<20)))}, rows: []row{{"", "read", "rows up to 290"}}},
		"a large value many times": {in: map[string]string{"a.parquet": parquetOf(t, 100, 100, func(i int) cells {
			return cells{Text: map[bool]string{true: "One ."}[i == 7], Kept: value}
		})}, args: keep, trees: 1, rows: many(100, "value not kept: 10485760 bytes"), once: true},
	})
}

// prefixed is 290 rows of Parquet in which a column has the same 15 MB in each: 4
// GB, of which the file holds two kilobytes.
func prefixed(column string) map[string]string {
	return map[string]string{"a.parquet": string(recordtest.Parquet(290, recordtest.Texts("text", 290, "One ."), recordtest.Same(column, 290, 15<<20)))}
}

// cells is a row of Parquet.
type cells struct {
	Text string `parquet:"text"`
	Kept string `parquet:"kept,dict"`
}

// parquetOf writes n rows into row groups of a size.
func parquetOf(t *testing.T, size, n int, row func(i int) cells) string {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[cells](&b, pq.Compression(&pq.Zstd), pq.SkipPageBounds("text"), pq.SkipPageBounds("kept"), pq.PageBufferSize(1<<20))
	for i := range n {
		if _, err := w.Write([]cells{row(i)}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%size == 0 {
			must(t, w.Flush())
		}
	}
	must(t, w.Close())
	return b.String()
}
