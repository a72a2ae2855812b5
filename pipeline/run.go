package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	// Runners and stores register themselves.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/treebeam/treebeam/io/output"
	_ "github.com/treebeam/treebeam/io/store/gs"
	_ "github.com/treebeam/treebeam/io/store/s3"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline/engine"
	"github.com/treebeam/treebeam/transforms"
)

// Run runs a prepared job until it ends and returns its summary. After an error, the
// same command continues where the run stopped. The summary is nil if the job was only
// submitted (--async) or only checked (--dry_run, --template_location).
func Run(ctx context.Context, p *Prepared) (*output.Summary, error) {
	pipeline, scope := beam.NewPipelineWithRoot()
	Build(scope, p.Job)
	return p.run(ctx, pipeline)
}

func (p *Prepared) run(ctx context.Context, pipeline *beam.Pipeline) (*output.Summary, error) {
	defer p.Close()
	before := p.manifestVersion(ctx)
	job, submission, err := p.submit(ctx, pipeline)
	if job == nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	defer job.Close()
	if *jobopts.Async {
		return nil, nil
	}
	end, err := job.Wait(ctx)
	if ctx.Err() != nil {
		if p.here {
			job.Cancel(context.WithoutCancel(ctx))
		}
		return nil, ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("job %s: %s no longer answers, and the job may go on; to end it, %s: %w", submission.ID, submission.Engine, submission.Cancel, err)
	} else {
		err = p.outcome(ctx, submission, end)
	}
	if err != nil {
		transforms.Settle(stopWithin)
		return nil, err
	}
	m, err := output.ReadManifest(p.Job.Output)
	if err == nil && before != "" && p.manifestVersion(ctx) == before {
		return nil, fmt.Errorf("job %s ended without having finished %s, whose manifest is from an earlier run: run the same command again", submission.ID, p.Job.Output)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("job %s ended without having written %s: it was cancelled, or its engine has lost it",
			submission.ID, store.Join(p.Job.Output, output.ManifestFile))
	}
	if err != nil {
		return nil, err
	}
	if m.FP != p.Job.FP {
		return nil, fmt.Errorf("the manifest of %s is that of another run", p.Job.Output)
	}
	p.metrics = metricsOf(job.Metrics(ctx))
	return output.ReadSummary(p.Job.Output)
}

// outcome is the error of a job that has not ended by itself, or has failed.
func (p *Prepared) outcome(ctx context.Context, s *Submission, end engine.End) error {
	if stopped := p.stopped(s, end); stopped != nil || end.State == jobpb.JobState_DONE {
		return stopped
	}
	switch cause, known := p.Job.FirstCause(ctx); {
	case known && cause.Kind == output.Changed:
		return &InputChanged{cause.Message}
	case known:
		return errors.New(cause.Message)
	}
	if cause := innermost(end.Cause); p.here && cause != "" {
		return errors.New(cause)
	}
	return fmt.Errorf("job %s failed:\n%s", s.ID, cmp.Or(end.Cause, "its engine does not say why"))
}

// innermost returns the error of the function that failed, "" if there is none. Beam's text
// has the plan before it.
func innermost(cause string) string {
	_, list, _ := strings.Cut(cause, "DoFn[")
	_, err, _ := strings.Cut(list, " failed:\n")
	return strings.TrimSpace(err)
}

// manifestVersion tells one manifest of the output from another, though their bytes be
// the same; "" if there is none, or the store does not tell them apart.
func (p *Prepared) manifestVersion(ctx context.Context) string {
	info, err := store.Stat(ctx, store.Join(p.Job.Output, output.ManifestFile))
	if err != nil || strings.HasPrefix(info.Version, "e") { // an entity tag of S3 depends on the bytes only
		return ""
	}
	return info.Version
}

// stopWithin is how long a failed run waits for what it still has under way.
const stopWithin = 5 * time.Second

// An InputChanged is the error of a run whose input has changed since it was listed.
// The changed input is another run, which needs Options.Overwrite or another output.
type InputChanged struct{ what string }

func (e *InputChanged) Error() string { return e.what }
