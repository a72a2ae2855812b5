package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline"
)

// printHelp lists the commands of root.
func printHelp(w io.Writer, root *cobra.Command) {
	fmt.Fprint(w, `treebeam parses text into dependency trees, with a probability for every tag and head.

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
parsed; 64 refused before any work; 130 interrupted. The pages docs/... that help names
are at https://github.com/treebeam/treebeam.
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
			return refuse("name one command, not %d", len(args))
		}
		if len(args) == 0 {
			printHelp(stdout, root)
			return nil
		}
		if args[0] == "beam" {
			fmt.Fprintln(stdout, "Flags of the Beam SDK; treebeam parse passes them on:")
			beam := pflag.NewFlagSet("", pflag.ContinueOnError)
			find(root, "parse").Flags().VisitAll(func(f *pflag.Flag) {
				if b, ok := f.Value.(beamFlag); ok {
					beam.AddGoFlag(b.Flag)
				}
			})
			fmt.Fprint(stdout, beam.FlagUsagesWrapped(100))
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
	commit := ""
	if pipeline.Commit() != "" {
		commit = ", commit " + pipeline.Commit()
	}
	fmt.Fprintf(stdout, "treebeam %s%s, format %s, Beam %s, %s %s/%s\n", pipeline.Version(), commit,
		output.FormatVersion, core.SdkVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

const completionAbout = `
Prints a script that lets your shell complete commands, flags, their values and file
names. Load it from the file that your shell reads when it starts.`

// newCompletion is treebeam completion.
func newCompletion() *cobra.Command {
	cmd := newCommand("completion bash|zsh|fish|powershell", "print a script that lets your shell complete commands and flags", completionAbout)
	cmd.Example = `
  echo 'source <(treebeam completion bash)' >> ~/.bashrc
  treebeam completion zsh > "${fpath[1]}/_treebeam"
  treebeam completion fish > ~/.config/fish/completions/treebeam.fish
  treebeam completion powershell >> $PROFILE`
	cmd.ValidArgsFunction = completeWords("bash", "zsh", "fish", "powershell")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return refuse("name one shell: bash, zsh, fish or powershell")
		}
		root := cmd.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(stdout, true)
		case "zsh":
			return root.GenZshCompletion(stdout)
		case "fish":
			return root.GenFishCompletion(stdout, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(stdout)
		}
		return refuse("%s: must be bash, zsh, fish or powershell", args[0])
	}
	return cmd
}

// completeLine prints how the last of args may go on, for the script of a shell.
func completeLine(ctx context.Context, request string, args []string) error {
	if len(args) > 1 && strings.HasPrefix(args[0], "-") {
		args = append([]string{"parse"}, args...) // as dispatch takes them
	}
	root := newRoot()
	completeValues(root)
	root.SetArgs(append([]string{request}, args...))
	return root.ExecuteContext(ctx)
}

// completeWords completes the first argument of a command by words, and others
// by names of files.
func completeWords(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeValues tells shells what the flags of all commands take: one of the
// values of choose, a folder or a file, or nothing that a shell knows.
func completeValues(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			values, directive := f.Annotations[valuesKey], cobra.ShellCompDirectiveNoFileComp
			value := flagValue(f)
			f.Usage = flagUsage(f) // shells show it
			switch value {
			case "FOLDER":
				directive = cobra.ShellCompDirectiveFilterDirs
			case "FILE", "PATTERN", "LIST", "FILE|FOLDER":
				directive = cobra.ShellCompDirectiveDefault
			case "":
				return
			}
			if len(values) > 0 {
				directive = cobra.ShellCompDirectiveNoFileComp
			}
			cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, directive))
		})
	}
}
