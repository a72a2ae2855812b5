package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
		return refuse("%s: want bash, zsh, fish or powershell", args[0])
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
