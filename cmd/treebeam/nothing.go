package main

import (
	"fmt"
	"os"

	"github.com/treebeam/treebeam/transforms"
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

// sayNothingParsed says why, in full, and which command shows more.
func sayNothingParsed(sum *transforms.Summary, more string) {
	text := nothingParsed{}.Error()
	for _, r := range sum.Reasons {
		if r.Severity == "error" {
			text += fmt.Sprintf(". The commonest reason, %s: %s", cell(r.SourceURI), cell(r.Reason))
			break
		}
	}
	say(os.Stderr, "%s\n%s\n", text, more)
}

// checkFailures returns status 3 if more failed than the limit allows, or
// everything did. more says which command shows the failures.
func checkFailures(limit failureLimit, sum *transforms.Summary, more string) error {
	if checkAny(sum.Errors, sum.Trees) != nil {
		sayNothingParsed(sum, more)
		return exitCode(exitFailures)
	}
	return limit.check(sum)
}
