package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
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
	must(t, err)
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
	p := prepared(t, o)
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

func engineRefused(t *testing.T, dir, runner, environment, want string) {
	t.Helper()
	o := options(dir, filepath.Join(dir, "out"))
	o.Runner, o.Environment, o.SharedFilesystem = runner, environment, true
	_, err := Prepare(t.Context(), o)
	refused(t, err, want)
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
		*jobopts.Async = c.async
		engineRefused(t, dir, c.runner, c.environment, c.want)
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
		*jobopts.EnvironmentConfig = c.config
		engineRefused(t, dir, "flink", c.kind, c.want)
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

// fill sets every field of a value to something that is not its zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(t, f)
			} else {
				t.Errorf("%s.%s is not exported: no worker would see it", v.Type(), v.Type().Field(i).Name)
			}
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(1<<63 + 1)
	default:
		t.Fatalf("a field of type %s: teach this test", v.Type())
	}
}

// A worker sees nothing but the fields of its DoFn, which travel as JSON: all
// of the job must come through.
func TestJobTravels(t *testing.T) {
	var job, got transforms.Job
	fill(t, reflect.ValueOf(&job).Elem())
	data, err := json.Marshal(job)
	must(t, err)
	must(t, json.Unmarshal(data, &got))
	if !reflect.DeepEqual(job, got) {
		t.Errorf("sent %+v\ngot  %+v", job, got)
	}
}

// What is submitted to an engine is small whatever the input, and a chain from
// Read to Write.
func TestSubmittedPipeline(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Build(s, transforms.Job{Run: output.Run{Record: output.Record{FP: strings.Repeat("0123456789abcdef", 4)}, Ranges: 1 << 20, Output: "gs://bucket/out"}})
	edges, _, err := p.Build()
	must(t, err)
	ctx := context.Background()
	environment, err := graphx.CreateEnvironment(ctx, "beam:env:docker:v1", func(context.Context) string { return "image" })
	must(t, err)
	model, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	must(t, err)
	if n := len(model.String()); n > 64<<10 {
		t.Errorf("the pipeline takes %d bytes", n)
	}

	consumers := map[string]int{}
	for id, transform := range model.GetComponents().GetTransforms() {
		if len(transform.GetSubtransforms()) > 0 || id == "" {
			continue
		}
		for _, in := range transform.GetInputs() {
			consumers[in]++
		}
	}
	stages := []string{"Read", "Segment", "Encode", "Tag", "Prune", "Parse"}
	chain := 0
	for _, stage := range stages {
		for _, transform := range model.GetComponents().GetTransforms() {
			if len(transform.GetSubtransforms()) > 0 || !strings.HasPrefix(transform.GetUniqueName(), stage+"/") {
				continue
			}
			for _, out := range transform.GetOutputs() {
				chain++
				if consumers[out] != 1 {
					t.Errorf("what %s makes has %d consumers", transform.GetUniqueName(), consumers[out])
				}
			}
		}
	}
	if chain != len(stages) {
		t.Errorf("found %d of the %d stages whose chunks have one consumer", chain, len(stages))
	}
}

// A flinkServer says of every job what Flink's job server has said of one that
// was cancelled, and does no work.
type flinkServer struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer
	endpoint string
	state    jobpb.JobState_Enum
	text     string // of an error, if there was one
}

const flinkJob = "treebeam1-root-2_3"

func (s *flinkServer) Prepare(context.Context, *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	return &jobpb.PrepareJobResponse{PreparationId: "1", ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: s.endpoint}}, nil
}

func (s *flinkServer) ReverseArtifactRetrievalService(stream jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	_, err := stream.Recv() // and no wish for an artifact
	return err
}

func (s *flinkServer) Run(context.Context, *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	return &jobpb.RunJobResponse{JobId: flinkJob}, nil
}

func (s *flinkServer) GetMessageStream(_ *jobpb.JobMessagesRequest, stream jobpb.JobService_GetMessageStreamServer) error {
	if s.text != "" {
		stream.Send(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{
			MessageResponse: &jobpb.JobMessage{Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR, MessageText: s.text}}})
	}
	return stream.Send(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{
		StateResponse: &jobpb.JobStateEvent{State: s.state}}})
}

func (s *flinkServer) GetJobMetrics(context.Context, *jobpb.GetJobMetricsRequest) (*jobpb.GetJobMetricsResponse, error) {
	return &jobpb.GetJobMetricsResponse{Metrics: &jobpb.MetricResults{}}, nil
}

// Flink calls a job that it has cancelled failed; the job server cancels a job
// without telling Flink. Both were seen with Flink 1.16 and Beam 2.56.
func TestFlinkCancels(t *testing.T) {
	server := &flinkServer{}
	listener, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	server.endpoint = listener.Addr().String()
	service := grpc.NewServer()
	jobpb.RegisterJobServiceServer(service, server)
	jobpb.RegisterArtifactStagingServiceServer(service, server)
	go service.Serve(listener)
	t.Cleanup(service.Stop)
	transformstest.Engine(t)
	*jobopts.Endpoint = server.endpoint // set back by Engine
	for name, c := range map[string]struct {
		state jobpb.JobState_Enum
		text  string
		want  string
	}{
		"in Flink": {jobpb.JobState_FAILED, "org.apache.flink.runtime.client.JobCancellationException: Job was cancelled.",
			"job " + flinkJob + " was cancelled"},
		"at the job server": {jobpb.JobState_CANCELLED, "",
			"job " + flinkJob + " was cancelled at its job server, but may go on: to end it, flink list, then flink cancel with the number of treebeam1-root-2,"},
		"failed": {jobpb.JobState_FAILED, "java.lang.RuntimeException: not enough slots",
			"job " + flinkJob + " failed:\njava.lang.RuntimeException: not enough slots"},
		"failed on a file with an odd name": {jobpb.JobState_FAILED, "java.lang.RuntimeException: org.apache.flink.runtime.client.JobCancellationException: Job was cancelled.txt: no",
			"job " + flinkJob + " failed:\njava.lang.RuntimeException: org.apache"},
	} {
		server.state, server.text = c.state, c.text
		o := options(write(t, map[string]string{"a.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
		o.Runner, o.Environment, o.SharedFilesystem = "flink", transformstest.Environment, true
		told, _, sum, err := start(t, o)
		if sum != nil || err == nil || len(told) != 1 || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, submitted %v", name, sum, err, told)
		}
	}
}

func TestWorkerBinary(t *testing.T) {
	self := func() (string, error) { return "/opt/treebeam", nil }
	if name, err := workerBinary("linux", "arm64", self); err != nil || name != "/opt/treebeam" {
		t.Errorf("on linux: %q, %v", name, err)
	}
	if _, err := workerBinary("darwin", "arm64", self); err == nil ||
		!strings.Contains(err.Error(), "darwin/arm64") || !strings.Contains(err.Error(), "--worker_binary") {
		t.Errorf("on macOS: %v", err)
	}
	lost := func() (string, error) { return "", errors.New("no such path") }
	if _, err := workerBinary("linux", "amd64", lost); err == nil || !strings.Contains(err.Error(), "--worker_binary") {
		t.Errorf("without a path: %v", err)
	}
}
