package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms"
)

func TestStandingLines(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		pipeline.Going
		want string
	}{
		"nothing yet": {pipeline.Going{Elapsed: 10 * time.Second, Total: 100 * mb, Ranges: 50, Here: true},
			"0 words, 0 words/s, 0% of the input"},
		"half": {pipeline.Going{Elapsed: 10 * time.Second, Total: 100 * mb, Bytes: 50 * mb, Ranges: 50, Seen: 25, Here: true, Words: 1000},
			"1,000 words, 100 words/s, 50% of the input, about 10s left"},
		// 80 MB were there before; 10 MB took 10 s, so the other 10 do too.
		"continued": {pipeline.Going{Elapsed: 10 * time.Second, Total: 100 * mb, Before: 80 * mb, Bytes: 10 * mb, Ranges: 50, Parts: 40, Seen: 45, Here: true, Words: 1000},
			"1,000 words, 100 words/s, 90% of the input, about 10s left"},
		"nearly done": {pipeline.Going{Elapsed: time.Minute, Total: 1000, Bytes: 999, Ranges: 3, Seen: 2, Here: true, Words: 6},
			"6 words, 0 words/s, 99% of the input, about 0s left"},
		"fast":     {pipeline.Going{Elapsed: 2 * time.Second, Total: 1000, Ranges: 3, Here: true, Words: 5000}, "5,000 words, 2,500 words/s, 0% of the input"},
		"one word": {pipeline.Going{Elapsed: time.Minute, Total: 1000, Ranges: 3, Here: true, Words: 1}, "1 word, 0 words/s, 0% of the input"},
		"long": {pipeline.Going{Elapsed: time.Hour, Total: 100 * mb, Bytes: 20 * mb, Ranges: 50, Here: true, Words: 3600},
			"3,600 words, 1 words/s, 20% of the input, about 4h00m left"},
		"very long": {pipeline.Going{Elapsed: 10 * time.Hour, Total: 100 * mb, Bytes: mb, Ranges: 50, Here: true},
			"0 words, 0 words/s, 1% of the input, about 41 days left"},
		// --retry-failures reads parts again that were counted as done.
		"more than all": {pipeline.Going{Elapsed: time.Second, Total: 100, Before: 90, Bytes: 50, Ranges: 5, Here: true},
			"0 words, 0 words/s, 100% of the input"},
		"checking one": {pipeline.Going{Elapsed: time.Second, Total: 100, Bytes: 100, Ranges: 1, Seen: 1, Here: true},
			"all parts are there; they are being checked"},
		"one elsewhere": {pipeline.Going{Elapsed: time.Minute, Ranges: 1}, "parts done: 0 of 1"},
		"checking": {pipeline.Going{Elapsed: time.Second, Total: 100, Bytes: 100, Ranges: 5, Seen: 5, Here: true},
			"all parts are there; they are being checked"},
		"elsewhere": {pipeline.Going{Elapsed: time.Minute, Total: 100 * mb, Before: 10 * mb, Bytes: 45 * mb, Ranges: 20, Parts: 2, Seen: 11},
			"parts done: 11 of 20, 55% of the input, about 1m0s left"},
		"empty files only": {pipeline.Going{Elapsed: time.Second, Ranges: 2, Seen: 1, Here: true}, "0 words, 0 words/s"},
	} {
		if got := goingLine(&c.Going); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPauses(t *testing.T) {
	for _, c := range []struct {
		onTerminal, here bool
		elapsed, want    time.Duration
	}{
		{true, true, time.Hour, barInterval},
		{true, false, time.Hour, askInterval},
		{false, true, 0, logInterval},
		{false, true, time.Hour, longInterval},
		{false, false, 0, askInterval},
		{false, false, time.Hour, longInterval},
	} {
		if got := pause(c.onTerminal, c.here, c.elapsed); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What a continued run counts in this process and what was there before are
// the whole input, compressed or not; --quiet prints no progress.
func TestContinuedProgress(t *testing.T) {
	input := writeFiles(t, map[string]string{
		"a.txt": strings.Repeat("One two three .\n\n", 100), "b.txt.gz": zipped(strings.Repeat("Four five .\n\n", 100)),
		"c.txt": "Six .\n", "d.txt": "",
	})
	c := newParseCommand(newCommand("parse", "", "").Flags())
	must(t, c.flags.Parse(toyCommand("--output", filepath.Join(t.TempDir(), "out"), "--range-bytes", "200")[1:]))
	o := c.options
	o.Inputs = []string{input}
	prepare := func() *pipeline.Prepared {
		p, err := pipeline.Prepare(t.Context(), o)
		must(t, err)
		t.Cleanup(func() { p.Close() })
		return p
	}
	if !beam.Initialized() {
		beam.Init()
	}
	quietBeam()
	run := func(p *pipeline.Prepared) {
		_, err := pipeline.Run(t.Context(), p)
		must(t, err)
	}
	full := prepare()
	if full.Finished(t.Context()) != (pipeline.Parts{}) {
		t.Fatalf("%+v before the run", full.Finished(t.Context()))
	}
	before := transforms.Progress.Bytes.Load()
	run(full)
	if n := transforms.Progress.Bytes.Load() - before; n != full.Bytes {
		t.Errorf("%d of %d bytes were counted", n, full.Bytes)
	}
	if s := full.Finished(t.Context()); s.Bytes != full.Bytes || s.Parts != full.Job.Ranges {
		t.Errorf("%+v after the run of %d bytes in %d parts", s, full.Bytes, full.Job.Ranges)
	}

	parts, err := filepath.Glob(filepath.Join(o.Output, "trees", "*.parquet"))
	must(t, err)
	for _, part := range parts[:len(parts)/2] {
		must(t, os.Remove(part))
	}
	again := prepare()
	c.quiet = true
	p := c.startProgress(again)
	if p.watch.Before.Parts != 0 {
		t.Error("--quiet looked at the output")
	}
	p.stop()
	stderr := os.Stderr
	os.Stderr, err = os.Create(filepath.Join(t.TempDir(), "stderr"))
	must(t, err)
	c.quiet = false
	p = c.startProgress(again)
	os.Stderr, stderr = stderr, os.Stderr
	defer stderr.Close()
	if said, err := os.ReadFile(stderr.Name()); err != nil || !strings.Contains(string(said), "continuing; parts done: ") {
		t.Errorf("it said %q, %v", said, err)
	}
	if p.watch.Before.Parts != len(parts)-len(parts)/2 || p.watch.Before.Bytes == 0 {
		t.Errorf("%d of %d parts, %d bytes are said to be there", p.watch.Before.Parts, len(parts), p.watch.Before.Bytes)
	}
	run(again)
	p.stop()
	s := p.watch.Going(t.Context())
	if s.Before+s.Bytes != s.Total || s.Seen != s.Ranges {
		t.Errorf("after the run: %+v", s)
	}
	var b bytes.Buffer
	p.bar = nil
	p.show(&b, s)
	if !strings.Contains(b.String(), "being checked") {
		t.Error(b.String())
	}
}

func TestVerbose(t *testing.T) {
	input := writeFiles(t, map[string]string{"a.txt": "One two three .\n"})
	for _, verbose := range []bool{false, true} {
		args := toyCommand(input, "--output", filepath.Join(t.TempDir(), "out"), "--quiet")
		if verbose {
			args = append(args, "--verbose")
		}
		_, stderr := ends(t, exitOK, "", args...)
		for _, line := range []string{"  tokens 4\n", "  ranges_written 1\n"} {
			if strings.Contains(stderr, line) != verbose {
				t.Errorf("verbose %v, but %q in\n%s", verbose, line, stderr)
			}
		}
	}
}

func TestForecastLine(t *testing.T) {
	f := pipeline.Forecast{Words: 987_654_321, Rate: 27_000}
	const want = "1,234 files, 5,300 MB to parse: about 980,000,000 words, 10.2 core-hours at 27,000 words/s a core (measured here, on a sample)"
	if got := forecastLine(1234, 5_300_000_000, &f); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.Fast = 4 * f.Rate
	const more = "; with --fast 2.5 core-hours and more mistakes, with --effort between"
	if got := forecastLine(1234, 5_300_000_000, &f); got != want+more {
		t.Errorf("got  %s\nwant %s", got, want+more)
	}
}

// Progress for programs is lines of JSON, quiet or not: the first before anything is
// done, the last of all. Nothing else on standard error begins with a brace.
func TestProgressForPrograms(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": strings.Repeat("One two .\n\n", 60)})
	for _, to := range []string{"--output", "--state"} {
		for _, quiet := range []string{"-q", "--json"} {
			_, said := ends(t, exitOK, "", toyCommand(in, to, filepath.Join(t.TempDir(), "out"), "--range-bytes", "200", "--progress", "json", quiet)...)
			var lines []progressLine
			for line := range strings.Lines(said) {
				if strings.HasPrefix(line, "{") {
					var p progressLine
					d := json.NewDecoder(strings.NewReader(line))
					d.DisallowUnknownFields()
					must(t, d.Decode(&p))
					lines = append(lines, p)
				}
			}
			if len(lines) < 2 || strings.Contains(said, "core-hours") {
				t.Fatalf("%s", said)
			}
			first, last := lines[0], lines[len(lines)-1]
			if first.Parts != 0 || *first.Percent != 0 || first.SecondsLeft != nil || *first.Words != 0 {
				t.Errorf("at first: %+v", first)
			}
			if last.Parts != last.PartsTotal || last.Bytes != 660 || last.BytesTotal != 660 || *last.Percent != 100 || *last.SecondsLeft != 0 || *last.Words != 180 {
				t.Errorf("at last: %+v", last)
			}
		}
	}
	ends(t, exitRefused, "--progress json is for", toyCommand(in, "--to", "conllu", "--progress", "json")...)
	ends(t, exitRefused, "must be text or json", toyCommand(in, "--output", "x", "--progress", "xml")...)
}
