package pipeline

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

var toy *transformstest.Toy

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(new(bytes.Buffer)) // stacks of planted panics
	toy = transformstest.Register()
	modeltest.SkipWithout("^Test(LibraryGivesTheSame.*|TrainedModelTakesLists|ModelLoadedOnce|ModelInBucket|WorldInBucket|RemoteRunner)$")
	os.Exit(m.Run())
}

// write writes files (name -> content) below a new folder and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

func options(input, output string) Options {
	return Options{Inputs: []string{input}, Output: output, Model: transformstest.ModelURI, Rows: DefaultRows()}
}

func streamed(t *testing.T, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Stream(context.Background(), o, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// prose makes n paragraphs of different lengths.
func prose(n int) string {
	var b strings.Builder
	for i := range n {
		for j := range i%5 + 1 {
			fmt.Fprintf(&b, "Sentence %d of paragraph %d has %s words . ", j, i, strings.Repeat("many ", i%7))
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

const small = `# newdoc id = one
# sent_id = one-1
# text = Dogs bark.
1	Dogs	_	NOUN	_	Number=Plur	2	nsubj	_	_
2	bark	bark	VERB	_	_	0	root	_	SpaceAfter=No
3	.	.	PUNCT	_	_	2	punct	_	_

# text = Don't!
1-2	Don't	_	_	_	_	_	_	_	SpaceAfter=No
1	Do	do	AUX	_	_	0	root	_	_
2	n't	not	PART	_	_	1	advmod	_	_
2.1	run	run	VERB	_	_	_	_	1:conj	_
3	!	!	PUNCT	_	_	1	punct	_	_

`

// chainHeads gives CoNLL-U the heads and labels of the toy.
func chainHeads(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		c := strings.Split(line, "\t")
		if len(c) != 10 || strings.ContainsAny(c[0], ".-") {
			continue
		}
		var id int
		fmt.Sscan(c[0], &id)
		c[6], c[7] = fmt.Sprint(id-1), "dep"
		if id == 1 {
			c[7] = "root"
		}
		lines[i] = strings.Join(c, "\t")
	}
	return strings.Join(lines, "\n")
}

func TestStreamText(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "One two .\nThree\n\nFour é five !\n"})
	got := streamed(t, options(dir, ""))
	want := `# newdoc id = a.txt
# newpar
# sent_id = a.txt@0
# text = One two .
1	One	one	NOUN	_	_	0	root	_	_
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant to begin\n%s", got, want)
	}
	for _, part := range []string{"# sent_id = a.txt@10\n", "# newpar\n# sent_id = a.txt@17\n# text = Four é five !\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
}

// run prepares and runs, and returns the output folder's files.
func run(t *testing.T, o Options) map[string]string {
	t.Helper()
	must(t, tryRun(o))
	if store.IsRemote(o.Output) {
		return objects(t, o.Output)
	}
	return files(t, o.Output)
}

// atOnce does a run twice at the same time.
func atOnce(t *testing.T, o Options) {
	t.Helper()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := tryRun(o); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
}

// interrupted is a run that is interrupted after so many sentences, and how many of its
// ranges are done by then: some, but not all.
func interrupted(t *testing.T, o Options, sentences int64) (ranges, done int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	before := toy.Parsed.Load()
	toy.SetHook(func(*syntax.Sentence) {
		if toy.Parsed.Load()-before > sentences {
			cancel()
			time.Sleep(time.Millisecond)
		}
	})
	p, err := Prepare(ctx, o)
	must(t, err)
	_, err = Run(ctx, p)
	toy.SetHook(nil)
	if err == nil {
		t.Fatal("the run was not interrupted")
	}
	for transforms.Progress.Active.Load() > 0 {
		time.Sleep(time.Millisecond) // what was under way in this process ends
	}
	done = p.Finished(context.Background()).Parts
	if done == 0 || done == p.Job.Ranges {
		t.Fatalf("%d of %d ranges were done: the test needs some", done, p.Job.Ranges)
	}
	return p.Job.Ranges, done
}

// prepared is a run that is closed at the end of the test.
func prepared(t testing.TB, o Options) *Prepared {
	t.Helper()
	p, err := Prepare(context.Background(), o)
	must(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// discarded is the error of a stream.
func discarded(o Options) error {
	_, err := Stream(context.Background(), o, io.Discard)
	return err
}

func tryRun(o Options) error {
	p, err := Prepare(context.Background(), o)
	if err != nil {
		return err
	}
	defer p.Close()
	_, err = Run(context.Background(), p)
	return err
}

// files returns the contents of all files below dir but for temporary ones.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		list[name] = string(data)
		return err
	})
	must(t, err)
	return list
}

// same reports how two outputs differ.
func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	names := slices.Sorted(maps.Keys(a))
	if other := slices.Sorted(maps.Keys(b)); !slices.Equal(names, other) {
		t.Fatalf("%s: files %v, before %v", what, other, names)
	}
	for _, name := range names {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// converted is an output as CoNLL-U.
func converted(t *testing.T, folder string) string {
	t.Helper()
	return convertedTo(t, folder, "conllu", WriteOptions{})
}

// convertedTo is an output in a format.
func convertedTo(t *testing.T, folder, to string, o WriteOptions) string {
	t.Helper()
	from, err := output.Open(context.Background(), folder)
	must(t, err)
	w, err := NewWriter(to, o)
	must(t, err)
	var out []byte
	if _, err := from.Sentences(func(r *output.Row) (err error) {
		out, err = w.Append(out, r)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if out, err = w.End(out); err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A run and a stream have the same sentences, and give CoNLL-U back but for the
// columns of the tree, also where it was cut into many ranges.
func TestRun(t *testing.T) {
	text := strings.Repeat(small, 60)
	o := options(write(t, map[string]string{"a.conllu": text, "b/c.txt": prose(30), "empty.txt": ""}), filepath.Join(t.TempDir(), "out"))
	o.RangeBytes = 1000
	run(t, o)
	got := converted(t, o.Output)
	equal(t, "converted", got, streamed(t, o))
	if !strings.HasPrefix(got, chainHeads(text)) {
		t.Errorf("CoNLL-U differs from its source beyond HEAD and DEPREL:\n%.600s", got)
	}
	if sum := summary(t, o.Output); sum.Files != 3 || sum.Errors != 0 || sum.Trees != sum.Sentences || sum.Trees < 150 {
		t.Errorf("summary %+v", sum)
	}
}

func isRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}

// refused checks that err is a refusal, and says why.
func refused(t *testing.T, err error, why string) {
	t.Helper()
	if !isRefusal(err) || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v, want a refusal with %q", err, why)
	}
}

// equal compares what is written.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%.2000s\nwant\n%.2000s", what, got, want)
	}
}

// summary is that of an output.
func summary(t *testing.T, folder string) *output.Summary {
	t.Helper()
	sum, err := output.ReadSummary(folder)
	must(t, err)
	return sum
}

// rowsOf are the rows of a kind of an output, in the order of its parts.
func rowsOf[T parquet.Row](t *testing.T, folder, kind string) (rows []T) {
	t.Helper()
	m, err := output.Check(t.Context(), folder)
	must(t, err)
	for row, err := range parquet.Parts[T](m.Parts(folder, kind)) {
		must(t, err)
		rows = append(rows, *row)
	}
	return rows
}

// The model is loaded once, whatever the stages, bundles and runs.
func TestModelLoadedOnce(t *testing.T) {
	m, err := model.Open(model.Embedded)
	must(t, err)
	before := model.Loads() // of this one, and of those of other tests
	for range 2 {
		o := options(write(t, map[string]string{"x.txt": prose(20)}), filepath.Join(t.TempDir(), "out"))
		o.Model, o.RangeBytes = "", 500
		run(t, o)
		if got := converted(t, o.Output); !strings.Contains(got, "\troot\t") {
			t.Errorf("no trees in\n%.300s", got)
		}
	}
	if n := model.Loads() - before; n != 0 {
		t.Errorf("model %s was loaded %d times more", m.Digest, n)
	}
}
