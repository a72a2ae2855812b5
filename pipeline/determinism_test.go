package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// corpus is an input of several ranges: packs of small files, a file that is
// cut, CoNLL-U beside text, and something wrong in each.
func corpus(t *testing.T) string {
	files := map[string]string{
		"a/one.conllu": small,
		"a/two.conllu": strings.Repeat(small, 40) + "1\tbroken\n\n" + small,
		"b/long.txt":   prose(300),
		"b/bad.txt":    "Good text . Bad \xff byte .\n\nPANICPARSE here .\n\nMore text .\n",
		"c/empty.txt":  "",
		"c/blank.txt":  "\n \n\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("d/%02d.txt", i)] = prose(i)
	}
	return write(t, files)
}

// rangeBytes makes several ranges of corpus.
const rangeBytes = 8 << 10

func TestSameBytes(t *testing.T) {
	in := corpus(t)
	// The folder's name is in no file: outputs can be compared.
	o := options(in, filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = rangeBytes
	want := run(t, o)
	if n := countParts(want); n < 5 {
		t.Fatalf("only %d parts: the test needs several", n)
	}
	again := func(what string, change func(*Options)) {
		t.Helper()
		o := o
		o.Output = filepath.Join(t.TempDir(), "elsewhere")
		change(&o)
		same(t, what, want, run(t, o))
	}
	for _, cores := range []int{1, 8} {
		transforms.SetCores(cores)
		again(fmt.Sprintf("%d cores", cores), func(*Options) {})
	}
	transforms.SetCores(runtime.GOMAXPROCS(0))
	again("other order of input", func(o *Options) {
		o.Inputs = []string{filepath.Join(in, "d"), filepath.Join(in, "c"), in, filepath.Join(in, "a", "*.conllu")}
	})

	// One part lost, and the same command again.
	parts, err := filepath.Glob(filepath.Join(o.Output, "trees", "part-00002-*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	must(t, os.Remove(parts[0]))
	before := toy.Parsed.Load()
	same(t, "a part lost", want, run(t, o))
	if n := toy.Parsed.Load() - before; n == 0 || n > 400 {
		t.Errorf("%d sentences were parsed to make one part again", n)
	}
}

func countParts(files map[string]string) int {
	n := 0
	for name := range files {
		if strings.HasPrefix(name, "trees"+string(filepath.Separator)) {
			n++
		}
	}
	return n
}

// TestReshuffled puts a shuffle between every two stages: all that a stage
// hands over survives its encoding.
func TestReshuffled(t *testing.T) {
	for _, c := range []struct{ model, effort string }{{transformstest.ModelURI, ""}, {transformstest.EncoderURI, ""}, {transformstest.EncoderURI, "0.5"}} {
		o := options(corpus(t), filepath.Join(t.TempDir(), "out"))
		o.RangeBytes, o.Model, o.Rows.Effort = rangeBytes, c.model, c.effort
		reshuffled(t, o)
	}
}

func reshuffled(t *testing.T, o Options) {
	t.Helper()
	want := run(t, o)
	o.Output = filepath.Join(t.TempDir(), "shuffled")
	p := prepared(t, o)
	pl, scope := beam.NewPipelineWithRoot()
	build(scope, p.Job, func(s beam.Scope, _ string, c beam.PCollection) beam.PCollection {
		return beam.Reshuffle(s, c)
	})
	if _, err := p.run(context.Background(), pl); err != nil {
		t.Fatal(err)
	}
	same(t, "reshuffled", want, files(t, o.Output))
}

// Whether and how sentences are grouped to be encoded changes no byte.
func TestSameBytesWithAnEncoder(t *testing.T) {
	defer transforms.SetCores(runtime.GOMAXPROCS(0))
	in := corpus(t)
	var first, fast map[string]string
	for _, effort := range []string{"0", "0.5", "0.50", ".5"} {
		o := options(in, filepath.Join(t.TempDir(), "out"))
		o.RangeBytes, o.Model, o.Rows.Effort = rangeBytes, transformstest.EncoderURI, effort
		transforms.SetCores(1 + 2*len(effort))
		switch got := run(t, o); {
		case effort == "0":
			fast = got
		case first == nil:
			first = got
		default:
			same(t, effort, first, got)
		}
	}
	if len(fast) != len(first) || reflect.DeepEqual(fast, first) {
		t.Error("another effort is not another run")
	}
}

// Two ranges at most are under way, whatever the bundles.
func TestActiveRanges(t *testing.T) {
	transforms.Progress.Peak.Store(0)
	o := options(write(t, map[string]string{"x.txt": prose(400)}), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 2000
	toy.SetHook(func(*syntax.Sentence) { runtime.Gosched() })
	defer func() { toy.SetHook(nil) }()
	run(t, o)
	if peak := transforms.Progress.Peak.Load(); peak < 1 || peak > 2 {
		t.Errorf("%d ranges were under way at once", peak)
	}
}
