package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/pipeline"
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
		say(os.Stderr, "%s\n", s.String())
		job.Store(&s)
		if s.Stays {
			onInterrupt(func() string {
				return fmt.Sprintf("interrupted, but job %s on %s is still running and may cost money. To end it: %s.\n"+
					"When it has ended, the same command takes over what it has done, and does the rest", s.ID, s.Engine, s.Cancel)
			})
		}
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
