package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"

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

// onTerminal calls f with a terminal as standard output and returns what f has
// written there.
func onTerminal(t *testing.T, f func()) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	must(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	must(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with EIO when the other end is closed
		written <- string(text)
	}()
	stdout := os.Stdout
	os.Stdout = slave
	f()
	os.Stdout = stdout
	must(t, slave.Close())
	return <-written
}

// The summary of a run is in words, and JSON on standard output only if asked for.
func TestSummaryOnTerminal(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "One two .\n"})
	for _, asked := range []bool{false, true} {
		for _, to := range []string{"--output", "--state"} {
			args := toyCommand(in, to, filepath.Join(t.TempDir(), "out"))
			if asked {
				args = append(args, "--json")
			}
			var said string
			shown := onTerminal(t, func() {
				_, _, said = treebeamTo(t, "", os.Stdout, args...)
			})
			if strings.Contains(shown, `"trees":1`) != asked {
				t.Errorf("%s, --json %v: on the terminal %q", to, asked, shown)
			}
			if !strings.Contains(said, "1 tree, 3 words") {
				t.Errorf("%s: in words: %q", to, said)
			}
		}
	}
}

// A controller is an engine that has no work for its workers, and soon closes the stream
// to them.
type controller struct {
	fnpb.UnimplementedBeamFnControlServer
	met chan bool
}

func (c *controller) Control(fnpb.BeamFnControl_ControlServer) error {
	c.met <- true
	return nil
}

// A worker ends when its starter is killed, as engines do with Beam's boot.
func TestWorkerEndsWithStarter(t *testing.T) {
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	c := &controller{met: make(chan bool, 1)}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnControlServer(server, c)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	at := listener.Addr().String()
	starter := exec.Command("sh", "-c", `"$0" "$@" & wait`, os.Args[0], "--worker=true", "--id=1", "--logging_endpoint="+at, "--control_endpoint="+at)
	starter.Env = append(os.Environ(), asProgram+"=1")
	ends, into, err := os.Pipe() // ends when nobody has its other side
	must(t, err)
	starter.Stdout = into
	must(t, starter.Start())
	into.Close()
	gone := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, ends)
		gone <- err
	}()
	select {
	case <-c.met:
	case <-time.After(time.Minute):
		t.Fatal("the worker does not ask for work")
	}
	select {
	case <-gone:
		t.Fatal("the worker has ended before its starter")
	case <-time.After(2 * time.Second):
	}
	must(t, starter.Process.Kill())
	starter.Wait()
	select {
	case err := <-gone:
		must(t, err)
	case <-time.After(time.Minute):
		t.Error("the worker goes on without its starter")
	}
}

// Whatever a command prints on a disk that is full: status 1 and the reason.
func TestFullStandardOutput(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "Some words here .\n", "b.pdf": "%PDF-1.4\n"})
	tmp := t.TempDir()
	out, state := filepath.Join(tmp, "out"), filepath.Join(tmp, "state")
	for _, args := range [][]string{
		toyCommand(in, "--output", out, "--quiet", "--json"),
		toyCommand(in, "--output", out, "--quiet", "--json"), // there is nothing to do
		toyCommand(in, "--output", filepath.Join(tmp, "x.conllu"), "--json"),
		toyCommand(in, "--output", filepath.Join(tmp, "limited"), "--max-failures", "0", "--json"),
		toyCommand("--input", in, "--state", state, "--plan-only"),
		toyCommand("--input", in, "--state", state, "--json"),
		toyCommand("--input", in, "--state", state, "--quiet", "--json"),
		toyCommand(in),
		toyCommand(in, "--to", "tree"),
		{"help"}, {"help", "parse"}, {"help", "beam"}, {"parse", "--help"}, {"version"}, {"--version"},
		{"model", "info"}, {"model", "info", "--json"},
		{"completion", "bash"}, {"__complete", "pa"},
		{"convert", out}, {"show", out}, {"failures", out}, {"diff", out, out}, {"sample", out, "--random", "1"},
		{"report", out, "--output", "-"},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		must(t, err)
		status, _, stderr := treebeamTo(t, "", full, args...)
		full.Close()
		if status != exitFailed || strings.Count(stderr, "no space left on device") != 1 {
			t.Errorf("%q: status %d\n%s", args, status, stderr)
		}
		ends(t, exitOK, "", "version")
	}
}

// All that commands print goes through stdout.
func TestOneStandardOutput(t *testing.T) {
	names, err := filepath.Glob("*.go")
	must(t, err)
	allowed := regexp.MustCompile(`os\.Stdout\.Fd\(\)|showsColors\(os\.Stdout\)`)
	for _, name := range names {
		if name == "output.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		must(t, err)
		if rest := allowed.ReplaceAllString(string(text), ""); regexp.MustCompile(`os\.Stdout|fmt\.Print`).MatchString(rest) {
			t.Errorf("%s writes to os.Stdout, and not to stdout", name)
		}
	}
}
