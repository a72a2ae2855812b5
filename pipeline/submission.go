package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// A Submission is a job that an engine has taken.
type Submission struct {
	Engine  string // with its address: "flink at localhost:8099"
	ID      string // as the engine's job service has given it
	Name    string // as the engine shows it
	Console string // URL of a page about the job, "" if there is none that is known
	Cancel  string // how to end it
	// Stays says that the job goes on when this process ends: its workers
	// are elsewhere.
	Stays bool

	deaf bool // its engine does not hear of it when its job service cancels it
}

// String is the job in a few words.
func (s *Submission) String() string {
	text := fmt.Sprintf("job %s (%s) on %s", s.ID, s.Name, s.Engine)
	if s.Console != "" {
		text += ", " + s.Console
	}
	return text
}

// A follower reads in Beam's log what becomes of a job: its id is known
// nowhere else before the job has ended, nor afterwards if it was not waited
// for. It passes everything on to the log.
type follower struct {
	log.Structural
	submitted func(id string) Submission // called once

	mu    sync.Mutex
	job   Submission
	state string
}

// The SDK's messages: of the job services, "Job[1] state: RUNNING"; of
// Dataflow, "Job 1 cancelled", and of both the first.
var (
	submittedMessage = regexp.MustCompile(`^Submitted job: (\S+)$`)
	stateMessage     = regexp.MustCompile(`^Job(?:\[\S+\] state: ([A-Z]+)| \S+ (cancelled|drained|updated))$`)
)

// Log implements log.Logger.
func (f *follower) Log(ctx context.Context, severity log.Severity, depth int, text string) {
	f.Structural.Log(ctx, severity, depth, text)
	if m := submittedMessage.FindStringSubmatch(text); m != nil {
		f.note(m[1])
	}
	if m := stateMessage.FindStringSubmatch(text); m != nil {
		f.mu.Lock()
		f.state = strings.ToLower(cmp.Or(m[1], m[2]))
		f.mu.Unlock()
	}
}

// note takes the id of the job, once.
func (f *follower) note(id string) {
	f.mu.Lock()
	known := f.job.ID != "" || id == ""
	if !known {
		f.job.ID = id
	}
	f.mu.Unlock()
	if !known {
		job := f.submitted(id)
		f.mu.Lock()
		f.job = job
		f.mu.Unlock()
	}
}

// A jobStopped is the error of a job that was stopped before it ended by itself.
type jobStopped struct {
	text   string
	goesOn bool // it, or another in its place, may still be under way
}

func (e *jobStopped) Error() string { return e.text }

// flinkCancelled is in the error of a job that was cancelled in Flink.
const flinkCancelled = "org.apache.flink.runtime.client.JobCancellationException: "

// stopped returns why the job was stopped, if that is known, given Beam's error. Most
// often Beam returns no error, because it takes a stopped job for a success.
func (f *follower) stopped(err error) *jobStopped {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, goesOn := "", false
	switch {
	case err != nil && strings.Contains(err.Error(), flinkCancelled):
		text = "was cancelled"
	case strings.HasPrefix(f.state, "cancel") && f.job.deaf:
		text, goesOn = "was cancelled at its job server, but may go on: to end it, "+f.job.Cancel, true
	case strings.HasPrefix(f.state, "cancel"):
		text = "was cancelled"
	case strings.HasPrefix(f.state, "drain"):
		text = "was drained: it has left out what it had not begun"
	case f.state == "updated":
		text, goesOn = "was updated: another one has taken its place, and goes on", true
	default:
		return nil
	}
	return &jobStopped{"job " + f.job.ID + " " + text, goesOn}
}

// submit runs the pipeline under a name that says whose job it is, and returns
// what Beam returns.
func (p *Prepared) submit(ctx context.Context, pipeline *beam.Pipeline) (beam.PipelineResult, *follower, error) {
	// Beam's flags are global to the process. Runs of prism do not touch them, because
	// a process may have several.
	if *jobopts.JobName == "" && !IsPrism(p.Runner) {
		*jobopts.JobName = fmt.Sprintf("treebeam-%.12s", p.Job.FP)
		defer func() { *jobopts.JobName = "" }()
	}
	name := *jobopts.JobName
	f := &follower{submitted: func(id string) Submission {
		s := p.submission(id, name)
		if p.Submitted != nil && !IsPrism(p.Runner) {
			p.Submitted(s)
		}
		return s
	}}
	log.SetLogger(f)
	defer log.SetLogger(&log.Structural{})
	result, err := beam.Run(ctx, p.Runner, pipeline)
	if err == nil && !isNil(result) {
		f.note(result.JobID())
	}
	return result, f, err
}

// isNil says that nothing was submitted: Beam returns nil, or a nil pointer of
// a runner's own type, for --dry_run and --template_location.
func isNil(result beam.PipelineResult) bool {
	v := reflect.ValueOf(result)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

func (p *Prepared) submission(id, name string) Submission {
	s := Submission{Engine: p.Runner + " at " + *jobopts.Endpoint, ID: id, Name: name, Stays: !p.here}
	switch p.Runner {
	case "dataflow":
		project, region := *gcpopts.Project, *gcpopts.Region
		s.Engine = "dataflow"
		s.Cancel = fmt.Sprintf("gcloud dataflow jobs cancel %s --project=%s --region=%s", id, project, region)
		s.Console = fmt.Sprintf("https://console.cloud.google.com/dataflow/jobs/%s/%s?project=%s", region, id, project)
	case "flink":
		s.deaf = s.Stays
		shown, _, _ := strings.Cut(id, "_") // Flink's name is the beginning of the job service's id
		s.Cancel = fmt.Sprintf("flink list, then flink cancel with the number of %s, or Flink's web page", shown)
	case "spark":
		s.Cancel = fmt.Sprintf("the kill link of %s on the Spark master's web page", name)
	default:
		s.Cancel = fmt.Sprintf("the engine's own page or command, where it is called %s", name)
	}
	return s
}
