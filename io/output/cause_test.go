package output

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first cause is that of the first range that is not done. Causes of other runs,
// damaged files and broken stores do not matter.
func TestCauses(t *testing.T) {
	ctx := t.Context()
	out := t.TempDir()
	run := &Run{Output: out, Ranges: 20}
	run.FP = strings.Repeat("0123456789abcdef", 4)
	other := *run
	other.FP = strings.Repeat("fedcba9876543210", 4)
	expect := func(want Cause) {
		t.Helper()
		if got, found := run.FirstCause(ctx); got != want || found != (want != Cause{}) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	expect(Cause{})
	other.WriteCause(ctx, Cause{1, Failed, "of another run"})
	expect(Cause{})
	eleventh, second := Cause{10, Failed, "eleventh"}, Cause{1, Changed, "forged: {\"range\": -1}\n\x00"}
	run.WriteCause(ctx, eleventh)
	expect(eleventh)
	run.WriteCause(ctx, second)
	expect(second)
	whole := Cause{-1, Failed, "of the run"}
	run.WriteCause(ctx, whole)
	expect(whole)
	name := filepath.Join(run.causes(), "0123456789abcdef-0000000000.json")
	must(t, os.WriteFile(name, []byte(`{"range": -1, "kind`), 0o644))
	expect(second)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	run.WriteCause(ended, Cause{0, Failed, "cancelled"}) // follows from what ended the job
	expect(second)
	run.WriteCause(ctx, Cause{0, Failed, strings.Repeat("x", 1<<20)})
	if got, _ := run.FirstCause(ctx); len(got.Message) != maxMessage {
		t.Errorf("a message of %d bytes", len(got.Message))
	}
	run.WriteCause(ctx, Cause{0, Failed, "x" + strings.Repeat("é", maxMessage)})
	if got, _ := run.FirstCause(ctx); len(got.Message) != maxMessage-1 || !strings.HasSuffix(got.Message, "é") {
		t.Errorf("a message of %d bytes ends with %q", len(got.Message), got.Message[len(got.Message)-3:])
	}
	run.ForgetCauses(ctx)
	expect(Cause{})
	if _, err := os.Stat(run.causes()); !os.IsNotExist(err) {
		t.Errorf("something is left: %v", err)
	}

	far := *run // a worker with another disk
	far.Output, far.Token = filepath.Join(t.TempDir(), "out"), "token"
	far.WriteCause(ctx, whole)
	if _, err := os.Stat(far.Output); !os.IsNotExist(err) {
		t.Errorf("it has written where nobody looks: %v", err)
	}
}
