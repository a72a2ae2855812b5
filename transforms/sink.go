package transforms

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/store"
)

// WriteOptions say how trees are written.
type WriteOptions struct {
	Shards int      // files for each window and pane, at most; 0 means 1
	Keep   []string // keys of Meta that become columns (docs/parquet.md)
}

func init() {
	register.DoFn1x2[Tree, int, Tree](&shardFn{})
	register.DoFn5x1[context.Context, beam.Window, int, func(*Tree) bool, func(string), error](&sinkFn{})
	register.Iter1[Tree]()
	register.Emitter1[string]()
}

// WriteTrees writes trees as Parquet files into a folder, local or in an object store, and
// emits the names of the files. It groups by shard, so a file is written when the trigger
// of the collection fires: by default when a window ends, and again for late trees.
// Triggers should discard: what accumulates is in several files. An unbounded collection
// in the global window needs a trigger.
//
// A file appears whole or not at all. Its name has the window, the shard and a digest of
// its rows, which are sorted by source_uri and start_byte. So a firing that a
// runner repeats writes the same bytes under the same name, and readers see each tree
// once: an engine need not promise exactly once. The price is that equal trees in one
// window and shard that come in two firings with no other tree are one file.
//
// All trees of a document are in the same shard of a window. A worker needs about 100 MB
// for each shard that it writes, however many trees it has: it sorts on the local disk
// ($TMPDIR), which takes about twice the size of the text.
//
//	PCollection<Tree> -> PCollection<string>
func WriteTrees(s beam.Scope, trees beam.PCollection, folder string, o WriteOptions) beam.PCollection {
	s = s.Scope("WriteTrees")
	if folder == "" || o.Shards < 0 {
		panic(fmt.Errorf("transforms.WriteTrees: folder %q, %d shards: name a folder; shards must not be negative", folder, o.Shards))
	}
	n := max(o.Shards, 1)
	return beam.ParDo(s, &sinkFn{folder, n, o.Keep}, beam.GroupByKey(s, beam.ParDo(s, &shardFn{n}, trees)))
}

// A shardFn gives a tree the number of its shard.
type shardFn struct{ Shards int }

func (f *shardFn) ProcessElement(t Tree) (int, Tree) {
	h := fnv.New32a()
	io.WriteString(h, t.DocID)
	notNil(&t)
	return int(h.Sum32() % uint32(f.Shards)), t
}

// A sinkFn writes the trees of a shard.
type sinkFn struct {
	Folder string
	Shards int
	Keep   []string
}

func (f *sinkFn) ProcessElement(ctx context.Context, w beam.Window, shard int, next func(*Tree) bool, emit func(string)) error {
	var all sorter
	defer all.close()
	for t := (Tree{}); next(&t); t = (Tree{}) {
		if err := all.add(t); err != nil {
			return err
		}
	}
	file, err := temporary()
	if err != nil {
		return err
	}
	defer discard(file)
	sum := sha256.New()
	out := parquet.NewWriter[Tree](io.MultiWriter(file, sum), nil, f.Keep...)
	if err := all.each(func(t Tree) error {
		t.Meta = chosen(t.Meta, f.Keep)
		return out.Write(t)
	}); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	name := store.Join(f.Folder, fmt.Sprintf("trees%s-%05d-of-%05d-%.16x.parquet", named(w), shard, f.Shards, sum.Sum(nil)))
	if err := copyTo(ctx, name, file); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	emit(name)
	return nil
}

// copyTo makes the file called name a copy of a local one.
func copyTo(ctx context.Context, name string, from *os.File) error {
	s, at, err := store.Of(ctx, name)
	if err != nil {
		return err
	}
	out, err := s.Create(ctx, at, store.Options{Expect: store.Anything})
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(out, from); err != nil {
		return err
	}
	return out.Commit()
}

// chosen are the values that a row has for keys.
func chosen(meta []KeyValue, keys []string) []KeyValue {
	list := make([]KeyValue, len(keys))
	for i, key := range keys {
		list[i].Key = key
		if at := slices.IndexFunc(meta, func(kv KeyValue) bool { return kv.Key == key }); at >= 0 {
			list[i].Value = meta[at].Value
		}
	}
	return list
}

// named is a window as a part of a file's name: "" for the global one.
func named(w beam.Window) string {
	i, ok := w.(window.IntervalWindow)
	if !ok {
		return ""
	}
	const layout = "20060102T150405.000Z"
	return "-" + i.Start.ToTime().UTC().Format(layout) + "-" + i.End.ToTime().UTC().Format(layout)
}

// temporary opens a temporary file, which discard removes.
func temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "treebeam-*")
	if err != nil {
		return nil, fmt.Errorf("sorting trees: %w", err)
	}
	os.Remove(f.Name()) // now, where open files may be removed
	return f, nil
}

func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// Trees are sorted as Beam's row coder writes them.
var (
	treeEncoder = beam.NewElementEncoder(reflect.TypeFor[Tree]())
	treeDecoder = beam.NewElementDecoder(reflect.TypeFor[Tree]())
)

// sortBytes is how much a sorter holds in memory, about.
var sortBytes = 32 << 20

// A sorter sorts trees, in memory and then in temporary files.
type sorter struct {
	trees []Tree
	bytes int
	runs  []*run
	files []*os.File // of runs
}

func (s *sorter) add(t Tree) error {
	s.trees = append(s.trees, t)
	s.bytes += 500 + len(t.Text) + 250*len(t.Tokens)
	if s.bytes < sortBytes {
		return nil
	}
	return s.spill()
}

// spill writes the trees in memory to a file.
func (s *sorter) spill() error {
	f, err := temporary()
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	slices.SortFunc(s.trees, compareTrees)
	w := bufio.NewWriter(f)
	for i := range s.trees {
		if err := treeEncoder.Encode(s.trees[i], w); err != nil {
			return fmt.Errorf("sorting trees: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("sorting trees: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("sorting trees: %w", err)
	}
	r := bufio.NewReader(f)
	s.runs = append(s.runs, &run{left: len(s.trees), next: func() (Tree, error) {
		t, err := treeDecoder.Decode(r)
		if err != nil {
			return Tree{}, err
		}
		return t.(Tree), nil
	}})
	s.trees, s.bytes = nil, 0
	return nil
}

// each calls do with all trees, in order.
func (s *sorter) each(do func(Tree) error) error {
	slices.SortFunc(s.trees, compareTrees)
	s.runs = append(s.runs, &run{left: len(s.trees), next: func() (t Tree, _ error) {
		t, s.trees = s.trees[0], s.trees[1:]
		return t, nil
	}})
	for _, r := range s.runs {
		r.advance()
	}
	for {
		least := slices.MinFunc(s.runs, compareRuns)
		if least.err == io.EOF {
			return nil
		}
		if least.err != nil {
			return fmt.Errorf("sorting trees: %w", least.err)
		}
		if err := do(least.head); err != nil {
			return err
		}
		least.advance()
	}
}

// close removes the temporary files.
func (s *sorter) close() {
	for _, f := range s.files {
		discard(f)
	}
}

// A run is a sorted part of the trees; at its end err is io.EOF.
type run struct {
	left int // trees after head
	next func() (Tree, error)
	head Tree
	err  error
}

func (r *run) advance() {
	if r.left == 0 {
		r.head, r.err = Tree{}, io.EOF
		return
	}
	r.left--
	r.head, r.err = r.next()
}

// compareRuns puts errors first and ends last.
func compareRuns(a, b *run) int {
	rank := func(r *run) int {
		switch r.err {
		case nil:
			return 1
		case io.EOF:
			return 2
		}
		return 0
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), compareTrees(a.head, b.head))
}

// compareTrees is the order of trees in a file. Trees that differ are never equal.
func compareTrees(a, b Tree) int {
	if c := cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.StartByte, b.StartByte), cmp.Compare(a.DocID, b.DocID),
		cmp.Compare(a.EndByte, b.EndByte), cmp.Compare(a.SentID, b.SentID)); c != 0 {
		return c
	}
	var x, y bytes.Buffer
	treeEncoder.Encode(a, &x)
	treeEncoder.Encode(b, &y)
	return bytes.Compare(x.Bytes(), y.Bytes())
}
