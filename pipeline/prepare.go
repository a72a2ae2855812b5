package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/transforms"
)

// A Prepared run has been checked, and its plan is in its output folder.
type Prepared struct {
	Job        transforms.Job
	Files      int
	Duplicates []Duplicate // that were left out
	Bytes      int64       // of the stored input
	Runner     string
	// Submitted, if set, is called once, as soon as an engine has the job. Prism does not
	// count as an engine here.
	Submitted func(Submission)

	lock    *flock.Flock // of a local output folder
	sizes   []int64      // stored bytes, by range
	here    bool         // the stages run in this process
	metrics []Metric

	model         transforms.Stages
	runnerOptions map[string]any
}

// Prepare checks the options, the model, the input and the output, in this order, and
// writes the plan into the output folder. If a check fails, it returns a *Refusal and
// writes nothing. Close the run in the end.
func Prepare(ctx context.Context, o Options) (*Prepared, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	model, digest, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	folder, err := outputPath(ctx, o.Output)
	if err != nil {
		return nil, &Refusal{Err: err}
	}
	if err := checkWritable(ctx, folder); err != nil {
		return nil, err
	}
	p, err := o.plan(ctx, folder, digest)
	if err != nil {
		return nil, err
	}
	p.model, p.Job.TrainedOn = model, model.TrainedOn()
	return p, nil
}

// Close releases the output folder.
func (p *Prepared) Close() error { return p.lock.Close() }

// plan lists the input and places the plan in the output folder.
func (o *Options) plan(ctx context.Context, folder, digest string) (_ *Prepared, err error) {
	inputs, left, err := o.list(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer inputs.Close()
	plan, err := source.NewPlan(ctx, inputs, source.PlanOptions{RangeBytes: o.RangeBytes, Least: transforms.LeastPiece(o.Rows)})
	if err != nil {
		return nil, &Refusal{Err: err}
	}
	run := output.Record{Provenance: output.Provenance{FormatVersion: output.FormatVersion, ModelDigest: digest, Options: o.Rows}}
	run.FP = plan.Fingerprint(run.Canonical())
	others, err := o.checkOutput(ctx, folder, &run, plan)
	if err != nil {
		return nil, err
	}
	lock, err := lockFolder(folder)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	if err := removeOthers(ctx, folder, others, run.FP); err != nil {
		return nil, err
	}
	p := &Prepared{
		lock: lock, Duplicates: left, Files: plan.Files, Bytes: plan.Bytes, sizes: plan.Sizes, Runner: o.Runner, here: o.local(), runnerOptions: o.runnerOptions,
		Job: transforms.Job{
			Run: output.Run{
				Record: run, Ranges: len(plan.Sizes), Output: folder, Redo: o.RetryFailures, Verify: o.Verify,
			},
			Model: o.Model,
		},
	}
	if err := p.place(ctx, &run, plan); err != nil {
		return nil, err
	}
	if o.RetryFailures { // parts will be replaced: until all are, the output is not complete
		if err := store.Delete(ctx, store.Join(folder, output.ManifestFile)); err != nil {
			return nil, fmt.Errorf("--retry-failures: %w", err)
		}
	}
	if !o.local() && !store.IsRemote(folder) {
		if p.Job.Token, err = output.PlaceToken(folder); err != nil {
			return nil, refuse("--output %s: %w", folder, err)
		}
	}
	if err := o.texts.Place(ctx, folder); err != nil {
		return nil, err
	}
	return p, o.placeModel(ctx, &p.Job)
}

// list lists the input. With Dedup it leaves out duplicates, and returns these, too.
func (o *Options) list(ctx context.Context, folder string) (_ *source.Listing, left []Duplicate, err error) {
	if o.Files != nil {
		return source.ListingOf(o.Files), nil, nil
	}
	all, err := source.Find(ctx, o.Inputs, source.ListOptions{Paths: o.Paths, Exclude: o.Exclude, Skip: []string{folder}})
	if err != nil {
		return nil, nil, &Refusal{Err: err}
	}
	if err = o.NoteUnmatched(all.All()); err == nil && !o.Dedup {
		return all, nil, nil
	}
	defer all.Close()
	var list []source.Input
	if err == nil {
		list, err = all.Inputs()
	}
	if err == nil {
		list, left, err = Distinct(ctx, list, nil)
	}
	return source.ListingOf(list), left, err
}

// tryLock takes a lock, or says that another process has it. Tests replace it.
var tryLock = (*flock.Flock).TryLock

// lockFolder locks a local output folder until the lock is closed or the process ends,
// and refuses one that another run has locked. The lock only saves work. Without locks,
// as in an object store, two runs write the same bytes, and each writes a part
// completely or not at all.
func lockFolder(folder string) (*flock.Flock, error) {
	if store.IsRemote(folder) {
		return flock.New(""), nil
	}
	own := filepath.Join(folder, output.OwnDir)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return nil, refuse("the output folder cannot be made: %w", err)
	}
	lock := flock.New(filepath.Join(own, "lock"), flock.SetPermissions(0o644)) // the file stays: removing it would let two hold it
	if locked, err := tryLock(lock); err == nil && !locked {
		return nil, refuse("another run of treebeam is writing to %s; wait until it ends, or stop it: the same command then continues", folder)
	}
	return lock, nil
}

// place makes the output folder and writes the record and the plan.
func (p *Prepared) place(ctx context.Context, run *output.Record, plan *source.Plan) error {
	tmp := "" // where a local file is until it is renamed
	if !store.IsRemote(p.Job.Output) {
		tmp = filepath.Join(p.Job.Output, output.OwnDir, "tmp")
		if err := os.MkdirAll(tmp, 0o755); err != nil {
			return refuse("the output folder cannot be made: %w", err)
		}
		output.Sweep(p.Job.Output, time.Now())
	}
	if err := run.Write(ctx, p.Job.Output); err != nil {
		return refuse("the output folder cannot be written: %w", err)
	}
	p.Job.ForgetCauses(ctx)
	return plan.Write(ctx, store.Join(p.Job.Output, output.OwnDir, source.PlanName(run.FP)), tmp)
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
	name := output.OwnDir + "/models/" + job.ModelDigest + ".tbm"
	if err := output.WriteFile(ctx, job.Output, name, data); err != nil {
		return fmt.Errorf("copying the model: %w", err)
	}
	job.Model = store.Join(job.Output, name)
	return nil
}

// outputPath is an output folder as an absolute path or the URI of an object
// store without a slash at its end.
func outputPath(ctx context.Context, folder string) (string, error) {
	if !store.IsRemote(folder) {
		path, err := filepath.Abs(strings.TrimPrefix(folder, "file://"))
		if err != nil {
			err = fmt.Errorf("--output %s: the working directory cannot be found: %w; name the whole path", folder, err)
		}
		return path, err
	}
	if _, _, err := store.Of(ctx, folder); err != nil {
		return "", fmt.Errorf("--output %s: %w", store.Redact(folder), err)
	}
	folder = strings.TrimRight(folder, "/")
	if _, in, err := store.Split(folder); err != nil || in == "" {
		return "", fmt.Errorf("--output %s: name a bucket and a folder in it", folder)
	}
	return folder, nil
}

// checkWritable refuses an output folder that cannot be made or written, without
// leaving anything behind. For an object store this is known only when the record of
// the run is written.
func checkWritable(ctx context.Context, folder string) error {
	if store.IsRemote(folder) {
		if _, err := store.Exists(ctx, store.Join(folder, output.ManifestFile)); err != nil {
			return refuse("--output %s cannot be examined: %w; check the name of the bucket and your rights", folder, err)
		}
		return nil
	}
	dir := folder
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return refuse("--output %s: %s is a file, not a folder; name another", folder, dir)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return refuse("--output %s: %w; name a folder that can be written", folder, err)
		}
		if dir == filepath.Dir(dir) {
			return refuse("--output %s: %w", folder, err)
		}
		dir = filepath.Dir(dir)
	}
	probe, err := store.CreateFile(filepath.Join(dir, "treebeam-probe"), dir)
	if err != nil {
		return refuse("--output %s cannot be written: %w; name another folder or change its permissions", folder, err)
	}
	probe.Abort()
	return nil
}
