//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// A signal ends the making of classes at once, without output. The counts stay until
// the classes are there.
func TestClusterInterrupted(t *testing.T) {
	dir := t.TempDir()
	r := hash.Rand(3)
	var text strings.Builder
	for range 20_000 {
		for range 5 {
			fmt.Fprintf(&text, "w%d ", r.Below(5000))
		}
		text.WriteByte('\n')
	}
	corpus, file := filepath.Join(dir, "text.txt"), filepath.Join(dir, "classes.tsv")
	must(t, os.WriteFile(corpus, []byte(text.String()), 0o644))
	for _, c := range []struct {
		flags  string
		counts bool // are kept
	}{{"--method hmm --passes 1000", false}, {"--method type --passes 1000", false}, {"--classes 2000", true}} {
		cmd := exec.Command(os.Args[0], append([]string{"cluster", corpus, "-o", file, "--from", "tokens"}, strings.Fields(c.flags)...)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		stderr, err := cmd.StderrPipe()
		must(t, err, cmd.Start())
		said, sent := "", false
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if said += lines.Text() + "\n"; strings.HasPrefix(lines.Text(), "read ") {
				sent = true
				must(t, cmd.Process.Signal(syscall.SIGINT))
			}
		}
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); !sent || status != exitInterrupted {
			t.Fatalf("%s: status %d\n%s", c.flags, status, said)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: there is a file", c.flags)
		}
		if _, err := os.Stat(file + ".counts"); (err == nil) != c.counts || c.counts && !strings.Contains(said, continues()) {
			t.Errorf("%s: the counts: %v\n%s", c.flags, err, said)
		}
	}
	if status, _, said := treebeam(t, "", "cluster", corpus, "-o", file, "--from", "tokens", "--classes", "5"); status != exitOK {
		t.Errorf("status %d\n%s", status, said)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("%v is left", left)
	}
}

// Where the classes cannot be written, the counts stay. A device has no place for
// them beside it.
func TestClusterKeepsCountsOfWhatIsNotWritten(t *testing.T) {
	const full = "/dev/full"
	if !isDevice(full) {
		t.Skip("there is no full disk here")
	}
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("in.txt", []byte("a b a b\n"), 0o644))
	args := []string{"cluster", "in.txt", "--from", "tokens", "-o", full}
	if status, _, stderr := treebeam(t, "", args...); status != exitRefused || !strings.Contains(stderr, "--work FOLDER") {
		t.Errorf("status %d, %s", status, stderr)
	}
	args = append(args, "--work", "counts")
	if status, _, stderr := treebeam(t, "", args...); status != exitFailed || !strings.Contains(stderr, "run the same command again to continue: the counts are in counts\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if left, err := os.ReadDir("counts/counts"); err != nil || len(left) != 2 {
		t.Error(left, err)
	}
}
