package engine

import (
	"context"
	"flag"
	"reflect"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	df "google.golang.org/api/dataflow/v1b3"
)

// How often Dataflow is asked for the state of a job, and how often in a row it may fail
// to answer. Tests make the first shorter.
var askEvery = 30 * time.Second

const maxUnanswered = 10

// A dataflowJob is a job of Google Cloud Dataflow.
type dataflowJob struct {
	id, project, region string
	client              *df.Service
	model               *pipepb.Pipeline // names the steps of metrics
}

// Dataflow submits the pipeline to Google Cloud Dataflow with Beam's runner and its
// flags. The job is nil if the flags say not to submit it (--dry_run,
// --template_location). If a job of the same name is running, Dataflow returns that
// job.
func Dataflow(ctx context.Context, p *beam.Pipeline) (Job, error) {
	// Only of a job that it does not wait for does the runner return the id.
	defer func(async bool) { *jobopts.Async = async }(*jobopts.Async)
	*jobopts.Async = true
	result, err := beam.Run(ctx, "dataflow", p)
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(result); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() { // a nil of the runner's type
		return nil, nil
	}
	j := &dataflowJob{id: result.JobID(), project: *gcpopts.Project, region: *gcpopts.Region}
	edges, _, err := p.Build()
	if err == nil {
		j.model, err = graphx.Marshal(edges, &graphx.Options{Environment: &pipepb.Environment{}})
	}
	if err == nil {
		j.client, err = dataflowlib.NewClient(ctx, flag.Lookup("dataflow_endpoint").Value.String())
	}
	return j, err
}

// ID implements Job.
func (j *dataflowJob) ID() string { return j.id }

// Wait implements Job.
func (j *dataflowJob) Wait(ctx context.Context) (end End, err error) {
	jobs := j.client.Projects.Locations.Jobs
	for unanswered := 0; ; {
		job, err := jobs.Get(j.project, j.region, j.id).Context(ctx).Do()
		if err == nil {
			unanswered = 0
			end.State = jobpb.JobState_Enum(jobpb.JobState_Enum_value[strings.TrimPrefix(job.CurrentState, "JOB_STATE_")])
		} else if unanswered++; unanswered > maxUnanswered {
			return end, err
		}
		if isLast(end.State) {
			break
		}
		select {
		case <-ctx.Done():
			return end, ctx.Err()
		case <-time.After(askEvery):
		}
	}
	if end.State == jobpb.JobState_FAILED {
		said, err := jobs.Messages.List(j.project, j.region, j.id).MinimumImportance("JOB_MESSAGE_ERROR").Context(ctx).Do()
		if err == nil && len(said.JobMessages) > 0 {
			end.Cause = said.JobMessages[len(said.JobMessages)-1].MessageText
		}
	}
	return end, nil
}

// Cancel implements Job.
func (j *dataflowJob) Cancel(ctx context.Context) error {
	_, err := j.client.Projects.Locations.Jobs.Update(j.project, j.region, j.id, &df.Job{RequestedState: "JOB_STATE_CANCELLED"}).Context(ctx).Do()
	return err
}

// Metrics implements Job.
func (j *dataflowJob) Metrics(ctx context.Context) *metrics.Results {
	all, err := dataflowlib.GetMetrics(ctx, j.client, j.project, j.region, j.id)
	if err != nil {
		return nil
	}
	return dataflowlib.FromMetricUpdates(all.Metrics, j.model)
}

// Close implements Job.
func (j *dataflowJob) Close() {}
