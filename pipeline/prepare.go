package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/treebeam/treebeam/io/durable"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// A Prepared run is checked and has its plan in place.
type Prepared struct {
	Job    transforms.Job
	Files  int
	Bytes  int64 // of the stored input
	Runner string
	// Submitted, if set, is told of the job as soon as an engine has it: from
	// another goroutine than that of Run, and once. Prism is no engine here.
	Submitted func(Submission)

	spool   *spool
	lease   *lease
	note    string
	sizes   []int64 // stored bytes, by range
	here    bool    // the stages run in this process
	metrics []Metric
}

// Prepare checks the options, the model, the input and the output, in this
// order, and writes the plan into the output folder. What it finds wrong is a
// *Refusal, and nothing was written.
func Prepare(ctx context.Context, o Options) (*Prepared, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	model, digest, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	output, err := outputPath(ctx, o.Output)
	if err != nil {
		return nil, &Refusal{err}
	}
	if err := checkWritable(ctx, output); err != nil {
		return nil, err
	}
	spool := newSpool(output)
	p, err := o.plan(ctx, output, spool, digest)
	if err != nil {
		spool.undo()
		return nil, err
	}
	p.Job.TrainedOn = transforms.TrainedOn(model)
	return p, nil
}

// Note is what the user should know before the run begins: that another one
// seems to be under way in the same folder. It is "" if there is nothing.
func (p *Prepared) Note() string { return p.note }

// plan lists the input and places the plan in the output folder.
func (o *Options) plan(ctx context.Context, output string, spool *spool, digest string) (_ *Prepared, err error) {
	inputs := o.Files
	if inputs == nil {
		if inputs, err = source.List(ctx, o.Inputs, source.ListOptions{
			Skip: []string{output}, Stdin: o.Stdin, Spool: spool.dir,
		}); err != nil {
			return nil, refuseInput(err)
		}
	}
	plan, err := source.NewPlan(inputs, source.PlanOptions{RangeBytes: o.RangeBytes})
	if err != nil {
		return nil, &Refusal{err}
	}
	run := record{FormatVersion: transforms.FormatVersion, ModelDigest: digest, Options: o.Rows}
	run.FP = plan.Fingerprint(run.canonical())
	others, err := o.checkOutput(ctx, output, &run, plan)
	if err != nil {
		return nil, err
	}
	lease, note, err := takeLease(ctx, output, spool)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lease.end(false)
		}
	}()
	if err := removeOthers(ctx, output, others, run.FP); err != nil {
		return nil, err
	}
	p := &Prepared{
		lease: lease, note: note,
		Files: plan.Files, Bytes: plan.Bytes, Runner: o.Runner, spool: spool, here: o.local(),
		Job: transforms.Job{
			FP: run.FP, Ranges: len(plan.Ranges), Output: output,
			Model: o.Model, ModelDigest: digest, ModelID: modelID(digest),
			Options: o.Rows, Runner: o.Runner, Redo: o.RetryFailures, Verify: o.Verify,
		},
	}
	for i := range plan.Ranges {
		p.sizes = append(p.sizes, plan.Ranges[i].Bytes())
	}
	p.Job.Footer = run.footer(o.Footer)
	if err := p.place(ctx, &run, plan); err != nil {
		return nil, err
	}
	if o.RetryFailures { // parts will be replaced: until all are, the output is not complete
		if err := store.Delete(ctx, store.Join(output, transforms.ManifestFile)); err != nil {
			return nil, fmt.Errorf("--retry-failures: %w", err)
		}
	}
	if !o.local() && !store.IsRemote(output) {
		if p.Job.Token, err = transforms.PlaceToken(output); err != nil {
			return nil, refuse("--output %s: %w", output, err)
		}
	}
	if err := o.texts.Place(ctx, output); err != nil {
		return nil, err
	}
	return p, o.placeModel(ctx, &p.Job)
}

// refuseInput is a refusal for err, an error of source.List, unless it is a
// fault of the machine, after which the same command may succeed.
func refuseInput(err error) error {
	var spool *source.SpoolError
	if errors.As(err, &spool) {
		return err
	}
	return &Refusal{err}
}

// modelID is the column model_id: enough of the digest to tell models apart.
func modelID(digest string) string {
	if len(digest) > 16 {
		return digest[:16]
	}
	return digest
}

// A record is _treebeam/run-<fp>.json: what else changes rows beside the
// input. With the plan it tells what made an output, and how another run
// differs.
type record struct {
	FP            string                `json:"fp"`
	FormatVersion string                `json:"format_version"`
	ModelDigest   string                `json:"model_digest"`
	Options       transforms.RowOptions `json:"options"`
}

func (r *record) provenance() Provenance {
	return Provenance{r.FormatVersion, r.ModelDigest, r.Options}
}

// canonical is the record without its fingerprint, as the fingerprint sees it.
func (r record) canonical() string {
	r.FP = ""
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data
	}
	return string(text)
}

func (r *record) footer(more map[string]string) map[string]string {
	options, err := json.Marshal(r.Options)
	if err != nil {
		panic(err) // plain data
	}
	footer := map[string]string{
		"treebeam.model_digest": r.ModelDigest,
		"treebeam.options":      string(options),
	}
	for key, value := range more {
		footer[key] = value
	}
	return footer
}

// place makes the output folder and writes the record and the plan.
func (p *Prepared) place(ctx context.Context, run *record, plan *source.Plan) error {
	tmp := "" // where a local file is until it is renamed
	if !store.IsRemote(p.Job.Output) {
		tmp = filepath.Join(p.Job.Output, transforms.OwnDir, "tmp")
		if err := os.MkdirAll(tmp, 0o755); err != nil {
			return refuse("the output folder cannot be made: %w", err)
		}
		transforms.Sweep(p.Job.Output, time.Now())
	}
	text, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return err
	}
	if err := transforms.WriteFile(ctx, p.Job.Output, recordName(run.FP), append(text, '\n')); err != nil {
		return refuse("the output folder cannot be written: %w", err)
	}
	return plan.Write(ctx, store.Join(p.Job.Output, transforms.OwnDir, source.PlanName(run.FP)), tmp)
}

// placeModel copies a local model to the output if the workers may not see it.
func (o *Options) placeModel(ctx context.Context, job *transforms.Job) error {
	if o.local() || o.SharedFilesystem || !transforms.IsLocalModel(o.Model) {
		return nil
	}
	data, err := store.ReadFile(ctx, o.Model)
	if err != nil {
		return err
	}
	name := transforms.OwnDir + "/models/" + job.ModelDigest + ".tbm"
	if err := transforms.WriteFile(ctx, job.Output, name, data); err != nil {
		return fmt.Errorf("copying the model: %w", err)
	}
	job.Model = store.Join(job.Output, name)
	return nil
}

func recordName(fp string) string {
	return transforms.OwnDir + fmt.Sprintf("/run-%.16s.json", fp)
}

// outputPath is an output folder as an absolute path or the URI of an object
// store without a slash at its end.
func outputPath(ctx context.Context, output string) (string, error) {
	if !store.IsRemote(output) {
		return filepath.Abs(strings.TrimPrefix(output, "file://"))
	}
	if _, _, err := store.Of(ctx, output); err != nil {
		return "", fmt.Errorf("--output %s: %w", store.Redact(output), err)
	}
	output = strings.TrimRight(output, "/")
	if _, folder, err := store.Split(output); err != nil || folder == "" {
		return "", fmt.Errorf("--output %s: name a bucket and a folder in it", output)
	}
	return output, nil
}

// checkWritable refuses an output folder that cannot be made or written,
// without leaving anything behind. Of an object store it is known only when
// the record of the run is written.
func checkWritable(ctx context.Context, output string) error {
	if store.IsRemote(output) {
		if _, err := store.Exists(ctx, store.Join(output, transforms.ManifestFile)); err != nil {
			return refuse("--output %s cannot be examined: %w; check the name of the bucket and your rights", output, err)
		}
		return nil
	}
	dir := output
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return refuse("--output %s: %s is a file, not a folder; name another", output, dir)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return refuse("--output %s: %w; name a folder that can be written", output, err)
		}
		if dir == filepath.Dir(dir) {
			return refuse("--output %s: %w", output, err)
		}
		dir = filepath.Dir(dir)
	}
	probe, err := durable.Create(filepath.Join(dir, "treebeam-probe"), dir, 0o600)
	if err != nil {
		return refuse("--output %s cannot be written: %w; name another folder or change its permissions", output, err)
	}
	return probe.Cleanup()
}
