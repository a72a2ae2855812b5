// Command dist builds what is given to users (make dist): for every target a
// static, stripped program in an archive with README, LICENSE and the notice of
// the built-in model, a Python wheel with the same, and SHA256SUMS of all. The
// same commit and Go version give the same bytes.
//
//	go run ./cmd/dist [-dir dist] [-only archive|wheel] [OS/ARCH | host...]
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
)

// kinds are what is made of a program, the values of -only.
var kinds = []string{"archive", "wheel"}

func main() {
	dir := flag.String("dir", "dist", "`FOLDER` for what is built")
	only := flag.String("only", "", "make nothing but an archive or a wheel of each program, as `KIND` says, and no SHA256SUMS")
	flag.Parse()
	if err := build(*dir, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func build(dir, only string, chosen []string) error {
	made := kinds
	if only != "" {
		if made = []string{only}; !slices.Contains(kinds, only) {
			return fmt.Errorf("-only %s: must be %s", only, strings.Join(kinds, " or "))
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
		if err := target(dir, t, made, from, &sums); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if only != "" {
		return nil
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// target builds the program for a target, makes of it what is to be made, and
// adds to sums.
func target(dir, t string, made []string, from *commit, sums *strings.Builder) error {
	system, arch, _ := strings.Cut(t, "/")
	begun := time.Now()
	program, err := compile(dir, system, arch, from)
	if err != nil {
		return err
	}
	for _, kind := range made {
		pack := archive
		if kind == "wheel" {
			pack = wheel
		}
		var b bytes.Buffer
		name, err := pack(&b, program, system, arch, from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(b.Bytes()), name)
		fmt.Printf("%s: %.1f MB, %v\n", name, float64(b.Len())/1e6, time.Since(begun).Round(time.Second))
	}
	return nil
}

// compile builds the program for a target and returns its bytes.
func compile(dir, system, arch string, from *commit) ([]byte, error) {
	path := filepath.Join(dir, "treebeam-"+system+"-"+arch+".tmp")
	defer os.Remove(path)
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "disable_grpc_modules",
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
func archive(w *bytes.Buffer, program []byte, system, arch string, from *commit) (string, error) {
	name := fmt.Sprintf("treebeam-%s-%s-%s", from.version, system, arch)
	pack, ending, executable := tarball, ".tar.gz", "treebeam"
	if system == "windows" {
		pack, ending, executable = zipped, ".zip", "treebeam.exe"
	}
	list := []file{{name: name + "/" + executable, mode: 0o755, data: program}}
	for _, text := range []struct{ from, to string }{{readme, readme}, {license, license}, {notice, noticed}} {
		data, err := os.ReadFile(text.from)
		if err != nil {
			return "", err
		}
		list = append(list, file{name: name + "/" + text.to, mode: 0o644, data: data})
	}
	return name + ending, pack(w, list, from.when)
}

// wheel writes the program as a Python wheel and returns the file's name.
func wheel(w *bytes.Buffer, program []byte, system, arch string, from *commit) (string, error) {
	about, err := os.ReadFile(readme)
	if err != nil {
		return "", err
	}
	it := python.Wheel{System: system, Arch: arch, Version: from.version, Commits: from.commits, Program: program, Readme: about, Time: from.when}
	for _, text := range []struct{ from, to string }{{license, license}, {notice, noticed}} {
		data, err := os.ReadFile(text.from)
		if err != nil {
			return "", err
		}
		it.Licenses = append(it.Licenses, python.File{Name: text.to, Data: data})
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
