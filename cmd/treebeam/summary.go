package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// rateOf is the words a second of what was done, such as " (17,933 words/s)", and ""
// if they are not known.
func rateOf(d *pipeline.Done) string {
	if !d.Known {
		return ""
	}
	return fmt.Sprintf(" (%s words/s)", view.Number(int64(d.Rate())))
}

// printRun prints the summary of a run with an output folder: what went wrong,
// what was done, how good the trees are expected to be, and where they are.
func printRun(w io.Writer, folder string, sum *output.Summary, d *pipeline.Done) {
	printReasons(w, sum, showFailures(folder))
	all := counts(sum)
	switch took := d.Elapsed.Round(10 * time.Millisecond); {
	case d.Earlier > 0 && d.Finished == 0:
		say(w, "nothing to do: an earlier run has done all %s; it has %s\n", view.Many(d.Earlier, "part"), all)
	case d.Earlier > 0 && d.Known:
		say(w, "%s parsed in %v%s; with what an earlier run has done: %s\n", view.Many(d.Words, "word"), took, rateOf(d), all)
	case d.Earlier > 0:
		say(w, "%s parsed in %v; with what an earlier run has done: %s\n", view.Many(d.Finished, "part"), took, all)
	default:
		say(w, "%s\n", totals(sum, d))
	}
	printLanguages(w, sum)
	printForecast(w, sum.Forecast)
	if sum.Trees == 0 && sum.Errors > 0 {
		say(w, "there are no trees; if the command must change, add --overwrite to it\n")
		return
	}
	in := pathWord(folder)
	say(w, "trees: %s\nto see some: treebeam show %s\nfor one page about all: treebeam report %s\n", store.Join(folder, "trees"), in, in)
}

// printLanguages prints how much text there is in each language, unless all of it is
// English or nobody has asked.
func printLanguages(w io.Writer, sum *output.Summary) {
	list := slices.Clone(sum.Languages)
	if len(list) == 0 || len(list) == 1 && (list[0].Conf == 0 || list[0].Code == syntax.English) {
		return
	}
	slices.SortStableFunc(list, func(a, b output.Language) int { return cmp.Compare(b.Words, a.Words) })
	for _, l := range list {
		where := view.Many(l.Documents, "document") + ", " + view.Many(l.Words, "word")
		if l.Documents == 0 {
			where = view.Many(l.Words, "word") + " in documents of other languages"
		}
		say(w, "%s: %s\n", languageName(l.Code), where)
	}
}

// counts says what a run has read and what it has made of it.
func counts(sum *output.Summary) string {
	return fmt.Sprintf("%s, %s from %s; %s", view.Many(sum.Trees, "tree"), view.Many(sum.Words, "word"), view.Many(sum.Files, "file"), failed(sum))
}

// totals is counts, and how long a run took that nothing was done of before.
func totals(sum *output.Summary, d *pipeline.Done) string {
	return fmt.Sprintf("%s, in %v%s", counts(sum), d.Elapsed.Round(10*time.Millisecond), rateOf(d))
}

// failed is "no failures, 1 warning".
func failed(sum *output.Summary) string {
	text := "no failures"
	if sum.Errors > 0 {
		text = view.Many(sum.Errors, "failure")
	}
	if sum.Warnings > 0 {
		text += ", " + view.Many(sum.Warnings, "warning")
	}
	return text
}

// A runSummary is the summary of a run, or of a night, as JSON.
type runSummary struct {
	Program     string  `json:"program"` // its version
	Output      string  `json:"output,omitempty"`
	Seconds     float64 `json:"seconds"`
	ParsedWords *int64  `json:"parsed_words,omitempty"` // by this command, which may have continued a run
	*output.Summary
	Night *nightReport `json:"night,omitempty"`
}

// printSummary prints a summary with what was done as one line of JSON on standard
// output, for programs.
func printSummary(s runSummary, d *pipeline.Done) {
	s.Program = "treebeam " + pipeline.Version()
	if s.Seconds = d.Elapsed.Seconds(); d.Known {
		s.ParsedWords = &d.Words
	}
	encodeJSON(stdout, s, "") // which has the error
}

// encodeJSON writes v as JSON, on one line or with lines indented.
func encodeJSON(w io.Writer, v any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// printForecast prints what is expected of the trees in percent, and nothing if
// the model is not calibrated.
func printForecast(w io.Writer, f *output.Forecast) {
	if f != nil {
		say(w, "expected: UPOS %.1f, UAS %.1f, LAS %.1f (standard error %.1f)\n", 100*f.UPOS, 100*f.UAS, 100*f.LAS, 100*f.LASStderr)
	}
}

// printMetrics prints the runner's counters, a line each.
func printMetrics(w io.Writer, list []pipeline.Metric) {
	for _, m := range list {
		say(w, "  %s\n", fmt.Sprint(m))
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
		say(w, "WARNING: %.1f%% of the sentences failed (a file that could not be read counts as one)\n", share*100)
	} else if float64(sum.FilesFailed) > shareToWarn*float64(sum.Files) {
		say(w, "WARNING: %s of %s could not be read, or only in part\n", view.Number(sum.FilesFailed), view.Many(sum.Files, "file"))
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
	return "for the full list: treebeam failures " + pathWord(folder)
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
	say(w, "  %s %s (%s), %s %s, %s: %s\n", view.Many(r.Count, what), r.Kind.String(), cell(r.Stage), first, cell(r.SourceURI), place, cell(r.Reason))
}

// standardLimit is --max-failures of runs that are not told.
const standardLimit = "50%"

// A failureLimit is the value of --max-failures.
type failureLimit struct {
	set      bool
	standard bool // nobody has given it
	count    int64
	percent  float64 // instead of count if not negative
}

// limit is the limit of the failures of this run. A program that reads end marks sees
// every failure, and has no limit unless it gives one.
func (c *parseCommand) limit() (failureLimit, error) {
	if c.maxFailures == "" && c.options.EndMarks {
		return failureLimit{}, nil
	}
	limit, err := parseLimit(cmp.Or(c.maxFailures, standardLimit))
	limit.standard = c.maxFailures == ""
	return limit, err
}

func parseLimit(s string) (failureLimit, error) {
	number, isPercent := strings.CutSuffix(s, "%")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) || isPercent && value > 100 || !isPercent && value != float64(int64(value)) {
		return failureLimit{}, refuse("--max-failures %s: must be a number of sentences or a percentage such as 1%%", s)
	}
	if isPercent {
		return failureLimit{set: true, percent: value}, nil
	}
	return failureLimit{set: true, count: int64(value), percent: -1}, nil
}

// tooManyFailures is the error of a run with more failures than the limit allows.
type tooManyFailures string

func (found tooManyFailures) Error() string { return string(found) }

// errNothingParsed is the error of a run that had something to parse and could
// parse none of it, most often for one reason, such as a key of JSON lines that
// is called otherwise.
var errNothingParsed = errors.New("nothing could be parsed")

// accept returns errNothingParsed or a tooManyFailures for what is too bad in what was
// found. A percentage is one of sentences and one of files: a file that cannot be read is
// one failure, however many sentences it has. The limit that nobody has given is of
// all that would then be current. If there are other trees, a run may have none.
func (l failureLimit) accept(found, current nightly.Found, others bool) error {
	nothing := found.Errors > 0 && found.Trees == 0 && !others
	if l.standard {
		found = current
	}
	over, files := found.Errors > l.count, false
	if l.percent >= 0 {
		over = float64(found.Errors)*100 > l.percent*float64(found.Errors+found.Trees)
		files = float64(found.FilesFailed)*100 > l.percent*float64(found.Files)
	}
	switch {
	case nothing:
		return errNothingParsed
	case l.set && over:
		return l.tooMany("%s beside %s", view.Many(found.Errors, "failure"), view.Many(found.Trees, "tree"))
	case l.set && files:
		return l.tooMany("%s of %s could not be read", view.Number(found.FilesFailed), view.Many(found.Files, "file"))
	}
	return nil
}

// tooMany is the error for what was found, and what helps.
func (l failureLimit) tooMany(format string, a ...any) error {
	found := fmt.Sprintf(format, a...)
	if l.standard {
		return tooManyFailures(found + ": more than half failed; change the input or the options, or accept this with --max-failures 100%")
	}
	return tooManyFailures(found + ", more than --max-failures allows")
}

// check returns status 3 for a run that accept does not take. The reasons were
// printed.
func (l failureLimit) check(sum *output.Summary) error {
	found := nightly.Found{Errors: sum.Errors, Trees: sum.Trees, Files: sum.Files, FilesFailed: sum.FilesFailed}
	if err := l.accept(found, found, false); err != nil {
		say(os.Stderr, "%v\n", err)
		return exitCode(exitFailures)
	}
	return nil
}
