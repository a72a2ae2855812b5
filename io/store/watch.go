package store

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// ErrStalled says that a connection was there and gave nothing. It is
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
