package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/pipeline"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/sample.conllu from what the program prints now")

// The bundled sample through the fast model, by both ways, is what it was
// when the golden file was last looked at: a change of it is a change of the
// model, of the parser or of the format, and is to be looked at line by line.
// It holds for every build and any number of cores.
func TestSampleIsGolden(t *testing.T) {
	const golden = "testdata/sample.conllu"
	in := filepath.Join("..", "..", "sample", "text")
	status, streamed, stderr := treebeam(t, "", "parse", "--quiet", "--fast", in, "--to", "conllu")
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	out := filepath.Join(t.TempDir(), "out")
	if status, _, stderr := treebeam(t, "", "parse", "--quiet", "--fast", "--input", in, "--output", out); status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	status, converted, stderr := treebeam(t, "", "convert", out, "--to", "conllu")
	if status != 0 {
		t.Fatalf("convert: status %d: %s", status, stderr)
	}
	if converted != streamed {
		t.Errorf("the run's output differs from the stream's, %s", firstDifference(converted, streamed))
	}
	checkConfident(t, in, out, streamed)
	streamed = unsigned(t, streamed)
	if *rewrite {
		must(t, os.WriteFile(golden, []byte(streamed), 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if streamed != string(want) {
		t.Errorf("differs from %s, %s; look at the difference, then: go test ./cmd/treebeam -run Golden -rewrite", golden, firstDifference(streamed, string(want)))
	}
}

// unsigned is a file without the comments that name the program and the model,
// which are not the same in all builds.
func unsigned(t *testing.T, text string) string {
	t.Helper()
	rest, found := strings.CutPrefix(text, "# generator = treebeam "+pipeline.Version()+"\n# model = ")
	if !found {
		t.Fatalf("the comments are missing in\n%.300s", text)
	}
	_, rest, _ = strings.Cut(rest, "\n")
	return rest
}

// checkConfident checks --conf, by both ways: it adds to CoNLL-U what it says and
// nothing else, eval reads it, and a second parse replaces it.
func checkConfident(t *testing.T, in, out, plain string) {
	t.Helper()
	status, streamed, stderr := treebeam(t, "", "parse", "--quiet", "--fast", in, "--to", "conllu", "--conf")
	if status != 0 {
		t.Fatalf("--conf: status %d: %s", status, stderr)
	}
	for _, args := range [][]string{{"--conf"}, {"--to", "conllu", "--conf"}} {
		if status, converted, stderr := treebeam(t, "", append([]string{"convert", out}, args...)...); status != 0 || converted != streamed {
			t.Errorf("convert %v: status %d: %s, %s", args, status, stderr, firstDifference(converted, streamed))
		}
	}
	if got := confidences.ReplaceAllString(emptied.ReplaceAllString(streamed, "\t_\n"), ""); got != plain {
		t.Errorf("without its confidence, --conf differs: %s", firstDifference(got, plain))
	}
	for _, key := range []string{"HeadConf=", "DeprelConf=", "# tree_conf = "} {
		if !strings.Contains(streamed, key) {
			t.Errorf("no %s", key)
		}
	}
	file := filepath.Join(t.TempDir(), "conf.conllu")
	must(t, os.WriteFile(file, []byte(streamed), 0o644))
	if status, stdout, stderr := treebeam(t, "", "eval", "--gold", file, "--system", file, "--row", "same"); status != 0 || !strings.Contains(stdout, "100.00") {
		t.Errorf("eval: status %d: %s%s", status, stdout, stderr)
	}
	if status, again, stderr := treebeam(t, "", "parse", "--quiet", "--fast", file, "--to", "conllu", "--conf", "--keep-heads"); status != 0 ||
		strings.Count(again, "HeadConf=") != strings.Count(streamed, "HeadConf=") || strings.Count(again, "# tree_conf") != strings.Count(streamed, "# tree_conf") ||
		strings.Count(again, "HeadConf=1.0000") < strings.Count(streamed, "HeadConf=") {
		t.Errorf("a parse that keeps heads: status %d: %s", status, stderr)
	}
}

var (
	emptied     = regexp.MustCompile(`\tHeadConf=[^\n|]*\|DeprelConf=[^\n|]*(\|UPOSConf=[^\n|]*)?\n`)
	confidences = regexp.MustCompile(`\|(Head|Deprel|UPOS)Conf=[01]\.[0-9]{4}|# (tree_conf|certificate) = .*\n`)
)

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "first in line:\n  " + a[i] + "\nwhere it should be:\n  " + b[i]
		}
	}
	return "in length only"
}
