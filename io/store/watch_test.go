package store_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// A connection that gives nothing is given up, one that is slow is not.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch := store.Watch(cancel, time.Millisecond)
	<-ctx.Done()
	if err := watch.Done(ctx.Err()); !errors.Is(err, store.ErrStalled) || !store.IsTransient(err) {
		t.Errorf("got %v", err)
	}

	watch = store.Watch(func() {}, time.Hour)
	cause := errors.New("cause")
	if watch.Done(cause) != cause || watch.Done(nil) != nil {
		t.Error("an error was changed")
	}

	in, out := io.Pipe()
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	context.AfterFunc(ctx, func() { out.CloseWithError(context.Canceled) })
	r := store.Watch(cancel, time.Hour).Reader(in, func(err error) error { return err })
	go out.Write([]byte("x"))
	if n, err := r.Read(make([]byte, 5)); n != 1 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	r = store.Watch(cancel, time.Millisecond).Reader(in, func(err error) error { return err })
	if _, err := r.Read(make([]byte, 5)); !errors.Is(err, store.ErrStalled) {
		t.Errorf("got %v", err)
	}
}

// A read that succeeds in the instant in which the watchdog fires leaves a
// cancelled context: what fails after it has stalled, and is transient.
func TestWatchFiresDuringSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := store.Watch(cancel, time.Nanosecond).Reader(lateReader{ctx}, func(err error) error { return err })
	if n, err := r.Read(make([]byte, 5)); n != 5 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	for range 100 {
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, store.ErrStalled) || !store.IsTransient(err) {
			t.Fatalf("got %v", err)
		}
	}
}

// A lateReader succeeds with five bytes when its context ends, and then never again.
type lateReader struct{ ctx context.Context }

func (r lateReader) Read(b []byte) (int, error) {
	<-r.ctx.Done()
	if len(b) == 5 {
		return len(b), nil
	}
	return 0, r.ctx.Err()
}

func (lateReader) Close() error { return nil }
