package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/treebeam/treebeam/transforms"
)

func init() {
	commands = append(commands,
		command{"help", "help [COMMAND | beam]", "what a command does and its flags", runHelp},
		command{"version", "version", "versions of the program, its format and Beam", runVersion})
}

// order is that of the list of commands; others follow by name.
var order = []string{"parse", "reparse", "compact", "diff", "show", "report", "sample", "failures", "convert", "eval", "train", "calibrate", "encoder", "model", "help", "version"}

func printHelp(w io.Writer) {
	fmt.Fprint(w, `treebeam parses text to dependency trees, and says how sure it is of each.

  treebeam parse FILE... --to conllu                     trees to standard output; '-' reads standard input
  treebeam parse --input 'corpus/**/*.txt' --output out/ a corpus to Parquet; the same command again continues

commands:
`)
	list := slices.Clone(commands)
	rank := func(c command) int {
		if at := slices.Index(order, c.name); at >= 0 {
			return at
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b command) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	for _, c := range list {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
"treebeam help COMMAND" says more. Exit status: 0 done, 1 the run failed (the
same command continues it), 3 over --max-failures, or nothing could be parsed,
64 refused before any work, 130 interrupted.
`)
}

func runHelp(ctx context.Context, args []string) error {
	if len(args) == 0 {
		printHelp(os.Stdout)
		return nil
	}
	if args[0] == "beam" {
		fmt.Println("Flags of the Beam SDK; treebeam parse passes them on:")
		flag.CommandLine.SetOutput(os.Stdout)
		flag.PrintDefaults()
		return nil
	}
	for _, c := range commands {
		if c.name == args[0] && c.name != "help" && c.name != "version" {
			return c.run(ctx, []string{"--help"})
		}
		if c.name == args[0] {
			fmt.Printf("usage: treebeam %s\n\n%s\n", c.line, c.summary)
			return nil
		}
	}
	return refuse("there is no command %q; treebeam help lists them", args[0])
}

// release is the version that make dist puts in.
var release string

func runVersion(context.Context, []string) error {
	version, revision := release, ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = cmp.Or(release, info.Main.Version, "(devel)")
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	fmt.Printf("treebeam %s%s, format %s, Beam %s, %s %s/%s\n", version, revision,
		transforms.FormatVersion, core.SdkVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
