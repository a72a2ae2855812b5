package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/pipeline"
)

// A done is what this command has done of a run, without what an earlier one did.
type done struct {
	elapsed  time.Duration
	words    int64 // parsed
	known    bool  // words is: the work was done in this process, or nothing was done before
	earlier  int64 // parts that an earlier run had done
	finished int64 // parts that this command has finished
}

// add adds what was done of another run.
func (d *done) add(o *done) {
	d.elapsed += o.elapsed
	d.words += o.words
	d.known = d.known && o.known
	d.earlier += o.earlier
	d.finished += o.finished
}

// rate is the words a second, such as " (17,933 words/s)", and "" if they are not known.
func (d *done) rate() string {
	if !d.known {
		return ""
	}
	return fmt.Sprintf(" (%s words/s)", grouped(int64(float64(d.words)/max(d.elapsed.Seconds(), 1e-3))))
}

// printRun prints the summary of a run with an output folder: what went wrong,
// what was done, how good the trees are expected to be, and where they are.
func printRun(w io.Writer, folder string, sum *output.Summary, d *done) {
	printReasons(w, sum, showFailures(folder))
	all := fmt.Sprintf("%s, %s from %s; %s", plural(sum.Trees, "tree"), plural(sum.Words, "word"), plural(sum.Files, "file"), failed(sum))
	switch took := d.elapsed.Round(10 * time.Millisecond); {
	case d.earlier > 0 && d.finished == 0:
		say(w, "nothing to do: an earlier run has done all %s; it has %s\n", plural(d.earlier, "part"), all)
	case d.earlier > 0 && d.known:
		say(w, "%s parsed in %v%s; with what an earlier run has done: %s\n", plural(d.words, "word"), took, d.rate(), all)
	case d.earlier > 0:
		say(w, "%s parsed in %v; with what an earlier run has done: %s\n", plural(d.finished, "part"), took, all)
	default:
		say(w, "%s, in %v%s\n", all, took, d.rate())
	}
	printForecast(w, sum.Forecast)
	in := shellWord(folder)
	say(w, "trees are in %s; treebeam show %s prints some, treebeam report %s makes a page of all\n", store.Join(folder, "trees"), in, in)
}

// failed is "no failures, 1 warning".
func failed(sum *output.Summary) string {
	text := "no failures"
	if sum.Errors > 0 {
		text = plural(sum.Errors, "failure")
	}
	if sum.Warnings > 0 {
		text += ", " + plural(sum.Warnings, "warning")
	}
	return text
}

// printJSON prints v as one line of JSON on standard output, for programs: where that
// is a terminal, only if asked for. If nobody reads it, the run was none the worse.
func printJSON(v any, asked bool) {
	if !asked && term.IsTerminal(int(os.Stdout.Fd())) {
		return
	}
	if line, err := json.Marshal(v); err == nil {
		fmt.Fprintf(os.Stdout, "%s\n", line)
	}
}

// A runSummary is the summary of a run as JSON.
type runSummary struct {
	*output.Summary
	Output      string  `json:"output"`
	Seconds     float64 `json:"seconds"`
	ParsedWords *int64  `json:"parsed_words,omitempty"` // by this command, which may have continued a run
}

func (d *done) summary(folder string, sum *output.Summary) runSummary {
	s := runSummary{Summary: sum, Output: folder, Seconds: d.elapsed.Seconds()}
	if d.known {
		s.ParsedWords = &d.words
	}
	return s
}

// printForecast prints what is expected of the trees in percent, and nothing if
// the model is not calibrated.
func printForecast(w io.Writer, f *output.Forecast) {
	if f != nil {
		say(w, "expected: UPOS %.1f, UAS %.1f, LAS %.1f (standard error %.1f)\n", 100*f.UPOS, 100*f.UAS, 100*f.LAS, 100*f.LASStderr)
	}
}

// printMetrics prints the runner's counters, a line each, and how much work
// the sentences were, which the runner does not know as exactly.
func printMetrics(w io.Writer, list []pipeline.Metric, work *output.Work) {
	for _, m := range list {
		say(w, "  %s\n", fmt.Sprint(m))
	}
	if work != nil {
		say(w, "work of a sentence: %d heads weighed or fewer for half of them, %d for 99%%, %d at most\n",
			work.P50, work.P99, work.Max)
	}
}

// shareToWarn is the share of failures above which a summary is a warning.
const shareToWarn = 0.05

// printReasons prints of each kind of failure and of warning how often it was met,
// and the first one's place and reason in full; then the lines more, which say what
// shows all of them. It warns if much has failed.
func printReasons(w io.Writer, sum *output.Summary, more ...string) {
	for _, line := range sum.Suggestions {
		say(w, "%s\n", line)
	}
	if share := float64(sum.Errors) / max(float64(sum.Errors+sum.Trees), 1); share > shareToWarn {
		say(w, "WARNING: %.1f%% failed\n", share*100)
	} else if float64(sum.FilesFailed) > shareToWarn*float64(sum.Files) {
		say(w, "WARNING: %d of %d files could not be read to their end\n", sum.FilesFailed, sum.Files)
	}
	for _, severity := range []string{"error", "warning"} {
		for i := range sum.Reasons {
			if r := &sum.Reasons[i]; r.Severity == severity {
				printReason(w, r)
			}
		}
	}
	if sum.Errors+sum.Warnings > 0 {
		for _, line := range more {
			say(w, "%s\n", line)
		}
	}
}

// showFailures says which command shows all failures of an output.
func showFailures(folder string) string {
	return "treebeam failures " + shellWord(folder) + " lists every one"
}

// printReason prints how often something went wrong, and where and why for the
// first time.
func printReason(w io.Writer, r *output.Reason) {
	what := "failure"
	if r.Severity == "warning" {
		what = "warning"
	}
	place := fmt.Sprintf("byte %d", r.ByteOffset)
	if r.Line > 0 {
		place = fmt.Sprintf("line %d", r.Line)
	}
	first := "the first in"
	if r.Count == 1 {
		first = "in"
	}
	say(w, "  %s %s (%s), %s %s, %s: %s\n", plural(r.Count, what), r.Kind.String(), cell(r.Stage), first, cell(r.SourceURI), place, cell(r.Reason))
}

// plural is "1 tree" or "2,300 trees".
func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped is n with a comma between groups of three digits.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
