package main

import (
	"flag"
	"reflect"
	"testing"
)

type several []string

func (s *several) String() string     { return "several" }
func (s *several) Type() string       { return "several" }
func (s *several) Set(v string) error { *s = append(*s, v); return nil }

// Runners ask package flag which of Beam's flags were given.
func TestTellBeam(t *testing.T) {
	saved := flag.CommandLine
	defer func() { flag.CommandLine = saved }()
	flag.CommandLine = flag.NewFlagSet("beam", flag.ContinueOnError)
	region := flag.String("region", "", "")
	flag.Bool("public", true, "")
	var hints several
	flag.Var(&hints, "hints", "")
	calls := 0
	flag.Func("call", "", func(string) error { calls++; return nil })

	fs := newCommand("parse", "", "").Flags()
	ours := fs.String("output", "", "")
	withBeamFlags(fs)
	if err := fs.Parse([]string{"--region=europe-west1", "--hints=a", "--hints", "b", "--output=out", "--call=x"}); err != nil {
		t.Fatal(err)
	}
	tellBeam(fs)
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !reflect.DeepEqual(given, map[string]bool{"region": true, "hints": true}) {
		t.Errorf("Beam was told of %v", given)
	}
	if *region != "europe-west1" || !reflect.DeepEqual([]string(hints), []string{"a", "b"}) || calls != 1 || *ours != "out" {
		t.Errorf("values changed: region %q, hints %q, %d calls, output %q", *region, hints, calls, *ours)
	}
}
