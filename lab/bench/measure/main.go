//go:build unix

// Package measure runs another command and says what it took: one line
//
//	seconds peak_kilobytes exit_status
//
// of wall-clock time and of the largest resident memory of the command and
// its children, written to the file named first. The command's own output
// passes through.
//
//	measure REPORT COMMAND ARG...
package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/treebeam/treebeam/lab/bench/process"
)

// Main runs the command and ends the process with its status.
func Main() error {
	if len(os.Args) < 3 {
		return errors.New("want REPORT COMMAND ARG...")
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	used, err := process.Run(cmd)
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	status := cmd.ProcessState.ExitCode()
	if err := os.WriteFile(os.Args[1], fmt.Appendf(nil, "%.2f %d %d\n", used.Seconds, used.Peak, status), 0o644); err != nil {
		return err
	}
	os.Exit(status)
	return nil
}
