package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/pipeline"
)

const manAbout = `
Writes the manual pages of all commands into a folder, from where man reads them:
treebeam.1, treebeam-parse.1 and so on. They hold what "help COMMAND --all" prints.`

// newMan is treebeam man.
func newMan() *cobra.Command {
	cmd := newCommand("man FOLDER", "manual pages", manAbout)
	cmd.Hidden = true // packagers look into docs/cli.md
	cmd.Example = `
  treebeam man ~/.local/share/man/man1 && man treebeam-parse`
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return refuse("want one folder for the manual pages")
		}
		root := cmd.Root()
		var overview strings.Builder
		printHelp(&overview, root)
		pages := map[string]string{root.Name(): manPage(root.Name(), "parse text into dependency trees", overview.String())}
		for _, c := range root.Commands() {
			if !c.Hidden {
				var help strings.Builder
				printUsage(&help, c, true)
				pages[root.Name()+"-"+c.Name()] = manPage(root.Name()+"-"+c.Name(), c.Short, help.String())
			}
		}
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return refuse("%w; name another folder", err)
		}
		for name, text := range pages {
			if err := os.WriteFile(filepath.Join(args[0], name+".1"), []byte(text), 0o644); err != nil {
				return refuse("%w; name another folder", err)
			}
		}
		return nil
	}
	return cmd
}

// roffText escapes what roff would take for a command.
var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`, "\n.", "\n\\&.")

// manPage is a page in the macros of man(7) that shows a help text as it is broken.
func manPage(name, short, help string) string {
	return fmt.Sprintf(".TH \"%s\" \"1\" \"\" \"treebeam %s\" \"User Commands\"\n.SH NAME\n%s\n.SH DESCRIPTION\n.nf\n%s.fi\n",
		strings.ToUpper(roffText.Replace(name)), roffText.Replace(pipeline.Version()), roffText.Replace(name+" - "+short), roffText.Replace(help))
}
