package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Groups of flags that many commands have. A command may have others.
const (
	inputFlags   = "Input"
	outputFlags  = "Output"
	qualityFlags = "Quality"
	knownFlags   = "What you know about the text"
	growFlags    = "Runs that grow"
	runFlags     = "The run"
	rareFlags    = "Rare" // only help COMMAND --all explains them
)

// Names of annotations, all of flags except the last.
const (
	groupKey  = "group"
	valuesKey = "values"
	moreKey   = "more"
)

// group puts the flags of fs that have no heading yet under a heading of the help. Flags
// come in the order in which they were defined, and headings in the order of their first
// flags; rareFlags are at the end.
func group(fs *pflag.FlagSet, heading string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Annotations[groupKey] == nil {
			annotate(fs, f.Name, groupKey, heading)
		}
	})
}

// choose names the values that a flag of fs may have. Shells complete them.
func choose(fs *pflag.FlagSet, name string, values ...string) {
	annotate(fs, name, valuesKey, values...)
}

func annotate(fs *pflag.FlagSet, name, key string, values ...string) {
	if err := fs.SetAnnotation(name, key, values); err != nil {
		panic(err) // a name that is not there, on every start of the program
	}
}

// withMore adds what only help COMMAND --all prints to the help of cmd.
func withMore(cmd *cobra.Command, text string) {
	cmd.Annotations = map[string]string{moreKey: strings.TrimSpace(text)}
}

// helpWidth is the width of the help in columns, whatever the terminal's width.
const helpWidth = 100

// printUsage writes what a command does, and its flags: the rare ones only with
// all.
func printUsage(w io.Writer, cmd *cobra.Command, all bool) {
	groups := groupsOf(cmd.Flags())
	line := cmd.Use
	if len(groups) > 0 {
		line += " [flags]"
	}
	fmt.Fprintf(w, "usage: treebeam %s\n\n%s\n", line, cmp.Or(cmd.Long, cmd.Short))
	more := cmd.Annotations[moreKey]
	if all && more != "" {
		fmt.Fprintf(w, "\n%s\n", more)
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.Trim(cmd.Example, "\n"))
	}
	hidden := more != "" && !all
	for _, g := range groups {
		if g.heading == rareFlags && !all {
			hidden = true
			names := make([]string, len(g.flags))
			for i, f := range g.flags {
				names[i] = "--" + f.Name
			}
			fmt.Fprintf(w, "\n%s:\n%s\n", rareFlags, indented(strings.Join(names, ", "), 2))
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", g.heading)
		for _, f := range g.flags {
			printFlag(w, f)
		}
	}
	if cmd.Flags().Lookup("runner") != nil {
		fmt.Fprintf(w, "\nBeam:\n%s\n", indented("Flags of Beam such as --runner pass through; treebeam help beam lists them.", 2))
	}
	if hidden {
		fmt.Fprintf(w, "\n\"treebeam help %s --all\" explains them all.\n", cmd.Name())
	}
}

// A flagGroup is a heading of the help and the flags under it.
type flagGroup struct {
	heading string
	flags   []*pflag.Flag
}

// groupsOf returns the flags of fs that help shows, by their groups.
func groupsOf(fs *pflag.FlagSet) []flagGroup {
	var groups []flagGroup
	rare := flagGroup{heading: rareFlags}
	fs.VisitAll(func(f *pflag.Flag) {
		heading := "Flags"
		if set := f.Annotations[groupKey]; set != nil {
			heading = set[0]
		}
		if f.Hidden || f.Name == "help" {
			return
		}
		if heading == rareFlags {
			rare.flags = append(rare.flags, f)
			return
		}
		at := slices.IndexFunc(groups, func(g flagGroup) bool { return g.heading == heading })
		if at < 0 {
			at = len(groups)
			groups = append(groups, flagGroup{heading: heading})
		}
		groups[at].flags = append(groups[at].flags, f)
	})
	if rare.flags != nil {
		groups = append(groups, rare)
	}
	return groups
}

// usageColumn is where the explanations of flags begin.
const usageColumn = 28

func printFlag(w io.Writer, f *pflag.Flag) {
	name, usage := flagHead(f), flagUsage(f)
	lines := indented(usage, usageColumn)
	if len(name) < usageColumn-1 {
		lines = name + lines[len(name):]
	} else {
		lines = name + "\n" + lines
	}
	fmt.Fprintln(w, lines)
}

// flagHead is a flag as help names it: "  -o, --output FILE".
func flagHead(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	switch value := flagValue(f); {
	case value == "":
	case f.NoOptDefVal != "":
		name += "[=" + value + "]"
	default:
		name += " " + value
	}
	return name
}

// flagValue names the value of a flag, "" if it is true or false.
func flagValue(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	if f.NoOptDefVal == "true" {
		return ""
	}
	return value
}

// flagUsage is what a flag does, with its default.
func flagUsage(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		usage += " (" + f.DefValue + ")"
	}
	return usage
}

// indented breaks text into lines of at most helpWidth columns, the first ones of
// them blank.
func indented(text string, blank int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		width := uniseg.StringWidth(word)
		switch {
		case column == 0:
			b.WriteString(strings.Repeat(" ", blank))
			column = blank
		case column+1+width > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", blank))
			column = blank
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
