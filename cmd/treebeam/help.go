package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// printHelp lists the commands of root.
func printHelp(w io.Writer, root *cobra.Command) {
	fmt.Fprint(w, `treebeam parses text into dependency trees and says how sure it is of each.

  treebeam parse FILE...                       trees to standard output, as CoNLL-U; '-' reads standard input
  treebeam parse FILE... --to tree             trees to look at
  treebeam parse 'corpus/**/*.txt' -o out/     a corpus to Parquet; run it again to continue
`)
	for _, g := range root.Groups() {
		fmt.Fprintf(w, "\n%s:\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID {
				fmt.Fprintf(w, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	fmt.Fprint(w, `
"treebeam help COMMAND" says more. Exit status: 0 done; 1 the run failed (the same
command continues it); 3 more failures than --max-failures allows, or nothing could be
parsed; 64 refused before any work; 130 interrupted.
`)
}

// newHelp is treebeam help.
func newHelp() *cobra.Command {
	cmd := newCommand("help [COMMAND | beam]", "explain a command and its flags", "")
	all := cmd.Flags().Bool("all", false, "explain the rare flags of the command too")
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, c := range cmd.Root().Commands() {
			if len(args) == 0 {
				names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		if len(args) > 1 {
			return refuse("want the name of one command, got %d", len(args))
		}
		if len(args) == 0 {
			printHelp(stdout, root)
			return nil
		}
		if args[0] == "beam" {
			fmt.Fprintln(stdout, "Flags of the Beam SDK; treebeam parse passes them on:")
			flag.CommandLine.SetOutput(stdout)
			flag.PrintDefaults()
			return nil
		}
		about := find(root, args[0])
		if about == nil {
			return refuse("there is no command %q; treebeam help lists them", args[0])
		}
		printUsage(stdout, about, *all)
		return nil
	}
	return cmd
}

// newVersion is treebeam version.
func newVersion() *cobra.Command {
	cmd := newCommand("version", "print the versions of the program, its format and Beam", "")
	cmd.RunE = func(*cobra.Command, []string) error { return printVersion() }
	return cmd
}

func printVersion() error {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value
			}
		}
	}
	fmt.Fprintf(stdout, "treebeam %s%s, format %s, Beam %s, %s %s/%s\n", pipeline.Version(), revision,
		output.FormatVersion, core.SdkVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
