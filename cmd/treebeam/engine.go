package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// startBeam makes Beam ready for a run.
func (c *parseCommand) startBeam() {
	if !beam.Initialized() {
		beam.Init()
	}
	if !given(c.flags, "dry_run") { // which logs the job that it does not submit
		quietBeam()
	}
	signal.Ignore(syscall.SIGPIPE) // a run does not depend on the readers of its summary
}

// quietBeam keeps Beam's own chatter off the terminal. Why a run has failed is
// in the error that it returns.
func quietBeam() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
}

// follow says which job an engine has made of the run, as soon as it is known,
// and sees to it that a signal that comes later says whether the job goes on.
// What it returns names the job in a few words.
func follow(run *pipeline.Prepared) func() string {
	var job atomic.Pointer[pipeline.Submission]
	run.Submitted = func(s pipeline.Submission) {
		job.Store(&s)
		if s.Stays {
			onInterrupt(func() string {
				return fmt.Sprintf("interrupted, but job %s on %s is still running and may cost money. To end it: %s.\n"+
					"When it has ended, the same command takes over what it has done, and does the rest", s.ID, s.Engine, s.Cancel)
			})
		}
		say(os.Stderr, "%s\n", s.String()) // last: who reads it may interrupt
	}
	return func() string {
		if s := job.Load(); s != nil {
			return "job " + s.ID
		}
		return "the job"
	}
}

// sayNotSubmitted says why no job was submitted, if none was.
func (c *parseCommand) sayNotSubmitted() bool {
	switch {
	case given(c.flags, "dry_run"):
		say(os.Stderr, "dry run: nothing was submitted\n")
	case given(c.flags, "template_location"):
		say(os.Stderr, "the template is at %s; nothing was submitted\n", c.flags.Lookup("template_location").Value.String())
	default:
		return false
	}
	return true
}

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
	model := fs.StringP("model", "m", "", "load the model `FILE` now, not with the first job (the accurate English one)")
	threadsFlag(fs)
	noArguments(cmd, "give --port and --model")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *port < 0 || *port > 65535 {
			return refuse("--port %d: must be from 0 to 65535", *port)
		}
		if _, _, err := transforms.Open(*model, new(output.RowOptions)); err != nil {
			return &refusal{err}
		}
		flag.CommandLine.Parse(nil)
		if !beam.Initialized() {
			beam.Init()
		}
		quietBeam()
		ctx, stop := interruptible(cmd.Context())
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
