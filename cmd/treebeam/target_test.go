package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// Nothing is written among the data of an output or a state, nor onto a file
// that was parsed or is read: refused, and nothing has changed.
func TestTargets(t *testing.T) {
	var zipped bytes.Buffer
	const member = "In an archive .\n"
	z := gzip.NewWriter(&zipped)
	w := tar.NewWriter(z)
	must(t, w.WriteHeader(&tar.Header{Name: "d.txt", Size: int64(len(member)), Mode: 0o644}))
	io.WriteString(w, member)
	must(t, errors.Join(w.Close(), z.Close()))
	in := writeFiles(t, map[string]string{"s.tar.gz": zipped.String(), "a.txt": "One sentence .\n", "b.conllu": toySentence, "sub/c.txt": "Another one .\n", "c.conllu": toySentence, "r.rules": "*.txt: lines=sentence\n"})
	out, state := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "state")
	transformstest.Register()
	for _, args := range [][]string{
		toyCommand(in, "--quiet", "--output", out),
		{"parse", "--quiet", "--model", transformstest.ModelURI, "--input", in, "--state", state},
	} {
		ends(t, exitOK, "", args...)
	}
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(out, link))
	for _, c := range []struct{ args, want string }{
		{"convert OUT --per-file OUT", "is an output of treebeam's"},
		{"convert OUT --per-file OUT/trees", "among the data"},
		{"convert OUT --per-file OUT/mirror/deeper", "among the data"},
		{"convert OUT --per-file LINK/mirror", "among the data"},
		{"convert OUT --per-file STATE/data", "among the data"},
		{"convert OUT --to text --per-file IN --overwrite", "was parsed: it would be lost"},
		{"convert OUT --output OUT/manifest.json", "among the data"},
		{"convert OUT --output LINK/trees/x.conllu", "among the data"},
		{"convert OUT --output IN/a.txt", "is a file that was parsed"},
		{"convert OUT --to text --output IN/s.tar.gz", "is a file that was parsed"},
		{"convert STATE --output IN/b.conllu", "is a file that was parsed"},
		{"convert STATE --output STATE/CURRENT", "among the data"},
		{"report OUT --output IN/a.txt", "is a file that was parsed"},
		{"report OUT --output OUT/summary.json", "among the data"},
		{"report STATE --output STATE/views/x.html", "among the data"},
		{"parse IN/a.txt --model MODEL --to text --output IN/a.txt", "is one of the inputs"},
		{"parse IN --model MODEL --to conllu --output IN/sub/c.txt", "is one of the inputs"},
		{"parse IN --model MODEL --to conllu --output IN/s.tar.gz", "is one of the inputs"},
		{"parse IN --model MODEL --to conllu --output OUT/trees/c.txt", "among the data"},
		{"eval --gold IN/b.conllu --model embedded --write IN/b.conllu", "the file of the gold trees"},
		{"parse IN/a.txt --model MODEL --files-from IN/sub/c.txt --to text --output IN/sub/c.txt", "is a list of --files-from"},
		{"parse IN/a.txt --model MODEL --rules IN/r.rules --to text --output IN/r.rules", "is the file of --rules"},
		{"parse IN/a.txt --model IN/b.conllu --to text --output IN/b.conllu", "is the file of --model"},
		{"eval --gold IN/b.conllu --model embedded --against IN/c.conllu --write IN/c.conllu", "is the file of --against"},
		{"eval --gold IN/b.conllu --model IN/c.conllu --write IN/c.conllu", "is the file of --model"},
		{"eval --gold IN/b.conllu --model embedded --gold-tokens --write OUT/trees/b.conllu", "among the data"},
		{"train --train IN/b.conllu --dev IN/b.conllu --model IN/b.conllu", "is a treebank"},
		{"train --train IN/b.conllu --dev IN/c.conllu --model OUT/summary.json", "among the data"},
	} {
		before := [3]map[string]string{contents(t, in), contents(t, out), contents(t, state)}
		args := strings.NewReplacer("OUT", out, "STATE", state, "LINK", link, "IN", in, "MODEL", transformstest.ModelURI).Replace(c.args)
		ends(t, exitRefused, c.want, strings.Fields(args)...)
		for i, dir := range []string{in, out, state} {
			same(t, c.args, before[i], contents(t, dir))
			same(t, c.args, contents(t, dir), before[i])
		}
	}
	odd := filepath.Join(in, "caf\xe9.txt") // a name that its URI escapes
	if os.WriteFile(odd, []byte("Odd .\n"), 0o644) == nil {
		ends(t, exitRefused, "is one of the inputs", "parse", in, "--model", transformstest.ModelURI, "--to", "text", "--output", odd)
	}
	// A file beside the data hurts nobody.
	ends(t, exitOK, "", "report", out, "--output", filepath.Join(out, "report.html"))
}

// A device is written in place, whether it gets trees or a model, and so is the file that
// standard output goes to, which /dev/stdout names: it keeps what it has.
func TestTargetsInPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "printed")
	must(t, os.WriteFile(path, []byte("old\n"), 0o644))
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	defer out.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = out
	printed, null := filepath.Join(dir, "stdout"), filepath.Join(dir, "null")
	must(t, os.Symlink(path, printed), os.Symlink(os.DevNull, null))
	must(t, writeOutput("--output", printed, func(w io.Writer) error {
		_, err := io.WriteString(w, "new\n")
		return err
	}))
	must(t, writeModel(null, []byte("a model")))
	for _, link := range []string{printed, null} {
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is a link no more: %v, %v", link, info, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old\nnew\n" {
		t.Errorf("printed %q, %v", text, err)
	}
}

// toySentence is a sentence of CoNLL-U.
const toySentence = "# text = Dogs bark\n1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"

// What the official scorer refuses, so do we: several roots, no sentences.
func TestEvalOfBadGold(t *testing.T) {
	roots := toySentence + strings.Replace(toySentence, "2\tnsubj", "0\troot", 1)
	dir := writeFiles(t, map[string]string{"good": toySentence + toySentence, "roots": roots, "empty": "", "blank": "\n\n\n"})
	for args, want := range map[string]string{
		"--gold roots --system good":                "roots:7",
		"--gold good --system roots":                "roots:7",
		"--gold good --system good --against roots": "roots:7",
		"--gold empty --system good":                "holds no sentences",
		"--gold blank --system blank":               "holds no sentences",
		"--gold empty --model embedded":             "holds no sentences",
		"--gold good --system empty":                "same text",
	} {
		t.Chdir(dir)
		status, stdout, stderr := treebeam(t, "", append([]string{"eval"}, strings.Fields(args)...)...)
		if status != exitRefused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d %s%s", args, status, stdout, stderr)
		}
	}
	ends(t, exitOK, "", "eval", "--gold", "good", "--system", "good")
}

// A state is read by every command like the output of one parse of its files,
// and what is damaged in it is found.
func TestStateAsOutput(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.conllu": toySentence, "b.conllu": toySentence, "c.conllu": "1\tbad\n\n" + toySentence})
	out, state, tmp := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "state"), t.TempDir()
	night := []string{"parse", "--quiet", "--model", transformstest.ModelURI, "--input", in, "--state", state}
	transformstest.Register()
	ends(t, exitOK, "", night...)
	must(t, os.WriteFile(filepath.Join(in, "b.conllu"), []byte(strings.ReplaceAll(toySentence, "Dogs", "Cats")), 0o644))
	ends(t, exitOK, "", night...)
	ends(t, exitOK, "", toyCommand(in, "--quiet", "--output", out)...)
	gold, _ := ends(t, exitOK, "", "convert", out)
	gold = gold[strings.LastIndex(gold[:strings.Index(gold, "Dogs")], "# "):]
	must(t, os.WriteFile(filepath.Join(tmp, "gold"), []byte(gold), 0o644))
	for _, args := range [][]string{{"convert", "DIR"}, {"convert", "DIR", "--to", "jsonl"}, {"show", "DIR"}, {"failures", "DIR"}, {"sample", "DIR", "--random", "2"},
		{"eval", "--gold", filepath.Join(tmp, "gold"), "--system", "DIR"}} {
		of := func(dir string) string {
			args := append([]string(nil), args...)
			for i := range args {
				args[i] = strings.Replace(args[i], "DIR", dir, 1)
			}
			stdout, _ := ends(t, exitOK, "", args...)
			return stdout
		}
		if a, b := of(out), of(state); a != b || a == "" {
			t.Errorf("%v: of the output\n%s\nof the state\n%s", args, a, b)
		}
	}
	page, _ := ends(t, exitOK, "", "report", state, "--output", "-")
	if !strings.Contains(page, "000002-") || !strings.Contains(page, "3 trees from 3 files; 1 error") {
		t.Errorf("%.3000s", page)
	}

	must(t, os.CopyFS(filepath.Join(tmp, "copy"), os.DirFS(state)))
	for name, pattern := range map[string]string{
		"the new run": "data/000002-*/trees/*.parquet", "the old run": "data/000001-*/trees/*.parquet",
		"failures": "data/000001-*/failures/*.parquet", "the snapshot": "snapshots/000002-*.parquet", "a manifest": "data/000001-*/manifest.json",
	} {
		files, err := filepath.Glob(filepath.Join(state, pattern))
		must(t, err)
		path := files[len(files)-1]
		data, err := os.ReadFile(path)
		must(t, err)
		edit(t, path, func(b []byte) []byte {
			if name == "a manifest" {
				return bytes.Replace(b, []byte("part-00000"), []byte("part-00001"), 1)
			}
			b[len(b)/5] ^= 1
			return b
		})
		for _, command := range []string{"convert", "show", "report", "failures"} {
			if command == "show" && name == "failures" || command == "failures" && strings.Contains(name, "run") {
				continue // it does not read them
			}
			args := []string{command, state}
			if command == "report" {
				args = append(args, "--output", filepath.Join(tmp, "r.html"))
			}
			status, _, stderr := treebeam(t, "", args...)
			if status != exitFailed || !strings.Contains(stderr, "damaged") || !strings.Contains(stderr, "--all parses everything anew") {
				t.Errorf("%s, %s: status %d %s", name, command, status, stderr)
			}
		}
		must(t, os.WriteFile(path, data, 0o644))
	}
}
