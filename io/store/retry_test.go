package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// noSleep is a retry whose clock is a list.
func noSleep(patience time.Duration, pauses *[]time.Duration) store.Retry {
	return store.Retry{First: time.Second, Longest: 8 * time.Second, Patience: patience,
		Sleep: func(ctx context.Context, d time.Duration) error {
			*pauses = append(*pauses, d)
			return ctx.Err()
		}}
}

func sum(pauses []time.Duration) (total time.Duration) {
	for _, d := range pauses {
		total += d
	}
	return total
}

var errReset = errors.New("connection reset by peer")

func TestRetryDo(t *testing.T) {
	var pauses []time.Duration
	r := noSleep(time.Minute, &pauses)
	calls := 0
	err := r.Do(t.Context(), func() error { calls++; return errReset })
	if calls != len(pauses)+1 || !errors.Is(err, errReset) || !strings.Contains(err.Error(), fmt.Sprintf("tried %d times, waited for", calls)) {
		t.Errorf("%d calls, %d pauses, %v", calls, len(pauses), err)
	}
	if total := sum(pauses); total > time.Minute || total < 52*time.Second {
		t.Errorf("pauses of %v in all", total)
	}
	for i, d := range pauses {
		if d <= 0 || d > min(time.Second<<min(i, 3), 8*time.Second) {
			t.Errorf("pause %d is %v", i, d)
		}
	}
	for _, final := range []error{fs.ErrNotExist, fs.ErrPermission, store.ErrCredentials, store.ErrVersion, store.ErrCondition, context.Canceled, store.Final(errReset), nil} {
		calls = 0
		if err := r.Do(t.Context(), func() error { calls++; return final }); calls != 1 || err != final {
			t.Errorf("%v: %d calls, %v", final, calls, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls, pauses = 0, nil
	if err := r.Do(ctx, func() error { calls++; cancel(); return errReset }); calls != 1 || len(pauses) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// A store is waited for some minutes, a local disk and a server that nobody
// knows some seconds; requests without an answer count for as long as they took.
func TestPatience(t *testing.T) {
	unknown := &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}
	for name, c := range map[string]struct {
		uri      string
		err      error
		from, to time.Duration
	}{
		"store":          {"s3://b/x", errReset, 4 * time.Minute, 5 * time.Minute},
		"disk":           {"/data/x", errReset, time.Second, 10 * time.Second},
		"unknown server": {"gs://b/x", unknown, time.Second, 10 * time.Second},
		"stalled":        {"gs://b/x", store.ErrStalled, 1, time.Second}, // three times two minutes
	} {
		var pauses []time.Duration
		r := store.DefaultRetry
		r.Notify, r.Sleep = nil, func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
		if err := r.For(c.uri).Do(t.Context(), func() error { return c.err }); !errors.Is(err, c.err) {
			t.Error(err)
		}
		if got := sum(pauses); got < c.from || got > c.to {
			t.Errorf("%s: waited for %v", name, got)
		}
	}
}

// 200 workers that are turned away together come back one by one, and not
// before the server wants them.
func TestSpread(t *testing.T) {
	for _, after := range []time.Duration{0, 20 * time.Second} {
		var firsts []time.Duration
		for range 200 {
			var pauses []time.Duration
			calls := 0
			err := noSleep(time.Minute, &pauses).Do(t.Context(), func() error {
				if calls++; calls == 1 {
					return &store.Error{Name: "s3://b/x", Err: errors.New("503 SlowDown"), After: after}
				}
				return nil
			})
			if err != nil || calls != 2 || len(pauses) != 1 || pauses[0] < after || pauses[0] > after+time.Second {
				t.Fatalf("%d calls, pauses %v, %v", calls, pauses, err)
			}
			firsts = append(firsts, pauses[0])
		}
		slices.Sort(firsts)
		if spread := firsts[180] - firsts[20]; spread < 500*time.Millisecond {
			t.Errorf("160 of 200 workers come back within %v", spread)
		}
	}
	var pauses []time.Duration
	err := noSleep(time.Minute, &pauses).Do(t.Context(), func() error {
		return &store.Error{Name: "s3://b/x", Err: errors.New("503"), After: time.Hour}
	})
	if err == nil || len(pauses) > 0 || !strings.Contains(err.Error(), "wait for 1h0m0s") {
		t.Errorf("pauses %v, %v", pauses, err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "soon": 0, "99999999999999999999": 0,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0,
	} {
		if got := store.RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// The end of the context ends a pause, at once on the clock of the bubble.
func TestCancelledPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := store.Retry{First: time.Hour, Longest: time.Hour, Patience: 1000 * time.Hour}
		for _, what := range []func(ctx context.Context) error{
			func(ctx context.Context) error {
				return r.Do(ctx, func() error { return &store.Error{Err: errReset, After: time.Hour} })
			},
			func(ctx context.Context) error {
				_, err := r.Reader(ctx, func(int64) (io.ReadCloser, error) { return nil, &store.Error{Err: errReset, After: time.Hour} }, 0, 1)
				return err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			time.AfterFunc(time.Second, cancel)
			if err := what(ctx); !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		}
	})
}

// A flaky is a file whose readers break off anywhere, with an error or a clean
// end.
type flaky struct {
	data  string
	rng   *rand.Rand
	opens int
}

func (f *flaky) open(off int64) (io.ReadCloser, error) {
	f.opens++
	if f.rng.IntN(3) == 0 {
		return nil, errReset
	}
	rest := f.data[off:]
	var end error
	if f.rng.IntN(4) != 0 {
		rest = rest[:f.rng.IntN(min(len(rest), 50)+1)]
		end = []error{nil, errReset}[f.rng.IntN(2)]
	}
	if end == nil {
		return io.NopCloser(strings.NewReader(rest)), nil
	}
	return io.NopCloser(io.MultiReader(strings.NewReader(rest), broken{end})), nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// However a connection breaks, the bytes are those of the file or there is an
// error: none is lost, doubled or cut off.
func TestRetryReader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	whole, failed := 0, 0
	for range 3000 {
		f := &flaky{data: strings.Repeat("0123456789abcdefghij", rng.IntN(40)), rng: rng}
		off := int64(rng.IntN(len(f.data) + 1))
		end := off + int64(rng.IntN(len(f.data)-int(off)+1))
		var pauses []time.Duration
		r, err := noSleep(4*time.Second, &pauses).Reader(t.Context(), f.open, off, end)
		var got []byte
		if err == nil {
			got, err = io.ReadAll(r)
			r.Close()
		}
		if err == nil && string(got) != f.data[off:end] {
			t.Fatalf("got %q, want %q", got, f.data[off:end])
		}
		if err != nil && !strings.HasPrefix(f.data[off:end], string(got)) {
			t.Fatalf("before the error: %q", got)
		}
		if err == nil {
			whole++
		} else {
			failed++
			if !strings.Contains(err.Error(), "waited for") || !store.IsTransient(err) {
				t.Fatal(err)
			}
		}
	}
	if whole < 500 || failed < 100 {
		t.Errorf("%d whole, %d failed: the test needs both", whole, failed)
	}
}

// Progress of one byte is progress: a long file survives many faults.
func TestRetryProgress(t *testing.T) {
	data := strings.Repeat("x", 200)
	var pauses []time.Duration
	r, err := noSleep(time.Second, &pauses).Reader(t.Context(), func(off int64) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(data[off : off+1])), nil
	}, 0, 200)
	must(t, err)
	if got, err := io.ReadAll(r); err != nil || string(got) != data {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, d := range pauses {
		if d > time.Second {
			t.Fatalf("a pause of %v though there was progress", d)
		}
	}
}

func TestRetryReaderFinal(t *testing.T) {
	for _, final := range []error{fs.ErrNotExist, store.ErrVersion} {
		opens := 0
		_, err := store.DefaultRetry.Reader(t.Context(), func(int64) (io.ReadCloser, error) { opens++; return nil, final }, 0, 5)
		if opens != 1 || !errors.Is(err, final) {
			t.Errorf("%d times, %v", opens, err)
		}
	}
}

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

// A fault that comes with the last byte, or after it, costs no request.
func TestFaultAtTheEnd(t *testing.T) {
	var opened []int64
	var pauses []time.Duration
	r, err := noSleep(time.Second, &pauses).Reader(t.Context(), func(off int64) (io.ReadCloser, error) {
		opened = append(opened, off)
		return io.NopCloser(iotest.DataErrReader(io.MultiReader(strings.NewReader("data"), broken{errReset}))), nil
	}, 0, 4)
	must(t, err)
	if got, err := io.ReadAll(r); err != nil || string(got) != "data" || len(opened) != 1 {
		t.Errorf("%q, %v; opened at %d", got, err, opened)
	}
}
