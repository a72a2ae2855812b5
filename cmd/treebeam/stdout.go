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

// outcome is err, the error of a command. If the command ended without an error, or
// with too many failures, it is the error of standard output, because then the printed
// text is lost. A reader that goes away before the summary does not make the run fail.
func (s *standardOutput) outcome(err error) error {
	lost := s.lost()
	if lost == nil || errors.Is(lost, syscall.EPIPE) || err != nil && !errors.Is(err, exitCode(exitFailures)) {
		return err
	}
	return lost
}
