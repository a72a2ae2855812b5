package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
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

// Names of annotations, of flags but for the last.
const (
	groupKey  = "group"
	valuesKey = "values"
	moreKey   = "more"
)

// group puts flags of fs under a heading of the help. Headings and flags stand in
// the order of the calls, flags without a heading before them, and rareFlags at
// the end.
func group(fs *pflag.FlagSet, heading string, names ...string) {
	n := 0
	fs.VisitAll(func(f *pflag.Flag) {
		if len(f.Annotations[groupKey]) > 0 {
			n++
		}
	})
	for _, name := range names {
		annotate(fs, groupKey, []string{heading, strconv.Itoa(n)}, name)
		n++
	}
}

// choose tells shells the values of a flag of fs.
func choose(fs *pflag.FlagSet, name string, values ...string) { annotate(fs, valuesKey, values, name) }

func annotate(fs *pflag.FlagSet, key string, values []string, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, key, values); err != nil {
			panic(err) // a name that is not there, on every start of the program
		}
	}
}

// withMore adds what only help COMMAND --all prints to the help of cmd.
func withMore(cmd *cobra.Command, text string) {
	cmd.Annotations = map[string]string{moreKey: strings.TrimSpace(text)}
}

// helpWidth is that of the help in columns, whatever the terminal has.
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

// A flagGroup is a heading of the help and what stands under it.
type flagGroup struct {
	heading string
	flags   []*pflag.Flag
}

// groupsOf returns the flags of fs that help shows, by their groups.
func groupsOf(fs *pflag.FlagSet) []flagGroup {
	var all []*pflag.Flag
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			all = append(all, f)
		}
	})
	slices.SortStableFunc(all, func(a, b *pflag.Flag) int {
		_, m := placeOf(a)
		_, n := placeOf(b)
		return cmp.Compare(m, n)
	})
	var groups []flagGroup
	for _, f := range all {
		heading, _ := placeOf(f)
		at := slices.IndexFunc(groups, func(g flagGroup) bool { return g.heading == heading })
		if at < 0 {
			at = len(groups)
			groups = append(groups, flagGroup{heading: heading})
		}
		groups[at].flags = append(groups[at].flags, f)
	}
	if at := slices.IndexFunc(groups, func(g flagGroup) bool { return g.heading == rareFlags }); at >= 0 {
		rare := groups[at]
		groups = append(slices.Delete(groups, at, at+1), rare)
	}
	return groups
}

// placeOf returns the heading of a flag and its number among all flags.
func placeOf(f *pflag.Flag) (heading string, n int) {
	set := f.Annotations[groupKey]
	if len(set) == 0 {
		return "Flags", -1
	}
	n, _ = strconv.Atoi(set[1])
	return set[0], n
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
