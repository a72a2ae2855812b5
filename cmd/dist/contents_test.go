package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

var someDay = time.Unix(1_790_000_000, 0).UTC()

// A package has the members that dpkg wants, in this order, and every file's folders
// before it. Where there is dpkg, it installs the package in an empty root.
func TestDebian(t *testing.T) {
	program := []byte("#!/bin/sh\necho parsed\n")
	texts := []file{{"LICENSE", 0o644, []byte("free")}, {"README.md", 0o644, []byte("odd")}}
	var b, again bytes.Buffer
	for _, to := range []*bytes.Buffer{&b, &again} {
		must(t, debian(to, "1.2.0", "amd64", program, texts, someDay))
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("other bytes the second time")
	}
	rest := bytes.TrimPrefix(b.Bytes(), []byte("!<arch>\n"))
	members := map[string][]byte{}
	var order []string
	for len(rest) > 0 {
		name := strings.TrimSpace(string(rest[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || string(rest[58:60]) != "`\n" {
			t.Fatalf("header %q, %v", rest[:60], err)
		}
		order, members[name] = append(order, name), rest[60:60+size]
		rest = rest[60+size+size%2:]
	}
	if got := strings.Join(order, " "); got != "debian-binary control.tar.gz data.tar.gz" {
		t.Errorf("members %s", got)
	}
	var names []string
	for _, f := range untar(t, members["data.tar.gz"]) {
		names = append(names, f.name)
	}
	want := "usr/ usr/bin/ usr/bin/treebeam usr/share/ usr/share/doc/ usr/share/doc/treebeam/ usr/share/doc/treebeam/copyright usr/share/doc/treebeam/README.md"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if about := string(untar(t, members["control.tar.gz"])[0].data); !strings.Contains(about, "\nVersion: 1.2.0\nArchitecture: amd64\n") {
		t.Errorf("control is %s", about)
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("there is no dpkg here to install it with")
	}
	root, deb := t.TempDir(), filepath.Join(t.TempDir(), "treebeam.deb")
	must(t, os.WriteFile(deb, b.Bytes(), 0o600))
	if out, err := exec.Command("dpkg", "-x", deb, root).CombinedOutput(); err != nil {
		t.Fatalf("dpkg: %v\n%s", err, out)
	}
	if out, err := exec.Command(filepath.Join(root, "usr/bin/treebeam")).Output(); err != nil || string(out) != "parsed\n" {
		t.Errorf("the installed program printed %q, %v", out, err)
	}
}

// module writes a module with files, as name and text in turns.
func module(t *testing.T, files ...string) string {
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		must(t, os.WriteFile(name, []byte(files[i+1]), 0o600))
	}
	return dir
}

func TestLicenses(t *testing.T) {
	goRoot := module(t, "LICENSE", "Go's license\n", "src/vendor/LICENSE", "not linked")
	modules := []*debug.Module{{Path: "a", Version: "v1"}, {Path: "b", Version: "v2"}}
	dirs := map[string]string{
		"a": module(t, "LICENSE.txt", "MIT\r\n", "license.go", "package a", "inner/COPYING", "inner", "testdata/LICENSE", "test"),
		"b": module(t, "LICENCE", "MIT\n", "NOTICE", "b is by B", "licenses.md", "a list", "licensed.md", "no license"),
	}
	text, err := licenses(modules, dirs, goRoot, "1.26")
	must(t, err)
	again, err := licenses(modules, dirs, goRoot, "1.26")
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("other bytes the second time, %v", err)
	}
	for _, want := range []string{"Go 1.26, standard library and runtime: LICENSE\n\nGo's license\n",
		"\na v1: LICENSE.txt\nb v2: LICENCE\n\nMIT\n", "\na v1: inner/COPYING\n\ninner\n", "\nb v2: NOTICE\n\nb is by B\n", "\nb v2: licenses.md\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"package a", "testdata", "not linked", "no license"} {
		if strings.Contains(string(text), not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
	dirs["b"] = module(t, "README", "b")
	if _, err := licenses(modules, dirs, goRoot, "1.26"); err == nil || !strings.Contains(err.Error(), "b v2 has no license") {
		t.Errorf("a module without a license: %v", err)
	}
	delete(dirs, "b")
	if _, err := licenses(modules, dirs, goRoot, "1.26"); err == nil || !strings.Contains(err.Error(), "go mod download") {
		t.Errorf("a module without source: %v", err)
	}
}

// The list names every module once, Go, the models, and the program by its digest.
func TestMaterials(t *testing.T) {
	modules := []*debug.Module{{Path: "example.com/a", Version: "v1.2.3", Sum: "h1:abc="}}
	text, err := materials([]byte("program"), modules, "1.26.8", []file{{name: "english.tbm", data: []byte("model")}}, &commit{version: "v0.1.0", when: someDay})
	must(t, err)
	var got struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Timestamp string
			Component component
		}
		Components []component
	}
	must(t, json.Unmarshal(text, &got))
	if got.BOMFormat != "CycloneDX" || got.SpecVersion != "1.6" || got.Metadata.Timestamp != "2026-09-21T14:13:20Z" {
		t.Errorf("%+v", got)
	}
	refs := ""
	for _, c := range append(got.Components, got.Metadata.Component) {
		refs += c.Type + " " + c.Ref + "\n"
	}
	if want := "library pkg:golang/std@1.26.8\nlibrary pkg:golang/example.com/a@v1.2.3\nmachine-learning-model english.tbm\n" +
		"application pkg:golang/github.com/treebeam/treebeam@v0.1.0\n"; refs != want {
		t.Errorf("components\n%s, want\n%s", refs, want)
	}
	if h := got.Metadata.Component.Hashes; len(h) != 1 || len(h[0].Content) != 64 {
		t.Errorf("hashes %v", h)
	}
}
