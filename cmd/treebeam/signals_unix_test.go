//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// signalRounds of TestSignals: -signals 400 for a longer search.
var signalRounds = flag.Int("signals", 40, "how many processes TestSignals sends a signal to")

// Whenever a signal comes, from the first moment on and while Beam's worker
// starts, the process ends with status 130, without a stack trace, and leaves
// nothing half-written; the same command continues.
func TestSignals(t *testing.T) {
	dir := memoryFolder(t)
	must(t, os.MkdirAll(filepath.Join(dir, "in"), 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o755))
	for i := range 8 {
		must(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%d.txt", i)), []byte(strings.Repeat(fine+"\n", 100*(i+1))), 0o644))
	}
	parse := func(out string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command(os.Args[0], "parse", "--quiet", "--model", transformstest.ModelURI, "--range-bytes", "2000",
			filepath.Join(dir, "in"), "--output", filepath.Join(dir, "outs", out))
		cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+filepath.Join(dir, "tmp"))
		stderr := new(bytes.Buffer)
		cmd.Stderr = stderr
		return cmd, stderr
	}
	begin := time.Now()
	cmd, stderr := parse("whole")
	if err := cmd.Run(); err != nil {
		t.Fatal(err, stderr)
	}
	took := time.Since(begin)
	want := contents(t, filepath.Join(dir, "outs", "whole"))
	count := map[string]int{}
	for i := range *signalRounds {
		sig := []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}[i%3]
		name := fmt.Sprint(i)
		out := filepath.Join(dir, "outs", name)
		cmd, stderr := parse(name)
		must(t, cmd.Start())
		time.Sleep(took * time.Duration(i) / time.Duration(*signalRounds))
		cmd.Process.Signal(sig) // it may have ended
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		_, noOutput := os.Stat(out)
		_, noManifest := os.Stat(filepath.Join(out, output.ManifestFile))
		switch status := cmd.ProcessState.Sys().(syscall.WaitStatus); {
		case status.ExitStatus() == exitInterrupted:
			count["interrupted"]++
			// One that comes when all is done, as the process ends, has nothing to say.
			if said := stderr.String(); said != continues()+"\n" && (said != "" || noOutput == nil) && noManifest != nil {
				t.Errorf("round %d, %v: %q", i, sig, stderr)
			}
		case status.ExitStatus() == exitOK && noManifest == nil:
			count["done"]++
			took = took * 15 / 16 // a machine that was busy when it was measured
		case status.Signaled() && status.Signal() == sig && noOutput != nil && stderr.Len() == 0:
			count["before main"]++ // the system ends a program that has not asked for its signals yet
		default:
			t.Errorf("round %d, %v: %v\n%.2000s", i, sig, cmd.ProcessState, stderr)
		}
		checkSpoken(t, stderr.String())
		for _, folder := range []string{filepath.Join(dir, "tmp"), filepath.Join(out, output.OwnDir, "tmp")} {
			if left, err := os.ReadDir(folder); err == nil && len(left) > 0 {
				t.Errorf("round %d, %v: left in %s: %v", i, sig, folder, left)
				must(t, os.RemoveAll(filepath.Join(folder, left[0].Name())))
			}
		}
		if i%10 == 9 {
			if cmd, stderr := parse(name); cmd.Run() != nil {
				t.Errorf("round %d: the same command again: %v\n%s", i, cmd.ProcessState, stderr)
			}
			same(t, "an interrupted run that was continued", want, contents(t, out))
		}
		must(t, os.RemoveAll(out))
	}
	if left, err := os.ReadDir(filepath.Join(dir, "outs")); err != nil || len(left) != 1 {
		t.Errorf("left beside the outputs: %v, %v", left, err)
	}
	if count["interrupted"] < *signalRounds/8 {
		t.Errorf("of %d rounds only these were interrupted: %v", *signalRounds, count)
	}
	t.Log(count, took)
}

// A command that a signal ends while it writes one file says that the file is not there.
func TestSignalWithoutFile(t *testing.T) {
	for _, args := range [][]string{
		{"parse", "--quiet", "--model", transformstest.ModelURI, "-"}, {"find", "-", "NOUN"}, {"compare", "-", toyDev},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "new.txt.gz")
		cmd := exec.Command(os.Args[0], append(args, "--output", file)...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		stdin, err := cmd.StdinPipe() // whose end never comes
		must(t, err)
		stderr := new(bytes.Buffer)
		cmd.Stderr = stderr
		must(t, cmd.Start())
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if begun, _ := os.ReadDir(dir); len(begun) > 0 {
				break
			}
		}
		must(t, cmd.Process.Signal(syscall.SIGTERM))
		cmd.Wait()
		stdin.Close()
		left, err := os.ReadDir(dir)
		if want := "interrupted; nothing was written to " + file + "; the same command begins again\n"; err != nil || len(left) > 0 ||
			cmd.ProcessState.ExitCode() != exitInterrupted || stderr.String() != want {
			t.Errorf("%q: %v, %v, %v: %q", args, cmd.ProcessState, err, left, stderr)
		}
	}
}
