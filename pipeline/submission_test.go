package pipeline

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/option"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// onEngine are options for a run on transformstest.Engine.
func onEngine(t *testing.T) Options {
	o := options(write(t, map[string]string{"a.txt": prose(20)}), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 400
	o.Runner, o.Environment, o.SharedFilesystem = "PortableRunner", transformstest.Environment, true
	return o
}

// start runs o and returns what it told of its job and what came of it.
func start(t *testing.T, o Options) (told []Submission, p *Prepared, sum *output.Summary, err error) {
	t.Helper()
	p, err = Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.Submitted = func(s Submission) { told = append(told, s) }
	sum, err = Run(context.Background(), p)
	return told, p, sum, err
}

// A job that is not waited for is submitted, named and goes on; its metrics
// are not asked for, since Beam's result would panic.
func TestAsync(t *testing.T) {
	engine := transformstest.Engine(t)
	transformstest.Async(t)
	o := onEngine(t)
	told, p, sum, err := start(t, o)
	if err != nil || sum != nil || p.Metrics() != nil || len(told) != 1 {
		t.Fatalf("%v, %v, metrics %v, submitted %v", sum, err, p.Metrics(), told)
	}
	s := told[0]
	if s.ID == "" || s.Name != "treebeam-"+p.Job.FP[:12] || !s.Stays || s.Engine != "universal at "+*jobopts.Endpoint || !strings.Contains(s.Cancel, s.Name) {
		t.Errorf("submitted %+v", s)
	}
	if got := transformstest.Ended(t, engine, s.ID); got != jobpb.JobState_DONE {
		t.Errorf("the job has ended as %v", got)
	}
	if m, err := output.ReadManifest(o.Output); err != nil || m.FP != p.Job.FP {
		t.Errorf("the manifest: %v", err)
	}
	if *jobopts.JobName != "" {
		t.Errorf("the next job would be %s, too", *jobopts.JobName)
	}

	*jobopts.Async = false // again, and waited for
	told, p, sum, err = start(t, o)
	if err != nil || sum == nil || sum.Trees == 0 || len(p.Metrics()) == 0 || len(told) != 1 || told[0].ID == s.ID {
		t.Errorf("%+v, %v, metrics %v, submitted %v", sum, err, p.Metrics(), told)
	}
}

// Beam takes a cancelled job for a success. The manifest that an earlier run
// has left does not make it one.
func TestCancelledJob(t *testing.T) {
	engine := transformstest.Engine(t)
	o := onEngine(t)
	reached, release := make(chan bool), make(chan bool)
	var once sync.Once
	toy.SetHook(func(*syntax.Sentence) {
		once.Do(func() { close(reached) })
		<-release
	})
	defer func() { toy.SetHook(nil) }()
	p, err := Prepare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	told := make(chan string, 1)
	p.Submitted = func(s Submission) { told <- s.ID }
	id := ""
	go func() {
		<-reached
		id = <-told
		engine.Cancel(context.Background(), &jobpb.CancelJobRequest{JobId: id})
		time.AfterFunc(100*time.Millisecond, func() { close(release) })
	}()
	sum, err := Run(context.Background(), p)
	if sum != nil || err == nil || !strings.Contains(err.Error(), "job "+id+" was cancelled") {
		t.Fatalf("%v, %v", sum, err)
	}
	toy.SetHook(nil)
	o.Runner, o.Environment = "", ""
	run(t, o) // continues it
}

// A runner of which nothing is known but that the job has ended well, with no
// manifest to show for it.
func TestJobWithoutManifest(t *testing.T) {
	p, err := Prepare(context.Background(), options(write(t, map[string]string{"a.txt": "One .\n"}), filepath.Join(t.TempDir(), "out")))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	empty, s := beam.NewPipelineWithRoot()
	beam.Impulse(s) // a job that does nothing
	sum, err := p.run(context.Background(), empty)
	if sum != nil || err == nil || !strings.Contains(err.Error(), output.ManifestFile) || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("%v, %v", sum, err)
	}
}

// What Dataflow's runner says of its jobs is understood.
func TestDataflowStates(t *testing.T) {
	answer := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, answer) }))
	defer server.Close()
	ctx := context.Background()
	client, err := df.NewService(ctx, option.WithHTTPClient(server.Client()), option.WithEndpoint(server.URL), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[string]string{
		"DONE": "", "CANCELLED": "job 2026-11 was cancelled", "DRAINED": "was drained", "UPDATED": "was updated",
	} {
		id := ""
		f := &follower{submitted: func(s string) Submission { id += s; return Submission{ID: s} }}
		log.SetLogger(f)
		defer log.SetLogger(&log.Structural{})
		answer = fmt.Sprintf(`{"id": "2026-11", "currentState": "JOB_STATE_%s"}`, state)
		job, err := dataflowlib.Submit(ctx, client, "project", "region", &df.Job{Name: "treebeam"}, false)
		if err != nil {
			t.Fatal(err)
		}
		f.note(job.Id)
		if err := dataflowlib.WaitForCompletion(ctx, client, "project", "region", job.Id); err != nil || id != "2026-11" {
			t.Errorf("%v, submitted %q", err, id)
		}
		stopped := f.stopped(nil)
		if (stopped == nil) != (want == "") || stopped != nil && (!strings.Contains(stopped.text, want) || stopped.goesOn != (state == "UPDATED")) {
			t.Errorf("%s: %+v, want %q", state, stopped, want)
		}
	}
}

func TestDataflowSubmission(t *testing.T) {
	defer func(p, r string) { *gcpopts.Project, *gcpopts.Region = p, r }(*gcpopts.Project, *gcpopts.Region)
	*gcpopts.Project, *gcpopts.Region = "my-project", "europe-west1"
	p := &Prepared{Runner: "dataflow"}
	s := p.submission("2026-11", "nightly")
	if s.Console != "https://console.cloud.google.com/dataflow/jobs/europe-west1/2026-11?project=my-project" ||
		s.Cancel != "gcloud dataflow jobs cancel 2026-11 --project=my-project --region=europe-west1" ||
		s.String() != "job 2026-11 (nightly) on dataflow, "+s.Console {
		t.Errorf("%+v, %s", s, s.String())
	}
	// As a real job server has called a job, and Flink that job.
	p.Runner = "flink"
	if s := p.submission("treebeam05802ed9612ae-root-1122034429-daa8695e_983bc4d0", "treebeam-5802ed9612ae"); !strings.Contains(s.Cancel, "of treebeam05802ed9612ae-root-1122034429-daa8695e,") {
		t.Errorf("%+v", s)
	}
}

// Beam ends the process of who names a runner that it does not have: they are
// refused before anything was written, with those that there are.
func TestCheckEngine(t *testing.T) {
	defer func(e string, a bool) { *jobopts.Endpoint, *jobopts.Async = e, a }(*jobopts.Endpoint, *jobopts.Async)
	*jobopts.Endpoint = ""
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none"))
	t.Setenv("CLOUDSDK_COMPUTE_REGION", "here")
	dir := write(t, map[string]string{"a.txt": "One .\n"})
	before := files(t, dir)
	for _, c := range []struct {
		runner, environment string
		async               bool
		want                string
	}{
		{"flonk", "", false, "--runner flonk: there is no such runner; name prism (this machine, the default), flink, spark, dataflow, or universal"},
		{"dot", "", false, "no such runner"},
		{"prism", "", true, "--async: the work is done in this process"},
		{"", "", true, "--async"},
		{"flink", "LOOPBACK", true, "--async"},
		{"FlinkRunner", "PROCESS", false, "--runner flink: name its job server with --endpoint=HOST:PORT"},
		{"SPARK", "DOCKER", false, "--runner spark: name its job server"},
		{"dataflow", "", false, "--runner dataflow: also give --project and --staging_location"},
	} {
		o := options(dir, filepath.Join(dir, "out"))
		o.Runner, o.Environment, o.SharedFilesystem = c.runner, c.environment, true
		*jobopts.Async = c.async
		_, err := Prepare(context.Background(), o)
		var refused *Refusal
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	defer func(c string) { *jobopts.EnvironmentConfig = c }(*jobopts.EnvironmentConfig)
	*jobopts.Endpoint, *jobopts.Async = "localhost:1", false
	for _, c := range []struct{ kind, config, want string }{
		{"PROCES", "", "--environment_type PROCES: there is no such kind of worker; give DOCKER, PROCESS"},
		{"EXTERNAL", "", "--environment_config=HOST:PORT"},
		{"PROCESS", "", "as JSON"},
		{"process", "/opt/boot", "as JSON"},
		{"PROCESS", `{"commands": "/opt/boot"}`, "as JSON"},
	} {
		o := options(dir, filepath.Join(dir, "out"))
		o.Runner, o.Environment, o.SharedFilesystem, *jobopts.EnvironmentConfig = "flink", c.kind, true, c.config
		_, err := Prepare(context.Background(), o)
		var refused *Refusal
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if after := files(t, dir); len(after) != len(before) {
		t.Errorf("something was written: %v", after)
	}
	// The names are Beam's: it panics if one is taken.
	for _, name := range runners {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Beam has no runner %s", name)
				}
			}()
			beam.RegisterRunner(name, nil)
		}()
	}
}
