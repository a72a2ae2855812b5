package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// A Retry says how long to repeat what fails temporarily. Pauses are drawn from a range
// that doubles (exponential backoff with full jitter, Brooker 2015), so that many
// workers that were refused together do not return together. Values may be shared.
type Retry struct {
	First   time.Duration // the first pause is at most this
	Longest time.Duration // no range grows beyond this
	// Patience bounds the sum of the pauses in a row, without a byte of progress
	// between them. It includes the time in which requests had no answer (StallTime
	// each).
	Patience time.Duration
	// Sleep waits, or returns the context's error; nil is a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Notify, if set, is called before every pause with the cause and the time waited
	// so far.
	Notify func(err error, waited time.Duration)
}

// DefaultRetry gives up after five minutes without a byte.
var DefaultRetry = Retry{First: 200 * time.Millisecond, Longest: 30 * time.Second, Patience: 5 * time.Minute, Notify: notify}

// shortPatience is for faults that rarely go away: faults of a local disk, and names of
// servers that do not exist.
const shortPatience = 10 * time.Second

// For returns r for the file at uri: a local disk gets less patience.
func (r Retry) For(uri string) Retry {
	if !IsRemote(uri) {
		r.Patience = min(r.Patience, shortPatience)
	}
	return r
}

// after returns the patience for a request that follows a fault of another one. After a
// transient fault, all patience is spent and one try is left.
func after(fault error) Retry {
	if IsTransient(fault) {
		return Retry{}
	}
	return DefaultRetry
}

// silent is how long a wait may last before the user gets a notice.
const silent = 10 * time.Second

var logger = log.New(os.Stderr, "", log.Ltime)

// LogTo makes this package tell users on w, not on standard error, what it waits for.
// It may be called at any time.
func LogTo(w io.Writer) { logger.SetOutput(w) }

// notices limits how often waits are reported on standard error, however many there
// are.
var notices = rate.Sometimes{First: 1, Interval: 30 * time.Second}

func notify(err error, waited time.Duration) {
	if waited >= silent {
		notices.Do(func() {
			logger.Printf("waiting, for %v so far: %v", waited.Round(time.Second), err)
		})
	}
}

// IsTransient reports whether repeating the request that failed with err may help. It
// does not help if err is about the file itself or the context has ended.
func IsTransient(err error) bool {
	for _, final := range []error{fs.ErrNotExist, fs.ErrPermission, ErrCredentials, ErrVersion, ErrCondition, ErrNotRegular, errFinal, context.Canceled} {
		if errors.Is(err, final) {
			return false
		}
	}
	return err != nil
}

// errFinal marks errors that no repetition helps against.
var errFinal = errors.New("")

// Final marks err as not transient.
func Final(err error) error { return &finalError{err} }

type finalError struct{ error }

func (e *finalError) Unwrap() []error { return []error{e.error, errFinal} }

// RetryAfter returns how long the server asks clients to wait, 0 if it does not say
// (RFC 9110, section 10.2.3: seconds, or a date).
func RetryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(time.Duration(seconds)*time.Second, 0)
	}
	if date, err := http.ParseTime(text); err == nil {
		return max(date.Sub(now), 0)
	}
	return 0
}

// attempts counts the attempts in a row without progress.
type attempts struct {
	retry  *Retry
	next   time.Duration // the next pause is at most this
	failed int
	waited time.Duration
}

func (r *Retry) begin() *attempts { return &attempts{retry: r, next: r.First} }

// pause waits after a failed attempt. It returns nil if another attempt should follow,
// otherwise the error to return.
func (a *attempts) pause(ctx context.Context, err error) error {
	if !IsTransient(err) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	a.failed++
	d := 1 + rand.N(max(a.next, 1)) // never 0: patience must end
	a.next = min(2*a.next, a.retry.Longest)
	var fault *Error
	asked := ""
	if errors.As(err, &fault) && fault.After > 0 {
		d += fault.After
		asked = fmt.Sprintf("; the server asks to wait for %v", fault.After)
	}
	if errors.Is(err, ErrStalled) {
		a.waited += StallTime
	}
	patience := a.retry.Patience
	if lookup, ok := errors.AsType[*net.DNSError](err); ok && lookup.IsNotFound {
		patience = min(patience, shortPatience)
	}
	if a.waited+d > patience {
		return fmt.Errorf("%w (tried %d times, waited for %v%s)", err, a.failed, a.waited.Round(time.Second), asked)
	}
	if a.retry.Notify != nil {
		a.retry.Notify(err, a.waited)
	}
	a.waited += d
	return a.retry.sleep(ctx, d)
}

func (r *Retry) sleep(ctx context.Context, d time.Duration) error {
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

// Do calls f until it returns nil or an error that is not transient, or patience ends.
func (r Retry) Do(ctx context.Context, f func() error) error { return r.begin().do(ctx, f) }

func (a *attempts) do(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		if err := a.pause(ctx, err); err != nil {
			return err
		}
	}
}

// Reader returns a reader of the bytes [off, end) of a file, which open opens at an
// offset. If a reader fails with a transient fault or ends too early, it is opened
// again where it stopped.
func (r Retry) Reader(ctx context.Context, open func(off int64) (io.ReadCloser, error), off, end int64) (io.ReadCloser, error) {
	rd := &retryReader{ctx: ctx, retry: r, open: open, off: off, end: end}
	rd.attempts = rd.retry.begin()
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
	attempts *attempts     // since the last byte
}

// reopen opens the file at the offset reached, after a fault if that is not
// nil.
func (r *retryReader) reopen(fault error) error {
	err := r.attempts.do(r.ctx, func() (err error) {
		if err, fault = fault, nil; err == nil {
			r.in, err = r.open(r.off)
		}
		return err
	})
	if err == nil {
		return nil
	}
	r.in = nil
	if IsTransient(err) {
		err = fmt.Errorf("at byte %d: %w", r.off, err)
	}
	return err
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
			if r.attempts.failed > 0 {
				r.attempts = r.retry.begin()
			}
		}
		if err == io.EOF && r.off < r.end {
			err = fmt.Errorf("%w: %d bytes are missing", io.ErrUnexpectedEOF, r.end-r.off)
		}
		if err != nil && err != io.EOF && r.off < r.end { // a fault after the last byte is none
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

// ErrStalled says that an open connection delivered nothing for a long time. It is
// transient.
var ErrStalled = errors.New("no answer for a long time")

// A Watchdog cancels a context when something takes too long.
type Watchdog struct {
	timer  *time.Timer
	after  time.Duration
	cancel context.CancelFunc
	fired  atomic.Bool // set before cancel is called
}

// StallTime is how long a request may go without any progress.
const StallTime = 2 * time.Minute

// Watch begins to wait: unless Done or Reader is called in time, it cancels.
func Watch(cancel context.CancelFunc, after time.Duration) *Watchdog {
	w := &Watchdog{after: after, cancel: cancel}
	w.timer = time.AfterFunc(after, func() {
		w.fired.Store(true)
		cancel()
	})
	return w
}

// Done ends the wait and returns err, or ErrStalled in its place if a wait was too
// long: this wait, or an earlier one whose read succeeded at the moment when the
// context was cancelled.
func (w *Watchdog) Done(err error) error {
	w.timer.Stop()
	if err != nil && w.fired.Load() {
		return ErrStalled // without the cancelled context, which nobody else has cancelled
	}
	return err
}

// Reader returns a reader of r that watches every Read. It passes the errors of r
// through fault, and Close cancels.
func (w *Watchdog) Reader(r io.ReadCloser, fault func(error) error) io.ReadCloser {
	w.timer.Stop()
	return &watchedReader{r, w, fault}
}

type watchedReader struct {
	io.ReadCloser
	dog   *Watchdog
	fault func(error) error
}

func (r *watchedReader) Read(b []byte) (int, error) {
	r.dog.timer.Reset(r.dog.after)
	n, err := r.ReadCloser.Read(b)
	if err == io.EOF {
		r.dog.timer.Stop()
		return n, err
	}
	if err = r.dog.Done(err); err != nil {
		err = r.fault(err)
	}
	return n, err
}

func (r *watchedReader) Close() error {
	defer r.dog.cancel()
	return r.ReadCloser.Close()
}
