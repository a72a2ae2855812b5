package main

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// atEngine is parse in a process of its own, whose job goes to the test's
// engine and workers.
func atEngine(t *testing.T, out string, args ...string) *exec.Cmd {
	in := writeFiles(t, map[string]string{"a.txt": strings.Repeat(fine+"\n", 30)})
	args = append([]string{"parse", "--quiet", "--model", transformstest.ModelURI, in, "--output", out, "--range-bytes", "300",
		"--runner=universal", "--endpoint=" + *jobopts.Endpoint, "--environment_type=" + transformstest.Environment,
		"--environment_config=" + *jobopts.EnvironmentConfig, "--worker_binary=" + *jobopts.WorkerBinary, "--shared-filesystem"}, args...)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// complete waits until an output is.
func complete(t *testing.T, out string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(out, output.ManifestFile)); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the job does not end")
		}
	}
}

// A job that is not waited for is named and ends by itself.
func TestAsyncCommand(t *testing.T) {
	transformstest.Register()
	transformstest.Engine(t)
	out := filepath.Join(t.TempDir(), "out")
	cmd := atEngine(t, out, "--async")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stdout.Len() > 0 {
		t.Fatalf("%v, output %q\n%.3000s", err, &stdout, &stderr)
	}
	for _, want := range []string{"job job-001 (treebeam-", " on universal at " + *jobopts.Endpoint + "\n",
		"job job-001 is submitted; manifest.json in " + out + " will mark its end\n"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %q", want, &stderr)
		}
	}
	complete(t, out)
}

// Ctrl-C ends the command and not the job: it says so, and how to end that.
func TestInterruptOfJob(t *testing.T) {
	toy := transformstest.Register()
	engine := transformstest.Engine(t)
	release := make(chan bool)
	toy.SetHook(func(*syntax.Sentence) { <-release })
	defer transformstest.Register()
	var once sync.Once
	defer once.Do(func() { close(release) })
	out := filepath.Join(t.TempDir(), "out")
	cmd := atEngine(t, out)
	pipe, err := cmd.StderrPipe()
	must(t, err, cmd.Start())
	lines := bufio.NewScanner(pipe)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "job job-001 (treebeam-") {
		t.Errorf("said %q", lines.Text())
	}
	must(t, cmd.Process.Signal(os.Interrupt))
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"interrupted, but job job-001 on universal at ", " is still running", "To end it: ", "called treebeam-", "the same command"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	checkSpoken(t, text)
	if state := transformstest.State(t, engine, "job-001"); state != jobpb.JobState_RUNNING {
		t.Errorf("the job is %v", state)
	}
	once.Do(func() { close(release) })
	complete(t, out)
}

// A job that somebody cancels is a failed run, which says what happened.
func TestCancelledCommand(t *testing.T) {
	toy := transformstest.Register()
	engine := transformstest.Engine(t)
	reached, release := make(chan bool), make(chan bool)
	var once sync.Once
	toy.SetHook(func(*syntax.Sentence) {
		once.Do(func() { close(reached) })
		<-release
	})
	defer transformstest.Register()
	go func() {
		<-reached
		engine.Cancel(context.Background(), &jobpb.CancelJobRequest{JobId: "job-001"})
		time.AfterFunc(100*time.Millisecond, func() { close(release) })
	}()
	dir, err := os.MkdirTemp("", "cancelled")
	must(t, err)
	t.Cleanup(func() { // the workers, which are in this process, may still write a last file
		for range 100 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	cmd := atEngine(t, filepath.Join(dir, "out"))
	text, _ := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != exitFailed ||
		!strings.Contains(string(text), "job job-001 was cancelled\nrun the same command again to continue this run\n") {
		t.Errorf("status %d\n%s", status, text)
	}
}

// A pool takes the models that a run takes, here that of many languages: only the port is refused.
func TestPoolOfWorld(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	must(t, err)
	ends(t, exitRefused, "--port "+port, "worker-pool", "--port", port, "--model", "world")
}
