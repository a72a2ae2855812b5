package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
)

// damages are what may befall a complete output of several ranges. Each is
// done to a copy of it.
var damages = map[string]struct {
	do   func(t *testing.T, dir string)
	want string // in the message of whoever reads it
	// sly says that only who reads the rows can see it, not who opens the
	// folder.
	sly bool
}{
	"the manifest is cut to three entries": {do: manifestOf(func(m map[string]any) { m["files"] = m["files"].([]any)[:3] }), want: "manifest.json"},
	"the manifest lacks the last parts":    {do: manifestOf(func(m map[string]any) { m["files"] = m["files"].([]any)[:8] }), want: "manifest.json"},
	"a manifest for fewer ranges": {do: manifestOf(func(m map[string]any) {
		f := m["files"].([]any)
		m["ranges"], m["files"] = 3, slices.Concat(f[:4], f[len(f)-2:])
	}), want: "manifest.json"},
	"a manifest that names a part twice": {do: manifestOf(func(m map[string]any) {
		f := m["files"].([]any)
		f[2] = f[0]
	}), want: "missing in trees", sly: true},
	"a manifest that names another file": {do: manifestOf(func(m map[string]any) {
		m["files"].([]any)[0].(map[string]any)["path"] = "../../etc/passwd"
	}), want: "manifest.json"},
	"a manifest that counts other rows": {do: manifestOf(func(m map[string]any) {
		m["files"].([]any)[0].(map[string]any)["rows"] = 1
	}), want: "counts"},
	"a manifest without a digest": {do: func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "manifest.json"), func(b []byte) []byte { return bytes.Replace(b, []byte(`"digest"`), []byte(`"digist"`), 1) })
	}, want: "no digest"},
	"an empty manifest":     {do: replaced("manifest.json", []byte("{}\n")), want: "names no run"},
	"a manifest of no text": {do: replaced("manifest.json", nil), want: "manifest.json"},
	"one byte of the manifest": {do: func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "manifest.json"), func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"seed": 1`), []byte(`"seed": 2`), 1)
		})
	}, want: "digest"},
	"a summary of other sums": {do: func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, "summary.json"), func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"errors": 1`), []byte(`"errors": 2`), 1)
		})
	}, want: "failures and warnings"},
	"no summary":                 {do: removed("summary.json"), want: "summary.json"},
	"no documents":               {do: removed("documents"), want: "is missing"},
	"a part is gone":             {do: onPart("trees", 2, func(t *testing.T, p []string) { must(t, os.Remove(p[2])) }), want: "is missing"},
	"a part of failures is gone": {do: onPart("failures", 1, func(t *testing.T, p []string) { must(t, os.Remove(p[1])) }), want: "is missing"},
	"a part is cut":              {do: onPart("trees", 2, func(t *testing.T, p []string) { must(t, os.Truncate(p[2], 1000)) }), want: "has 1000 bytes"},
	"a part is replaced by a copy of another": {do: onPart("trees", 2, func(t *testing.T, p []string) {
		copyOver(t, p[3], p[2])
	}), want: "part-00002"},
	"a part is replaced by a copy of the same length": {do: sameLength, want: "another file has its name", sly: true},
	"a page is flipped":    {do: flipped("trees", 0.3), want: "bytes are not those", sly: true},
	"a footer is flipped":  {do: flipped("trees", 0.97), want: "damaged", sly: true},
	"a page of documents":  {do: flipped("documents", 0.2), want: "bytes are not those", sly: true},
	"a failure is flipped": {do: flipped("failures", 0.1), want: "part-00006", sly: true},
}

// readers are the commands that read outputs.
var readers = map[string]func(dir, tmp string) []string{
	"convert": func(dir, _ string) []string { return []string{"convert", dir} },
	"show":    func(dir, _ string) []string { return []string{"show", dir, "--count", "1000000"} },
	"sample":  func(dir, _ string) []string { return []string{"sample", dir, "--random", "1"} },
	"report": func(dir, tmp string) []string {
		return []string{"report", dir, "--output", filepath.Join(tmp, "r.html")}
	},
	"failures": func(dir, _ string) []string { return []string{"failures", dir} },
	"diff":     func(dir, _ string) []string { return []string{"diff", dir, dir} },
	"eval": func(dir, tmp string) []string {
		return []string{"eval", "--gold", filepath.Join(tmp, "gold.conllu"), "--system", dir}
	},
	"per file": func(dir, tmp string) []string {
		return []string{"convert", dir, "--per-file", filepath.Join(tmp, "mirror")}
	},
	"as a side": func(dir, tmp string) []string { return []string{"diff", filepath.Join(tmp, "whole"), dir} },
}

// reads says whether a command comes to the files of a damage that hides in
// them.
func reads(command, damage string) bool {
	switch {
	case strings.Contains(damage, "failure"):
		return command == "failures" || command == "convert" || command == "report" || command == "sample" || command == "per file"
	case command == "failures":
		return damage == "a page of documents" // which count its rows
	}
	return true
}

// Every command that reads an output finds what is wrong with it: status 1,
// the file, the remedy. None gives a part for the whole.
func TestDamagedOutput(t *testing.T) {
	_, whole := severalParts(t)
	tmp := t.TempDir()
	must(t, os.CopyFS(filepath.Join(tmp, "whole"), os.DirFS(whole)))
	if status, stdout, stderr := treebeam(t, "", "convert", whole); status != exitOK {
		t.Fatal(stderr)
	} else {
		// The failed sentence is in no tree.
		text, _, _ := strings.Cut(stdout, "# treebeam_failure")
		must(t, os.WriteFile(filepath.Join(tmp, "gold.conllu"), []byte(text[:strings.LastIndex(text, "\n\n")+2]), 0o644))
	}
	for _, args := range readers {
		ends(t, exitOK, "", args(whole, tmp)...)
		os.RemoveAll(filepath.Join(tmp, "mirror"))
	}
	for damage, d := range damages {
		t.Run(damage, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			must(t, os.CopyFS(dir, os.DirFS(whole)))
			d.do(t, dir)
			for name, args := range readers {
				if d.sly && !reads(name, damage) {
					continue
				}
				status, _, stderr := treebeam(t, "", args(dir, tmp)...)
				if status != exitFailed || !strings.Contains(stderr, d.want) || !strings.Contains(stderr, "damaged") ||
					!strings.Contains(stderr, "the parse command that made it") || strings.Contains(stderr, "panic") {
					t.Errorf("%s: status %d %q", name, status, stderr)
				}
				os.RemoveAll(filepath.Join(tmp, "mirror"))
			}
		})
	}
}

// A file of another run among the parts is not read, and every reader says so.
func TestForeignPart(t *testing.T) {
	_, out := severalParts(t)
	tmp := t.TempDir()
	must(t, os.CopyFS(filepath.Join(tmp, "whole"), os.DirFS(out)))
	parts, err := filepath.Glob(filepath.Join(out, "trees", "*"))
	must(t, err)
	name := filepath.Join(out, "trees", "part-00000-of-00001-12345678.parquet")
	copyOver(t, parts[0], name)
	for _, command := range []string{"convert", "show", "failures", "report", "diff", "per file"} {
		args := readers[command](out, tmp)
		status, got, stderr := treebeam(t, "", args...)
		if status != exitOK || !strings.Contains(stderr, name+" is of another run") {
			t.Errorf("%s: status %d %s", command, status, stderr)
		}
		if command == "convert" {
			if _, want, _ := treebeam(t, "", "convert", filepath.Join(tmp, "whole")); got != want {
				t.Error("convert reads it")
			}
		}
	}
}

// What another version has written is read as far as its columns are known.
func TestOtherColumns(t *testing.T) {
	out := craftOutput(t, []parquet.Tree{craftedTree("in/a", "a", "new", 0)}, nil, nil)
	name, err := filepath.Glob(filepath.Join(out, "failures", "*"))
	must(t, err)
	manifestOf(func(m map[string]any) {
		other := output.Manifest{Record: output.Record{FP: m["fp"].(string)}}
		writePart[parquet.Tree](t, out, "failures", &other, nil) // no failure's columns
		m["files"].([]any)[1].(map[string]any)["bytes"] = other.Files[0].Bytes
	})(t, out)
	for command, want := range map[string]int{"show": exitOK, "convert": exitRefused, "failures": exitRefused, "report": exitRefused} {
		status, _, stderr := treebeam(t, "", command, out)
		if status != want || want != exitOK && (!strings.Contains(stderr, "another version") || !strings.Contains(stderr, name[0])) {
			t.Errorf("%s: status %d %s", command, status, stderr)
		}
	}
}

// The same command with --verify finds every damage and mends it, and ends with
// the bytes that were there. Without, it says what it has looked at.
func TestVerify(t *testing.T) {
	in, whole := severalParts(t)
	want := contents(t, whole)
	if _, _, stderr := treebeam(t, "", partsCommand(in, whole)...); !strings.Contains(stderr, "their sizes and footers were checked (--verify checks every byte)") {
		t.Error(stderr)
	}
	for damage, d := range damages {
		dir := filepath.Join(t.TempDir(), "out")
		must(t, os.CopyFS(dir, os.DirFS(whole)))
		d.do(t, dir)
		_, stderr := ends(t, exitOK, "", partsCommand(in, dir, "--verify")...)
		ofParts := strings.Contains(damage, "part") && !strings.Contains(damage, "manifest") || strings.Contains(damage, "flipped")
		if said := strings.Contains(stderr, "were damaged and have been made again"); said != (ofParts && !strings.Contains(damage, "is gone")) {
			t.Errorf("%s: %s", damage, stderr)
		}
		same(t, damage, want, contents(t, dir))
	}
}

// severalParts parses files into an output of several ranges, with a failure.
func severalParts(t *testing.T) (in, out string) {
	t.Helper()
	in, out = memoryFolder(t), filepath.Join(memoryFolder(t), "out")
	for i := range 6 {
		text := ""
		for j := range 40 {
			text += fmt.Sprintf("Sentence %d of file %d is a short one .\n\n", j*i, i)
		}
		must(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.txt", i)), []byte(text), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(in, "x.conllu"), []byte("1\tbad\n\n"), 0o644))
	ends(t, exitOK, "", partsCommand(in, out)...)
	if parts, _ := filepath.Glob(filepath.Join(out, "trees", "*")); len(parts) < 5 {
		t.Fatalf("%d parts: the test needs some", len(parts))
	}
	return in, out
}

func partsCommand(in, out string, more ...string) []string {
	return toyCommand(append([]string{in, "--output", out, "--range-bytes", "1500"}, more...)...)
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	changed := change(slices.Clone(data))
	if bytes.Equal(data, changed) {
		t.Fatalf("%s was not changed", path)
	}
	must(t, os.WriteFile(path, changed, 0o644))
}

// manifestOf changes the manifest, and makes its digest anew.
func manifestOf(change func(m map[string]any)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		edit(t, filepath.Join(dir, output.ManifestFile), func(b []byte) []byte {
			var m map[string]any
			must(t, json.Unmarshal(b, &m))
			change(m)
			m["digest"] = ""
			return withDigest(t, m)
		})
	}
}

// withDigest returns the text of a manifest, which has the digest "".
func withDigest(t *testing.T, manifest any) []byte {
	text, err := json.Marshal(manifest)
	must(t, err)
	return bytes.Replace(text, []byte(`"digest":""`), fmt.Appendf(nil, `"digest":%q`, output.DigestOf(text)), 1)
}

func replaced(name string, with []byte) func(*testing.T, string) {
	return func(t *testing.T, dir string) { must(t, os.WriteFile(filepath.Join(dir, name), with, 0o644)) }
}

func removed(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, name))) }
}

func onPart(kind string, least int, do func(*testing.T, []string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		parts, err := filepath.Glob(filepath.Join(dir, kind, "*"))
		if err != nil || len(parts) <= least {
			t.Fatal(err, parts)
		}
		do(t, parts)
	}
}

func copyOver(t *testing.T, from, to string) {
	data, err := os.ReadFile(from)
	must(t, err, os.WriteFile(to, data, 0o644))
}

// sameLength puts a copy of another part, of the same length as far as the
// manifest says, under the name of a part.
func sameLength(t *testing.T, dir string) {
	parts, err := filepath.Glob(filepath.Join(dir, "trees", "*"))
	must(t, err)
	copyOver(t, parts[3], parts[2])
	info, err := os.Stat(parts[3])
	must(t, err)
	manifestOf(func(m map[string]any) {
		files := m["files"].([]any)
		a, b := files[3].(map[string]any), files[4].(map[string]any) // only the first range and the last have failures
		a["bytes"] = float64(info.Size())
		if a["rows"] != b["rows"] {
			t.Fatal("the two parts must have as many rows")
		}
	})(t, dir)
}

// flipped flips a bit at a share of the length of a middle part.
func flipped(kind string, at float64) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		parts, err := filepath.Glob(filepath.Join(dir, kind, "*"))
		must(t, err)
		edit(t, parts[len(parts)/2], func(b []byte) []byte {
			b[int(at*float64(len(b)))] ^= 4
			return b
		})
	}
}
