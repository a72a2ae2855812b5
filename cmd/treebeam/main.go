// Command treebeam parses text into dependency trees. See "treebeam help".
//
// Exit status: 0 everything accounted for; 1 the run failed, the same command continues
// it; 3 finished, but with more failures than --max-failures, or nothing could be
// parsed; 64 refused before any work (EX_USAGE of sysexits.h); 130 interrupted. The
// program itself never uses 2: Go's runtime exits with it when a program panics or runs
// out of memory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitFailures    = 3
	exitRefused     = 64
	exitInterrupted = 130
)

// A refusal is an error found before any work was done and anything written:
// its text names the cause and the remedy. Exit status 64.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// refuse makes a refusal.
func refuse(format string, a ...any) error { return &refusal{fmt.Errorf(format, a...)} }

// An exitCode is an error that says nothing: all has been printed.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

func main() {
	args := os.Args[1:]
	if isWorker(args) {
		flag.CommandLine.Init(os.Args[0], flag.ContinueOnError) // or flag ends the process with 2
		if flag.CommandLine.Parse(args) != nil {
			os.Exit(exitRefused)
		}
		go endWithParent()
		beam.Init() // never returns
	}
	transforms.LogTo(spoken{os.Stderr})
	catchSignals()
	defer func() {
		if interrupted() { // a panic over what a signal has taken away
			leave()
		}
	}()
	exit(dispatch(context.Background(), args))
}

// endWithParent ends a worker whose starter is gone. An engine ends Beam's boot but not
// its worker, which would wait for ever when no work comes any more.
func endWithParent() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(time.Second)
	}
	leave()
}

// isWorker reports whether a runner has started this program as its worker: with
// Beam's flags only, one of them --worker.
func isWorker(args []string) bool {
	for _, a := range args {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") || a == "--" {
			return false // a subcommand or a file: the user's own call
		}
		if name == "worker" && (!hasValue || value == "true" || value == "1") {
			return true
		}
	}
	return false
}

// dispatch runs the subcommand that args name and returns the exit status.
// Flags without a subcommand mean parse: schedulers pass nothing else.
func dispatch(ctx context.Context, args []string) int {
	if len(args) == 0 {
		printHelp(os.Stderr, newRoot())
		return exitRefused
	}
	name, rest := args[0], args[1:]
	switch name {
	case cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return report(name, completeLine(ctx, name, rest))
	case "-h", "-help", "--help":
		name, rest = "help", nil
	case "-version", "--version":
		name, rest = "version", nil
	}
	root := newRoot()
	if strings.HasPrefix(name, "-") && name != "-" {
		name, rest = "parse", args
	}
	cmd := find(root, name)
	if cmd == nil {
		say(os.Stderr, "treebeam: there is no command %q%s\n", name, suggestion(root, name))
		return exitRefused
	}
	if err := checkDashes(cmd.Flags(), rest); err != nil {
		return report(name, err)
	}
	root.SetArgs(append([]string{name}, rest...))
	return report(name, root.ExecuteContext(ctx))
}

// newRoot returns all commands. Each call makes them anew, with flags that have
// their defaults: only Beam's are the process's.
func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "treebeam", SilenceErrors: true, SilenceUsage: true}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(stdout)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printUsage(stdout, cmd, false) })
	help := newHelp()
	root.SetHelpCommand(help)
	addAll := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = title
			root.AddCommand(cmd)
		}
	}
	addAll("Parse", newParse(), newCompact(), newServe())
	addAll("Look at what was parsed", newShow(), newFind(), newCompare(), newReport(), newFailures(), newConvert(), newDiff(), newSample())
	addAll("Models", newEval(), newTrain(), newAdapt(), newCalibrate(), newModel(), newLanguages())
	addAll("More", newPool(), newRawText(), newCompletion(), newVersion(), help)
	return root
}

func init() { cobra.EnableCommandSorting = false }

// find returns the command of that name, nil if there is none.
func find(root *cobra.Command, name string) *cobra.Command {
	for _, cmd := range root.Commands() {
		if cmd.Name() == name {
			return cmd
		}
	}
	return nil
}

// report prints err, if it has something to say, and returns its exit status. name is
// the command's name. A command whose output could not be written has failed.
func report(name string, err error) int {
	var code exitCode
	var refused *refusal
	var refusedRun *pipeline.Refusal
	err = stdout.outcome(err)
	switch {
	case err == nil:
		return exitOK
	case interrupted():
		return exitInterrupted
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &refused), errors.As(err, &refusedRun):
		say(os.Stderr, "treebeam %s: %v\n", name, err)
		return exitRefused
	}
	say(os.Stderr, "treebeam %s: %v\n", name, err)
	return exitFailed
}
