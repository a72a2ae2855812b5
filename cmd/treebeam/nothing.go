package main

import (
	"os"

	"github.com/treebeam/treebeam/io/output"
)

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
