package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/pflag"
)

// Help fits on two screens, names every flag, and explains the rare ones when it
// is asked for all.
func TestHelpIsShort(t *testing.T) {
	const screens, width = 2 * 45, 100
	for _, cmd := range newRoot().Commands() {
		status, short, _ := treebeam(t, "", "help", cmd.Name())
		lines := strings.Split(strings.TrimSuffix(short, "\n"), "\n")
		if status != exitOK || len(lines) > screens {
			t.Errorf("help %s: status %d, %d lines", cmd.Name(), status, len(lines))
		}
		_, same, _ := treebeam(t, "", cmd.Name(), "--help")
		if same != short {
			t.Errorf("%s --help differs from help %s", cmd.Name(), cmd.Name())
		}
		_, all, _ := treebeam(t, "", "help", cmd.Name(), "--all")
		for _, line := range append(lines, strings.Split(all, "\n")...) {
			if w := uniseg.StringWidth(line); w > width {
				t.Errorf("help %s: %d columns: %s", cmd.Name(), w, line)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			if !strings.Contains(short, "--"+f.Name) {
				t.Errorf("help %s has no --%s", cmd.Name(), f.Name)
			}
			if !strings.Contains(all, flagHead(f)+"\n") && !strings.Contains(all, flagHead(f)+" ") {
				t.Errorf("help %s --all does not explain --%s", cmd.Name(), f.Name)
			}
		})
	}
}

// Help writes Beam's flags as parse takes them, and leaves out those that parse has itself.
func TestHelpOfBeam(t *testing.T) {
	status, help, _ := treebeam(t, "", "help", "beam")
	if status != exitOK || !strings.Contains(help, " --runner ") || strings.Contains(help, " -runner") || strings.Contains(help, "--id ") {
		t.Errorf("help beam: status %d\n%s", status, help)
	}
}

// Flags stand under their headings in the order of their definition, rare ones at the end.
func TestGroups(t *testing.T) {
	fs := newCommand("x", "", "").Flags()
	define := func(names ...string) {
		for _, name := range names {
			fs.Bool(name, false, "")
		}
	}
	define("rare")
	group(fs, rareFlags)
	define("c")
	group(fs, outputFlags)
	define("b")
	group(fs, inputFlags)
	define("a")
	group(fs, inputFlags)
	define("d")
	group(fs, outputFlags)
	define("none")
	var got []string
	for _, g := range groupsOf(fs) {
		got = append(got, g.heading+":")
		for _, f := range g.flags {
			got = append(got, f.Name)
		}
	}
	if want := "Output: c d Input: b a Flags: none Rare: rare"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// Shells complete commands, flags, values and folders.
func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"par":                "parse\t",
		"parse|--to|":        "parquet\nconllu\njsonl\ntsv\ncsv\ntext\ntree\nsvg\nhtml\n",
		"--to|":              "parquet\nconllu\n", // parse is meant
		"parse|--accu":       "--accurate\t",
		"parse|--runner|":    "prism\nflink\n",
		"parse|--state|":     ":16", // folders only
		"parse|--model|":     ":0",  // files
		"eval|--against|":    ":0",
		"find|--against|":    ":0", // files or folders
		"parse|--restarts|":  ":4", // nothing
		"help|tr":            "train\t",
		"completion|":        "bash\nzsh\n",
		"model|info|":        ":0",
		"failures|--kind|n":  "not_text\n",
		"train|--preset|":    "fast\nstandard\n",
		"parse|--to|c":       "conllu\n",
		"show|--no-such|x|-": "",
	} {
		_, got, _ := treebeam(t, "", append([]string{"__complete"}, strings.Split(args, "|")...)...)
		if !strings.Contains(got, want) || strings.Contains(got, "`") {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if status, script, _ := treebeam(t, "", "completion", shell); status != exitOK || !strings.Contains(script, "__complete") {
			t.Errorf("completion %s: status %d\n%s", shell, status, script)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}} {
		ends(t, exitRefused, "fish", args...)
	}
}

// The script for bash completes in bash.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	program := fmt.Sprintf("#!%s\nexport %s=1\nexec '%s' \"$@\"\n", bash, asProgram, os.Args[0])
	must(t, os.WriteFile(filepath.Join(dir, "treebeam"), []byte(program), 0o755))
	// Of the package bash-completion it needs one function; compopt works in readline alone.
	const script = `
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}; }
compopt() { :; }
source <(treebeam completion bash)
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($#-1)) COMP_LINE="$*" COMP_TYPE=9
	COMP_POINT=${#COMP_LINE} COMPREPLY=()
	__start_treebeam
	echo "$* => ${COMPREPLY[*]}"
}
try treebeam par
try treebeam parse --to c
try treebeam parse --accu
try treebeam train --preset ''
try treebeam completion f`
	cmd := exec.Command(bash, "-c", script)
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	got, err := cmd.CombinedOutput()
	const want = `treebeam par => parse
treebeam parse --to c => conllu csv
treebeam parse --accu => --accurate
treebeam train --preset  => fast standard accurate
treebeam completion f => fish
`
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

// One letter is enough for what is used most.
func TestShortFlags(t *testing.T) {
	in := writeFiles(t, map[string]string{"x.txt": "One two .\n"})
	_, long, _ := treebeam(t, "", toyCommand("--quiet", "--input", in, "--to", "conllu", "--from", "text")...)
	status, short, stderr := treebeam(t, "", toyCommand("-qi", in, "-tconllu", "-f=text")...)
	if status != exitOK || short != long || long == "" {
		t.Errorf("status %d, %s\n%s\nwant\n%s", status, stderr, short, long)
	}
}

type several []string

func (s *several) String() string     { return "several" }
func (s *several) Type() string       { return "several" }
func (s *several) Set(v string) error { *s = append(*s, v); return nil }

// Runners ask package flag which of Beam's flags were given.
func TestTellBeam(t *testing.T) {
	saved := flag.CommandLine
	defer func() { flag.CommandLine = saved }()
	flag.CommandLine = flag.NewFlagSet("beam", flag.ContinueOnError)
	region := flag.String("region", "", "")
	flag.Bool("public", true, "")
	var hints several
	flag.Var(&hints, "hints", "")
	calls := 0
	flag.Func("call", "", func(string) error { calls++; return nil })

	fs := newCommand("parse", "", "").Flags()
	ours := fs.String("output", "", "")
	withBeamFlags(fs)
	must(t, fs.Parse([]string{"--region=europe-west1", "--hints=a", "--hints", "b", "--output=out", "--call=x"}))
	tellBeam(fs)
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !reflect.DeepEqual(given, map[string]bool{"region": true, "hints": true}) {
		t.Errorf("Beam was told of %v", given)
	}
	if *region != "europe-west1" || !reflect.DeepEqual([]string(hints), []string{"a", "b"}) || calls != 1 || *ours != "out" {
		t.Errorf("values changed: region %q, hints %q, %d calls, output %q", *region, hints, calls, *ours)
	}
}
