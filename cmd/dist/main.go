// Command dist builds what is given to users (make dist): for every target a static,
// stripped program in an archive, a Python wheel, on Linux a Debian package, and
// SHA256SUMS of all. Each holds README, LICENSE, the notice of the built-in models, the
// licenses of all modules that are linked, and a list of them (CycloneDX). The same commit
// and Go version give the same bytes.
//
//	go run ./cmd/dist [-dir dist] [-only archive|wheel|deb] [-tags TAGS] [OS/ARCH | host...]
//
// Without targets it builds all. Every target compiles Beam anew the first
// time: some 4 minutes of processor time each.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/python"
)

var targets = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// Texts that go into every archive and wheel, and what the last is called there.
const (
	readme  = "README.md"
	license = "LICENSE"
	notice  = "model/NOTICE.md"
	noticed = "MODEL-NOTICE.md"

	modulesLicenses = "THIRD-PARTY-LICENSES.txt"
	billOfMaterials = "treebeam.cdx.json"
)

// maxWheel is what the package index of Python takes of one file, in bytes.
const maxWheel = 100 << 20

// kinds are what is made of a program, the values of -only.
var kinds = []string{"archive", "wheel", "deb"}

func main() {
	dir := flag.String("dir", "dist", "`FOLDER` for what is built")
	tags := flag.String("tags", "", "more build `TAGS`, with commas between them: noaccurate and noworld leave out models")
	only := flag.String("only", "", "make nothing but an archive, a wheel or a deb of each program, as `KIND` says, and no SHA256SUMS")
	flag.Parse()
	if err := build(*dir, *only, *tags, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func build(dir, only, tags string, chosen []string) error {
	made := kinds
	if only != "" {
		if made = []string{only}; !slices.Contains(kinds, only) {
			return fmt.Errorf("-only %s: must be %s", only, strings.Join(kinds, ", "))
		}
	}
	if len(chosen) == 0 {
		chosen = targets
	}
	for i, t := range chosen {
		if t == "host" {
			t = runtime.GOOS + "/" + runtime.GOARCH
			chosen[i] = t
		}
		if !slices.Contains(targets, t) {
			return fmt.Errorf("no target %s; there are: %s", t, strings.Join(targets, " "))
		}
	}
	from, err := checkedOut()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range chosen {
		if err := target(dir, t, tags, made, from, &sums); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if only != "" {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// A product is a program for a target, and the texts that go with it.
type product struct {
	system, arch string
	program      []byte
	texts        []file // README, LICENSE and so on
	bom          file
	from         *commit
}

// pack writes a product as one of kinds and returns the file's name; "" if there is none
// for its target.
func (p *product) pack(w *bytes.Buffer, kind string) (string, error) {
	switch kind {
	case "wheel":
		return p.wheel(w)
	case "deb":
		if p.system != "linux" {
			return "", nil
		}
		version, err := python.Version(p.from.version, p.from.commits)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("treebeam_%s_%s.deb", version, p.arch), debian(w, version, p.arch, p.program, append(slices.Clone(p.texts), p.bom), p.from.when)
	}
	return p.archive(w)
}

// target builds the program for a target, makes of it what is to be made, and
// adds to sums.
func target(dir, t, tags string, made []string, from *commit, sums *strings.Builder) error {
	system, arch, _ := strings.Cut(t, "/")
	begun := time.Now()
	fmt.Printf("%s: compiling (minutes, if it is the first time)\n", t)
	program, err := compile(dir, system, arch, tags, from)
	if err != nil {
		return err
	}
	p := &product{system: system, arch: arch, program: program, from: from}
	if err := p.describe(); err != nil {
		return err
	}
	for _, kind := range made {
		var b bytes.Buffer
		name, err := p.pack(&b, kind)
		if err != nil {
			return err
		}
		if name == "" {
			continue
		}
		if kind == "wheel" && b.Len() > maxWheel {
			return fmt.Errorf("%s: %.1f MiB: an index takes at most %d; leave a model out of it: build with -tags noaccurate",
				name, float64(b.Len())/(1<<20), maxWheel>>20)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(b.Bytes()), name)
		fmt.Printf("%s: %.1f MB, %v\n", path, float64(b.Len())/1e6, time.Since(begun).Round(time.Second))
	}
	return nil
}

// describe reads and makes the texts of a product.
func (p *product) describe() error {
	for _, text := range []struct{ from, to string }{{readme, readme}, {license, license}, {notice, noticed}} {
		data, err := os.ReadFile(text.from)
		if err != nil {
			return err
		}
		p.texts = append(p.texts, file{name: text.to, mode: 0o644, data: data})
	}
	modules, goVersion, err := linked(p.program)
	if err != nil {
		return err
	}
	dirs, err := folders(modules)
	if err != nil {
		return err
	}
	goRoot, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	text, err := licenses(modules, dirs, goRoot, goVersion)
	if err != nil {
		return err
	}
	p.texts = append(p.texts, file{name: modulesLicenses, mode: 0o644, data: text})
	names, err := filepath.Glob("model/*.tbm")
	if err != nil {
		return err
	}
	var models []file
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if len(data) > 0 && bytes.Contains(p.program, data) { // a build tag may leave it out
			models = append(models, file{name: filepath.Base(name), data: data})
		}
	}
	list, err := materials(p.program, modules, goVersion, models, p.from)
	p.bom = file{name: billOfMaterials, mode: 0o644, data: list}
	return err
}

// compile builds the program for a target and returns its bytes.
func compile(dir, system, arch, tags string, from *commit) ([]byte, error) {
	path := filepath.Join(dir, "treebeam-"+system+"-"+arch+".tmp")
	defer os.Remove(path)
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "disable_grpc_modules,"+tags,
		"-ldflags", "-s -w -buildid= -X github.com/treebeam/treebeam/pipeline.release="+from.version, "-o", path, "./cmd/treebeam")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// archive writes the program with its texts as an archive and returns the
// file's name.
func (p *product) archive(w *bytes.Buffer) (string, error) {
	name := fmt.Sprintf("treebeam-%s-%s-%s", p.from.version, p.system, p.arch)
	pack, ending, executable := tarball, ".tar.gz", "treebeam"
	if p.system == "windows" {
		pack, ending, executable = zipped, ".zip", "treebeam.exe"
	}
	list := []file{{name: name + "/" + executable, mode: 0o755, data: p.program}}
	for _, t := range append(slices.Clone(p.texts), p.bom) {
		list = append(list, file{name: name + "/" + t.name, mode: t.mode, data: t.data})
	}
	return name + ending, pack(w, list, p.from.when)
}

// wheel writes the program as a Python wheel and returns the file's name.
func (p *product) wheel(w *bytes.Buffer) (string, error) {
	it := python.Wheel{System: p.system, Arch: p.arch, Version: p.from.version, Commits: p.from.commits, Program: p.program,
		Materials: python.File{Name: p.bom.name, Data: p.bom.data}, Time: p.from.when}
	for _, t := range p.texts {
		if t.name == readme {
			it.Readme = t.data
		} else {
			it.Licenses = append(it.Licenses, python.File{Name: t.name, Data: t.data})
		}
	}
	return it.Write(w)
}

// A commit is what git knows of the working copy.
type commit struct {
	version string // git describe
	commits int    // in its history
	when    time.Time
}

func checkedOut() (*commit, error) {
	var c commit
	var err error
	if c.version, err = output("git", "describe", "--tags", "--always", "--dirty"); err != nil {
		return nil, err
	}
	for _, number := range []struct {
		args []string
		set  func(int64)
	}{
		{[]string{"rev-list", "--count", "HEAD"}, func(n int64) { c.commits = int(n) }},
		{[]string{"log", "-1", "--format=%ct"}, func(n int64) { c.when = time.Unix(n, 0).UTC() }},
	} {
		s, err := output("git", number.args...)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", strings.Join(number.args, " "), err)
		}
		number.set(n)
	}
	return &c, nil
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w; run from the root of a git working copy", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
