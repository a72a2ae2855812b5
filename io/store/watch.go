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
	timer *time.Timer
	after time.Duration
}

// Watch begins to wait: unless Done or Reader is called in time, it cancels.
func Watch(cancel context.CancelFunc, after time.Duration) *Watchdog {
	return &Watchdog{time.AfterFunc(after, cancel), after}
}

// Done ends the wait and returns err, or ErrStalled in its place if the wait
// was too long.
func (w *Watchdog) Done(err error) error {
	if !w.timer.Stop() && err != nil {
		return ErrStalled // without the cancelled context, which nobody else has cancelled
	}
	return err
}

// Reader returns a reader of r of which every Read is watched.
func (w *Watchdog) Reader(r io.ReadCloser) io.ReadCloser {
	w.timer.Stop()
	return &watchedReader{r, w}
}

type watchedReader struct {
	io.ReadCloser
	dog *Watchdog
}

func (r *watchedReader) Read(b []byte) (int, error) {
	r.dog.timer.Reset(r.dog.after)
	n, err := r.ReadCloser.Read(b)
	if err == io.EOF {
		r.dog.timer.Stop()
		return n, err
	}
	return n, r.dog.Done(err)
}
