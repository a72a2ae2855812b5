package pipeline

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// foreign is an input in which words return that the toy does not know, behind other
// words: in many documents, in CoNLL-U, in a part that fails. It has them with their
// tags, too.
func foreign(t *testing.T) string {
	names := []string{"Äpfel", "Öl", "Übung", "Éa", "Ça"}
	files := map[string]string{
		"a/given.conllu": "1\tÖl\töl\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
		"a/open.conllu":  "1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n2\tÖl\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
		"b/bad.txt":      "an Äpfel PANICTAG .\n\nÖnce only .\n",
		"b/empty.txt":    "",
	}
	for i := range 30 {
		var b strings.Builder
		for j := range 40 + i {
			fmt.Fprintf(&b, "word%d %s is %s here .\n\n", (i*j)%17, names[(i+j)%5], names[(i*j+1)%4])
		}
		files[fmt.Sprintf("c/%02d.txt", i)] = b.String()
	}
	return write(t, files)
}

// expectedUPOS says what foreign words are after a revision, from the output of a run
// without one: what all of their occurrences say, summed up naively.
func expectedUPOS(conllu string) map[string]string {
	said := map[string]tag.Evidence{}
	before := ""
	for line := range strings.Lines(conllu) {
		f := strings.Split(line, "\t")
		if len(f) != 10 {
			before = ""
			continue
		}
		if f[1][0] >= 0x80 && !(f[1] == "Öl" && f[2] == "öl" && f[3] == "NOUN" && f[0] == "1" && before == "") {
			said[f[1]] = said[f[1]].Plus(tag.Evidence{Count: 1, Loss: transformstest.Loss(f[1], before)})
		}
		before = f[1]
	}
	want := map[string]string{}
	for form, e := range said {
		add, some := e.Revision()
		if !some {
			continue
		}
		best := 0
		for k := range add {
			if add[k] > add[best] {
				best = k
			}
		}
		want[form] = []string{"INTJ", "SYM", "X"}[best]
	}
	return want
}

// TestReviseUnknown holds a run with a first pass to what its text says, added up
// naively, and to the same bytes in any order and after any interruption.
func TestReviseUnknown(t *testing.T) {
	defer transforms.SetCores(runtime.GOMAXPROCS(0))
	in := foreign(t)
	for _, uri := range []string{transformstest.ModelURI, transformstest.EncoderURI} {
		o := options(in, filepath.Join(t.TempDir(), "out"))
		o.Model, o.RangeBytes = uri, 6000
		if uri == transformstest.EncoderURI {
			o.Rows.Effort = "0"
		}
		run(t, o)
		plain := converted(t, o.Output)
		want := expectedUPOS(plain)
		// PANICTAG fails in both passes, so what stands beside it says nothing.
		if _, some := want["Önce"]; some || len(want) != 5 {
			t.Fatalf("the text says %v: the test needs five words, and one that occurs once", want)
		}

		o.Rows.ReviseUnknown, o.Output = true, filepath.Join(t.TempDir(), "revised")
		first := run(t, o)
		got := converted(t, o.Output)
		if a, b := strings.Count(plain, "\n"), strings.Count(got, "\n"); a != b {
			t.Fatalf("%d lines, without a first pass %d", b, a)
		}
		revised := 0
		was := strings.Split(plain, "\n")
		for i, line := range strings.Split(got, "\n") {
			f, old := strings.Split(line, "\t"), strings.Split(was[i], "\t")
			if len(f) != 10 {
				continue
			}
			upos := old[3]
			if x := want[f[1]]; x != "" && !(f[0] == "1" && old[2] == "öl" && upos == "NOUN") {
				upos = x
				revised++
			}
			if f[3] != upos {
				t.Fatalf("%s: %s is %s, want %s", uri, f[1], f[3], upos)
			}
		}
		if revised < 500 {
			t.Errorf("%s: %d words are revised: the test needs many", uri, revised)
		}
		if uri == transformstest.ModelURI {
			sameRevised(t, in, o, first)
		}
	}
}

// sameRevised runs o in other ways, which must give first.
func sameRevised(t *testing.T, in string, o Options, first map[string]string) {
	t.Helper()
	for _, cores := range []int{1, 8} {
		transforms.SetCores(cores)
		x := o
		x.Output = filepath.Join(t.TempDir(), "again")
		x.Inputs = []string{filepath.Join(in, "c"), in}
		same(t, fmt.Sprint(cores, " cores"), first, run(t, x))
	}
	shuffled := o
	shuffled.Output = filepath.Join(t.TempDir(), "shuffled")
	p, err := Prepare(context.Background(), shuffled)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	pl, scope := beam.NewPipelineWithRoot()
	build(scope, p.Job, func(s beam.Scope, _ string, c beam.PCollection) beam.PCollection { return beam.Reshuffle(s, c) })
	if _, err := p.run(context.Background(), pl); err != nil {
		t.Fatal(err)
	}
	same(t, "reshuffled", first, files(t, shuffled.Output))

	// Other ranges make other parts: the sums are the same.
	ranges := o
	ranges.Output, ranges.RangeBytes = filepath.Join(t.TempDir(), "ranges"), 2000
	other := run(t, ranges)
	if a, b := revisionsIn(first), revisionsIn(other); a != b || a == "" {
		t.Errorf("revisions of other ranges:\n%s\nwant\n%s", b, a)
	}

	// Interrupted: a part is lost, then the revisions too, then both.
	parts, err := filepath.Glob(filepath.Join(o.Output, "trees", "part-00002-*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	revisions, err := filepath.Glob(filepath.Join(o.Output, "_treebeam", "revisions", "*"))
	if err != nil || len(revisions) != 1 {
		t.Fatal(revisions, err)
	}
	for _, lost := range [][]string{parts, revisions, append(parts, revisions...)} {
		for _, name := range lost {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		same(t, fmt.Sprint("lost ", lost), first, run(t, o))
	}
}

func revisionsIn(files map[string]string) string {
	for name, text := range files {
		if strings.Contains(name, "revisions") {
			return text
		}
	}
	return ""
}

// A text without unknown words, or without any, is parsed as ever.
func TestReviseNothing(t *testing.T) {
	for _, text := range []string{prose(5), ""} {
		o := options(write(t, map[string]string{"x.txt": text}), filepath.Join(t.TempDir(), "plain"))
		run(t, o)
		want := converted(t, o.Output)
		o.Rows.ReviseUnknown, o.Output = true, filepath.Join(t.TempDir(), "revised")
		got := run(t, o)
		if converted(t, o.Output) != want {
			t.Error("trees differ though nothing is revised")
		}
		if n := strings.Count(revisionsIn(got), "\n"); n != 2 {
			t.Errorf("revisions:\n%s", revisionsIn(got))
		}
	}
}

// Revisions that are not as they were written stop a run, which says what to do;
// --overwrite removes them.
func TestDamagedRevisions(t *testing.T) {
	o := options(foreign(t), filepath.Join(t.TempDir(), "out"))
	o.Rows.ReviseUnknown = true
	first := run(t, o)
	name := ""
	for n := range maps.Keys(first) {
		if strings.Contains(n, "revisions") {
			name = filepath.Join(o.Output, n)
		}
	}
	text := revisionsIn(first)
	for _, damaged := range []string{strings.Replace(text, "-1", "-2", 1), text[:len(text)/2], ""} {
		if err := os.WriteFile(name, []byte(damaged), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := tryRun(o); err == nil || !strings.Contains(err.Error(), "it is damaged; remove it and start the run again") {
			t.Errorf("%.20q: got %v", damaged, err)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	same(t, "removed", first, run(t, o))
	o.Rows.ReviseUnknown, o.Overwrite = false, true
	if got := revisionsIn(run(t, o)); got != "" {
		t.Errorf("--overwrite has left\n%s", got)
	}
}

func TestReviseRefusals(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": "a b .\n"}), filepath.Join(t.TempDir(), "out"))
	o.Rows.ReviseUnknown = true
	o.RetryFailures = true
	if err := tryRun(o); !isRefusal(err) || !strings.Contains(err.Error(), "--overwrite") {
		t.Errorf("--retry-failures: %v", err)
	}
	o.RetryFailures = false
	o.Model = transformstest.EncoderURI
	if err := tryRun(o); !isRefusal(err) || !strings.Contains(err.Error(), "--effort 0") {
		t.Errorf("an encoder: %v", err)
	}
	o.Model = transformstest.ModelURI
	if _, err := Stream(t.Context(), o, &strings.Builder{}); !isRefusal(err) || !strings.Contains(err.Error(), "--output FOLDER") {
		t.Errorf("a stream: %v", err)
	}
	transforms.RegisterModels("unrevised", func(string) (transforms.Stages, string, error) { return through{}, "unrevised", nil })
	o.Model = "unrevised:"
	if err := tryRun(o); !isRefusal(err) || !strings.Contains(err.Error(), "--revise-unknown") {
		t.Errorf("a model that cannot: %v", err)
	}
}
