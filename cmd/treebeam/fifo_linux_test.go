package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A named pipe in the place of a file is an error: nobody waits for somebody
// to write to it.
func TestPipesInPlaceOfFiles(t *testing.T) {
	in, whole := severalParts(t)
	state := filepath.Join(t.TempDir(), "state")
	if status, _, stderr := treebeam(t, "", "parse", "--quiet", "--model", transformstest.ModelURI, "--input", in, "--state", state); status != exitOK {
		t.Fatal(stderr)
	}
	for _, file := range []string{
		"out/trees/part-00002-*", "out/failures/part-00000-*", "out/documents/part-*",
		"out/summary.json", "out/manifest.json",
		"state/CURRENT", "state/snapshots/*", "state/data/*/trees/part-00000-*",
	} {
		dir := t.TempDir()
		must(t, os.CopyFS(filepath.Join(dir, "out"), os.DirFS(whole)), os.CopyFS(filepath.Join(dir, "state"), os.DirFS(state)))
		names, err := filepath.Glob(filepath.Join(dir, file))
		if err != nil || len(names) == 0 {
			t.Fatal(file, err)
		}
		must(t, os.Remove(names[0]), syscall.Mkfifo(names[0], 0o644))
		folder, _, _ := strings.Cut(file, "/")
		withinSeconds(t, names[0], func() {
			status, _, stderr := treebeam(t, "", "convert", filepath.Join(dir, folder))
			if status != exitFailed || !strings.Contains(stderr, filepath.Base(names[0])) {
				t.Errorf("%s: status %d %s", file, status, stderr)
			}
		})
		if folder == "out" && strings.Contains(file, "part-0") {
			withinSeconds(t, names[0], func() { // and another parse mends it
				if status, _, stderr := treebeam(t, "", partsCommand(in, filepath.Join(dir, "out"))...); status != exitOK {
					t.Errorf("parse with a pipe as %s: status %d %s", file, status, stderr)
				}
				same(t, file, contents(t, whole), contents(t, filepath.Join(dir, "out")))
			})
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o644))
	for _, args := range [][]string{
		{"parse", in, "--to", "conllu", "--model", pipe}, {"model", "info", pipe}, {"eval", "--gold", toyDev, "--model", pipe},
		toyCommand(in, "--to", "conllu", "--exceptions", pipe),
	} {
		withinSeconds(t, pipe, func() {
			if status, _, stderr := treebeam(t, "", args...); status != exitRefused || !strings.Contains(stderr, "a pipe or a device") {
				t.Errorf("%v: status %d %s", args, status, stderr)
			}
		})
	}
}

// withinSeconds fails the test, and ends the waiting, if f waits for the pipe.
func withinSeconds(t *testing.T, pipe string, f func()) {
	t.Helper()
	waited := time.AfterFunc(30*time.Second, func() {
		t.Errorf("it waits for %s", pipe)
		for range 10 { // it may be opened more than once
			if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				w.Close()
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	f()
	waited.Stop()
}
