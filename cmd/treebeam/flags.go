package main

import (
	"flag"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newCommand returns a command that takes any arguments. use is its name and
// what follows it on the usage line, short one line for the list of commands,
// about the text of its help. The caller defines its flags and RunE. What RunE
// returns decides the exit status: nil is 0, a *refusal is 64, an exitCode
// itself, anything else 1.
func newCommand(use, short, about string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(about), Args: cobra.ArbitraryArgs}
	cmd.Flags().SortFlags = false // help lists them as they were defined
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return refuse("%s; treebeam %s --help lists the flags", plain(cmd.Flags(), err), cmd.Name())
	})
	return cmd
}

// A beamFlag is a flag of Beam in the flag set of a command. It shares its value
// with package flag.
type beamFlag struct{ *flag.Flag }

func (b beamFlag) String() string     { return b.Value.String() }
func (b beamFlag) Set(s string) error { return b.Value.Set(s) }
func (b beamFlag) Type() string       { return "string" }

// withBeamFlags lets Beam's global flags pass through fs.
func withBeamFlags(fs *pflag.FlagSet) {
	flag.VisitAll(func(f *flag.Flag) {
		if fs.Lookup(f.Name) != nil {
			return
		}
		added := fs.VarPF(beamFlag{f}, f.Name, "", f.Usage)
		added.Hidden = true
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			added.NoOptDefVal = "true"
		}
	})
}

// tellBeam marks the Beam flags that fs has parsed as given: they share their
// values with Beam's own, but runners also ask package flag which were given.
func tellBeam(fs *pflag.FlagSet) {
	fs.Visit(func(f *pflag.Flag) {
		b, ok := f.Value.(beamFlag)
		if !ok {
			return
		}
		v := reflect.ValueOf(b.Value)
		if v.Kind() != reflect.Pointer {
			return // a function that had its effect
		}
		if v = v.Elem(); v.Kind() == reflect.Slice { // Set appends
			defer v.Set(v.Slice(0, v.Len()))
		}
		flag.Set(b.Name, b.Value.String())
	})
}

// given says whether the flag of Beam is set, to another value than its zero.
func given(fs *pflag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	return f != nil && f.Value.String() != "" && f.Value.String() != "false"
}

func isBeamFlag(f *pflag.Flag) bool {
	_, ok := f.Value.(beamFlag)
	return ok
}

// spellAll rewrites the flags among args as package pflag reads them, up to "--".
func spellAll(fs *pflag.FlagSet, args []string) []string {
	spelled := slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		spelled[i] = spell(fs, args[i])
		if wantsValue(fs, spelled[i]) {
			i++ // whatever it looks like
		}
	}
	return spelled
}

// wantsValue says whether the argument behind a is the value of the flag a.
func wantsValue(fs *pflag.FlagSet, a string) bool {
	if name, long := strings.CutPrefix(a, "--"); long {
		f := fs.Lookup(name)
		return f != nil && f.NoOptDefVal == ""
	}
	if !strings.HasPrefix(a, "-") {
		return false
	}
	for i := 1; i < len(a); i++ {
		f := fs.ShorthandLookup(a[i : i+1])
		if f == nil || f.NoOptDefVal == "" {
			return f != nil && i == len(a)-1
		}
	}
	return false
}

// spell gives a flag two dashes if it has a name, and one if it has a letter.
// Users of Beam write one before names, too. A name that is mistyped does so as
// well: no letter is meant by it.
func spell(fs *pflag.FlagSet, a string) string {
	dashes := len(a) - len(strings.TrimLeft(a, "-"))
	if dashes < 1 || dashes > 2 || len(a) == dashes {
		return a
	}
	name, _, _ := strings.Cut(a[dashes:], "=")
	switch known := fs.Lookup(name) != nil || name == "help"; {
	case dashes == 2 && len(name) == 1 && !known && fs.ShorthandLookup(name) != nil:
		return a[1:]
	case dashes == 1 && len(name) > 1 && (known || fs.ShorthandLookup(name[:1]) == nil || len(name) > 2 && nearestFlag(fs, name) != ""):
		return "-" + a
	}
	return a
}
