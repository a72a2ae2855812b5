// Stream is a program of a user: a module of its own that imports treebeam's
// transforms. It parses the files of a folder as they arrive and writes their trees in
// windows of event time, until a file named by --stop exists.
//
// The source keeps which files it has seen in its restriction, so an engine that
// restores a checkpoint or a savepoint reads no file twice and forgets none. The event
// time of a file is its modification time, which does not depend on when or how often
// the file is read: a window that is written again has the same rows, and WriteTrees
// gives the same rows the same name.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/treebeam/treebeam/transforms"
)

func init() {
	register.DoFn5x2[context.Context, *sdf.ManualWatermarkEstimator, *sdf.LockRTracker, string,
		func(beam.EventTime, transforms.Document), sdf.ProcessContinuation, error](&watch{})
	register.Emitter2[beam.EventTime, transforms.Document]()
	beam.RegisterType(reflect.TypeFor[Seen]())
}

func main() {
	folder := flag.String("folder", "", "where files arrive")
	output := flag.String("trees", "", "where trees/ go")
	stop := flag.String("stop", "", "a file whose existence ends the job")
	size := flag.Duration("window", 5*time.Second, "size of a window")
	options := flag.String("engine", "", "options of the engine as a JSON object; without it prism runs the job")
	flag.Parse()
	beam.Init() // never returns in a worker

	p, s := beam.NewPipelineWithRoot()
	docs := beam.ParDo(s, &watch{Stop: *stop, Every: time.Second}, beam.Create(s, *folder))
	trees, failures := transforms.ParseDocuments(s, docs, transforms.Options{})
	windows := window.NewFixedWindows(*size)
	transforms.WriteTrees(s, beam.WindowInto(s, windows, trees), *output, transforms.WriteOptions{})
	beam.ParDo0(s, complain, failures)

	var err error
	if *options == "" {
		err = beamx.Run(context.Background(), p)
	} else {
		err = submit(context.Background(), p, *options)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func init() { register.Function1x0(complain) }

// complain prints what could not be parsed.
func complain(f transforms.Failure) { fmt.Fprintf(os.Stderr, "failure: %+v\n", f) }

// watch lists a folder every so often and emits the files that it has not seen.
type watch struct {
	Stop  string
	Every time.Duration
}

// Seen is the restriction: the names of the files that were emitted.
type Seen struct {
	Names []string // sorted; never nil
	Done  bool
}

// A tracker claims files. All that is left to do is one thing that cannot be divided:
// two instances must not watch one folder.
type tracker struct {
	rest    Seen
	stopped bool
}

func (t *tracker) TryClaim(pos any) bool {
	if t.stopped || t.rest.Done {
		return false
	}
	name := pos.(string)
	if name == "" {
		t.rest.Done = true
		return true
	}
	at, found := slices.BinarySearch(t.rest.Names, name)
	if !found {
		t.rest.Names = slices.Insert(slices.Clone(t.rest.Names), at, name)
	}
	return true
}

func (t *tracker) TrySplit(fraction float64) (primary, residual any, err error) {
	if fraction > 0 || t.rest.Done || t.stopped {
		return t.rest, nil, nil
	}
	t.stopped = true
	return Seen{t.rest.Names, true}, t.rest, nil
}

func (t *tracker) GetError() error                        { return nil }
func (t *tracker) GetProgress() (done, remaining float64) { return float64(len(t.rest.Names)), 1 }
func (t *tracker) IsDone() bool                           { return t.stopped || t.rest.Done }
func (t *tracker) IsBounded() bool                        { return false }
func (t *tracker) GetRestriction() any                    { return t.rest }

func (*watch) CreateInitialRestriction(string) Seen     { return Seen{Names: []string{}} }
func (*watch) SplitRestriction(_ string, r Seen) []Seen { return []Seen{r} }
func (*watch) RestrictionSize(string, Seen) float64     { return 1 }
func (*watch) CreateTracker(r Seen) *sdf.LockRTracker   { return sdf.NewLockRTracker(&tracker{rest: r}) }
func (*watch) TruncateRestriction(*sdf.LockRTracker, string) Seen {
	return Seen{Names: []string{}, Done: true}
}

// The watermark is kept in milliseconds.
func (*watch) InitialWatermarkEstimatorState(beam.EventTime, Seen, string) int64 { return 0 }
func (*watch) CreateWatermarkEstimator(ms int64) *sdf.ManualWatermarkEstimator {
	return &sdf.ManualWatermarkEstimator{State: mtime.FromMilliseconds(ms).ToTime()}
}
func (*watch) WatermarkEstimatorState(e *sdf.ManualWatermarkEstimator) int64 {
	return mtime.FromTime(e.State).Milliseconds()
}

func (w *watch) ProcessElement(_ context.Context, we *sdf.ManualWatermarkEstimator, rt *sdf.LockRTracker, folder string,
	emit func(beam.EventTime, transforms.Document)) (sdf.ProcessContinuation, error) {
	now := time.Now()
	_, stopped := os.Stat(w.Stop)
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	seen := rt.GetRestriction().(Seen).Names
	for _, file := range files {
		name := file.Name()
		if _, found := slices.BinarySearch(seen, name); found || !strings.HasSuffix(name, ".txt") {
			continue
		}
		info, err := file.Info()
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if !rt.TryClaim(name) {
			return sdf.ResumeProcessingIn(w.Every), nil
		}
		emit(mtime.FromTime(info.ModTime()), transforms.NewDocument(name, string(text)))
	}
	if !errors.Is(stopped, fs.ErrNotExist) {
		rt.TryClaim("")
		return sdf.StopProcessing(), nil
	}
	// Files are renamed into the folder at most this long after they were written.
	we.UpdateWatermark(now.Add(-2 * time.Second))
	return sdf.ResumeProcessingIn(w.Every), nil
}

// submit runs the pipeline on an engine with a job server, with options of the engine,
// which Beam's own submission does not pass on.
func submit(ctx context.Context, p *beam.Pipeline, options string) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	environment, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		return err
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		return err
	}
	if err := runnerlib.UpdateGoEnvironmentWorker(*jobopts.WorkerBinary, proto); err != nil {
		return err
	}
	conn, err := grpcx.Dial(ctx, *jobopts.Endpoint, time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	hooks.SerializeHooksToOptions()
	beam.PipelineOptions.LoadOptionsFromFlags(nil)
	all, err := tools.OptionsToProto(runtime.RawOptionsWrapper{
		Options: beam.PipelineOptions.Export(), AppName: "stream", Experiments: []string{"beam_fn_api"}, Parallelism: 1,
	})
	if err != nil {
		return err
	}
	var more map[string]any
	if err := json.Unmarshal([]byte(options), &more); err != nil {
		return err
	}
	for name, value := range more {
		if all.Fields[name], err = structpb.NewValue(value); err != nil {
			return err
		}
	}
	prepared, err := client.Prepare(ctx, &jobpb.PrepareJobRequest{Pipeline: proto, PipelineOptions: all, JobName: "stream"})
	if err != nil {
		return err
	}
	token, err := runnerlib.Stage(ctx, prepared.GetPreparationId(), prepared.GetArtifactStagingEndpoint().GetUrl(),
		*jobopts.WorkerBinary, prepared.GetStagingSessionToken())
	if err != nil {
		return err
	}
	job, err := runnerlib.Submit(ctx, client, prepared.GetPreparationId(), token)
	if err != nil {
		return err
	}
	fmt.Println("job", job)
	return runnerlib.WaitForCompletion(ctx, client, job)
}
