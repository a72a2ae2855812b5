package transforms

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/record"
	"github.com/treebeam/treebeam/io/spill"
	"github.com/treebeam/treebeam/io/store"
)

// WriteOptions say how trees are written.
type WriteOptions struct {
	Shards int      // at most so many files for each window and pane; 0 means 1
	Keep   []string // keys of Meta that become columns (docs/parquet.md)
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[shardFn]())
	beam.RegisterDoFn(reflect.TypeFor[sinkFn]())
	register.Iter1[Tree]()
	register.Emitter1[string]()
}

// WriteTrees writes trees as Parquet files into a folder, local or in an object store, and
// emits the names of the files. It groups by shard, so it writes a file when the trigger
// of the collection fires: by default when a window ends, and again for late trees. Use
// discarding panes, because accumulated trees would be in several files. An unbounded
// collection in the global window needs a trigger.
//
// A file appears whole or not at all. Its rows are sorted by source_uri and start_byte; its
// name has the window, the shard and a digest of its contents. A firing that a runner
// repeats therefore replaces a file with the same bytes, and readers see each tree once.
// Two firings with exactly the same trees in the same window and shard also make one file.
//
// All trees with one doc_id are in the same shard of a window. A worker needs about 100 MB
// for each shard that it writes, whatever its number of trees. It sorts on the local disk
// ($TMPDIR), where it takes up to twice the size of the text. A write that fails fails the
// bundle. WriteTrees panics while the pipeline is built if folder is "", Shards is
// negative or a key of Keep cannot be the name of a column.
//
//	PCollection<Tree> -> PCollection<string>
func WriteTrees(s beam.Scope, trees beam.PCollection, folder string, o WriteOptions) beam.PCollection {
	s = s.Scope("WriteTrees")
	if folder == "" || o.Shards < 0 {
		panic(fmt.Errorf("transforms.WriteTrees: folder %q, %d shards: name a folder; shards must not be negative", folder, o.Shards))
	}
	if err := record.CheckKeep(o.Keep); err != nil {
		panic(fmt.Errorf("transforms.WriteTrees: option Keep: %w", err))
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
	all := newSorter()
	defer all.Close()
	for t := (Tree{}); next(&t); t = (Tree{}) {
		if err := all.Add(t); err != nil {
			return fmt.Errorf("sorting trees: %w", err)
		}
	}
	file, err := store.NewTemporary()
	if err != nil {
		return fmt.Errorf("sorting trees: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	out := parquet.NewWriter[Tree](io.MultiWriter(file, sum), nil, f.Keep...)
	for t, err := range all.All() {
		if err != nil {
			return fmt.Errorf("sorting trees: %w", err)
		}
		t.Meta = chosen(t.Meta, f.Keep)
		if err := out.Write(*t); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	name := store.Join(f.Folder, fmt.Sprintf("trees%s-%05d-of-%05d-%.16x.parquet", named(w), shard, f.Shards, sum.Sum(nil)))
	_, err = file.Seek(0, io.SeekStart)
	if err == nil {
		err = store.Write(ctx, name, store.Options{Expect: store.Anything}, func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	emit(name)
	return nil
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

// Trees are sorted as Beam's row coder writes them.
var (
	treeEncoder = beam.NewElementEncoder(reflect.TypeFor[Tree]())
	treeDecoder = beam.NewElementDecoder(reflect.TypeFor[Tree]())
)

// sortBytes is about how much of a shard a worker holds in memory.
var sortBytes = 32 << 20

// newSorter returns a sorter of the trees of a shard.
func newSorter() *spill.Sorter[Tree] {
	return &spill.Sorter[Tree]{
		Compare: compareTrees, Limit: sortBytes,
		Size: func(t *Tree) int { return 500 + len(t.Text) + 250*len(t.Tokens) },
		Encoder: func(w io.Writer) func(*Tree) error {
			return func(t *Tree) error { return treeEncoder.Encode(*t, w) }
		},
		Decoder: func(r io.Reader) func(*Tree) error {
			return func(t *Tree) error {
				v, err := treeDecoder.Decode(r)
				if err == nil {
					*t = v.(Tree)
				}
				return err
			}
		},
	}
}

// compareTrees is the order of trees in a file. Trees that differ are never equal.
func compareTrees(a, b *Tree) int {
	if c := cmp.Or(cmp.Compare(a.SourceURI, b.SourceURI), cmp.Compare(a.StartByte, b.StartByte), cmp.Compare(a.DocID, b.DocID),
		cmp.Compare(a.EndByte, b.EndByte), cmp.Compare(a.SentID, b.SentID)); c != 0 {
		return c
	}
	var x, y bytes.Buffer
	treeEncoder.Encode(*a, &x)
	treeEncoder.Encode(*b, &y)
	return bytes.Compare(x.Bytes(), y.Bytes())
}
