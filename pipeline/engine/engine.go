// Package engine gives pipelines to engines and follows their jobs, by the engines' own
// interfaces: a job's id is known as soon as the engine has it, and states are values.
// Beam's runners for Go return neither before a job has ended.
package engine

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
)

// A Job is a pipeline that an engine has taken. Its methods may be called at once.
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

// An End is what has become of a job.
type End struct {
	State jobpb.JobState_Enum // one that a job does not leave
	Cause string              // why it has failed, in the engine's words, if it has any
}

// isLast says whether a job does not leave the state.
func isLast(state jobpb.JobState_Enum) bool {
	switch state {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_DRAINED, jobpb.JobState_UPDATED:
		return true
	}
	return false
}
