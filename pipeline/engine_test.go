package pipeline

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// fill sets every field of a value to something that is not its zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(t, f)
			} else {
				t.Errorf("%s.%s is not exported: no worker would see it", v.Type(), v.Type().Field(i).Name)
			}
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(1<<63 + 1)
	default:
		t.Fatalf("a field of type %s: teach this test", v.Type())
	}
}

// A worker sees nothing but the fields of its DoFn, which travel as JSON: all
// of the job must come through.
func TestJobTravels(t *testing.T) {
	var job, got transforms.Job
	fill(t, reflect.ValueOf(&job).Elem())
	data, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(job, got) {
		t.Errorf("sent %+v\ngot  %+v", job, got)
	}
}

// What is submitted to an engine is small whatever the input, a chain from
// Read to Write, and something that Dataflow's translation takes.
func TestSubmittedPipeline(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Build(s, transforms.Job{Run: output.Run{Record: output.Record{FP: strings.Repeat("0123456789abcdef", 4)}, Ranges: 1 << 20, Output: "gs://bucket/out"}})
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	environment, err := graphx.CreateEnvironment(ctx, "beam:env:docker:v1", func(context.Context) string { return "image" })
	if err != nil {
		t.Fatal(err)
	}
	model, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(model.String()); n > 64<<10 {
		t.Errorf("the pipeline takes %d bytes", n)
	}

	consumers := map[string]int{}
	for id, transform := range model.GetComponents().GetTransforms() {
		if len(transform.GetSubtransforms()) > 0 || id == "" {
			continue
		}
		for _, in := range transform.GetInputs() {
			consumers[in]++
		}
	}
	stages := []string{"Read", "Segment", "Encode", "Tag", "Prune", "Parse"}
	chain := 0
	for _, stage := range stages {
		for _, transform := range model.GetComponents().GetTransforms() {
			if len(transform.GetSubtransforms()) > 0 || !strings.HasPrefix(transform.GetUniqueName(), stage+"/") {
				continue
			}
			for _, out := range transform.GetOutputs() {
				chain++
				if consumers[out] != 1 {
					t.Errorf("what %s makes has %d consumers", transform.GetUniqueName(), consumers[out])
				}
			}
		}
	}
	if chain != len(stages) {
		t.Errorf("found %d of the %d stages whose chunks have one consumer", chain, len(stages))
	}

	job, err := dataflowlib.Translate(ctx, model, &dataflowlib.JobOptions{
		Name: "treebeam", Project: "project", Region: "europe-west1", TempLocation: "gs://staging/tmp",
		Worker: "/opt/treebeam", MachineType: "n2-standard-16", MaxNumWorkers: 50, WorkerHarnessThreads: 4,
	}, "gs://staging/worker", "gs://staging/model", "hash")
	if err != nil {
		t.Fatal(err)
	}
	if job.Type != "JOB_TYPE_BATCH" || len(job.Environment.WorkerPools) != 1 {
		t.Fatalf("a job of type %s with %d pools of workers", job.Type, len(job.Environment.WorkerPools))
	}
	pool := job.Environment.WorkerPools[0]
	if pool.MachineType != "n2-standard-16" || len(pool.Packages) != 1 || !strings.HasPrefix(pool.Packages[0].Location, "gs://staging/") &&
		!strings.Contains(pool.Packages[0].Location, "staging/worker") {
		t.Errorf("the workers: %+v, %+v", pool.MachineType, pool.Packages)
	}
}
