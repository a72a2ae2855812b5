package nightly

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/pipeline"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// inMemory is a corpus whose input is in an object store.
func inMemory(t *testing.T) (*corpus, *storetest.Memory) {
	t.Helper()
	memory := &storetest.Memory{}
	store.Register("mem", func(context.Context) (store.Store, error) { return memory, nil })
	c := newCorpus(t, 1)
	c.dir = "mem://bucket/in"
	return c, memory
}

// deny lets nobody read the objects of a name from some byte on, until it is allowed.
func deny(memory *storetest.Memory, suffix string, from int64) (allow func()) {
	before := memory.Break(func(name string, off, _ int64) (int64, error) {
		if off >= from && strings.HasSuffix(name, suffix) {
			return 0, &store.Error{Name: name, Kind: fs.ErrPermission, Err: errors.New("403")}
		}
		return -1, nil
	})
	return func() { memory.Break(before) }
}

// A state and its input in an object store: nights, a race that CURRENT's
// generation decides, a compaction and what it leaves.
func TestObjectStore(t *testing.T) {
	c, memory := inMemory(t)
	c.state = "mem://bucket/state"
	put := func(name, content string) { memory.Put("mem://bucket/in/"+name, []byte(content)) }
	for i := range 8 {
		put(fmt.Sprintf("%d.txt", i), fmt.Sprintf("File %d . Its end .\n", i))
	}
	c.mustNight(c.options())
	c.check("the first night")
	if n, _ := c.mustNight(c.options()); !n.Idle() {
		t.Errorf("without changes: %v", n.Counts)
	}
	put("3.txt", "Quite another text .\n")
	put("4.txt", "File 4 . Its end .\n") // another generation, the same bytes
	put("new.txt", "New .\n")
	first := c.plan()
	if first.Counts[Changed] != 1 || first.Counts[New] != 1 || first.Touched != 1 {
		t.Errorf("decided %v, %d touched", first.Counts, first.Touched)
	}
	put("newer.txt", "Newer .\n")
	second := c.plan()
	// The second night replaces CURRENT just before the first one would.
	between = func(step string) error {
		if step != "snapshot" {
			return nil
		}
		between = nil
		_, err := second.Run(context.Background(), nil)
		return err
	}
	var conflict *Conflict
	if _, err := first.Run(context.Background(), nil); !errors.As(err, &conflict) {
		t.Fatalf("got %v", err)
	}
	c.check("the second night won")
	done, err := Compact(context.Background(), c.state)
	if err != nil || done.Merged != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	c.check("compacted")
	removed, err := Prune(context.Background(), c.state, 1)
	c.must(err)
	if got := strings.Join(removed, "\n"); strings.Count(got, "snapshots/") != 3 || strings.Count(got, "data/") != 3 {
		t.Errorf("removed\n%s", got)
	}
	for info, err := range memory.List(context.Background(), "mem://bucket/state/data/") {
		if err != nil || !strings.Contains(info.Name, done.Run) {
			t.Errorf("%s is left, %v", info.Name, err)
		}
	}
	c.check("pruned")
}

// A night decides about the members of a compressed tar in few passes: each alone would take
// one from the beginning of the archive.
func TestArchive(t *testing.T) {
	c, memory := inMemory(t)
	const name, members = "mem://bucket/in/a.tar.gz", 60
	size := 0
	put := func(seconds int64, more string) {
		rng := rand.New(rand.NewPCG(7, 7))
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range members {
			text := fmt.Sprintf("Word %x .\n", rng.Uint64())
			for len(text) < 1000 {
				text += fmt.Sprintf("Word %x .\n", rng.Uint64())
			}
			switch i % 3 {
			case 0:
				text = "%PDF-1.7\n\x00\x01" + text // no text
			case 1:
				text += more
			}
			c.must(w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%02d.txt", i), Size: int64(len(text)), ModTime: time.Unix(seconds, 0)}))
			fmt.Fprint(w, text)
		}
		c.must(w.Close())
		packed := zipped(t, b.String())
		size = len(packed)
		memory.Put(name, []byte(packed))
	}
	o := c.options()
	o.RangeBytes = 1 << 20
	for night, want := range []string{"files: 60 new", "files: 60 unchanged", "files: 20 changed, 20 retry, 20 unchanged"} {
		if night != 1 {
			put(int64(night), strings.Repeat("More .\n", night))
		}
		read := memory.BytesRead(name)
		n := c.planWith(o)
		if read = memory.BytesRead(name) - read; n.Counts.String() != want || read > 5*int64(size) {
			t.Errorf("night %d: %v; %d bytes of %d were read", night, n.Counts, read, size)
		}
		if n.Touched != []int{0, 0, 20}[night] {
			t.Errorf("night %d: %d touched", night, n.Touched)
		}
		c.mustNight(o)
	}
	o.Rows.Keep = "label"
	read := memory.BytesRead(name)
	n, _ := c.mustNight(o)
	if read = memory.BytesRead(name) - read; n.Counts[Kept] != 40 || read > 5*int64(size) {
		t.Errorf("other columns: %v; %d bytes of %d were read", n.Counts, read, size)
	}
}

// The rows of copies are read once, however many parts they become.
func TestCopiesReadOnce(t *testing.T) {
	c, memory := inMemory(t)
	c.state = "mem://bucket/state"
	defer func(n int64) { partWords = n }(partWords)
	partWords = 10
	const files = 40
	put := func(prefix string) {
		for i := range files {
			memory.Delete(t.Context(), fmt.Sprintf("mem://bucket/in/a%02d.txt", i))
			memory.Put(fmt.Sprintf("mem://bucket/in/%s%02d.txt", prefix, i), []byte(fmt.Sprintf("This is file %d of %d .\n", i, files)))
		}
	}
	put("a")
	_, first := c.mustNight(c.options())
	m, err := output.ReadManifest("mem://bucket/state/data/" + first.Snapshot.Runs[0])
	c.must(err)
	trees := m.Parts("mem://bucket/state/data/"+first.Snapshot.Runs[0], "trees")[0].Path
	put("b")
	before := memory.BytesRead(trees)
	n, _ := c.mustNight(c.options())
	size := m.Files[0].Bytes
	if read := memory.BytesRead(trees) - before; n.Counts[Copied] != files || len(n.copiedParts()) < files/4 || read > 6*size {
		t.Errorf("%v in %d parts; %d bytes of %d were read", n.Counts, len(n.copiedParts()), read, size)
	}
	c.check("renamed")
}

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
	asked, kept := 0, int64(0)
	for e, err := range before.entries() {
		c.must(err)
		if path.Base(e.SourceURI) != "f00.txt" {
			kept += e.Trees
		}
	}
	o := c.options()
	o.Accept = func(found, current Found) error {
		if asked++; found != (Found{Errors: 2, Trees: 2, Files: 3, FilesFailed: 1}) || current != (Found{2, 2 + kept, 5, 1}) {
			t.Errorf("asked about %+v of %+v", found, current)
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
	o.Accept = func(_, _ Found) error { return nil }
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
	_, memory := inMemory(t)
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
	c, memory := inMemory(t)
	memory.Put("mem://bucket/in/a.txt", []byte("Short .\n"))
	c.mustNight(c.options())
	memory.Put("mem://bucket/in/new.txt", []byte("New .\n"))
	allow := deny(memory, "new.txt", 0)
	tooMany := errors.New("too many")
	o := c.options()
	o.Accept = func(found, _ Found) error {
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
	allow()
	if _, r := c.mustNight(o); r.Snapshot.N != 2 || r.Summary.Trees != 1 {
		t.Errorf("readable again: snapshot %d, %d trees", r.Snapshot.N, r.Summary.Trees)
	}
	c.check("readable again")
}

// A file that becomes unreadable after some of its ranges is not known: the
// next night reads it again.
func TestUnreadableInTheMiddle(t *testing.T) {
	c, memory := inMemory(t)
	memory.Put("mem://bucket/in/a.txt", []byte("Short . \n"))
	memory.Put("mem://bucket/in/long.txt", []byte(strings.Repeat("Some text of many words .\n\n", 1000)))
	allow := deny(memory, "long.txt", 10_000) // readers look back 8 KB
	_, r := c.mustNight(c.options())
	if r.Summary.Errors < 2 || r.Summary.Trees < 10 {
		t.Fatalf("%d errors, %d trees", r.Summary.Errors, r.Summary.Trees)
	}
	allow()
	n, _ := c.mustNight(c.options())
	if n.Counts[Retry] != 1 || n.Counts[Unchanged] != 1 {
		t.Errorf("decided %v", n.Counts)
	}
	c.check("readable again")
	if n, _ := c.mustNight(c.options()); !n.Idle() {
		t.Errorf("decided %v", n.Counts)
	}
}

// A snapshot that cannot be read now is none that was removed: nothing goes before it can.
func TestPruneUnreadable(t *testing.T) {
	c, memory := inMemory(t)
	c.state = "mem://bucket/state"
	for i := range 3 {
		memory.Put("mem://bucket/in/a.txt", fmt.Appendf(nil, "Text %d .\n", i))
		c.mustNight(c.options())
	}
	state, _ := At(c.state)
	current, err := state.MustCurrent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	allow := deny(memory, current.Predecessor, 0)
	if removed, err := Prune(t.Context(), c.state, 3); !errors.Is(err, fs.ErrPermission) || len(removed) > 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	allow()
	if removed, err := Prune(t.Context(), c.state, 3); err != nil || len(removed) > 0 {
		t.Errorf("removed %v, %v", removed, err)
	}
	uri := state.snapshotPath(current.Predecessor)
	data, err := store.ReadFile(t.Context(), uri)
	c.must(err)
	memory.Put(uri, bytes.Replace(data, []byte(`["000002-`), []byte(`{"000002-`), 1)) // in its footer
	if removed, err := Prune(t.Context(), c.state, 3); err != nil || len(removed) == 0 {
		t.Errorf("before a damaged one, removed %v, %v", removed, err)
	}
}
