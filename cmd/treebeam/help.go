package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/transforms"
)

// printHelp lists the commands of root.
func printHelp(w io.Writer, root *cobra.Command) {
	fmt.Fprint(w, `treebeam parses text to dependency trees, and says how sure it is of each.

  treebeam parse FILE... --to conllu                     trees to standard output; '-' reads standard input
  treebeam parse --input 'corpus/**/*.txt' --output out/ a corpus to Parquet; the same command again continues

commands:
`)
	for _, c := range root.Commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name(), c.Short)
	}
	fmt.Fprint(w, `
"treebeam help COMMAND" says more. Exit status: 0 done, 1 the run failed (the
same command continues it), 3 over --max-failures, or nothing could be parsed,
64 refused before any work, 130 interrupted.
`)
}

// newHelp is treebeam help.
func newHelp() *cobra.Command {
	cmd := newCommand("help [COMMAND | beam]", "what a command does and its flags", "")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		if len(args) == 0 {
			printHelp(os.Stdout, root)
			return nil
		}
		if args[0] == "beam" {
			fmt.Println("Flags of the Beam SDK; treebeam parse passes them on:")
			flag.CommandLine.SetOutput(os.Stdout)
			flag.PrintDefaults()
			return nil
		}
		about := find(root, args[0])
		if about == nil {
			return refuse("there is no command %q; treebeam help lists them", args[0])
		}
		printUsage(os.Stdout, about)
		return nil
	}
	return cmd
}

// printUsage writes what a command does, and its flags.
func printUsage(w io.Writer, cmd *cobra.Command) {
	flags := cmd.Flags()
	if !flags.HasAvailableFlags() {
		fmt.Fprintf(w, "usage: treebeam %s\n\n%s\n", cmd.Use, cmp.Or(cmd.Long, cmd.Short))
		return
	}
	fmt.Fprintf(w, "usage: treebeam %s [flags]\n\n%s\n\nflags:\n", cmd.Use, cmp.Or(cmd.Long, cmd.Short))
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" && f.NoOptDefVal == "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  %-26s %s\n", name, usage)
	})
}

// release is the version that make dist puts in.
var release string

// newVersion is treebeam version.
func newVersion() *cobra.Command {
	cmd := newCommand("version", "versions of the program, its format and Beam", "")
	cmd.RunE = func(*cobra.Command, []string) error { return printVersion() }
	return cmd
}

func printVersion() error {
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
