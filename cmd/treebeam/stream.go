package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/pipeline"
)

// stream parses to a text format in this process, without Beam and without
// temporary files.
func (c *parseCommand) stream(ctx context.Context, limit failureLimit) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	o := c.options
	o.To = c.to
	toFile := o.Output != "" && o.Output != "-"
	if c.json && !toFile {
		return refuse("--json: standard output has the trees; name a file for them with --output")
	}
	start := time.Now()
	if o.Rows.Lines == string(text.AutoLines) && slices.Equal(o.Inputs, []string{"-"}) && term.IsTerminal(int(os.Stdin.Fd())) {
		o.Rows.Lines = string(text.Paragraph) // a user who types wants to see the tree of every line
	}
	var sum *output.Summary
	err := writeOutput("--output", o.Output, func(out io.Writer) (err error) {
		o.Write = c.display.write(allConf(*c.conf), out)
		sum, err = pipeline.Stream(ctx, o, out)
		return cmp.Or(ctx.Err(), err)
	})
	if err != nil {
		return err
	}
	printReasons(os.Stderr, sum, "treebeam parse with --output FOLDER keeps them, and treebeam failures FOLDER lists every one")
	if toFile {
		done := pipeline.Done{Elapsed: time.Since(start), Words: sum.Words, Known: true}
		if !c.quiet {
			say(os.Stderr, "%s: %s\n", o.Output, totals(sum, &done))
		}
		if c.json {
			printSummary(runSummary{Summary: sum, Output: o.Output}, &done, true)
		}
	}
	return limit.check(sum)
}

// isPiped says whether f is a pipe or a file, so that a command without inputs
// reads it, as "cat x | treebeam parse" does. A terminal and /dev/null, which
// schedulers give, are neither.
func isPiped(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
}

// exitClosed is what the shell reports of a program that wrote to a pipe whose
// reader had enough: 128 + SIGPIPE.
const exitClosed = 141

// quietlyClosed is err, or without words the status of a program that has written to a
// closed pipe. SIGPIPE has ended the program before if the pipe was standard output,
// but not if it was a named pipe.
func quietlyClosed(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return exitCode(exitClosed)
	}
	return err
}
