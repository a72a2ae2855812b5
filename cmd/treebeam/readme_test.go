package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The tree at the top of README.md is the one that the program prints.
func TestReadmeTree(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	must(t, err)
	shown := regexp.MustCompile("(?s)```console\n\\$ echo \"(.*?)\" \\| bin/treebeam (.*?)\n(.*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatal("README.md shows no tree")
	}
	cmd := exec.Command(os.Args[0], strings.Fields(string(shown[2]))...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin = strings.NewReader(string(shown[1]) + "\n")
	out, err := cmd.Output()
	must(t, err)
	if got, want := strings.TrimRight(string(out), "\n"), strings.TrimRight(string(shown[3]), "\n"); got != want {
		t.Errorf("the program prints\n%s\nREADME.md has\n%s", got, want)
	}
}
