package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An output of format version 3, written by the program of that time, is read
// by every command that reads outputs: columns that came later are null. Its
// folder is refused to a run, for this program makes other rows.
func TestFormat3(t *testing.T) {
	old, golden := filepath.Join("testdata", "format3"), filepath.Join("testdata", "format3.conllu")
	want, err := os.ReadFile(golden)
	must(t, err)
	trees := regexp.MustCompile("(?m)^# tree_conf = .*\n") // which that program did not print
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"convert":  {[]string{"convert", old, "--to", "conllu", "--conf"}, string(want)},
		"show":     {[]string{"show", old, "--lowest", "2"}, "garden.txt@"},
		"sample":   {[]string{"sample", old, "--uncertain", "2"}, "expected wrong by deprel_conf"},
		"failures": {[]string{"failures", old}, "column_count"},
		"diff":     {[]string{"diff", old, old, "--json"}, `"head_marginal"`},
		"eval":     {[]string{"eval", "--gold", golden, "--system", old}, "deprel_conf"},
		"report":   {[]string{"report", old, "--output", filepath.Join(t.TempDir(), "r.html")}, ""},
	} {
		status, stdout, stderr := treebeam(t, "", c.args...)
		if name == "convert" {
			stdout = trees.ReplaceAllString(unsigned(t, stdout), "")
		}
		if status != exitOK || !strings.Contains(stdout, c.want) || name == "convert" && stdout != c.want {
			t.Errorf("%s: status %d %s\n%s", name, status, stderr, stdout)
		}
		if strings.Contains(stdout+stderr, "upos_conf") || strings.Contains(stdout, "UPOSConf") {
			t.Errorf("%s: what version 3 had not is there:\n%s", name, stdout)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	must(t, os.CopyFS(out, os.DirFS(old)))
	ends(t, exitRefused, "name another --output", toyCommand(golden, "--output", out)...)
}
