//go:build unix

// Package process says what running a program took: wall-clock time, processor
// time and memory, as the operating system counts them.
package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A Usage is what a process and its finished children took.
type Usage struct {
	Seconds float64 // of wall-clock time
	User    float64 // seconds of user time
	System  float64 // seconds of system time
	Peak    int64   // largest resident memory, in kilobytes
}

// CPU returns the seconds of processor time.
func (u Usage) CPU() float64 { return u.User + u.System }

// Run runs cmd to its end. The usage is valid even if the program failed, but
// not if it could not be started. Errors are those of cmd.Run.
func Run(cmd *exec.Cmd) (Usage, error) {
	begun := time.Now()
	err := cmd.Run()
	u := Of(cmd.ProcessState)
	u.Seconds = time.Since(begun).Seconds()
	return u, err
}

// Of returns what a process took, without wall-clock time. The usage is zero if
// state is nil, as it is when the process was never started.
func Of(state *os.ProcessState) Usage {
	if state == nil {
		return Usage{}
	}
	used, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return Usage{}
	}
	return usage(used)
}

// Self returns what this process has taken so far, without wall-clock time.
func Self() Usage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the only cause is a wrong argument
	}
	return usage(&used)
}

func usage(used *syscall.Rusage) Usage {
	u := Usage{
		User:   time.Duration(used.Utime.Nano()).Seconds(),
		System: time.Duration(used.Stime.Nano()).Seconds(),
		Peak:   int64(used.Maxrss), // in kilobytes on Linux
	}
	if runtime.GOOS == "darwin" {
		u.Peak /= 1024
	}
	return u
}
