package nightly

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

var toy *transformstest.Toy

// seeds of TestNights: -seeds 20 for a longer search.
var seeds = flag.Uint64("seeds", 1, "how many histories TestNights makes")

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(new(bytes.Buffer)) // stacks of planted panics
	toy = transformstest.Register()
	os.Exit(m.Run())
}

// rangeBytes cuts and packs the files of the tests into many ranges.
const rangeBytes = 400

// A corpus is an input folder whose files the test changes, beside what the
// last night has seen of it.
type corpus struct {
	t      *testing.T
	rng    *rand.Rand
	dir    string
	state  string
	files  map[string]string // content by name
	seen   map[string]string // content by name at the last night
	moved  map[string]bool   // touched or rewritten since
	clock  int
	ranges int // of the run with most of them
}

func newCorpus(t *testing.T, seed uint64) *corpus {
	t.Helper()
	return &corpus{t: t, rng: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state"),
		files: map[string]string{}, seen: map[string]string{}, moved: map[string]bool{}}
}

// write writes a file with a modification time of its own.
func (c *corpus) write(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	c.must(os.MkdirAll(filepath.Dir(path), 0o755))
	c.must(os.WriteFile(path, []byte(content), 0o644))
	c.files[name] = content
	c.touch(name)
}

func (c *corpus) touch(name string) {
	c.t.Helper()
	c.clock++
	when := time.Unix(1_700_000_000+int64(c.clock), 0)
	c.must(os.Chtimes(filepath.Join(c.dir, name), when, when))
	c.moved[name] = true
}

func (c *corpus) remove(name string) {
	c.t.Helper()
	c.must(os.Remove(filepath.Join(c.dir, name)))
	delete(c.files, name)
	delete(c.moved, name)
}

func (c *corpus) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// text is what a file may hold: text of different lengths, with defects.
func (c *corpus) text() string {
	var b strings.Builder
	for range c.rng.IntN(7) {
		for range c.rng.IntN(5) {
			fmt.Fprintf(&b, "Word %d of %s text . ", c.rng.IntN(1000), strings.Repeat("some ", c.rng.IntN(5)))
		}
		if c.rng.IntN(12) == 0 {
			b.WriteString("Bad \xff byte . ")
		}
		b.WriteString("\n\n")
	}
	if c.rng.IntN(15) == 0 {
		return strings.Repeat(b.String(), 10) // cut into several ranges
	}
	if c.rng.IntN(40) == 0 {
		b.WriteString("PANICPARSE here .\n") // more than nine would fail the run
	}
	return b.String()
}

func (c *corpus) name() string {
	return fmt.Sprintf("%c/%04d.txt", 'a'+c.rng.IntN(3), c.rng.IntN(10000))
}

// any is the name of a file that is there.
func (c *corpus) any() string {
	names := slices.Sorted(maps.Keys(c.files))
	return names[c.rng.IntN(len(names))]
}

// change makes n random changes.
func (c *corpus) change(n int) {
	c.t.Helper()
	for range n {
		switch op := c.rng.IntN(7); {
		case op == 0 || len(c.files) < 5:
			c.write(c.name(), c.text())
		case op == 1:
			c.write(c.any(), c.text())
		case op == 2: // of the same length
			name := c.any()
			c.write(name, strings.ToUpper(c.files[name]))
		case op == 3:
			c.remove(c.any())
		case op == 5:
			name := c.any()
			c.write(name, c.files[name]+c.text())
		case op == 4: // renamed, with its time
			from, to := c.any(), c.name()
			if _, taken := c.files[to]; !taken {
				c.must(os.MkdirAll(filepath.Dir(filepath.Join(c.dir, to)), 0o755))
				c.must(os.Rename(filepath.Join(c.dir, from), filepath.Join(c.dir, to)))
				c.files[to], c.moved[to] = c.files[from], true
				delete(c.files, from)
				delete(c.moved, from)
			}
		default:
			c.touch(c.any())
		}
	}
}

func (c *corpus) options() Options {
	return Options{
		Options: pipeline.Options{Inputs: []string{c.dir}, Model: transformstest.ModelURI, Rows: pipeline.DefaultRows(), RangeBytes: rangeBytes},
		State:   c.state, AllowDeletes: true,
	}
}

// night is a whole night. The corpus notes what it has seen.
func (c *corpus) night(o Options) (*Night, *Result, error) {
	n, err := Plan(context.Background(), o)
	if err != nil {
		return n, nil, err
	}
	r, err := n.Run(context.Background(), nil)
	if err == nil {
		c.saw()
	}
	return n, r, err
}

// saw notes what a night has seen.
func (c *corpus) saw() {
	c.seen = maps.Clone(c.files)
	clear(c.moved)
}

// plan is a night that is not done.
func (c *corpus) plan() *Night { return c.planWith(c.options()) }

func (c *corpus) planWith(o Options) *Night {
	c.t.Helper()
	n, err := Plan(context.Background(), o)
	c.must(err)
	return n
}

func (c *corpus) mustNight(o Options) (*Night, *Result) {
	c.t.Helper()
	n, r, err := c.night(o)
	c.must(err)
	return n, r
}

// wanted are the decisions that a night must make.
func (c *corpus) wanted() (counts map[Reason]int, touches int) {
	counts = map[Reason]int{}
	known := map[string]bool{} // text without defects whose rows are there
	if s, err := (&State{c.state}).Current(context.Background()); s != nil {
		c.must(err)
		for e, err := range s.entries() {
			c.must(err)
			if content, ok := c.seen[e.DocID]; ok && e.Failures+e.Warnings == 0 && e.SourceVersion != "" {
				known[content] = true
			}
		}
	}
	for name, content := range c.files {
		old, ok := c.seen[name]
		switch {
		case !ok && known[content]:
			counts[Copied]++
		case !ok:
			counts[New]++
		case old != content:
			counts[Changed]++
		default:
			counts[Unchanged]++
			if c.moved[name] {
				touches++
			}
		}
	}
	for name := range c.seen {
		if _, ok := c.files[name]; !ok {
			counts[Deleted]++
		}
	}
	return counts, touches
}

// rows are the current rows of the state, all columns of all of them.
func (c *corpus) rows() string {
	c.t.Helper()
	s, err := At(c.state)
	c.must(err)
	snapshot, err := s.MustCurrent(context.Background())
	c.must(err)
	return c.rowsOf(snapshot.Output())
}

// rowsOf has the sentences and the documents of an output, a row a line.
func (c *corpus) rowsOf(o *output.Reader) string {
	c.t.Helper()
	w, err := pipeline.NewWriter("jsonl", pipeline.WriteOptions{})
	c.must(err)
	var out []byte
	_, err = o.Sentences(func(r *output.Row) (err error) {
		out, err = w.Append(out, r)
		return err
	})
	c.must(err)
	for d, err := range o.Documents {
		c.must(err)
		line, err := json.Marshal(d)
		c.must(err)
		out = append(append(out, line...), '\n')
	}
	for f, err := range o.Failures {
		c.must(err)
		f.Line = nil // known to whoever reads from the beginning
		line, err := json.Marshal(f)
		c.must(err)
		out = append(append(out, line...), '\n')
	}
	return string(out)
}

// scratch are the rows of a full parse of the current files.
func (c *corpus) scratch() string { return c.scratchWith(c.options()) }

func (c *corpus) scratchWith(night Options) string {
	c.t.Helper()
	o := night.Options
	o.Output = filepath.Join(c.t.TempDir(), "out")
	p, err := pipeline.Prepare(context.Background(), o)
	c.must(err)
	defer p.Close()
	_, err = pipeline.Run(context.Background(), p)
	c.must(err)
	from, err := output.Open(context.Background(), o.Output)
	c.must(err)
	return c.rowsOf(from)
}

// check compares the state with a full parse.
func (c *corpus) check(when string) {
	c.t.Helper()
	c.checkWith(c.options(), when)
}

func (c *corpus) checkWith(o Options, when string) {
	c.t.Helper()
	got, want := c.rows(), c.scratchWith(o)
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			c.t.Fatalf("%s: row %d is\n%.400s\nin a full parse\n%.400s", when, i, a[i], b[i])
		}
	}
	c.t.Fatalf("%s: %d rows, in a full parse %d", when, len(a), len(b))
}

// watch notes how many ranges a run has.
func (c *corpus) watch(p *pipeline.Prepared) func() {
	c.ranges = max(c.ranges, p.Job.Ranges)
	return func() {}
}

var errCrash = errors.New("crash")

// crash makes a night end at a step, as a crash would: at "parse" after some
// sentences.
func (c *corpus) crash(at string) (*Night, error) { return c.crashWith(c.options(), at) }

func (c *corpus) crashWith(o Options, at string) (*Night, error) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, err := Plan(ctx, o)
	c.must(err)
	if at == "parse" {
		left, from := int64(1+c.rng.IntN(80)), toy.Parsed.Load()
		toy.SetHook(func(*syntax.Sentence) {
			if toy.Parsed.Load()-from >= left {
				cancel()
				time.Sleep(time.Millisecond)
			}
		})
	} else {
		between = func(step string) error {
			if step == at {
				return errCrash
			}
			return nil
		}
	}
	_, err = n.Run(ctx, c.watch)
	if at == "parse" {
		time.Sleep(100 * time.Millisecond) // what is under way in this process ends
	}
	toy.SetHook(nil)
	between = nil
	return n, err
}

// TestNights is the property of a state: after any changes, kills and nights
// its rows are those of a full parse of the files that are there, and no file
// was parsed that had not to be.
func TestNights(t *testing.T) {
	const rounds = 4
	steps := []string{"", "parse", "parse", "run", "snapshot"}
	many, resumed, copies, grew := 0, 0, 0, 0
	for seed := range *seeds {
		c := newCorpus(t, seed)
		for range 70 {
			c.write(c.name(), c.text())
		}
		c.write("broken.pdf", "%PDF-1.7\n") // no text, which does not change
		for round := range rounds {
			when := fmt.Sprintf("seed %d, round %d", seed, round)
			crashed := false
			for range 2 {
				at := steps[c.rng.IntN(len(steps))]
				if at == "" {
					continue
				}
				n, err := c.crash(at)
				crashed = crashed || err != nil
				if err == nil { // it had ended
					c.saw()
					copies += n.Counts[Copied]
				}
				if at == "run" && err == nil && len(n.Runs) > 0 {
					t.Fatalf("%s: no crash", when)
				}
				c.change(c.rng.IntN(3))
			}
			wanted, touches := c.wanted()
			before := toy.Parsed.Load()
			n := c.plan()
			if grown := n.Counts[Grown]; grown > 0 {
				grew += grown
				if wanted[Grown] = grown; wanted[Changed] == grown {
					delete(wanted, Changed)
				} else {
					wanted[Changed] -= grown
				}
			}
			if !maps.Equal(n.Counts, wanted) || n.Touched != touches {
				t.Fatalf("%s: decided %v and %d touched, wanted %v and %d", when, n.Counts, n.Touched, wanted, touches)
			}
			taken, files, goOn := 0, 0, false
			for _, count := range n.TakenOver {
				taken += count
			}
			for i := range n.Runs {
				files += n.Runs[i].Files
				goOn = goOn || n.Runs[i].Continued
			}
			if files+taken != wanted[New]+wanted[Changed]+wanted[Grown] {
				t.Fatalf("%s: %d files to parse and %d taken over, wanted %v", when, files, taken, wanted)
			}
			if taken > 0 || goOn {
				resumed++
			}
			copies += n.Counts[Copied]
			r, err := n.Run(context.Background(), c.watch)
			c.must(err)
			parsed := toy.Parsed.Load() - before
			if sentences := r.Summary.Sentences; parsed > sentences || !goOn && parsed != sentences {
				t.Errorf("%s: %d sentences were parsed, of %d in the files of the night", when, parsed, sentences)
			}
			c.saw()
			c.check(fmt.Sprintf("%s (crashed %v)", when, crashed))
			c.idle(when)
			if round%2 == 1 {
				c.compact()
				c.check(when + ", compacted")
				c.idle(when + ", compacted")
			}
			many = max(many, c.ranges)
			c.change(4 + c.rng.IntN(30))
		}
	}
	if many < 40 {
		t.Errorf("no run had more than %d ranges: the test needs 40", many)
	}
	if copies < 5 {
		t.Errorf("only %d renamed files were copied", copies)
	}
	if grew == 0 {
		t.Error("no file had grown")
	}
	if resumed < 3 {
		t.Errorf("only %d nights took over what an interrupted one had done", resumed)
	}
}

// idle runs a night in which nothing has changed: it parses nothing, hashes
// nothing and leaves no folder.
func (c *corpus) idle(when string) {
	c.t.Helper()
	before := list(c.t, c.state)
	n, r := c.mustNight(c.options())
	if !n.Idle() || len(n.Runs) > 0 || n.Touched > 0 || r.Snapshot.N != n.Base().N {
		c.t.Fatalf("%s: a night without changes decided %v", when, n.Counts)
	}
	if after := list(c.t, c.state); !slices.Equal(before, after) {
		c.t.Fatalf("%s: a night without changes wrote:\n%v", when, after)
	}
}

// list are the names of all files below dir.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
