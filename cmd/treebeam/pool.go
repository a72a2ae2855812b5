package main

import (
	"flag"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/transforms"
)

const poolAbout = `
Starts workers when a runner asks for them, in this process, until it is
interrupted, which is status 0. Start one beside every task manager, on the same host or in the
same pod: it answers on localhost only, and one pool serves one task manager.
Jobs name it with

  --environment_type=EXTERNAL --environment_config=localhost:50000

and must be submitted by a treebeam of the same version.`

// newPool is treebeam worker-pool.
func newPool() *cobra.Command {
	cmd := newCommand("worker-pool", "serves workers to a runner (EXTERNAL)", poolAbout)
	fs := cmd.Flags()
	port := fs.Int("port", 50000, "`PORT` on localhost that the runner connects to; 0 takes a free one")
	model := fs.StringP("model", "m", "", "load the model `FILE` now, not with the first job (the embedded English one)")
	threads := threadsFlag(fs)
	cmd.RunE = func(cmd *cobra.Command, others []string) error {
		ctx := cmd.Context()
		if len(others) > 0 {
			return refuse("want no arguments, got %q", others[0])
		}
		if *port < 0 || *port > 65535 {
			return refuse("--port %d: must be from 0 to 65535", *port)
		}
		if err := setThreads(*threads); err != nil {
			return err
		}
		if _, _, err := transforms.OpenModel(*model); err != nil {
			return &refusal{err}
		}
		flag.CommandLine.Parse(nil)
		if !beam.Initialized() {
			beam.Init()
		}
		quietBeam()
		ctx, stop := interruptible(ctx)
		defer stop()
		pool, err := extworker.StartLoopback(ctx, *port)
		if err != nil {
			return refuse("--port %d: %w; name another", *port, err)
		}
		say(os.Stderr, "serving workers at %s\n", pool.EnvironmentConfig(ctx))
		<-ctx.Done()
		return pool.Stop(ctx)
	}
	return cmd
}
