package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/pipeline"
)

const manAbout = `
Writes the manual pages of all commands into a folder, from where man reads them:
treebeam.1, treebeam-parse.1 and so on. They explain every flag, the rare ones too.`

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
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return refuse("%w; name another folder", err)
		}
		pages := map[string]string{root.Name(): manOverview(root)}
		for _, c := range root.Commands() {
			if !c.Hidden {
				pages[root.Name()+"-"+c.Name()] = manPage(c)
			}
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

// A roff writes a manual page with the macros of man(7).
type roff struct{ strings.Builder }

// roffText escapes what roff would take for a command.
var roffText = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`)

// macro writes a macro with its arguments.
func (r *roff) macro(name string, args ...string) {
	r.WriteString("." + name)
	for _, a := range args {
		fmt.Fprintf(r, " \"%s\"", strings.ReplaceAll(roffText.Replace(a), `"`, `\(dq`))
	}
	r.WriteByte('\n')
}

// lines writes text as it is broken.
func (r *roff) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = roffText.Replace(line)
		if strings.HasPrefix(line, ".") {
			line = `\&` + line
		}
		r.WriteString(line + "\n")
	}
}

// paragraphs writes text, of which indented paragraphs keep their line breaks.
func (r *roff) paragraphs(text string) {
	for i, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		if strings.HasPrefix(p, " ") {
			r.macro("nf")
			r.lines(p)
			r.macro("fi")
			continue
		}
		r.lines(p)
	}
}

// newPage begins the page of a name.
func newPage(name, short string) *roff {
	r := new(roff)
	r.macro("TH", strings.ToUpper(name), "1", "", "treebeam "+pipeline.Version(), "User Commands")
	r.macro("SH", "NAME")
	r.lines(name + " - " + short)
	r.macro("SH", "SYNOPSIS")
	return r
}

// manPage is the page of a command.
func manPage(cmd *cobra.Command) string {
	r := newPage("treebeam-"+cmd.Name(), cmd.Short)
	groups := groupsOf(cmd.Flags())
	use := "treebeam " + cmd.Use
	if len(groups) > 0 {
		use += " [flags]"
	}
	r.lines(use)
	r.macro("SH", "DESCRIPTION")
	r.paragraphs(cmp.Or(cmd.Long, cmd.Short+"."))
	if more := cmd.Annotations[moreKey]; more != "" {
		r.macro("PP")
		r.paragraphs(more)
	}
	if cmd.Example != "" {
		r.macro("SH", "EXAMPLES")
		r.paragraphs(cmd.Example)
	}
	if len(groups) > 0 {
		r.macro("SH", "OPTIONS")
	}
	for _, g := range groups {
		r.macro("SS", g.heading)
		for _, f := range g.flags {
			r.macro("TP")
			r.macro("B", strings.TrimSpace(flagHead(f)))
			r.lines(flagUsage(f))
		}
	}
	r.macro("SH", "SEE ALSO")
	r.lines("treebeam(1)")
	return r.String()
}

// manOverview is the page of the program.
func manOverview(root *cobra.Command) string {
	var help strings.Builder
	printHelp(&help, root)
	short, rest, _ := strings.Cut(help.String(), "\n\n")
	r := newPage(root.Name(), strings.TrimSuffix(strings.TrimPrefix(short, "treebeam "), "."))
	r.lines("treebeam COMMAND [flags]")
	r.macro("SH", "DESCRIPTION")
	io.WriteString(r, ".nf\n")
	r.lines(strings.TrimRight(rest, "\n"))
	io.WriteString(r, ".fi\n")
	return r.String()
}
