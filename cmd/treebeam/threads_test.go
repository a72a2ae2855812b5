package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/transforms"
)

// --threads bounds the process, and changes no byte.
func TestThreads(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer func() {
		runtime.GOMAXPROCS(before)
		transforms.SetCores(before)
	}()
	in := writeFiles(t, map[string]string{"x.txt": strings.Repeat("One two three .\n\nFour five .\n\n", 200)})
	var first string
	for i, flag := range []string{"--threads=1", "-j3"} {
		status, stdout, stderr := treebeam(t, "", toyCommand("-q", in, "--to", "conllu", flag)...)
		if status != exitOK || stdout == "" {
			t.Fatalf("%s: status %d, %s", flag, status, stderr)
		}
		if first == "" {
			first = stdout
		}
		if stdout != first {
			t.Errorf("%s changes the trees", flag)
		}
		if n, want := runtime.GOMAXPROCS(0), []int{1, 3, 2}[i]; n != want {
			t.Errorf("%s: %d threads", flag, n)
		}
	}
	for _, args := range [][]string{
		toyCommand(in, "--output", filepath.Join(t.TempDir(), "out"), "--threads", "-1"),
		{"eval", "--gold", toyDev, "--system", toyDev, "-j", "5000"},
		{"train", "--train", toyTrain, "--dev", toyDev, "--check", "--threads=-2"},
		{"calibrate", "--model", "m.tbm", "--dev", toyDev, "--threads=-2"},
		{"worker-pool", "--threads=-2"},
	} {
		ends(t, exitRefused, "must be from 1 to 1024", args...)
	}
}
