package nightly

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A night with more failures than are accepted changes nothing for readers, how
// often it is started; accepted, it need not parse again.
func TestAccept(t *testing.T) {
	c := few(t, 3)
	before, err := (&State{c.state}).Current(t.Context())
	c.must(err)
	c.write("bad.txt", "Some PANICPARSE here .\n\nFine .\n")
	c.write("f00.txt", "File 0 has changed .\n")
	c.write("x.pdf", "%PDF-1.4\n")
	tooMany := errors.New("too many")
	asked := 0
	o := c.options()
	o.Accept = func(found Found) error {
		if asked++; found != (Found{Errors: 2, Trees: 2, Files: 3, FilesFailed: 1}) {
			t.Errorf("asked about %+v", found)
		}
		return tooMany
	}
	for i := range 3 {
		_, r, err := c.night(o)
		if !errors.Is(err, tooMany) || r.Snapshot.Name != before.Name || asked != i+1 {
			t.Fatalf("start %d: asked %d times, %v", i, asked, err)
		}
		if now, err := (&State{c.state}).Current(t.Context()); err != nil || now.Name != before.Name {
			t.Fatalf("start %d: %s is current, %v", i, now.Name, err)
		}
		if r.Summary.Trees > 0 && i > 0 {
			t.Errorf("start %d: %d sentences were parsed again", i, r.Summary.Trees)
		}
	}
	o.Accept = func(Found) error { return nil }
	_, r := c.mustNight(o)
	if r.Summary.Trees > 0 || r.Snapshot.N != before.N+1 {
		t.Errorf("accepted: %d trees, snapshot %d", r.Summary.Trees, r.Snapshot.N)
	}
	c.check("accepted")
}

// A night looks at the places that it was given, not at what is in them:
// workers elsewhere would find no file, and make a night without trees.
func TestPlaces(t *testing.T) {
	transformstest.Dataflow(t)
	memory := &storetest.Memory{}
	store.Register("mem", func(context.Context) (store.Store, error) { return memory, nil })
	memory.Put("mem://b/in/x.txt", []byte("One .\n"))
	c := few(t, 1)
	for name, o := range map[string]struct{ input, state, want string }{
		"local input": {c.dir, "mem://b/state", c.dir},
		"local state": {"mem://b/in", c.state, c.state},
		"all remote":  {"mem://b/in", "mem://b/state", ""},
	} {
		options := c.options()
		options.Runner, options.Inputs, options.State = "dataflow", []string{o.input}, o.state
		_, err := Plan(t.Context(), options)
		var refused *pipeline.Refusal
		if o.want == "" && err != nil || o.want != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), "such as "+o.want)) {
			t.Errorf("%s: %v", name, err)
		}
		options.Runner, options.SharedFilesystem = "dataflow", true
		if _, err := Plan(t.Context(), options); err != nil {
			t.Errorf("%s, shared: %v", name, err)
		}
	}
}

// A night that was refused for a file that could not be read reads it again,
// when it is started again: the right to read it does not show in a listing.
func TestRefusedNightReadsAgain(t *testing.T) {
	memory := &storetest.Memory{}
	store.Register("mem", func(context.Context) (store.Store, error) { return memory, nil })
	c := newCorpus(t, 1)
	c.dir = "mem://bucket/in"
	memory.Put("mem://bucket/in/a.txt", []byte("Short .\n"))
	c.mustNight(c.options())
	memory.Put("mem://bucket/in/new.txt", []byte("New .\n"))
	var denied atomic.Bool
	denied.Store(true)
	memory.Break(func(name string, _, _ int64) (int64, error) {
		if denied.Load() && strings.HasSuffix(name, "new.txt") {
			return 0, &store.Error{Name: name, Kind: fs.ErrPermission, Err: errors.New("403")}
		}
		return -1, nil
	})
	tooMany := errors.New("too many")
	o := c.options()
	o.Accept = func(found Found) error {
		if found.FilesFailed > 0 {
			return tooMany
		}
		return nil
	}
	for range 2 {
		if n, _, err := c.night(o); !errors.Is(err, tooMany) || len(n.Left) > 0 {
			t.Fatalf("%v; %q is said to be of no use", err, n.Left)
		}
	}
	denied.Store(false)
	if _, r := c.mustNight(o); r.Snapshot.N != 2 || r.Summary.Trees != 1 {
		t.Errorf("readable again: snapshot %d, %d trees", r.Snapshot.N, r.Summary.Trees)
	}
	c.check("readable again")
}
