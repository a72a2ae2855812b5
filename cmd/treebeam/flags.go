package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// newFlags returns the flag set of a subcommand. Its usage is "treebeam line",
// the text about, and the flags that the caller defines.
func newFlags(name, line, about string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(os.Stderr)
	fs.Usage = func() {
		fmt.Fprintf(os.Stdout, "usage: treebeam %s\n\n%s\n\nflags:\n", line, strings.TrimSpace(about))
		printFlags(fs)
	}
	return fs
}

// printFlags lists the flags of fs that are ours, not Beam's.
func printFlags(fs *flag.FlagSet) {
	fs.VisitAll(func(f *flag.Flag) {
		if isBeamFlag(fs, f) {
			return
		}
		value, usage := flag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(os.Stdout, "  %-26s %s\n", name, usage)
	})
}

// withBeamFlags lets Beam's global flags pass through fs.
func withBeamFlags(fs *flag.FlagSet) {
	flag.VisitAll(func(f *flag.Flag) {
		if fs.Lookup(f.Name) == nil {
			fs.Var(f.Value, f.Name, f.Usage)
		}
	})
}

// tellBeam marks the Beam flags that fs has parsed as given: they share their
// values with Beam's own, but runners also ask package flag which were given.
func tellBeam(fs *flag.FlagSet) {
	fs.Visit(func(f *flag.Flag) {
		v := reflect.ValueOf(f.Value)
		if v.Kind() != reflect.Pointer || !isBeamFlag(fs, f) {
			return // ours, or a function that had its effect
		}
		if v = v.Elem(); v.Kind() == reflect.Slice { // Set appends
			defer v.Set(v.Slice(0, v.Len()))
		}
		flag.Set(f.Name, f.Value.String())
	})
}

// given says whether the flag of Beam is set, to another value than its zero.
func given(fs *flag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	return f != nil && f.Value.String() != "" && f.Value.String() != "false"
}

func isBeamFlag(fs *flag.FlagSet, f *flag.Flag) bool {
	global := flag.Lookup(f.Name)
	return global != nil && global.Value == f.Value && fs != flag.CommandLine
}

// parseFlags parses args with flags and other arguments in any order, "-" and
// "_" alike in the names of flags, and returns the other arguments. "-" is
// one of them, and all that follows "--". Its errors are refusals; after
// --help it is flag.ErrHelp.
func parseFlags(fs *flag.FlagSet, args []string) ([]string, error) {
	var others []string
	spelled := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			spelled = append(spelled, args[i:]...)
			break
		}
		spelled = append(spelled, spell(fs, a))
	}
	output, usage := fs.Output(), fs.Usage
	fs.SetOutput(io.Discard)
	fs.Usage = func() {} // package flag calls it after every error
	defer func() {
		fs.SetOutput(output)
		fs.Usage = usage
	}()
	for args = spelled; ; {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			usage()
			return nil, err
		} else if err != nil {
			return nil, refuse("%s; treebeam %s --help lists the flags", plain(fs, err), fs.Name())
		}
		rest := fs.Args()
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			return append(others, rest...), nil
		}
		if len(rest) == 0 {
			return others, nil
		}
		others = append(others, rest[0])
		args = rest[1:]
	}
}

// spell rewrites the name of a flag as fs knows it.
func spell(fs *flag.FlagSet, a string) string {
	if len(a) < 2 || a[0] != '-' {
		return a
	}
	name, value, hasValue := strings.Cut(strings.TrimPrefix(a[1:], "-"), "=")
	for _, try := range []string{name, strings.ReplaceAll(name, "_", "-"), strings.ReplaceAll(name, "-", "_")} {
		if fs.Lookup(try) != nil {
			if hasValue {
				return "--" + try + "=" + value
			}
			return "--" + try
		}
	}
	return a
}
