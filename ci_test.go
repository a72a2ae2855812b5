package treebeam

import (
	"os"
	"os/exec"
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

// Every build of the Makefile is given what git says of the commit, and the Dockerfile and
// make dist set the same variable.
func TestBuildsNameTheCommit(t *testing.T) {
	const variable = "-X github.com/treebeam/treebeam/pipeline.release="
	commit, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	made, err := exec.Command("make", "-n", "build").Output()
	if err != nil {
		t.Skip("no make: ", err)
	}
	if !strings.Contains(string(made), variable+strings.TrimSpace(string(commit))+`"`) {
		t.Errorf("make build runs %s", made)
	}
	for _, file := range []string{"Dockerfile", "cmd/dist/main.go"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), variable) {
			t.Errorf("%s does not set the version: %v", file, err)
		}
	}
	if text, err := os.ReadFile("pipeline/version.go"); err != nil || !strings.Contains(string(text), "\nvar release string\n") {
		t.Errorf("pipeline has no variable release: %v", err)
	}
}
