package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

// A failureLimit is the value of --max-failures.
type failureLimit struct {
	set     bool
	count   int64
	percent float64 // instead of count if not negative
}

func parseLimit(s string) (failureLimit, error) {
	if s == "" {
		return failureLimit{}, nil
	}
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

// check returns status 3 if more failed than the limit allows.
func (l failureLimit) check(sum *output.Summary) error {
	found := nightly.Found{Errors: sum.Errors, Trees: sum.Trees, Files: sum.Files, FilesFailed: sum.FilesFailed}
	if err := l.accept(found); err != nil {
		say(os.Stderr, "%v\n", err)
		return exitCode(exitFailures)
	}
	return nil
}

// accept returns a tooManyFailures if there are. A percentage is one of
// sentences and one of files: a file that cannot be read is one failure, however
// many sentences it has.
func (l failureLimit) accept(found nightly.Found) error {
	over, files := found.Errors > l.count, false
	if l.percent >= 0 {
		over = float64(found.Errors)*100 > l.percent*float64(found.Errors+found.Trees)
		files = float64(found.FilesFailed)*100 > l.percent*float64(found.Files)
	}
	switch {
	case l.set && over:
		return tooManyFailures(fmt.Sprintf("%d failures", found.Errors))
	case l.set && files:
		return tooManyFailures(fmt.Sprintf("%d of %d files that could not be read", found.FilesFailed, found.Files))
	}
	return nil
}

// tooManyFailures says how many.
type tooManyFailures string

func (n tooManyFailures) Error() string { return string(n) + " are more than --max-failures allows" }

// nothingParsed is the error of a run that had something to parse and could
// parse none of it, most often for one reason, such as a key of JSON lines that
// is called otherwise.
type nothingParsed struct{}

func (nothingParsed) Error() string { return "nothing could be parsed" }

// checkAny returns a nothingParsed if there were failures and no trees.
func checkAny(failures, trees int64) error {
	if failures > 0 && trees == 0 {
		return nothingParsed{}
	}
	return nil
}

// checkFailures returns status 3 if more failed than the limit allows, or
// everything did. The reasons were printed.
func checkFailures(limit failureLimit, sum *output.Summary) error {
	if err := checkAny(sum.Errors, sum.Trees); err != nil {
		say(os.Stderr, "%v\n", err)
		return exitCode(exitFailures)
	}
	return limit.check(sum)
}
