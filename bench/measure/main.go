//go:build unix

// Command measure runs another command and says what it took: one line
//
//	seconds peak_kilobytes exit_status
//
// of wall-clock time and of the largest resident memory of the command and
// its children, written to the file named first. The command's own output
// passes through.
//
//	measure REPORT COMMAND ARG...
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: measure REPORT COMMAND ARG...")
		os.Exit(64)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	begun := time.Now()
	err := cmd.Run()
	seconds := time.Since(begun).Seconds()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(64)
	}
	peak := int64(0)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = int64(usage.Maxrss) // kilobytes on Linux
		if runtime.GOOS == "darwin" {
			peak /= 1024
		}
	}
	line := fmt.Sprintf("%.2f %d %d\n", seconds, peak, cmd.ProcessState.ExitCode())
	if err := os.WriteFile(os.Args[1], []byte(line), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
