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
	ends(t, exitOK, "", "parse", "--quiet", "--model", transformstest.ModelURI, "--input", in, "--state", state)
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
			ends(t, exitFailed, filepath.Base(names[0]), "convert", filepath.Join(dir, folder))
		})
		if folder == "out" && strings.Contains(file, "part-0") {
			withinSeconds(t, names[0], func() { // and another parse mends it
				ends(t, exitOK, "", partsCommand(in, filepath.Join(dir, "out"))...)
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
			ends(t, exitRefused, "a pipe or a device", args...)
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
