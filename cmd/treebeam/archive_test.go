package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// packed writes names and texts, by turns, as a zip and as a tar.
func packed(t *testing.T, members ...string) (asZip, asTar string) {
	t.Helper()
	var z, b bytes.Buffer
	zipper, tarrer := zip.NewWriter(&z), tar.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := zipper.Create(members[i])
		must(t, err, tarrer.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644}))
		for _, w := range []io.Writer{w, tarrer} {
			_, err := io.WriteString(w, members[i+1])
			must(t, err)
		}
	}
	must(t, zipper.Close(), tarrer.Close())
	return z.String(), b.String()
}

// Archives are as folders: their members have rules, formats and rows of their own, and
// what cannot be read is a failure. All ways to run give the same rows.
func TestArchives(t *testing.T) {
	asZip, asTar := packed(t, "x.txt", "One two .\n", "sub/t.csv", "Body,n\nThree four .,1\n", "r.jsonl", `{"id": "r", "text": "Five six ."}`+"\n", "p.pdf", "%PDF-1.7\n", ".x", "no")
	in := writeFiles(t, map[string]string{"a.zip": asZip, "b/c.tar": asTar, "d.tgz": zipped(asTar), "bad.zip": "no archive", "e.txt": "Seven eight .\n"})
	args := toyCommand(in, "--quiet", "--rule", "*.csv: text=Body", "--rule", "c.tar: document=line")
	status, rows, stderr := treebeam(t, "", append(args, "--to", "conllu")...)
	if status != exitOK {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, want := range []string{"a.zip!/x.txt", "a.zip!/sub/t.csv#7", "b/c.tar!/x.txt#0", "b/c.tar!/sub/t.csv#7", "d.tgz!/x.txt", "d.tgz!/sub/t.csv#7", "e.txt", "r"} {
		if !strings.Contains(rows, "# newdoc id = "+want+"\n") {
			t.Errorf("%s is missing in\n%s", want, rows)
		}
	}
	for _, want := range []string{"bad.zip, byte 0: ", "3 failures not_text", "1 failure damaged"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is missing in\n%s", want, stderr)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	ends(t, exitOK, "", append(args, "--output", out, "--range-bytes", "20")...)
	if _, text, stderr := treebeam(t, "", "convert", out, "--to", "conllu"); text != rows {
		t.Errorf("a run: %s, %s", firstDifference(text, rows), stderr)
	}
}

// A night parses the members of an archive that are new.
func TestArchivesAtNight(t *testing.T) {
	asZip, _ := packed(t, "x.txt", "One two .\n", "y.txt", "Three four .\n")
	n := &nights{in: writeFiles(t, map[string]string{"a.zip": asZip}), state: filepath.Join(t.TempDir(), "state")}
	transformstest.Register()
	stdout, _ := n.run(t, exitOK)
	if r := lastLine(t, stdout); r.Trees != 2 || r.Night.Counts["new"] != 2 {
		t.Fatalf("%+v", r)
	}
	asZip, _ = packed(t, "a.txt", "Five six .\n", "x.txt", "One two .\n", "y.txt", "Three more .\n")
	must(t, os.WriteFile(filepath.Join(n.in, "a.zip"), []byte(asZip), 0o644))
	stdout, _ = n.run(t, exitOK)
	if r := lastLine(t, stdout); r.Trees != 2 || r.Night.Counts["new"] != 1 || r.Night.Counts["changed"] != 1 || r.Night.Counts["unchanged"] != 1 {
		t.Fatalf("%+v", r)
	}
}
