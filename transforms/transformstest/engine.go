package transformstest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// Environment is --environment_type for an Engine.
const Environment = "EXTERNAL"

// Engine starts a job service of Beam's with workers of its own, to which jobs
// are submitted as to Flink's (--runner universal): they go on when who has
// submitted them does not wait. It sets Beam's flags until the test ends, and
// returns the engine's client.
func Engine(t testing.TB) jobpb.JobServiceClient {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port // free, as it seems
	listener.Close()
	client, err := prism.CreateJobServer(ctx, prism.Options{Port: port})
	if err != nil {
		t.Fatal(err)
	}
	pool, err := extworker.StartLoopback(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Stop(context.Background()) })
	worker := filepath.Join(t.TempDir(), "worker") // is staged, and not started
	if err := os.WriteFile(worker, []byte("worker"), 0o755); err != nil {
		t.Fatal(err)
	}
	// The workers are in this process and would take its log for theirs.
	hooks.DisableHook(harness.DefaultRemoteLoggingHook)
	t.Cleanup(func() { hooks.EnableHook(harness.DefaultRemoteLoggingHook) })
	set(t, jobopts.Endpoint, fmt.Sprintf("localhost:%d", port))
	set(t, jobopts.EnvironmentType, Environment)
	set(t, jobopts.EnvironmentConfig, pool.EnvironmentConfig(ctx))
	set(t, jobopts.WorkerBinary, worker)
	return client
}

// State returns the state that a job of an Engine is in. It reads the stream of
// states: prism's GetState reads a time without the lock under which the job
// writes it.
func State(t testing.TB, engine jobpb.JobServiceClient, job string) jobpb.JobState_Enum {
	t.Helper()
	return lastState(t, engine, job, func(jobpb.JobState_Enum) bool { return true })
}

// Ended waits until a job of an Engine has ended and returns its last state.
func Ended(t testing.TB, engine jobpb.JobServiceClient, job string) jobpb.JobState_Enum {
	t.Helper()
	return lastState(t, engine, job, func(jobpb.JobState_Enum) bool { return false })
}

// lastState reads states until one is enough, or the last.
func lastState(t testing.TB, engine jobpb.JobServiceClient, job string, enough func(jobpb.JobState_Enum) bool) (last jobpb.JobState_Enum) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, err := engine.GetStateStream(ctx, &jobpb.GetJobStateRequest{JobId: job})
	if err != nil {
		t.Fatal(err)
	}
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return last
		}
		if err != nil {
			t.Fatal(err)
		}
		if last = event.State; enough(last) {
			return last
		}
	}
}

// Async sets --async until the test ends.
func Async(t testing.TB) { set(t, jobopts.Async, true) }

// Dataflow sets the flags without which Dataflow's runner is refused, until the
// test ends.
func Dataflow(t testing.TB) {
	for name, value := range map[string]string{"project": "p", "region": "r", "staging_location": "gs://b/staging"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		f.Value.Set(value)
		t.Cleanup(func() { f.Value.Set(before) })
	}
}

func set[T any](t testing.TB, flag *T, value T) {
	before := *flag
	*flag = value
	t.Cleanup(func() { *flag = before })
}
