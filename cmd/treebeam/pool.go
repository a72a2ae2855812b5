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
Starts workers in this process whenever a runner asks for them, until it is interrupted
(status 0). Start one pool next to every task manager, on the same host or in the same
pod: it listens on localhost only, and serves one task manager. Jobs name it with

  --environment_type=EXTERNAL --environment_config=localhost:50000

and must be submitted by a treebeam of the same version.`

// newPool is treebeam worker-pool.
func newPool() *cobra.Command {
	cmd := newCommand("worker-pool", "start workers for a runner (EXTERNAL)", poolAbout)
	fs := cmd.Flags()
	port := fs.Int("port", 50000, "listen on `PORT` of localhost; 0 means any free one")
	model := fs.StringP("model", "m", "", "load the model `FILE` now, not with the first job (the built-in English one)")
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
