// Package engine submits Beam pipelines to engines and follows their jobs: Submit uses
// a job service (Flink, Spark, universal), and Dataflow uses Google Cloud Dataflow. It
// uses the engines' own interfaces, because Beam's runners for Go return a job's id and
// state only after the job has ended.
package engine

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
)

// A Job is a pipeline that an engine has accepted. Several goroutines may call its
// methods at once.
type Job interface {
	// ID is the job's name at its engine.
	ID() string
	// Wait waits until the job has ended. An error means that the engine no longer
	// answers, or that ctx has ended: the job may go on.
	Wait(ctx context.Context) (End, error)
	// Cancel asks the engine to end the job, and does not wait until it has.
	Cancel(ctx context.Context) error
	// Metrics are those of a job that is done, nil if the engine does not tell.
	Metrics(ctx context.Context) *metrics.Results
	// Close ends what serves the job in this process, such as its workers.
	Close()
}

// An End is the final state of a job.
type End struct {
	State jobpb.JobState_Enum // a terminal state
	Cause string              // why the job has failed, in the engine's words; "" if unknown
}

// isLast reports whether a job does not leave the state.
func isLast(state jobpb.JobState_Enum) bool {
	switch state {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_DRAINED, jobpb.JobState_UPDATED:
		return true
	}
	return false
}
