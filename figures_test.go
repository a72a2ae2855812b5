package treebeam

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
)

// builtIn returns the digests of the models in the program by their names.
func builtIn(t *testing.T) map[string]string {
	t.Helper()
	digests := map[string]string{}
	for _, uri := range []string{model.Embedded, model.EmbeddedAccurate} {
		m, err := model.Open(uri)
		if err != nil {
			t.Fatal(err)
		}
		digests[uri] = m.Digest
	}
	if w, err := model.OpenWorld("world"); err == nil { // it may be left out of a program
		digests["world"] = w.Digest
	}
	return digests
}

var (
	digest    = regexp.MustCompile(`\b[0-9a-f]{16}(?:[0-9a-f]{48})?\b`)
	generated = regexp.MustCompile(`(?s)<!-- table: .*?<!-- end of table -->`)
	version   = regexp.MustCompile(`(?:Go|UDPipe|Stanza|UD|English-EWT|Python|spaCy|License|CC BY-SA) \d+(?:\.\d+)+`)
	figure    = regexp.MustCompile(`\d+\.\d+|\d{1,3}(?:,\d{3})+`)
)

// The figures in lab/results, from which the pages have theirs, are those of the models
// in the program. After a new model: go run -C lab ./bench figures, then tables.
func TestFiguresAreOfTheseModels(t *testing.T) {
	digests := builtIn(t)
	for name, text := range pages(t, "README.md", "docs/results.md", "docs/languages.md", "lab/results/*.tsv") {
		for _, found := range digest.FindAllString(text, -1) {
			known := false
			for _, d := range digests {
				known = known || strings.HasPrefix(d, found)
			}
			if !known {
				t.Errorf("%s has figures of model %.16s, and the program has %v: measure again", name, found, digests)
			}
		}
	}
	english, err := os.ReadFile("lab/results/english.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{model.Embedded, model.EmbeddedAccurate} {
		if !strings.Contains(string(english), "\n"+uri+"\t"+digests[uri]+"\t") {
			t.Errorf("lab/results/english.tsv has no figures of %s %.16s: go run -C lab ./bench figures", uri, digests[uri])
		}
	}
}

// elsewhere are the figures of README.md and docs/results.md that are not in lab/results.
var elsewhere = map[string]string{
	"1.7":     "times the speed of spaCy: lab/notes/performance.md",
	"100,000": "files, a limit",
}

// What README.md and docs/results.md say outside their tables is in lab/results, too:
// the tables themselves are compared by the tests of lab/bench/tables.
func TestFiguresAreMeasured(t *testing.T) {
	measured := map[string]bool{}
	for _, text := range pages(t, "lab/results/*.tsv") {
		for _, cell := range figure.FindAllString(text, -1) {
			measured[cell] = true
			if x, err := strconv.ParseFloat(cell, 64); err == nil { // pages may round
				measured[strconv.FormatFloat(x, 'f', 1, 64)] = true
			}
		}
		for _, whole := range strings.Fields(text) {
			if n, err := strconv.Atoi(whole); err == nil && n >= 1000 {
				measured[whole[:len(whole)-3]+","+whole[len(whole)-3:]] = true
			}
		}
	}
	for name, text := range pages(t, "README.md", "docs/results.md") {
		text = generated.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for i, line := range strings.Split(version.ReplaceAllString(span.ReplaceAllString(text, ""), ""), "\n") {
			for _, found := range figure.FindAllString(line, -1) {
				if !measured[found] && elsewhere[found] == "" {
					t.Errorf("%s: %s in %q (line %d without code) is not in lab/results", name, found, line, i+1)
				}
			}
		}
	}
}
