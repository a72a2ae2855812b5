package main

import (
	"errors"
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

// tooManyFailures is the error of a run with more failures than the limit allows.
type tooManyFailures string

func (found tooManyFailures) Error() string {
	return string(found) + " are more than --max-failures allows"
}

// errNothingParsed is the error of a run that had something to parse and could
// parse none of it, most often for one reason, such as a key of JSON lines that
// is called otherwise.
var errNothingParsed = errors.New("nothing could be parsed")

// accept returns errNothingParsed or a tooManyFailures for what is too bad. A
// percentage is one of sentences and one of files: a file that cannot be read is
// one failure, however many sentences it has. If there are other trees, a run may
// have none.
func (l failureLimit) accept(found nightly.Found, others bool) error {
	over, files := found.Errors > l.count, false
	if l.percent >= 0 {
		over = float64(found.Errors)*100 > l.percent*float64(found.Errors+found.Trees)
		files = float64(found.FilesFailed)*100 > l.percent*float64(found.Files)
	}
	switch {
	case found.Errors > 0 && found.Trees == 0 && !others:
		return errNothingParsed
	case l.set && over:
		return tooManyFailures(fmt.Sprintf("%d failures", found.Errors))
	case l.set && files:
		return tooManyFailures(fmt.Sprintf("%d of %d files that could not be read", found.FilesFailed, found.Files))
	}
	return nil
}

// check returns status 3 for a run that accept does not take. The reasons were
// printed.
func (l failureLimit) check(sum *output.Summary) error {
	found := nightly.Found{Errors: sum.Errors, Trees: sum.Trees, Files: sum.Files, FilesFailed: sum.FilesFailed}
	if err := l.accept(found, false); err != nil {
		say(os.Stderr, "%v\n", err)
		return exitCode(exitFailures)
	}
	return nil
}
