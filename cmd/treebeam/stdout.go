package main

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// stdout is standard output. All that commands write there goes through it, and
// report asks at the end whether all was written: a command need not look at each
// line that it prints.
var stdout = new(standardOutput)

type standardOutput struct {
	sync.Mutex
	err error // the first
}

func (s *standardOutput) Write(text []byte) (int, error) {
	n, err := os.Stdout.Write(text)
	if err != nil {
		s.Lock()
		defer s.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

// lost is the first error of all writes, which it forgets.
func (s *standardOutput) lost() error {
	s.Lock()
	defer s.Unlock()
	err := s.err
	s.err = nil
	return err
}

// outcome is err, the error of a command, or that of standard output if the command
// came to its end without one, or with too many failures: what it has printed is lost.
// If a reader went away before the summary, the run was none the worse.
func (s *standardOutput) outcome(err error) error {
	lost := s.lost()
	if lost == nil || errors.Is(lost, syscall.EPIPE) || err != nil && !errors.Is(err, exitCode(exitFailures)) {
		return err
	}
	return lost
}
