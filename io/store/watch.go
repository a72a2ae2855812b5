package store

import (
	"context"
	"errors"
	"io"
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
}

// StallTime is how long a request may go without any progress.
const StallTime = 2 * time.Minute

// Watch begins to wait: unless Done or Reader is called in time, it cancels.
func Watch(cancel context.CancelFunc, after time.Duration) *Watchdog {
	return &Watchdog{time.AfterFunc(after, cancel), after, cancel}
}

// Done ends the wait and returns err, or ErrStalled in its place if the wait
// was too long.
func (w *Watchdog) Done(err error) error {
	if !w.timer.Stop() && err != nil {
		return ErrStalled // without the cancelled context, which nobody else has cancelled
	}
	return err
}

// Reader returns a reader of r of which every Read is watched. Its errors are
// what fault makes of those of r, and Close cancels.
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
