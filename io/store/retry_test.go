package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/store"
)

// noSleep is a retry whose clock is a list.
func noSleep(attempts int, pauses *[]time.Duration) store.Retry {
	return store.Retry{Attempts: attempts, First: time.Second, Longest: 5 * time.Second,
		Sleep: func(ctx context.Context, d time.Duration) error {
			*pauses = append(*pauses, d)
			return ctx.Err()
		}}
}

var errReset = errors.New("connection reset by peer")

func TestRetryDo(t *testing.T) {
	var pauses []time.Duration
	r := noSleep(6, &pauses)
	calls := 0
	err := r.Do(t.Context(), func() error { calls++; return errReset })
	if calls != 6 || !errors.Is(err, errReset) || !strings.Contains(err.Error(), "tried 6 times") {
		t.Errorf("%d calls, %v", calls, err)
	}
	if got := fmt.Sprint(pauses); got != "[1s 2s 4s 5s 5s]" {
		t.Errorf("pauses %s", got)
	}
	for _, final := range []error{fs.ErrNotExist, fs.ErrPermission, store.ErrVersion, store.ErrCondition, context.Canceled, store.Final(errReset), nil} {
		calls = 0
		if err := r.Do(t.Context(), func() error { calls++; return final }); calls != 1 || err != final {
			t.Errorf("%v: %d calls, %v", final, calls, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls = 0
	if err := r.Do(ctx, func() error { calls++; cancel(); return errReset }); calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, %v", calls, err)
	}
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
		r, err := noSleep(4, &pauses).Reader(t.Context(), f.open, off, end)
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
			if !strings.Contains(err.Error(), "tried 4 times") || !store.IsTransient(err) {
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
	r, err := noSleep(2, &pauses).Reader(t.Context(), func(off int64) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(data[off : off+1])), nil
	}, 0, 200)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != data {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	for _, d := range pauses {
		if d != time.Second {
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
