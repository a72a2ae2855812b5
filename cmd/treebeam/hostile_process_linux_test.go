package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

func init() {
	dropRights = func() error {
		if os.Getuid() != 0 {
			return nil
		}
		return errors.Join(syscall.Setgid(65534), syscall.Setuid(65534))
	}
}

// A process is treebeam parse with the toy model in a process of its own, for
// what happens to processes. IN, OUT and DIR stand for folders.
type process struct {
	shell  string // run before it by sh, such as a limit
	env    []string
	user   bool // without the rights of root
	args   []string
	setup  func(t *testing.T, dir string)
	start  func(t *testing.T, p *os.Process) // called once it has begun
	stdout func(t *testing.T, c *exec.Cmd)   // where standard output goes, if not to us
	stdin  io.Reader
	want   int
	last   string // in standard error
	silent bool   // nothing is there
	// cured says that the same command without what is above succeeds.
	cured bool
}

// bySignal is the exit code of a process that a signal has ended.
const bySignal = -1

func (c *process) run(t *testing.T) {
	dir := memoryFolder(t)
	for _, sub := range []string{"in", "tmp"} {
		must(t, os.Mkdir(filepath.Join(dir, sub), 0o777), os.Chmod(filepath.Join(dir, sub), 0o777))
	}
	must(t, os.Chmod(dir, 0o777), os.WriteFile(filepath.Join(dir, "in", "a.txt"), []byte(strings.Repeat(fine+"\n", 3000)), 0o644))
	if c.setup != nil {
		c.setup(t, dir)
	}
	before := snapshot(t, filepath.Join(dir, "tmp"), "")
	cmd := c.command(dir, c.shell)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, &stdout, &stderr
	cmd.Env = append([]string{asProgram + "=1", "TMPDIR=" + filepath.Join(dir, "tmp")}, c.env...)
	if c.user {
		cmd.Env = append(cmd.Env, asNobody+"=1")
	}
	if c.stdout != nil {
		c.stdout(t, cmd)
	}
	must(t, cmd.Start())
	if c.start != nil {
		c.start(t, cmd.Process)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != c.want {
		t.Errorf("%v, want status %d\n%.3000s", cmd.ProcessState, c.want, &stderr)
	}
	if !strings.Contains(stderr.String(), c.last) {
		t.Errorf("no %q in %q", c.last, &stderr)
	}
	if c.silent && stderr.Len() > 0 {
		t.Errorf("not without a word: %q", &stderr)
	}
	checkSpoken(t, stderr.String())
	checkSpoken(t, stdout.String())
	same(t, "the folder for temporary files", before, snapshot(t, filepath.Join(dir, "tmp"), ""))
	if left, err := os.ReadDir(filepath.Join(dir, "out", output.OwnDir, "tmp")); err == nil && len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	if c.want == exitFailed {
		if _, err := os.Stat(filepath.Join(dir, "out", output.ManifestFile)); err == nil {
			t.Error("a failed run has left a manifest")
		}
	}
	if c.cured {
		again := c.command(dir, "")
		again.Env = []string{asProgram + "=1", "TMPDIR=" + filepath.Join(dir, "tmp")}
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("the same command again: %v\n%.3000s", err, out)
		}
		same(t, "the folder for temporary files", before, snapshot(t, filepath.Join(dir, "tmp"), ""))
	}
}

func (c *process) command(dir, shell string) *exec.Cmd {
	args := []string{os.Args[0], "parse", "--quiet", "--model", transformstest.ModelURI}
	for _, a := range c.args {
		args = append(args, strings.NewReplacer("IN", filepath.Join(dir, "in"), "OUT", filepath.Join(dir, "out"), "DIR", dir).Replace(a))
	}
	if shell != "" {
		args = append([]string{"sh", "-c", shell + `; exec "$0" "$@"`}, args...)
	}
	return exec.Command(args[0], args[1:]...)
}

// What may befall a process, or be missing around it.
func TestHostileProcess(t *testing.T) {
	toFolder := []string{"IN", "--output", "OUT"}
	toConll := []string{"IN", "--to", "conllu"}
	endless, never, err := os.Pipe()
	must(t, err)
	defer endless.Close()
	defer never.Close()
	interrupt := func(s os.Signal) func(*testing.T, *os.Process) {
		return func(t *testing.T, p *os.Process) {
			if _, err := never.WriteString("One two .\n"); err != nil {
				t.Fatal(err)
			}
			for { // until it reads its standard input
				n, err := unix.IoctlGetInt(int(endless.Fd()), unix.TIOCINQ)
				must(t, err)
				if n == 0 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			must(t, p.Signal(s))
		}
	}
	pipe := ""
	for name, c := range map[string]process{
		"a file that cannot grow":         {shell: "ulimit -f 8", args: toFolder, want: exitFailed, last: "too large", cured: true},
		"a full disk":                     {args: toConll, stdout: device1("/dev/full"), want: exitFailed, last: "no space left"},
		"an output file on a full disk":   {args: append(toConll, "--output", "/dev/full"), want: exitFailed, last: "no space left"},
		"an output file that is a device": {args: append(toConll, "--output", "/dev/null"), want: exitOK},
		"standard output is closed":       {shell: "exec >&-", args: toFolder, want: exitOK},
		"standard input is closed":        {shell: "exec <&-", args: []string{"-", "--to", "conllu"}, want: exitOK},
		"all streams are closed":          {shell: "exec <&- >&- 2>&-", args: toFolder, want: exitOK},
		"few open files":                  {shell: "ulimit -n 40", args: toFolder, setup: manyFiles, want: exitOK},
		"too few open files":              {shell: "ulimit -n 18", args: toFolder, want: exitRefused, last: "ulimit -n", cured: true},
		"the reader goes away":            {args: toConll, stdout: closedPipe, want: bySignal, silent: true},
		"the reader of a pipe goes away": {args: append(toConll, "--output", "DIR/pipe"), want: exitClosed, silent: true,
			setup: func(t *testing.T, dir string) {
				pipe = filepath.Join(dir, "pipe")
				must(t, syscall.Mkfifo(pipe, 0o666))
			},
			start: func(t *testing.T, _ *os.Process) {
				r, err := os.Open(pipe) // waits for who writes
				must(t, err, r.Close())
			}},
		"no working folder":             {shell: `mkdir "$TMPDIR/gone"; cd "$TMPDIR/gone"; rmdir "$TMPDIR/gone"`, args: toFolder, want: exitOK},
		"none needed":                   {args: toConll, env: []string{"TMPDIR=/nonexistent"}, want: exitOK},
		"a stream is stopped by ctrl-C": {args: []string{"-", "--to", "conllu"}, stdin: endless, start: interrupt(os.Interrupt), want: exitInterrupted},
		"an interrupt of a stream":      {args: []string{"-", "--to", "conllu"}, stdin: endless, start: interrupt(syscall.SIGTERM), want: exitInterrupted},
		"nobody reads the summary":      {args: []string{"IN", "--output", "OUT", "--json"}, stdout: closedPipe, want: exitOK},
		"no environment":                {args: toFolder, env: []string{"PATH=", "HOME="}, want: exitOK},
		"no place for temporary files":  {args: toFolder, env: []string{"TMPDIR=/nonexistent"}, want: exitRefused, last: "TMPDIR", cured: true},
		"a file that may not be read": {user: true, args: toFolder, want: exitOK, last: "permission denied",
			setup: func(t *testing.T, dir string) {
				must(t, os.WriteFile(filepath.Join(dir, "in", "b.txt"), []byte(fine), 0))
			}},
		"a folder that may not be listed": {user: true, args: toFolder, want: exitOK, last: "the folder cannot be listed",
			setup: func(t *testing.T, dir string) {
				must(t, os.MkdirAll(filepath.Join(dir, "in", "b", "c"), 0o755), os.Chmod(filepath.Join(dir, "in", "b"), 0))
			}},
		"an input that may not be listed": {user: true, args: []string{"IN/b", "--output", "OUT"}, want: exitRefused, last: "permission denied",
			setup: func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, "in", "b"), 0)) }},
		"an output that may not be written": {user: true, args: toFolder, want: exitRefused, last: "name another folder",
			setup: func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, "out"), 0o555)) }},
	} {
		t.Run(name, func(t *testing.T) { c.run(t) })
	}
}

// device1 makes a device standard output.
func device1(path string) func(*testing.T, *exec.Cmd) {
	return func(t *testing.T, c *exec.Cmd) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		t.Cleanup(func() { f.Close() })
		c.Stdout = f
	}
}

// closedPipe makes a pipe that nobody reads standard output.
func closedPipe(t *testing.T, c *exec.Cmd) {
	r, w, err := os.Pipe()
	must(t, err, r.Close())
	t.Cleanup(func() { w.Close() })
	c.Stdout = w
}

func manyFiles(t *testing.T, dir string) {
	for i := range 200 {
		must(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%d.txt", i)), []byte(fine), 0o644))
	}
}

// Three runs of one command into one folder at once end as one does; those that
// begin while one is at work are refused.
func TestTwoRunsAtOnce(t *testing.T) {
	dir := memoryFolder(t)
	must(t, os.Mkdir(filepath.Join(dir, "in"), 0o755))
	for i := range 8 {
		must(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%d.txt", i)), []byte(strings.Repeat(fine+"\n", 500*(i+1))), 0o644))
	}
	var running []*exec.Cmd
	for range 3 {
		c := process{args: []string{"IN", "--output", "OUT", "--range-bytes", "20000"}}
		cmd := c.command(dir, "")
		cmd.Env = append(os.Environ(), asProgram+"=1")
		cmd.Stderr = new(bytes.Buffer)
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	ended := 0
	for _, cmd := range running {
		switch err := cmd.Wait(); {
		case err == nil:
			ended++
		case cmd.ProcessState.ExitCode() != exitRefused || !strings.Contains(cmd.Stderr.(*bytes.Buffer).String(), "another run of treebeam is writing to"):
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	if ended == 0 {
		t.Fatal("none has ended")
	}
	want := filepath.Join(dir, "alone")
	ends(t, exitOK, "", toyCommand(filepath.Join(dir, "in"), "--output", want, "--range-bytes", "20000")...)
	same(t, "three at once", contents(t, want), contents(t, filepath.Join(dir, "out")))
}
