package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is known of the text takes effect in parse and in eval.
func TestCustomByFlags(t *testing.T) {
	dir := memoryFolder(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"a.txt": "It ran to approx. no. 5 . New York ran .\n", "abbreviations": "approx.\nno.\n", "together": "New York\n", "exceptions": "ran\tINTJ\trun\n",
	} {
		must(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	flags := []string{"--abbreviations", at("abbreviations"), "--keep_together", at("together"), "--exceptions=" + at("exceptions"), "--unconstrained"}
	plain, _ := ends(t, exitOK, "", toyCommand(at("a.txt"), "--to", "conllu")...)
	got, _ := ends(t, exitOK, "", toyCommand(append(flags, at("a.txt"), "--to", "conllu")...)...)
	for part, want := range map[string][2]int{"# text = ": {4, 2}, "\tran\trun\tINTJ\t": {0, 2}, "\tNew York\t": {0, 1}, "\tfree\t": {0, 8}} {
		if n := [2]int{strings.Count(plain, part), strings.Count(got, part)}; n != want {
			t.Errorf("%q: %d without and with the lists, want %d\n%s", part, n, want, got)
		}
	}
	if _, out, _ := treebeam(t, "", toyCommand(append(flags, at("a.txt"), "--output", at("out"), "--quiet")...)...); out == "" {
		t.Error("no summary")
	}
	if _, converted, stderr := treebeam(t, "", "convert", at("out")); converted != got {
		t.Errorf("the run gives\n%s\nthe stream\n%s\n%s", converted, got, stderr)
	}
}

// Lists take effect in eval.
func TestCustomInEval(t *testing.T) {
	exceptions := filepath.Join(memoryFolder(t), "exceptions")
	must(t, os.WriteFile(exceptions, []byte(".\tX\n"), 0o644))
	eval := func(more ...string) string {
		t.Helper()
		out, _ := ends(t, exitOK, "", append([]string{"eval", "--gold", toyDev, "--model", trainedToy(t), "--gold-tokens", "--row", "x"}, more...)...)
		return out
	}
	plain, got := eval(), eval("--exceptions", exceptions)
	_, before, _ := strings.Cut(plain, "UPOS ")
	_, after, ok := strings.Cut(got, "UPOS ")
	if !ok || before == after {
		t.Errorf("full stops that are X change nothing: %s", got)
	}
	if out := eval("--unconstrained"); out == "" {
		t.Error("no figures of unconstrained trees")
	}
}
