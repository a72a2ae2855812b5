package pipeline

import (
	"cmp"
	"context"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[laterFn]())
	beam.RegisterDoFn(reflect.TypeFor[twiceFn]())
	beam.RegisterDoFn(reflect.TypeFor[countFn]())
	beam.RegisterDoFn(reflect.TypeFor[apartFn]())
	beam.RegisterDoFn(reflect.TypeFor[joinFn]())
	register.Emitter1[transforms.Chunk]()
	register.Emitter1[transforms.Span]()
	register.Iter1[transforms.Span]()
}

// A laterFn holds the chunks of a bundle back and gives them in another order: the
// ranges interleaved, and every other time the chunks of a range backwards.
type laterFn struct {
	Backwards bool
	held      []transforms.Chunk
}

func (f *laterFn) ProcessElement(c transforms.Chunk, _ func(transforms.Chunk)) {
	f.held = append(f.held, c)
}

func (f *laterFn) FinishBundle(emit func(transforms.Chunk)) {
	slices.SortStableFunc(f.held, func(a, b transforms.Chunk) int {
		if f.Backwards {
			return cmp.Or(a.Range-b.Range, b.Seq-a.Seq)
		}
		return cmp.Or(a.Seq-b.Seq, a.Range-b.Range)
	})
	for _, c := range f.held {
		emit(c)
	}
	f.held = nil
}

// A twiceFn does what a runner does that tries again and loses track of what it had: it
// gives chunks twice, and the beginning of another attempt before each attempt.
type twiceFn struct{}

func (*twiceFn) ProcessElement(c transforms.Chunk, emit func(transforms.Chunk)) {
	if other := c; !c.Last {
		other.Attempt++
		emit(other)
	}
	emit(c)
	if c.Range%2 == 1 || c.Skip {
		emit(c)
	}
}

// An apartFn sends the chunks of a range two ways.
type apartFn struct{}

func (*apartFn) ProcessElement(c transforms.Chunk, even, odd func(transforms.Chunk)) {
	if c.Seq%2 == 0 {
		even(c)
	} else {
		odd(c)
	}
}

// hostile are what a runner may do between two stages that Beam does not forbid.
var hostile = map[string]func(s beam.Scope, c beam.PCollection) beam.PCollection{
	"shuffled": func(s beam.Scope, c beam.PCollection) beam.PCollection { return beam.Reshuffle(s, c) },
	"later":    func(s beam.Scope, c beam.PCollection) beam.PCollection { return beam.ParDo(s, &laterFn{}, c) },
	"backwards": func(s beam.Scope, c beam.PCollection) beam.PCollection {
		return beam.ParDo(s, &laterFn{Backwards: true}, c)
	},
	"twice": func(s beam.Scope, c beam.PCollection) beam.PCollection { return beam.ParDo(s, &twiceFn{}, c) },
	"apart": func(s beam.Scope, c beam.PCollection) beam.PCollection {
		even, odd := beam.ParDo2(s, &apartFn{}, c)
		return beam.Flatten(s, beam.Reshuffle(s, even), beam.Reshuffle(s, odd))
	},
}

// disturbed is a run with something between its stages; its output and how many
// sentences it parsed.
func disturbed(t *testing.T, o Options, between func(s beam.Scope, stage string, c beam.PCollection) beam.PCollection) (map[string]string, int64) {
	t.Helper()
	p := prepared(t, o)
	pl, scope := beam.NewPipelineWithRoot()
	build(scope, p.Job, between)
	before := toy.Parsed.Load()
	if _, err := p.run(context.Background(), pl); err != nil {
		t.Fatal(err)
	}
	return files(t, o.Output), toy.Parsed.Load() - before
}

// Whatever a runner does between two stages, the output has the same bytes, and a runner
// that does nothing of the kind parses nothing twice.
func TestHostileRunner(t *testing.T) {
	o := options(write(t, map[string]string{"a/long.txt": prose(800), "b/two.conllu": small, "c/bad.txt": "Bad \xff byte .\n\nPANICPARSE here .\n"}), "")
	o.RangeBytes = 72 << 10 // several chunks each
	o.Output = filepath.Join(t.TempDir(), "undisturbed")
	want, once := disturbed(t, o, nil)
	if n := countParts(want); n < 3 {
		t.Fatalf("only %d parts: the test needs several", n)
	}
	if sum := summary(t, o.Output); once != sum.Sentences {
		t.Errorf("%d sentences were parsed to get %d", once, sum.Sentences)
	}
	for name, wrap := range hostile {
		torn := false
		for _, at := range []string{"read", "segment", "encode", "tag", "prune", "parse", ""} {
			o.Output = filepath.Join(t.TempDir(), "out")
			got, parsed := disturbed(t, o, func(s beam.Scope, stage string, c beam.PCollection) beam.PCollection {
				if stage == "expand" || at != "" && at != stage || at == "" && name == "twice" && stage != "read" && stage != "parse" {
					return c
				}
				return wrap(s, c)
			})
			same(t, name+" after "+at, want, got)
			torn = torn || parsed > once
		}
		if !torn && name != "shuffled" { // which may keep the order
			t.Errorf("%s: no range was parsed again", name)
		}
	}
}

// A joinFn makes one span of all.
type joinFn struct{}

func (*joinFn) ProcessElement(_ int, next func(*transforms.Span) bool, emit func(transforms.Span)) {
	var all, s transforms.Span
	for next(&s) {
		all.Ranges = append(all.Ranges, s.Ranges...)
	}
	slices.SortFunc(all.Ranges, func(a, b source.Range) int { return a.K - b.K })
	emit(all)
}

// A countFn counts bundles.
type countFn struct{ counted bool }

var bundles atomic.Int64

func (f *countFn) ProcessElement(c transforms.Chunk, emit func(transforms.Chunk)) {
	if !f.counted {
		f.counted = true
		bundles.Add(1)
	}
	emit(c)
}

func (f *countFn) FinishBundle(_ func(transforms.Chunk)) { f.counted = false }

// Prism splits a span while Read is at it, and no range is lost or read twice.
func TestSpanIsSplit(t *testing.T) {
	o := options(write(t, map[string]string{"x.txt": prose(200)}), filepath.Join(t.TempDir(), "whole"))
	o.RangeBytes = 1000
	want := run(t, o)
	if n := countParts(want); n < 10 {
		t.Fatalf("only %d parts: the test needs several", n)
	}
	o.Output = filepath.Join(t.TempDir(), "split")
	bundles.Store(0)
	var slow sync.Once
	toy.SetHook(func(*syntax.Sentence) {
		slow.Do(func() {
			for end := time.Now().Add(20 * time.Second); bundles.Load() < 2 && time.Now().Before(end); {
				runtime.Gosched()
				time.Sleep(time.Millisecond)
			}
		})
	})
	defer toy.SetHook(nil)
	got, parsed := disturbed(t, o, func(s beam.Scope, stage string, c beam.PCollection) beam.PCollection {
		switch stage {
		case "expand":
			return beam.Reshuffle(s, beam.ParDo(s, &joinFn{}, beam.GroupByKey(s, beam.AddFixedKey(s, c))))
		case "read":
			return beam.ParDo(s, &countFn{}, c)
		}
		return c
	})
	same(t, "split", want, got)
	if bundles.Load() < 2 {
		t.Error("the span was not split")
	}
	if sum := summary(t, o.Output); parsed != sum.Sentences {
		t.Errorf("%d sentences were parsed to get %d", parsed, sum.Sentences)
	}
}
