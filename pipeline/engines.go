package pipeline

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/gcpopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/treebeam/treebeam/pipeline/engine"
)

// runners are the values that --runner may have, in any spelling of their
// letters, and the names under which Beam has them registered. Of Beam's
// others, vet and dot do no work.
var runners = map[string]string{
	"": "prism", "prism": "prism", "prismrunner": "prism",
	"direct": "prism", "directrunner": "prism", // what schedulers give by default; Beam's own is not made for work
	"flink": "flink", "flinkrunner": "flink",
	"spark": "spark", "sparkrunner": "spark",
	"dataflow": "dataflow", "dataflowrunner": "dataflow",
	"universal": "universal", "portable": "universal", "portablerunner": "universal",
}

// runnersShown names them for a refusal.
const runnersShown = "prism (this machine, the default), flink, spark, dataflow, or universal for any other engine with a job server of Beam's"

// IsPrism reports whether a value of --runner means prism. "" and the names of the old
// direct runner, which schedulers pass by default, do.
func IsPrism(runner string) bool { return runners[strings.ToLower(runner)] == "prism" }

// local says that the pipeline runs in this process or on this machine.
func (o *Options) local() bool {
	return IsPrism(o.Runner) || strings.EqualFold(o.Environment, "loopback")
}

// CheckEngine refuses a runner that is not one of Beam's, whose workers would not see
// the input or the folder of the output or the state (checkPlaces), or whose options
// cannot work. It changes Runner to Beam's spelling.
func (o *Options) CheckEngine(folder string) error {
	name, known := runners[strings.ToLower(o.Runner)]
	if !known {
		return refuse("--runner %s: there is no such runner; name %s", o.Runner, runnersShown)
	}
	o.Runner = name
	if o.local() && *jobopts.Async {
		return refuse("--async: the work is done in this process and would end with it; leave --async out, " +
			"or name an engine with workers of its own (--runner, --environment_type)")
	}
	for _, its := range []string{"dry_run", "template_location"} {
		if f := flag.Lookup(its); name != "dataflow" && f.Value.String() != f.DefValue {
			return refuse("--%s needs --runner dataflow; with --state, --plan-only prints what would be done", its)
		}
	}
	if err := o.checkPlaces(folder); err != nil {
		return err
	}
	o.runnerOptions = map[string]any{}
	for _, option := range o.RunnerOptions {
		key, value, err := engine.ParseOption(option)
		switch {
		case err != nil:
			return refuse("--runner-option: %w", err)
		case name == "prism" || name == "dataflow":
			return refuse("--runner-option %s: %s takes none; they are for Flink, Spark and other engines with a job server", option, name)
		}
		o.runnerOptions[key] = value
	}
	switch name {
	case "prism":
		return nil
	case "dataflow":
		return checkDataflow()
	}
	if *jobopts.Endpoint == "" {
		return refuse("--runner %s: name its job server with --endpoint=HOST:PORT, for example localhost:8099", name)
	}
	return checkWorkers(o.Environment, *jobopts.EnvironmentConfig)
}

// checkWorkers refuses an --environment_type that Beam would take for DOCKER,
// and an --environment_config that it would refuse when the plan is written.
func checkWorkers(kind, config string) error {
	switch strings.ToLower(kind) {
	case "", "docker", "loopback":
		return nil
	case "external":
		if config == "" {
			return refuse("--environment_type EXTERNAL: name a pool of workers with --environment_config=HOST:PORT; treebeam worker-pool starts one")
		}
		return nil
	case "process":
		var program struct {
			Command string `json:"command"`
		}
		if err := json.Unmarshal([]byte(config), &program); err != nil || program.Command == "" {
			return refuse(`--environment_type PROCESS: name what starts a worker with --environment_config='{"command": "/path/to/boot"}', as JSON`)
		}
		return nil
	}
	return refuse("--environment_type %s: there is no such kind of worker; give DOCKER, PROCESS, EXTERNAL or LOOPBACK", kind)
}

// checkDataflow refuses what Dataflow's runner would refuse when the plan is
// written and the program is running. It sets the project and the region that
// the environment names.
func checkDataflow() error {
	ctx := context.Background()
	*gcpopts.Project = gcpopts.GetProjectFromFlagOrEnvironment(ctx)
	*gcpopts.Region = gcpopts.GetRegion(ctx)
	var missing []string
	for _, name := range []string{"project", "region", "staging_location"} {
		if flag.Lookup(name).Value.String() == "" {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return refuse("--runner dataflow: also give %s; treebeam help beam explains them", strings.Join(missing, " and "))
	}
	return nil
}

// checkWorkerBinary gives a runner that starts workers elsewhere a program to start: this
// one, if it was built for linux. Without one, the SDK would compile sources that an
// installed program does not have.
func (o *Options) checkWorkerBinary() error {
	if o.local() {
		return nil
	}
	if name := *jobopts.WorkerBinary; name != "" {
		info, err := os.Stat(name)
		if err != nil {
			return refuse("--worker_binary: %w; name a treebeam program built for linux", err)
		}
		if !info.Mode().IsRegular() {
			return refuse("--worker_binary %s: not a file; name a treebeam program built for linux", name)
		}
		return nil
	}
	system := runtime.GOOS
	if strings.EqualFold(o.Environment, "external") {
		system = "linux" // a pool of workers is running: the SDK wants a program, but nobody starts it
	}
	name, err := workerBinary(system, runtime.GOARCH, os.Executable)
	if err != nil {
		return refuse("runner %s: %w", o.Runner, err)
	}
	*jobopts.WorkerBinary = name
	return nil
}

// workerBinary is the running program if its kind can run as a worker.
func workerBinary(goos, goarch string, executable func() (string, error)) (string, error) {
	if goos != "linux" {
		return "", fmt.Errorf("its workers run linux, and this treebeam was built for %s/%s; "+
			"get or build the same version for linux (GOOS=linux GOARCH=amd64 make build) and name it with --worker_binary", goos, goarch)
	}
	name, err := executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is unknown (%w); name it with --worker_binary", err)
	}
	return name, nil
}
