package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
)

// How long a signal waits.
const (
	grace       = 3 * time.Second // for a command whose context it has ended, unless the command has its own limit
	abortWithin = 2 * time.Second // for requests to object stores to abort uploads
)

// signals are the signals that end the process, each with exitInterrupted: at once, or
// while a command has a context of interruptible's, by ending that.
//
// At once means from the handler, while the other goroutines go on: Beam's local runner
// panics if its workers go away while they start.
var signals struct {
	sync.Mutex
	came   bool
	cancel context.CancelFunc // of the command's context, if it has one
	grace  time.Duration      // for that command
	word   func() string      // what is said then, if anything
	leave  sync.Once
}

// catchSignals begins to handle signals: ctrl-C, SIGTERM, and SIGHUP, which comes when
// the terminal goes away. Signals that the process ignores from its start, as under
// nohup, stay ignored.
func catchSignals() {
	c := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	go func() {
		<-c
		signals.Lock()
		signals.came = true
		cancel, grace := signals.cancel, signals.grace
		signals.Unlock()
		if cancel != nil {
			cancel()
			select {
			case <-c: // again
			case <-time.After(grace):
			}
		}
		leave()
	}()
}

// interrupted reports whether a signal is about to end the process.
func interrupted() bool {
	signals.Lock()
	defer signals.Unlock()
	return signals.came
}

// stoppable is a command whose context a signal ends, and whose status is then
// exitInterrupted.
func stoppable(run func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		err := run(ctx, args)
		if ctx.Err() != nil {
			return exitCode(exitInterrupted)
		}
		return err
	}
}

// untilSignal returns what do does before a signal comes, if it comes.
func untilSignal[T any](ctx context.Context, do func(context.Context) (T, error)) (done T, err error) {
	ctx, stop := interruptible(ctx)
	done, err = do(ctx)
	stop()
	if interrupted() {
		return *new(T), exitCode(exitInterrupted)
	}
	return done, err
}

// interruptible returns a context that a signal ends until stop is called. The
// command then has some time to end by itself, whatever it returns.
func interruptible(ctx context.Context) (_ context.Context, stop context.CancelFunc) {
	return interruptibleFor(ctx, grace)
}

// interruptibleFor is interruptible for a command with another time limit for its end.
func interruptibleFor(ctx context.Context, grace time.Duration) (_ context.Context, stop context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals.Lock()
	defer signals.Unlock()
	signals.cancel, signals.grace = cancel, grace
	if signals.came {
		cancel()
	}
	return ctx, func() {
		signals.Lock()
		signals.cancel = nil
		signals.Unlock()
		if ctx.Err() == nil {
			cancel()
		}
	}
}

// onInterrupt sets what is said when a signal ends the process, and returns
// what unsets it, unless a signal has come: a command that it has ended returns.
func onInterrupt(word func() string) (restore func()) {
	signals.Lock()
	defer signals.Unlock()
	before := signals.word
	signals.word = word
	return func() {
		signals.Lock()
		defer signals.Unlock()
		if !signals.came {
			signals.word = before
		}
	}
}

// continues is the word of commands that do the rest when they are given again.
func continues() string { return "interrupted; the same command continues" }

// leave ends the process after a signal. Nothing half-written stays, and what
// goes on meanwhile publishes nothing.
func leave() {
	signals.leave.Do(func() {
		aborted := make(chan bool)
		go func() {
			store.Abandon()
			output.Leave()
			close(aborted)
		}()
		select {
		case <-aborted:
		case <-time.After(abortWithin):
		}
		signals.Lock()
		word := signals.word
		signals.Unlock()
		if barShown.Load() {
			say(os.Stderr, "\n")
		}
		if word != nil {
			fmt.Fprintln(spoken{os.Stderr}, word())
		}
		removeScratch()
		os.Exit(exitInterrupted)
	})
}

// exit ends the process with a status. After a signal it uses the signal's status,
// unless all work was done.
func exit(status int) {
	if interrupted() && status != exitOK {
		leave()
	}
	os.Exit(status)
}
