package nightly

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// few is a corpus of n small files with a night done.
func few(t *testing.T, n int) *corpus {
	t.Helper()
	c := newCorpus(t, 7)
	for i := range n {
		c.write(fmt.Sprintf("f%02d.txt", i), fmt.Sprintf("File %d .\n\nIts second block .\n", i))
	}
	c.mustNight(c.options())
	return c
}

// refused plans a night that must be refused with the words, and leave no
// trace.
func (c *corpus) refused(o Options, words ...string) *Night {
	c.t.Helper()
	before := list(c.t, filepath.Dir(c.state))
	n, err := Plan(context.Background(), o)
	var refusal *pipeline.Refusal
	if !errors.As(err, &refusal) {
		c.t.Fatalf("got %v, want a refusal", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			c.t.Errorf("no %q in %q", word, err)
		}
	}
	if after := list(c.t, filepath.Dir(c.state)); !slices.Equal(before, after) {
		c.t.Errorf("something was written: %v", after)
	}
	return n
}

// Rows that another model or other options would make otherwise are not mixed.
func TestOtherOptions(t *testing.T) {
	c := few(t, 6)
	o := c.options()
	o.Rows.MaxWords = 2
	o.Rows.Parse.Seed = 5
	c.refused(o, "--max-words: was 1000, is 2", "--seed: was 1, is 5", "--all")
	o.All = true
	before := toy.Parsed.Load()
	n, _ := c.mustNight(o)
	if n.Counts[Again] != 6 || toy.Parsed.Load()-before != 24 {
		t.Errorf("decided %v, parsed %d sentences", n.Counts, toy.Parsed.Load()-before)
	}
	o.All = false
	if n, _ := c.mustNight(o); !n.Idle() {
		t.Errorf("the night after decided %v", n.Counts)
	}
	c.refused(c.options(), "--max-words: was 2, is 1000")
}

func TestManyDeletes(t *testing.T) {
	c := few(t, 10)
	o := c.options()
	o.AllowDeletes = false
	c.remove("f00.txt")
	c.remove("f01.txt")
	if n, r := c.mustNight(o); n.Counts[Deleted] != 2 || len(n.Runs) != 0 || r.Snapshot.Documents != 8 {
		t.Fatalf("decided %v, then %d documents", n.Counts, r.Snapshot.Documents)
	}
	c.remove("f02.txt")
	c.remove("f03.txt")
	if n := c.refused(o, "2 of 8 documents would disappear", "f02.txt", "--allow-deletes"); n == nil || n.Counts[Deleted] != 2 {
		t.Error("there is no plan to look at")
	}
	for name := range c.files {
		c.remove(name)
	}
	c.refused(o, "a folder without files", "--allow-deletes")
	n, r := c.mustNight(c.options())
	if n.Counts[Deleted] != 8 || r.Snapshot.Documents != 0 || c.rows() != "" {
		t.Errorf("decided %v", n.Counts)
	}
	c.write("new.txt", "New .\n")
	c.mustNight(o)
	c.check("after an empty night")
}

// Of two nights at once one wins; what the other one did is not lost.
func TestTwoNights(t *testing.T) {
	c := few(t, 8)
	c.write("new1.txt", "First new one .\n")
	first := c.plan()
	c.write("new2.txt", "Second new one .\n")
	second := c.plan()
	if _, err := second.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	c.check("the winner")
	var conflict *Conflict
	if _, err := first.Run(context.Background(), nil); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "the same command again") {
		t.Fatalf("got %v", err)
	}
	c.check("the loser has lost")
	if n := c.plan(); !n.Idle() {
		t.Errorf("after both: %v", n.Counts)
	}
	// One that lost with files of which the winner knew nothing.
	c.write("new3.txt", "Third new one .\n")
	third := c.plan()
	c.remove("new3.txt")
	c.write("new4.txt", "Fourth new one .\n")
	if _, err := c.plan().Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	c.files["new3.txt"] = "Third new one .\n"
	c.must(os.WriteFile(filepath.Join(c.dir, "new3.txt"), []byte(c.files["new3.txt"]), 0o644))
	var nanos int64
	fmt.Sscanf(third.Runs[0].inputs[0].Version, "m%d", &nanos)
	c.must(os.Chtimes(filepath.Join(c.dir, "new3.txt"), time.Unix(0, nanos), time.Unix(0, nanos)))
	if _, err := third.Run(context.Background(), nil); !errors.As(err, &conflict) {
		t.Fatalf("got %v", err)
	}
	before := toy.Parsed.Load()
	n, _ := c.mustNight(c.options())
	if toy.Parsed.Load() != before || n.TakenOver[third.Runs[0].Name] != 1 || len(n.Runs) > 0 {
		t.Errorf("%d sentences were parsed again, taken over %v", toy.Parsed.Load()-before, n.TakenOver)
	}
	c.check("taken over")
}

// Two nights that found the same share their folder; one of them is current. The
// other is told so before it works, or when the first has ended.
func TestTwoEqualNights(t *testing.T) {
	c := few(t, 30)
	c.change(20)
	errs := make(chan error, 2)
	for range 2 {
		n := c.plan()
		go func() {
			_, err := n.Run(context.Background(), nil)
			errs <- err
		}()
	}
	lost := 0
	for range 2 {
		var conflict *Conflict
		var refused *pipeline.Refusal
		switch err := <-errs; {
		case errors.As(err, &conflict), errors.As(err, &refused) && strings.Contains(err.Error(), "another run"):
			lost++
		case err != nil:
			t.Error(err)
		}
	}
	if lost != 1 {
		t.Errorf("%d of two nights lost", lost)
	}
	c.check("two equal nights")
	n, _ := c.mustNight(c.options())
	if !n.Idle() {
		t.Errorf("then decided %v", n.Counts)
	}
}

// A file that could not be read is tried again when it can be, and only then.
func TestRetry(t *testing.T) {
	c := few(t, 5)
	target := filepath.Join(t.TempDir(), "target.txt")
	c.must(os.Symlink(target, filepath.Join(c.dir, "link.txt")))
	if n, r := c.mustNight(c.options()); n.Counts[New] != 1 || r.Summary.Errors != 1 {
		t.Fatalf("decided %v, %d errors", n.Counts, r.Summary.Errors)
	}
	c.idle("a link to nowhere")
	c.must(os.WriteFile(target, []byte("Here now .\n"), 0o644))
	if n, _ := c.mustNight(c.options()); n.Counts[Retry] != 1 || n.Counts[Unchanged] != 5 {
		t.Fatalf("decided %v", n.Counts)
	}
	c.check("the link leads somewhere")

	// A file that is no text is not parsed again while it is the same.
	c.must(os.WriteFile(filepath.Join(c.dir, "film.mp4"), make([]byte, 1<<20), 0o644))
	if n, r := c.mustNight(c.options()); n.Counts[New] != 1 || r.Summary.Errors != 1 {
		t.Fatalf("decided %v, %d errors", n.Counts, r.Summary.Errors)
	}
	c.idle("a file that is no text")
	c.must(os.Remove(filepath.Join(c.dir, "film.mp4")))
	if n, _ := c.mustNight(c.options()); n.Counts[Deleted] != 1 {
		t.Fatalf("decided %v", n.Counts)
	}

	// The same size and time, but it could not be read: as after a fault of
	// permissions.
	s, err := At(c.state)
	c.must(err)
	base, err := s.Current(context.Background())
	c.must(err)
	next, err := s.publish(context.Background(), base, base.Made, func() iter.Seq2[*parquet.Entry, error] {
		return func(yield func(*parquet.Entry, error) bool) {
			for e := range base.entries() {
				if strings.HasSuffix(e.SourceURI, "f02.txt") {
					e.SourceVersion = ""
				}
				if !yield(e, nil) {
					return
				}
			}
		}
	}())
	c.must(err)
	c.must(s.swap(context.Background(), base.Name, next))
	if n, _ := c.mustNight(c.options()); n.Counts[Retry] != 1 {
		t.Fatalf("decided %v", n.Counts)
	}
	c.check("read again")
}

// What a killed night has left in a run that is complete now is removed when it is old.
func TestNightSweepsRuns(t *testing.T) {
	c := few(t, 2)
	base, err := At(c.state)
	c.must(err)
	runs, err := base.runs(context.Background())
	c.must(err)
	tmp := filepath.Join(base.runDir(runs[0]), output.OwnDir, "tmp")
	c.must(os.MkdirAll(tmp, 0o755))
	for name, age := range map[string]time.Duration{"old": 25 * time.Hour, "young": time.Hour} {
		path, when := filepath.Join(tmp, name), time.Now().Add(-age)
		c.must(os.WriteFile(path, nil, 0o644))
		c.must(os.Chtimes(path, when, when))
	}
	c.write("more.txt", "More .\n")
	c.mustNight(c.options())
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 1 || left[0].Name() != "young" {
		t.Errorf("left %v, %v", left, err)
	}
}

// A plan writes nothing, and input that cannot have a state is refused.
func TestPlanOnly(t *testing.T) {
	c := newCorpus(t, 1)
	c.write("a.txt", "One .\n")
	n := c.plan()
	if n.Counts[New] != 1 || n.Base() != nil || len(n.Runs) != 1 || IsState(context.Background(), c.state) {
		t.Fatalf("%v", n)
	}
	if _, err := os.Stat(c.state); !os.IsNotExist(err) {
		t.Error("something was written")
	}
	o := c.options()
	o.Inputs = []string{"-"}
	c.refused(o, "standard input")
	o = c.options()
	o.State = "ftp://host/state"
	c.refused(o, "ftp://", "local path")
	if _, err := (&State{c.state}).MustCurrent(context.Background()); err == nil || !strings.Contains(err.Error(), "does not hold a state") {
		t.Errorf("got %v", err)
	}
}

// views looks for parts of a file of views.
func (c *corpus) views(name string, parts ...string) {
	c.t.Helper()
	sql, err := os.ReadFile(filepath.Join(c.state, viewsDir, name))
	c.must(err)
	for _, part := range parts {
		if !strings.Contains(string(sql), part) {
			c.t.Errorf("%s: no %q in\n%s", name, part, sql)
		}
	}
}

// The views name the state's folders and follow the snapshot.
func TestViews(t *testing.T) {
	c := few(t, 3)
	c.write("new.txt", "New .\n")
	c.mustNight(c.options())
	c.views("duckdb.sql", "VIEW documents", "VIEW trees", "VIEW failures", c.state+"/CURRENT")
	c.views("spark.sql", "VIEW documents", "VIEW trees", "VIEW failures", c.state+"/CURRENT")
	c.must(os.Remove(filepath.Join(c.state, "views", "spark.sql")))
	c.mustNight(c.options())
	if _, err := os.Stat(filepath.Join(c.state, "views", "spark.sql")); err != nil {
		t.Error("a view that was lost is not written again")
	}
}

// DuckDB and Spark take signs of patterns in the path of a state as they are, not for other
// paths. All of their functions that read files take patterns.
func TestViewsOfOddPath(t *testing.T) {
	state := State{"/tmp/it's [a] **? {b,c}"}
	for name, want := range map[string]string{
		"duckdb.sql": "'/tmp/it''s [[]a] [*][*][?] {b,c}/",
		"spark.sql":  `.` + "`" + `/tmp/it's \[a\] \*\*\? \{b,c\}/`,
	} {
		sql := state.views(&Snapshot{})[name]
		if n := strings.Count(sql, want); n != 4 || strings.Count(sql, "/tmp/") != n {
			t.Errorf("%q is there %d times in\n%s", want, n, sql)
		}
	}
}

// A night that was only submitted changes nothing; the next one takes over what
// the job has done by then.
func TestSubmitted(t *testing.T) {
	c := few(t, 4)
	c.write("new.txt", "New .\n")
	t.Run("submitted", func(t *testing.T) {
		engine := transformstest.Engine(t)
		transformstest.Async(t)
		o := c.options()
		o.Runner, o.Environment, o.SharedFilesystem = "universal", transformstest.Environment, true
		n, err := Plan(context.Background(), o)
		c.must(err)
		id := ""
		r, err := n.Run(context.Background(), func(p *pipeline.Prepared) func() {
			p.Submitted = func(s pipeline.Submission) { id = s.ID }
			return func() {}
		})
		if err != nil || !r.Submitted || r.Snapshot.N != 1 || id == "" {
			t.Fatalf("%+v, %v, job %q", r, err, id)
		}
		if state := transformstest.Ended(t, engine, id); state != jobpb.JobState_DONE {
			t.Fatalf("the job ended as %v", state)
		}
	})
	n, _ := c.mustNight(c.options())
	if len(n.Runs) != 0 || len(n.TakenOver) != 1 {
		t.Errorf("%d runs, taken over %v", len(n.Runs), n.TakenOver)
	}
	c.check("the job has ended")
}

// A night with other lists is refused, with lists that say the same it is not, and
// what Plan has read is what Run uses.
func TestCustom(t *testing.T) {
	c := newCorpus(t, 7)
	c.write("a.txt", "File 1 .\n")
	path := filepath.Join(t.TempDir(), "exceptions.tsv")
	write := func(text string) { c.must(os.WriteFile(path, []byte(text), 0o644)) }
	o := c.options()
	o.Custom.Exceptions = path
	write("File\tX\tseveral\n")
	c.mustNight(o)
	if n := strings.Count(c.rows(), "several"); n == 0 {
		t.Fatal("the exceptions have no effect: the test sees nothing")
	}
	write("# the same\nFile\tX\tseveral")
	if n, _ := c.mustNight(o); !n.Idle() {
		t.Errorf("the same lists make other rows: %s", n.Counts)
	}
	write("File\tX\tmany\n")
	c.refused(o, "was made differently", "--exceptions: was digest ", "--all")
	o.Custom.Exceptions = ""
	c.refused(o, "--exceptions: was digest ", "is the default")
	o.Custom.Exceptions = filepath.Join(t.TempDir(), "none")
	c.refused(o, "--exceptions ", "no such file")

	o.Custom.Exceptions, o.All = path, true
	night, err := Plan(t.Context(), o)
	c.must(err)
	write("File\tX\tfew\n")
	_, err = night.Run(t.Context(), c.watch)
	c.must(err)
	if rows := c.rows(); !strings.Contains(rows, "many") || strings.Contains(rows, "few") || strings.Contains(rows, "several") {
		t.Error("the run has other exceptions than its plan")
	}
}

// Values that are kept of records stay with them over nights and a compaction,
// and other keys make another state.
func TestKeep(t *testing.T) {
	c := newCorpus(t, 9)
	c.write("a.jsonl", `{"text": "One .", "by": "Ann"}`+"\n"+`{"text": "Two .", "by": "Bob"}`+"\n")
	c.write("b.csv", "text,by\nThree .,Ann\n")
	o := c.options()
	o.Rows.Keep, o.Rows.Words = "by", true
	c.mustNight(o)
	c.write("c.csv", "text,by\nFour .,Cem\n")
	c.mustNight(o)
	want := c.rows()
	for _, part := range []string{`"meta_by":"Ann"`, `"meta_by":"Bob"`, `"meta_by":"Cem"`, `"Meta":[{"Key":"by","Value":""}]`, `"Meta":[{"Key":"by","Value":"Cem"}]`} {
		if !strings.Contains(want, part) {
			t.Fatalf("no %s in\n%s", part, want)
		}
	}
	done, err := Compact(context.Background(), c.state)
	c.must(err)
	if got := c.rows(); done.Merged != 2 || got != want {
		t.Errorf("%d runs were merged, which leaves\n%s", done.Merged, got)
	}
	words := 0
	parts, err := filepath.Glob(filepath.Join(c.state, "data", done.Run, "words", "*.parquet"))
	c.must(err)
	for _, part := range parts {
		for w, err := range parquet.Parts[parquet.Word]([]parquet.PartFile{{Path: part, Rows: -1}}) {
			c.must(err)
			if words++; len(w.Meta) != 1 || w.Meta[0].Value == "" {
				t.Errorf("%s: %v", w.Form, w.Meta)
			}
		}
	}
	if words != 8 {
		t.Errorf("the compaction has %d words in %q", words, parts)
	}
	c.views("duckdb.sql", "VIEW words AS", "/words/*.parquet")
	c.views("spark.sql", "VIEW words AS", "/words`")
	o.Rows.Keep, o.Rows.MaxWords = "by,at", 9
	c.refused(o, `--keep: was by, is "by,at"`, "--all")
}

// Without duplicates, the rows of a state are those of a full parse of the first file of
// each content, whatever appears, disappears or changes.
func TestDedup(t *testing.T) {
	for seed := range *seeds {
		c := newCorpus(t, seed)
		for i := range 12 {
			c.write(fmt.Sprintf("%c.txt", 'a'+i), fmt.Sprintf("Content %d .\n", c.rng.IntN(5)))
		}
		for range 5 {
			o := c.options()
			o.Dedup = true
			n, _ := c.mustNight(o)
			first := map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(c.files)) {
				if first[c.files[name]] == "" {
					first[c.files[name]] = name
				}
			}
			if len(n.Duplicates) != len(c.files)-len(first) {
				t.Errorf("%d duplicates of %d files with %d contents", len(n.Duplicates), len(c.files), len(first))
			}
			all := c.files
			c.files = map[string]string{}
			whole := c.dir
			c.dir = t.TempDir()
			for _, name := range first {
				c.write(name, all[name])
			}
			want := strings.ReplaceAll(c.scratch(), c.dir, whole)
			c.files, c.dir = all, whole
			if got := c.rows(); got != want {
				t.Fatalf("%s\nwant\n%s", got, want)
			}
			c.write(c.any(), fmt.Sprintf("Content %d .\n", c.rng.IntN(5)))
			if c.remove(c.any()); len(c.files) > 6 {
				c.remove(c.any())
			}
			c.write(fmt.Sprintf("%c%d.txt", 'a'+c.rng.IntN(12), c.rng.IntN(9)), fmt.Sprintf("Content %d .\n", c.rng.IntN(5)))
		}
	}
}
