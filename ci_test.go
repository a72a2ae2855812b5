package treebeam

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The forge's CI runs the steps of .ci/run, all but those that need what a
// forge has not.
func TestForgeRunsAllSteps(t *testing.T) {
	find := func(file, pattern string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s: no %s", file, pattern)
		}
		return strings.FieldsFunc(string(m[1]), func(r rune) bool { return r == ' ' || r == ',' })
	}
	want := find(".ci/run", `(?m)^all="([^"]*)"$`)
	want = slices.DeleteFunc(want, func(step string) bool { return step == "flink" || step == "spark" })
	got := append([]string{"test"}, find(".github/workflows/ci.yml", `(?m)^ +step: \[([^\]]*)\]$`)...)
	if !slices.Equal(got, want) {
		t.Errorf("ci.yml runs %q, .ci/run has %q", got, want)
	}
}
