package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
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
	if err := cmp.Or(c.checkStream(), c.keepsLists()); err != nil {
		return err
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
	printReasons(os.Stderr, sum, "to keep them, parse with --output FOLDER; then treebeam failures FOLDER prints the full list")
	if !c.quiet {
		printLanguages(os.Stderr, sum)
	}
	if toFile {
		done := pipeline.Done{Elapsed: time.Since(start), Words: sum.Words, Known: true}
		if !c.quiet {
			say(os.Stderr, "%s: %s\n", o.Output, totals(sum, &done))
		}
		if c.json {
			printSummary(runSummary{Summary: sum, Output: o.Output}, &done)
		}
	}
	return limit.check(sum)
}

// keepsLists refuses to write over a file that a flag names and that is read.
func (c *parseCommand) keepsLists() error {
	to := c.options.Output
	return cmp.Or(notAmong("--output", to, "a list of --files-from", c.named.filesFrom...),
		notAmong("--output", to, "the file of --rules", c.rules), notAmong("--output", to, "the file of --model", c.options.Model))
}

// isPiped reports whether f is a pipe or a file, so that a command without inputs
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

// isFolder reports whether there is a folder at path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// namesFolder reports whether path is that of a folder, which may not be there yet.
func namesFolder(path string) bool {
	return isFolder(path) || path != "" && os.IsPathSeparator(path[len(path)-1])
}

// formatOf is the format that the name of an output means: "" is Parquet, and the name
// then names a folder.
func formatOf(name string) string {
	if namesFolder(name) {
		return ""
	}
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	if f := pipeline.FormatOfFile(name); f != nil {
		return f.Name
	}
	return ""
}

// others are endings that promise a format or a compression that is not written. A
// folder would not have such a name by accident.
var others = []string{".bz2", ".xz", ".zip", ".7z", ".tar", ".conll", ".conllx", ".json", ".xml", ".xls", ".xlsx", ".ods", ".doc", ".docx", ".odt",
	".pdf", ".png", ".jpg", ".jpeg", ".md", ".tex", ".parquet"}

// checkEnding refuses the name of an output that ends like a format or a compression
// that is not written. With a format from --to, the name may end in any format.
func checkEnding(flag, name, to string) error {
	if info, err := os.Stat(name); name == "" || os.IsPathSeparator(name[len(name)-1]) || name[len(name)-1] == '/' || err == nil && (info.IsDir() || !info.Mode().IsRegular()) {
		return nil
	}
	if !store.IsRemote(name) {
		if err := output.CheckTarget(flag, name, false); err != nil {
			return err
		}
	}
	ending := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	at := slices.Index(others, ending)
	switch compression := at >= 0 && at < slices.Index(others, ".conll"); {
	case at < 0 || to == "parquet" || to != "" && !compression:
		return nil
	case compression:
		return refuse("%s %s: %s is not written; compress with .gz or .zst", flag, store.Redact(name), ending)
	case ending == ".parquet":
		return refuse("%s %s: Parquet is written by treebeam parse, to a folder of files; name a folder, or end the name in .tsv or .csv for a table of words", flag, store.Redact(name))
	}
	return refuse("%s %s: %s is not a format that treebeam writes; end the name in .conllu, .jsonl, .tsv, .csv, .txt, .tree or .html, or for a folder write %s/", flag, store.Redact(name), ending, store.Redact(name))
}

// checkOnly refuses the name of an output that ends like a format that the command does
// not write; it writes files with these endings, of which the first is the usual one.
func checkOnly(flag, name string, endings ...string) error {
	ending := endingOf(name)
	if slices.Contains(endings, ending) || !slices.Contains(others, ending) && pipeline.FormatOfFile(ending) == nil {
		return nil
	}
	return refuse("%s %s: %s is not what it would hold; end the name in %s", flag, name, ending, endings[0])
}

// chooseFormat decides what parse writes if --to does not say it.
func (c *parseCommand) chooseFormat() error {
	o := &c.options
	switch {
	case c.to != "" || c.night.state != "":
		return checkEnding("--output", o.Output, cmp.Or(c.to, "parquet"))
	case o.Output != "" && o.Output != "-":
		if err := checkEnding("--output", o.Output, ""); err != nil {
			return err
		}
		if c.to = formatOf(o.Output); c.to != "" && store.IsRemote(o.Output) {
			return refuse("--output %s: only Parquet can be written to an object store; name a folder, or a local file", store.Redact(o.Output))
		}
		return nil
	}
	c.to = "conllu"
	return nil
}

// forRuns are the flags that have nothing to do in a stream. A single file is always replaced.
var forRuns = []string{"overwrite", "retry-failures", "verify", "shared-filesystem", "runner", "runner-option", "range-bytes"}

// checkStream refuses flags of runs.
func (c *parseCommand) checkStream() (err error) {
	toFile := c.options.Output != "" && c.options.Output != "-"
	c.flags.Visit(func(f *pflag.Flag) {
		local := isBeamFlag(f) && (f.Value.String() == "" || pipeline.IsPrism(f.Value.String()))
		if slices.Contains(forRuns, f.Name) && !local && !(toFile && f.Name == "overwrite") {
			err = refuse("--%s is for Parquet output: name a folder with --output FOLDER", f.Name)
		}
	})
	return err
}
