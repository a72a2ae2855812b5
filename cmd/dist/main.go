// Command dist builds what is given to users (make dist): for every target a
// static, stripped program in an archive with README, LICENSE and the notice of
// the built-in model, and SHA256SUMS of the archives. The same commit and Go
// version give the same bytes.
//
//	go run ./cmd/dist [-dir dist] [OS/ARCH...]
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
	"slices"
	"strconv"
	"strings"
	"time"
)

var targets = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// texts go into every archive, under these names.
var texts = []string{"README.md", "LICENSE", "model/NOTICE.md"}

func main() {
	dir := flag.String("dir", "dist", "`FOLDER` for the archives")
	flag.Parse()
	if err := build(*dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func build(dir string, chosen []string) error {
	if len(chosen) == 0 {
		chosen = targets
	}
	for _, t := range chosen {
		if !slices.Contains(targets, t) {
			return fmt.Errorf("no target %s; there are: %s", t, strings.Join(targets, " "))
		}
	}
	version, err := output("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return err
	}
	seconds, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the last commit: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range chosen {
		system, arch, _ := strings.Cut(t, "/")
		begun := time.Now()
		name := fmt.Sprintf("treebeam-%s-%s-%s", version, system, arch)
		data, err := archive(dir, name, version, system, arch, time.Unix(unix, 0).UTC())
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		file := name + ".tar.gz"
		if system == "windows" {
			file = name + ".zip"
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), file)
		fmt.Printf("%s: %.1f MB, %v\n", file, float64(len(data))/1e6, time.Since(begun).Round(time.Second))
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o666)
}

// archive builds the program for a target and returns it, with the texts, as
// the bytes of an archive.
func archive(dir, name, version, system, arch string, when time.Time) ([]byte, error) {
	program := "treebeam"
	if system == "windows" {
		program += ".exe"
	}
	path := filepath.Join(dir, name+".tmp")
	defer os.Remove(path)
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "disable_grpc_modules",
		"-ldflags", "-s -w -buildid= -X main.release="+version, "-o", path, "./cmd/treebeam")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	list := []file{}
	for _, from := range append([]string{path}, texts...) {
		data, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		f := file{name: name + "/" + filepath.Base(from), mode: 0o644, data: data}
		switch {
		case from == path:
			f.name, f.mode = name+"/"+program, 0o755
		case strings.HasPrefix(from, "model/"):
			f.name = name + "/MODEL-NOTICE.md"
		}
		list = append(list, f)
	}
	var b bytes.Buffer
	pack := tarball
	if system == "windows" {
		pack = zipped
	}
	err := pack(&b, list, when)
	return b.Bytes(), err
}

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w; run from the root of a git working copy", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
