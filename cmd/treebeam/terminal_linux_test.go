package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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

// The summary of a run is JSON for programs. On a terminal it is in words, and JSON
// only if asked for.
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
