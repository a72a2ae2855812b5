package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The pages and the help know the same exit statuses as the program, and 2,
// with which Go's runtime ends a crash, is none of them.
func TestStatusesAreDocumented(t *testing.T) {
	ours := []int{exitOK, exitFailed, exitFailures, exitRefused, exitInterrupted}
	row := regexp.MustCompile(`(?m)^\| (\d+)(?:, [^|]*)? \| `)
	tabled := func(page, heading string) (list []int) {
		text, err := os.ReadFile(filepath.Join("..", "..", page))
		must(t, err)
		_, table, found := strings.Cut(string(text), heading)
		if !found {
			t.Fatalf("%s has no table %q", page, heading)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		for _, m := range row.FindAllStringSubmatch(table, -1) {
			n, err := strconv.Atoi(m[1])
			must(t, err)
			list = append(list, n)
		}
		return list
	}
	if got := tabled("README.md", "| exit status | meaning |"); !slices.Equal(got, ours) {
		t.Errorf("README.md explains %v, the program ends with %v", got, ours)
	}
	if got := slices.Compact(tabled("docs/failures.md", "| exit status | what it means |")); !slices.Equal(got, []int{exitFailed, 2, exitFailures, exitRefused, exitInterrupted, exitClosed}) {
		t.Errorf("docs/failures.md explains %v", got)
	}
	_, help, _ := treebeam(t, "", "help")
	_, help, _ = strings.Cut(help, "Exit status:")
	var listed []int
	for _, m := range regexp.MustCompile(`(?:^|[,;])\s+(\d+)\b`).FindAllStringSubmatch(help, -1) {
		n, _ := strconv.Atoi(m[1])
		listed = append(listed, n)
	}
	if !slices.Equal(listed, ours) {
		t.Errorf("help explains %v, the program ends with %v", listed, ours)
	}
	if slices.Contains(append(ours, exitClosed), 2) {
		t.Error("2 is the status of a Go program that crashed")
	}
}

// A process that is refused ends with 64, whoever has started it.
func TestRefusedProcess(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"prase"},
		{"--no-such-flag"},
		{"parse", "--max-words", "many"},
		{"--worker=true", "--no-such-flag"}, // a runner's call
	} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != 64 {
			t.Errorf("%q: status %d\n%.500s", args, got, out)
		}
	}
}
