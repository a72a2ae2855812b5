package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	beamruntime "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/protobuf/types/known/structpb"
)

// dialWithin is how long a job service may take to answer at first.
const dialWithin = 2 * time.Minute

// refusedWithin is how long a job service that is starting may refuse connections. Tests set it.
var refusedWithin = 10 * time.Second

// Options are for Submit, in addition to Beam's flags (--endpoint, --environment_type
// and so on).
type Options struct {
	Name string // of the job
	// Local says that without --endpoint and --environment_type the pipeline runs on
	// prism in this process.
	Local bool
	// Runner are options of the engine's own, such as checkpointing_interval of Flink,
	// with values as of JSON.
	Runner map[string]any
}

// ParseOption reads an engine's own option, NAME=VALUE. A value that is not JSON is a
// string.
func ParseOption(option string) (name string, value any, err error) {
	name, text, found := strings.Cut(option, "=")
	if !found || name == "" {
		return "", nil, fmt.Errorf("%q is not of the form NAME=VALUE", option)
	}
	if json.Unmarshal([]byte(text), &value) != nil {
		value = text
	}
	return name, value, nil
}

// A served job is one of a job service: of prism, Flink, Spark, or another engine that
// has one.
type served struct {
	id     string
	client jobpb.JobServiceClient
	model  *pipepb.Pipeline
	stop   []func() // what Close calls, last first
}

// Submit submits the pipeline to a job service. Close the job in the end.
func Submit(ctx context.Context, p *beam.Pipeline, o Options) (_ Job, err error) {
	if *jobopts.Strict {
		if _, err := beam.Run(ctx, "vet", p); err != nil {
			return nil, fmt.Errorf("--beam_strict: %w", err)
		}
	}
	j := &served{}
	defer func() {
		if err != nil {
			j.Close()
		}
	}()
	if err := j.connect(ctx, o.Local); err != nil {
		return nil, fmt.Errorf("connecting to the job service: %w", err)
	}
	if err := o.check(ctx, j.client); err != nil {
		return nil, err
	}
	worker, err := j.translate(ctx, p, o.Local)
	if err != nil {
		return nil, err
	}
	request, err := o.request(j.model)
	if err != nil {
		return nil, err
	}
	prepared, err := j.client.Prepare(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("the job service does not take the pipeline: %w", err)
	}
	token, err := runnerlib.Stage(ctx, prepared.GetPreparationId(), prepared.GetArtifactStagingEndpoint().GetUrl(), worker, prepared.GetStagingSessionToken())
	if err != nil {
		return nil, fmt.Errorf("handing over the worker program: %w", err)
	}
	j.id, err = runnerlib.Submit(ctx, j.client, prepared.GetPreparationId(), token)
	return j, err
}

// inProcess is the job service of prism in this process, which is never stopped. From the
// last output of a bundle to its end, prism asks for the end without a pause. A second
// thread keeps it from holding up what it asks for: on one core, that took 0.1 s of every
// run.
var inProcess = sync.OnceValues(func() (jobpb.JobServiceClient, error) {
	if err := talks("localhost"); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), 2))
	return prism.CreateJobServer(context.Background(), prism.Options{})
})

// talks is an error if this process cannot reach itself at host, for which prism would wait
// without end.
func talks(host string) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err == nil {
		defer l.Close()
		var c net.Conn
		if c, err = net.Dial("tcp", l.Addr().String()); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("this machine cannot reach itself: %w; /etc/hosts needs the line 127.0.0.1 localhost, and the network interface lo must be up", err)
}

// connect finds the job service.
func (j *served) connect(ctx context.Context, local bool) (err error) {
	if local && *jobopts.Endpoint == "" {
		j.client, err = inProcess()
		return err
	}
	if err := awaitListener(ctx, *jobopts.Endpoint); err != nil {
		return err
	}
	connection, err := grpcx.Dial(ctx, *jobopts.Endpoint, dialWithin)
	if err != nil {
		return err
	}
	j.stop = append(j.stop, func() { connection.Close() })
	j.client = jobpb.NewJobServiceClient(connection)
	return nil
}

// awaitListener returns an error if an endpoint refuses connections for refusedWithin. A dial of
// gRPC would go on for dialWithin. What else is wrong with the endpoint, that dial will tell.
func awaitListener(ctx context.Context, endpoint string) error {
	for begun := time.Now(); ; {
		probe, err := (&net.Dialer{Timeout: refusedWithin}).DialContext(ctx, "tcp", endpoint)
		switch {
		case err == nil:
			return probe.Close()
		case !errors.Is(err, syscall.ECONNREFUSED):
			return nil
		case time.Since(begun) >= refusedWithin:
			return fmt.Errorf("%w; start the job server, or name its HOST:PORT with --endpoint", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second / 4):
		}
	}
}

// check refuses options of the runner that the job service does not know, if it tells
// which ones it does: it would pass over them.
func (o *Options) check(ctx context.Context, client jobpb.JobServiceClient) error {
	if len(o.Runner) == 0 {
		return nil
	}
	known, err := client.DescribePipelineOptions(ctx, &jobpb.DescribePipelineOptionsRequest{})
	if err != nil || len(known.GetOptions()) == 0 {
		return nil
	}
	for name := range o.Runner {
		if !slices.ContainsFunc(known.GetOptions(), func(d *jobpb.PipelineOptionDescriptor) bool { return d.GetName() == name }) {
			return fmt.Errorf("the runner has no option %s", name)
		}
	}
	return nil
}

// translate makes the model of the pipeline and says which program its workers are to
// run. It starts the workers if they are to be in this process.
func (j *served) translate(ctx context.Context, p *beam.Pipeline, local bool) (worker string, err error) {
	edges, _, err := p.Build()
	if err != nil {
		return "", err
	}
	urn, config := jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig
	if jobopts.IsLoopback() || local && *jobopts.EnvironmentType == "" {
		pool, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return "", err
		}
		j.stop = append(j.stop, func() { pool.Stop(context.Background()) })
		urn, config = graphx.URNEnvExternal, pool.EnvironmentConfig
	} else if worker = *jobopts.WorkerBinary; worker == "" {
		if worker, err = os.Executable(); err != nil {
			return "", err
		}
	}
	environment, err := graphx.CreateEnvironment(ctx, urn, config)
	if err != nil {
		return "", err
	}
	if worker == "" { // nobody starts a program
		environment.Dependencies = nil
	}
	j.model, err = graphx.Marshal(edges, &graphx.Options{Environment: environment, PipelineResourceHints: jobopts.GetPipelineResourceHints()})
	if err != nil {
		return "", err
	}
	if worker == "" {
		return "", nil
	}
	return worker, runnerlib.UpdateGoEnvironmentWorker(worker, j.model)
}

// request is what a job service is asked, as by Beam's own runner, with the options of
// the engine's own.
func (o *Options) request(model *pipepb.Pipeline) (*jobpb.PrepareJobRequest, error) {
	hooks.SerializeHooksToOptions()
	beam.PipelineOptions.LoadOptionsFromFlags(nil)
	options, err := tools.OptionsToProto(beamruntime.RawOptionsWrapper{
		Options: beam.PipelineOptions.Export(), AppName: o.Name, Experiments: append(jobopts.GetExperiments(), "beam_fn_api"),
		RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism,
	})
	if err != nil {
		return nil, err
	}
	for name, value := range o.Runner {
		v, err := structpb.NewValue(value)
		if err != nil {
			return nil, fmt.Errorf("option %s of the runner: %w", name, err)
		}
		options.Fields["beam:option:"+name+":v1"] = v
	}
	return &jobpb.PrepareJobRequest{Pipeline: model, PipelineOptions: options, JobName: o.Name}, nil
}

// ID implements Job.
func (j *served) ID() string { return j.id }

// Wait implements Job. It logs what the engine says meanwhile.
func (j *served) Wait(ctx context.Context) (end End, err error) {
	ctx, cancel := context.WithCancel(ctx) // or the stream stays open
	defer cancel()
	stream, err := j.client.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: j.id})
	if err != nil {
		return end, err
	}
	for {
		event, err := stream.Recv()
		if err != nil && isLast(end.State) && ctx.Err() == nil { // no cause came
			return end, nil
		}
		if err != nil {
			return end, err
		}
		if said := event.GetMessageResponse(); said != nil {
			log.Info(ctx, said.GetMessageText())
			if said.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR {
				end.Cause = said.GetMessageText()
			}
		}
		if changed := event.GetStateResponse(); changed != nil {
			end.State = cmp.Or(changed.GetState(), end.State)
		}
		if isLast(end.State) && (end.State != jobpb.JobState_FAILED || end.Cause != "") { // a cause may come later
			return end, nil
		}
	}
}

// Cancel implements Job.
func (j *served) Cancel(ctx context.Context) error {
	_, err := j.client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.id})
	return err
}

// Metrics implements Job.
func (j *served) Metrics(ctx context.Context) *metrics.Results {
	response, err := j.client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: j.id})
	if err != nil {
		return nil
	}
	m := response.GetMetrics()
	return metricsx.FromMonitoringInfos(j.model, m.GetAttempted(), m.GetCommitted())
}

// Close implements Job.
func (j *served) Close() {
	for _, stop := range slices.Backward(j.stop) {
		stop()
	}
}
