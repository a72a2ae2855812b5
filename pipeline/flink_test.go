package pipeline

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/grpc"

	"github.com/treebeam/treebeam/transforms/transformstest"
)

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
	if err != nil {
		t.Fatal(err)
	}
	server.endpoint = listener.Addr().String()
	service := grpc.NewServer()
	jobpb.RegisterJobServiceServer(service, server)
	jobpb.RegisterArtifactStagingServiceServer(service, server)
	go service.Serve(listener)
	t.Cleanup(service.Stop)
	transformstest.Engine(t)
	*jobopts.Endpoint = server.endpoint // set back by Engine
	for name, c := range map[string]struct {
		state  jobpb.JobState_Enum
		text   string
		want   string
		goesOn bool
	}{
		"in Flink": {jobpb.JobState_FAILED, "org.apache.flink.runtime.client.JobCancellationException: Job was cancelled.",
			"job " + flinkJob + " was cancelled", false},
		"at the job server": {jobpb.JobState_CANCELLED, "",
			"job " + flinkJob + " was cancelled at its job server, but may go on: to end it, flink list, then flink cancel with the number of treebeam1-root-2,", true},
		"failed": {jobpb.JobState_FAILED, "java.lang.RuntimeException: not enough slots",
			"job " + flinkJob + " failed:\njava.lang.RuntimeException: not enough slots", false},
	} {
		server.state, server.text = c.state, c.text
		o := options(write(t, map[string]string{"a.txt": prose(3)}), filepath.Join(t.TempDir(), "out"))
		o.Runner, o.Environment, o.SharedFilesystem = "flink", transformstest.Environment, true
		told, _, sum, err := start(t, o)
		if sum != nil || err == nil || len(told) != 1 || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "org.apache") {
			t.Errorf("%s: %v, %v, submitted %v", name, sum, err, told)
		}
	}
}
