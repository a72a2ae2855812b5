package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// A Retry says how often a transient fault is tried again and how long to wait
// before that. Values may be shared.
type Retry struct {
	Attempts int           // in a row, without a byte of progress between them; at least 1
	First    time.Duration // before the second attempt; every later pause is twice the one before
	Longest  time.Duration
	// Sleep waits, or returns the context's error; nil is a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

// DefaultRetry gives up after about 12 seconds without a byte.
var DefaultRetry = Retry{Attempts: 8, First: 100 * time.Millisecond, Longest: 10 * time.Second}

// IsTransient reports whether it may help to do again what gave err: it is not
// what the store says of the file itself, nor the end of the context.
func IsTransient(err error) bool {
	for _, final := range []error{fs.ErrNotExist, fs.ErrPermission, ErrVersion, ErrCondition, errFinal, context.Canceled} {
		if errors.Is(err, final) {
			return false
		}
	}
	return err != nil
}

// errFinal marks errors that no repetition helps against.
var errFinal = errors.New("")

// Final is err marked as not transient.
func Final(err error) error { return &finalError{err} }

type finalError struct{ error }

func (e *finalError) Unwrap() []error { return []error{e.error, errFinal} }

// pause waits before attempt n, which is at least 1.
func (r *Retry) pause(ctx context.Context, n int) error {
	d := r.Longest
	if n < 30 {
		d = min(r.First<<(n-1), r.Longest)
	}
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Do calls f until it gives nil or an error that is not transient, at most
// Attempts times.
func (r Retry) Do(ctx context.Context, f func() error) error {
	for n := 1; ; n++ {
		err := f()
		if err == nil || !IsTransient(err) {
			return err
		}
		if n >= r.Attempts {
			return fmt.Errorf("%w (tried %d times)", err, n)
		}
		if err := r.pause(ctx, n); err != nil {
			return err
		}
	}
}

// Reader returns a reader of the bytes [off, end) of a file, which open gives
// from an offset on. A reader that fails with a transient fault or ends too
// early is opened again where it stopped.
func (r Retry) Reader(ctx context.Context, open func(off int64) (io.ReadCloser, error), off, end int64) (io.ReadCloser, error) {
	rd := &retryReader{ctx: ctx, retry: r, open: open, off: off, end: end}
	if off < end {
		if err := rd.reopen(nil); err != nil {
			return nil, err
		}
	}
	return rd, nil
}

type retryReader struct {
	ctx      context.Context
	retry    Retry
	open     func(off int64) (io.ReadCloser, error)
	off, end int64
	in       io.ReadCloser // nil after a fault
	failed   int           // attempts without progress
}

// reopen opens the file at the offset reached, after a fault if that is not
// nil.
func (r *retryReader) reopen(fault error) error {
	for {
		if fault != nil {
			if !IsTransient(fault) {
				return fault
			}
			if r.failed++; r.failed >= r.retry.Attempts {
				return fmt.Errorf("%w (at byte %d, tried %d times)", fault, r.off, r.failed)
			}
			if err := r.retry.pause(r.ctx, r.failed); err != nil {
				return err
			}
		}
		if r.in, fault = r.open(r.off); fault == nil {
			return nil
		}
		r.in = nil
	}
}

func (r *retryReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for r.off < r.end {
		if r.in == nil {
			return 0, errors.New("read after an error")
		}
		n, err := r.in.Read(b[:min(int64(len(b)), r.end-r.off)])
		if n > 0 {
			r.off += int64(n)
			r.failed = 0
		}
		if err == io.EOF && r.off < r.end {
			err = fmt.Errorf("%w: %d bytes are missing", io.ErrUnexpectedEOF, r.end-r.off)
		}
		if err != nil && err != io.EOF {
			r.in.Close()
			r.in = nil
			if err := r.reopen(err); err != nil {
				return n, err
			}
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

func (r *retryReader) Close() error {
	if r.in == nil {
		return nil
	}
	in := r.in
	r.in = nil
	return in.Close()
}
