package main

import (
	"cmp"
	"flag"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/treebeam/treebeam/io/output"
)

// newCommand returns a command that takes any arguments. use is its name and
// what follows it on the usage line, short one line for the list of commands,
// about the text of its help. The caller defines its flags and RunE. What RunE
// returns decides the exit status: nil is 0, a *refusal is 64, an exitCode
// itself, anything else 1.
func newCommand(use, short, about string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(about), Args: noEmpty}
	cmd.Flags().SortFlags = false // help lists them as they were defined
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		return cmp.Or(checkChoices(cmd.Flags()), useThreads(cmd.Flags()))
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return refuse("%s; treebeam %s --help lists the flags", plain(cmd, err), cmd.Name())
	})
	return cmd
}

// noEmpty refuses arguments without text.
func noEmpty(_ *cobra.Command, args []string) error {
	if slices.Contains(args, "") {
		return refuse("an argument is empty: check for an unset variable in the command, or leave it out")
	}
	return nil
}

// noArguments makes cmd refuse arguments; instead says what its flags name.
func noArguments(cmd *cobra.Command, instead string) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return refuse("unexpected %q: %s", args[0], instead)
		}
		return nil
	}
}

// checkCount refuses a number of what is wanted that was given and is below 1.
func checkCount(fs *pflag.FlagSet, name string) error {
	if f := fs.Lookup(name); f.Changed && (f.Value.String() == "0" || f.Value.String()[0] == '-') {
		return refuse("--%s %s: must be 1 or more", name, f.Value)
	}
	return nil
}

// notAmong refuses to write the file that a flag names if it is one of the inputs; what
// says which it is.
func notAmong(flag, file, what string, inputs ...string) error {
	if slices.ContainsFunc(inputs, func(in string) bool { return output.SameFile(file, in) }) {
		return refuse("%s %s is %s: it would be lost; name another file", flag, file, what)
	}
	return nil
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

// given reports whether the flag of Beam is set, to another value than its zero.
func given(fs *pflag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	return f != nil && f.Value.String() != "" && f.Value.String() != "false"
}

// namesGiven names the flags that were given and are among the names, or are not.
func namesGiven(fs *pflag.FlagSet, names []string, among bool) string {
	var list []string
	fs.Visit(func(f *pflag.Flag) {
		if slices.Contains(names, f.Name) == among {
			list = append(list, "--"+f.Name)
		}
	})
	return strings.Join(list, ", ")
}

func isBeamFlag(f *pflag.Flag) bool {
	_, ok := f.Value.(beamFlag)
	return ok
}

// checkDashes refuses the name of a flag after a single dash: package pflag would read
// -output as the letter o with a value. Users of Beam write flags so.
func checkDashes(fs *pflag.FlagSet, args []string) error {
	for _, a := range args {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if f := fs.Lookup(name); f != nil && len(name) > 1 && a[0] == '-' && a[1] != '-' {
			return refuse("%s: long flags begin with two dashes: -%s", a, a)
		}
	}
	return nil
}

// checkChoices refuses values that choose does not list, and empty values, most often of a
// variable that is not set.
func checkChoices(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if isBeamFlag(f) || f.Value.Type() == "func" || err != nil {
			return
		}
		if t := f.Value.Type(); (t == "string" || t == "list") && f.Value.String() == "" {
			err = refuse("--%s is empty: check for an unset variable in the command, or leave it out", f.Name)
			return
		}
		values := f.Annotations[valuesKey]
		if n := len(values); n > 0 && !slices.Contains(values, f.Value.String()) {
			what := "--" + f.Name + " " + f.Value.String()
			if where := departed[what]; where != "" {
				what += " has left the program (" + where + ")"
			}
			err = refuse("%s: must be %s or %s", what, strings.Join(values[:n-1], ", "), values[n-1])
		}
	})
	return err
}
