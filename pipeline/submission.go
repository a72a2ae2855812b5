package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/treebeam/treebeam/pipeline/engine"
)

// A Submission is a job that an engine has accepted.
type Submission struct {
	Engine  string // with its address: "flink at localhost:8099"
	ID      string // as the engine has given it
	Name    string // as the engine shows it
	Console string // URL of a page about the job, "" if there is none that is known
	Cancel  string // how to end it
	// Stays says that the job goes on when this process ends: its workers
	// are elsewhere.
	Stays bool
}

// String describes the job in a few words.
func (s *Submission) String() string {
	text := fmt.Sprintf("job %s (%s) on %s", s.ID, s.Name, s.Engine)
	if s.Console != "" {
		text += ", " + s.Console
	}
	return text
}

// submit gives the pipeline to the engine under a name that says whose job it is. The
// job is nil if Beam's flags say that it is not to be submitted.
func (p *Prepared) submit(ctx context.Context, pipeline *beam.Pipeline) (engine.Job, *Submission, error) {
	name := cmp.Or(*jobopts.JobName, fmt.Sprintf("treebeam-%.12s", p.Job.FP))
	var job engine.Job
	var err error
	if p.Runner == "dataflow" {
		defer func(before string) { *jobopts.JobName = before }(*jobopts.JobName) // a flag of the process
		*jobopts.JobName = name
		job, err = engine.Dataflow(ctx, pipeline)
	} else {
		job, err = engine.Submit(ctx, pipeline, engine.Options{Name: name, Local: IsPrism(p.Runner), Runner: p.runnerOptions})
	}
	if err != nil || job == nil {
		return nil, nil, err
	}
	s := p.submission(job.ID(), name)
	if p.Submitted != nil && !IsPrism(p.Runner) {
		p.Submitted(*s)
	}
	return job, s, nil
}

func (p *Prepared) submission(id, name string) *Submission {
	s := &Submission{Engine: p.Runner + " at " + *jobopts.Endpoint, ID: id, Name: name, Stays: !p.here}
	switch p.Runner {
	case "dataflow":
		project, region := *gcpopts.Project, *gcpopts.Region
		s.Engine = "dataflow"
		s.Cancel = fmt.Sprintf("gcloud dataflow jobs cancel %s --project=%s --region=%s", id, project, region)
		s.Console = fmt.Sprintf("https://console.cloud.google.com/dataflow/jobs/%s/%s?project=%s", region, id, project)
	case "flink":
		shown, _, _ := strings.Cut(id, "_") // Flink's name is the beginning of the job service's id
		s.Cancel = fmt.Sprintf("flink list, then flink cancel with the number of %s, or Flink's web page", shown)
	case "spark":
		s.Cancel = fmt.Sprintf("the kill link of %s on the Spark master's web page", name)
	default:
		s.Cancel = fmt.Sprintf("the engine's own page or command, where it is called %s", name)
	}
	return s
}

// flinkCancelled is the cause of a job that was cancelled in Flink, which calls it failed:
// the class of an exception. Job services give a cause as "class: message".
const flinkCancelled = "org.apache.flink.runtime.client.JobCancellationException"

// stopped is the error of a job that was stopped before it ended by itself, nil if it was
// not.
func (p *Prepared) stopped(s *Submission, end engine.End) error {
	class, _, _ := strings.Cut(end.Cause, ":")
	text := ""
	switch {
	case end.State == jobpb.JobState_FAILED && class == flinkCancelled:
		text = "was cancelled"
	case end.State == jobpb.JobState_CANCELLED && p.Runner == "flink" && s.Stays: // its job server does not tell Flink
		text = "was cancelled at its job server, but may go on: to end it, " + s.Cancel
	case end.State == jobpb.JobState_CANCELLED:
		text = "was cancelled"
	case end.State == jobpb.JobState_DRAINED:
		text = "was drained: it has left out what it had not begun"
	case end.State == jobpb.JobState_UPDATED:
		text = "was updated: another one has taken its place, and goes on"
	default:
		return nil
	}
	return errors.New("job " + s.ID + " " + text)
}
