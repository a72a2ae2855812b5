package pipeline

import (
	"context"
	"encoding/json"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/periodic"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline/engine"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

func init() { register.Function1x1(documentOf) }

// setFlags sets flags of Beam's until the test ends.
func setFlags(t *testing.T, values map[string]string) {
	for name, value := range values {
		f := flag.Lookup(name)
		before := f.Value.String()
		must(t, f.Value.Set(value))
		t.Cleanup(func() { f.Value.Set(before) })
	}
}

// A logged keeps what is logged.
type logged struct{ texts []string }

func (l *logged) Log(_ context.Context, _ log.Severity, _ int, text string) {
	l.texts = append(l.texts, text)
}

// dryRun returns what --dry_run says that it would submit to Dataflow.
func dryRun(t *testing.T, build func(s beam.Scope)) (*pipepb.Pipeline, *df.Job) {
	t.Helper()
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none")) // nobody is asked about the bucket
	l := &logged{}
	log.SetLogger(l)
	defer log.SetLogger(&log.Structural{})
	p, s := beam.NewPipelineWithRoot()
	build(s)
	if job, err := engine.Dataflow(t.Context(), p); err != nil || job != nil {
		t.Fatalf("a dry run: %v, %v", job, err)
	}
	model, job := new(pipepb.Pipeline), new(df.Job)
	for _, text := range l.texts {
		switch {
		case strings.HasPrefix(text, "components:"):
			must(t, prototext.Unmarshal([]byte(text), model))
		case strings.HasPrefix(text, "{"):
			must(t, json.Unmarshal([]byte(text), job))
		}
	}
	if model.Components == nil || job.Environment == nil || len(job.Environment.WorkerPools) != 1 {
		t.Fatalf("the dry run has said %q", l.texts)
	}
	return model, job
}

// checkModel checks what Dataflow's workers rely on: a container for every step, and for
// every splittable DoFn a coder of its restrictions, and an environment that can split
// them. It returns the names of the splittable ones.
func checkModel(t *testing.T, model *pipepb.Pipeline) (splittable []string) {
	t.Helper()
	c := model.GetComponents()
	for id, e := range c.GetEnvironments() {
		var docker pipepb.DockerPayload
		if err := proto.Unmarshal(e.GetPayload(), &docker); err != nil || e.GetUrn() != graphx.URNEnvDocker || !strings.HasSuffix(docker.GetContainerImage(), "/beam_go_sdk:"+core.SdkVersion) {
			t.Errorf("environment %s: %s in the container %q, %v", id, e.GetUrn(), docker.GetContainerImage(), err)
		}
		if string(e.GetResourceHints()["beam:resources:min_ram_bytes:v1"]) != "8000000000" {
			t.Errorf("environment %s: the hints %q", id, e.GetResourceHints())
		}
		if !slices.Contains(e.GetCapabilities(), graphx.URNTruncate) || len(e.GetDependencies()) != 1 {
			t.Errorf("environment %s: capabilities %q, artifacts %v", id, e.GetCapabilities(), e.GetDependencies())
		}
	}
	for id, transform := range c.GetTransforms() {
		var do pipepb.ParDoPayload
		if transform.GetSpec().GetUrn() != graphx.URNParDo {
			continue
		}
		must(t, proto.Unmarshal(transform.GetSpec().GetPayload(), &do))
		if c.GetEnvironments()[transform.GetEnvironmentId()] == nil {
			t.Errorf("%s %s has no environment", id, transform.GetUniqueName())
		}
		if coder := do.GetRestrictionCoderId(); coder != "" {
			splittable = append(splittable, transform.GetUniqueName())
			if c.GetCoders()[coder] == nil || !slices.Contains(model.GetRequirements(), graphx.URNRequiresSplittableDoFn) {
				t.Errorf("%s: coder %v, requirements %q", transform.GetUniqueName(), c.GetCoders()[coder], model.GetRequirements())
			}
		}
	}
	return splittable
}

// What would be submitted to Dataflow is a batch job with what its workers need.
func TestDataflowDryRun(t *testing.T) {
	transformstest.Dataflow(t)
	setFlags(t, map[string]string{"dry_run": "true", "worker_machine_type": "n2-standard-16", "max_num_workers": "50", "number_of_worker_harness_threads": "4",
		"worker_binary": "/opt/treebeam", "job_name": "treebeam-0123456789ab"})
	defer func() { jobopts.ResourceHints = nil }()
	jobopts.ResourceHints = append(jobopts.ResourceHints, "min_ram=8GB")
	model, job := dryRun(t, func(s beam.Scope) {
		Build(s, transforms.Job{Run: output.Run{Record: output.Record{FP: strings.Repeat("0123456789abcdef", 4)}, Ranges: 1 << 20, Output: "gs://bucket/out"}})
	})
	checkModel(t, model)
	pool := job.Environment.WorkerPools[0]
	if job.Name != "treebeam-0123456789ab" || job.Type != "JOB_TYPE_BATCH" || pool.MachineType != "n2-standard-16" || pool.NumThreadsPerWorker != 4 || pool.AutoscalingSettings.MaxNumWorkers != 50 {
		t.Errorf("the job %s (%s), its workers %+v", job.Name, job.Type, pool)
	}
	if len(pool.SdkHarnessContainerImages) != 1 || !strings.HasSuffix(pool.SdkHarnessContainerImages[0].ContainerImage, "/beam_go_sdk:"+core.SdkVersion) ||
		len(pool.Packages) != 1 || !strings.Contains(pool.Packages[0].Location, "b/staging/go-") || !strings.HasSuffix(pool.Packages[0].Location, "/worker") {
		t.Errorf("the containers %+v, the programs %+v", pool.SdkHarnessContainerImages, pool.Packages)
	}
	if e := job.Environment.Experiments; !slices.Contains(e, "use_runner_v2") || slices.Contains(e, "enable_streaming_engine") {
		t.Errorf("experiments %q", e)
	}

	// A user's unbounded one is a streaming job: documents in hourly windows, and trees to files.
	model, job = dryRun(t, func(s beam.Scope) {
		ticks := periodic.Impulse(s, time.Now(), time.Now().Add(time.Hour), time.Minute, false)
		docs := beam.WindowInto(s, window.NewFixedWindows(time.Hour), beam.ParDo(s, documentOf, ticks))
		trees, _ := transforms.ParseDocuments(s, docs, transforms.Options{Model: transformstest.ModelURI})
		transforms.WriteTrees(s, trees, "gs://bucket/trees", transforms.WriteOptions{Shards: 8})
	})
	if splittable := checkModel(t, model); len(splittable) != 1 || job.Type != "JOB_TYPE_STREAMING" ||
		!slices.Contains(job.Environment.Experiments, "enable_streaming_engine") {
		t.Errorf("%s, splittable are %q, experiments %q", job.Type, splittable, job.Environment.Experiments)
	}
	checkUnbounded(t, model)
}

func documentOf([]byte) transforms.Document { return transforms.NewDocument("tick", "One .") }

// checkUnbounded checks that documents and trees are unbounded, in hourly windows, and
// rows that other languages read, and that trees are grouped by shard.
func checkUnbounded(t *testing.T, model *pipepb.Pipeline) {
	t.Helper()
	c, rows, grouped := model.GetComponents(), 0, 0
	for _, p := range c.GetPcollections() {
		strategy := c.GetWindowingStrategies()[p.GetWindowingStrategyId()]
		coder := c.GetCoders()[p.GetCoderId()]
		if coder.GetSpec().GetUrn() != "beam:coder:row:v1" || strategy.GetWindowFn().GetUrn() != graphx.URNFixedWindowsWindowFn {
			continue
		}
		if rows++; p.GetIsBounded() != pipepb.IsBounded_UNBOUNDED {
			t.Errorf("%s is bounded", p.GetUniqueName())
		}
	}
	for _, transform := range c.GetTransforms() {
		if transform.GetSpec().GetUrn() == graphx.URNGBK {
			grouped++
		}
	}
	if rows != 3 || grouped != 1 { // documents, trees, failures
		t.Errorf("%d collections of rows in windows, %d groupings", rows, grouped)
	}
}
