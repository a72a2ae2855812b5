package pipeline

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// checkWorkerBinary sees to it that a runner that starts workers elsewhere is
// given a program to start: this one, if it was built for linux. Without one
// the SDK would compile sources that an installed program does not have.
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
