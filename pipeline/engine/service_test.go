package engine

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// A service takes every job, does no work, and says what it is told to say.
type service struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer
	endpoint  string
	known     []string // options of its runner
	says      []*jobpb.JobMessagesResponse
	breaks    error                    // after that
	request   *jobpb.PrepareJobRequest // the last one
	cancelled string                   // id of a job
}

// serve starts the service and names it in Beam's flags until the test ends.
func serve(t *testing.T) *service {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{endpoint: listener.Addr().String()}
	server := grpc.NewServer()
	jobpb.RegisterJobServiceServer(server, s)
	jobpb.RegisterArtifactStagingServiceServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	set(t, jobopts.Endpoint, s.endpoint)
	set(t, jobopts.EnvironmentType, "EXTERNAL")
	set(t, jobopts.EnvironmentConfig, "localhost:1")
	worker := filepath.Join(t.TempDir(), "worker")
	if err := os.WriteFile(worker, []byte("worker"), 0o755); err != nil {
		t.Fatal(err)
	}
	set(t, jobopts.WorkerBinary, worker)
	return s
}

func set(t *testing.T, flag *string, value string) {
	before := *flag
	*flag = value
	t.Cleanup(func() { *flag = before })
}

func (s *service) DescribePipelineOptions(context.Context, *jobpb.DescribePipelineOptionsRequest) (*jobpb.DescribePipelineOptionsResponse, error) {
	r := &jobpb.DescribePipelineOptionsResponse{}
	for _, name := range s.known {
		r.Options = append(r.Options, &jobpb.PipelineOptionDescriptor{Name: name})
	}
	return r, nil
}

func (s *service) Prepare(_ context.Context, r *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	s.request = r
	return &jobpb.PrepareJobResponse{PreparationId: "1", ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: s.endpoint}}, nil
}

func (s *service) ReverseArtifactRetrievalService(stream jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	_, err := stream.Recv() // and no wish for an artifact
	return err
}

func (s *service) Run(context.Context, *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	return &jobpb.RunJobResponse{JobId: "job-1"}, nil
}

func (s *service) GetMessageStream(_ *jobpb.JobMessagesRequest, stream jobpb.JobService_GetMessageStreamServer) error {
	for _, m := range s.says {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return s.breaks
}

func (s *service) Cancel(_ context.Context, r *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	s.cancelled = r.GetJobId()
	return &jobpb.CancelJobResponse{}, nil
}

func state(s jobpb.JobState_Enum) *jobpb.JobMessagesResponse {
	return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: &jobpb.JobStateEvent{State: s}}}
}

func message(i jobpb.JobMessage_MessageImportance, text string) *jobpb.JobMessagesResponse {
	return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{MessageResponse: &jobpb.JobMessage{Importance: i, MessageText: text}}}
}

func submit(ctx context.Context, o Options) (Job, error) {
	p, s := beam.NewPipelineWithRoot()
	beam.Impulse(s)
	return Submit(ctx, p, o)
}

// A port at which nothing listens is an error long before a dial gives up. A service that
// starts meanwhile is found.
func TestNoJobService(t *testing.T) {
	defer func(d time.Duration) { refusedWithin = d }(refusedWithin)
	refusedWithin = time.Second
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	set(t, jobopts.Endpoint, listener.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), dialWithin/4)
	defer cancel()
	if _, err := submit(ctx, Options{}); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "start the job server, or name its HOST:PORT with --endpoint") {
		t.Errorf("got %v", err)
	}
	refusedWithin = time.Hour
	go func() {
		time.Sleep(time.Second / 2)
		if l, err := net.Listen("tcp", listener.Addr().String()); err == nil {
			t.Cleanup(func() { l.Close() })
		}
	}()
	if err := awaitListener(t.Context(), listener.Addr().String()); err != nil {
		t.Errorf("a service that starts: %v", err)
	}
}

// Options of the engine's own reach its job service under their full names, with values of
// their types. It refuses the ones it does not know, if it tells which it knows.
func TestRunnerOptions(t *testing.T) {
	s := serve(t)
	o := Options{Name: "hourly", Runner: map[string]any{}}
	for _, option := range []string{"checkpointing_interval=2000", "state_backend=filesystem", "finish=true", `tags=["a", "b"]`, "empty="} {
		name, value, err := ParseOption(option)
		if err != nil {
			t.Fatal(err)
		}
		o.Runner[name] = value
	}
	for _, wrong := range []string{"", "x", "=x"} {
		if _, _, err := ParseOption(wrong); err == nil {
			t.Errorf("%q was taken for an option", wrong)
		}
	}
	for _, s.known = range [][]string{nil, {"checkpointing_interval", "state_backend", "finish", "tags", "empty", "more"}} {
		job, err := submit(t.Context(), o)
		if err != nil || job.ID() != "job-1" {
			t.Fatal(err)
		}
		job.Close()
		got := s.request.GetPipelineOptions().AsMap()
		for name, want := range map[string]any{"checkpointing_interval": 2000.0, "state_backend": "filesystem", "finish": true, "tags": []any{"a", "b"}, "empty": ""} {
			if v := got["beam:option:"+name+":v1"]; !reflect.DeepEqual(v, want) {
				t.Errorf("%s is %v, want %v", name, v, want)
			}
		}
		if got["beam:option:app_name:v1"] != "hourly" || s.request.GetJobName() != "hourly" || got["beam:option:go_options:v1"] == nil {
			t.Errorf("options %v", got)
		}
	}
	s.known, s.request = []string{"checkpointing_interval"}, nil
	if _, err := submit(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the runner has no option ") || s.request != nil {
		t.Errorf("got %v", err)
	}
}

// The end of a job is its last state, with the last error that the service tells before or
// after it. A service that stops answering is an error, not an end.
func TestWait(t *testing.T) {
	s := serve(t)
	serious, basic := jobpb.JobMessage_JOB_MESSAGE_ERROR, jobpb.JobMessage_JOB_MESSAGE_BASIC
	running := state(jobpb.JobState_RUNNING)
	for name, c := range map[string]struct {
		says []*jobpb.JobMessagesResponse
		want End
	}{
		"done":         {[]*jobpb.JobMessagesResponse{running, message(basic, "Job 1 cancelled"), state(jobpb.JobState_DONE)}, End{State: jobpb.JobState_DONE}},
		"cancelled":    {[]*jobpb.JobMessagesResponse{running, state(jobpb.JobState_CANCELLED)}, End{State: jobpb.JobState_CANCELLED}},
		"cause first":  {[]*jobpb.JobMessagesResponse{message(serious, "no slots"), state(jobpb.JobState_FAILED)}, End{jobpb.JobState_FAILED, "no slots"}},
		"cause later":  {[]*jobpb.JobMessagesResponse{state(jobpb.JobState_FAILED), message(basic, "x"), message(serious, "no slots")}, End{jobpb.JobState_FAILED, "no slots"}},
		"no cause":     {[]*jobpb.JobMessagesResponse{state(jobpb.JobState_FAILED)}, End{State: jobpb.JobState_FAILED}},
		"silence":      {nil, End{}},
		"broken end":   {[]*jobpb.JobMessagesResponse{state(jobpb.JobState_FAILED)}, End{State: jobpb.JobState_FAILED}},
		"broken":       {[]*jobpb.JobMessagesResponse{running}, End{}},
		"disappearing": {[]*jobpb.JobMessagesResponse{running}, End{}},
	} {
		s.says = c.says
		job, err := submit(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.breaks = nil; strings.HasPrefix(name, "broken") {
			s.breaks = errors.New("the service was stopped")
		}
		if end, err := job.Wait(t.Context()); (err == nil) != isLast(c.want.State) || err == nil && end != c.want {
			t.Errorf("%s: %+v, %v", name, end, err)
		}
		if job.Cancel(t.Context()) != nil || s.cancelled != "job-1" {
			t.Errorf("%s: cancelled %q", name, s.cancelled)
		}
		job.Close()
	}
}

// Without the name localhost, or without its interface, prism would wait for ever.
func TestNoLocalhost(t *testing.T) {
	if err := talks("localhost"); err != nil {
		t.Error(err)
	}
	if err := talks("no host"); err == nil || !strings.Contains(err.Error(), "/etc/hosts") {
		t.Errorf("got %v", err)
	}
}
