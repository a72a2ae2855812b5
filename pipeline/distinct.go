package pipeline

import (
	"context"
	"iter"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// A Duplicate is a file that has the bytes of another.
type Duplicate struct {
	URI string `json:"source_uri"`
	Of  string `json:"of"` // the first file with these bytes
}

// Distinct returns the inputs without duplicates of files before them, and these. Files
// have the same bytes if their sizes and their source_version (docs/parquet.md) are the
// same. It reads the files that have the size of another, unless known, which may be nil,
// has their source_version. A file that cannot be read is no duplicate.
func Distinct(ctx context.Context, inputs []source.Input, known map[string]string) (kept []source.Input, left []Duplicate, err error) {
	sizes := map[int64]int{}
	for i := range inputs {
		sizes[inputs[i].Size]++
	}
	type content struct {
		size    int64
		version string
	}
	first := map[content]string{}
	var unknown []*source.Input
	for i := range inputs {
		if sizes[inputs[i].Size] > 1 && known[inputs[i].URI] == "" {
			unknown = append(unknown, &inputs[i])
		}
	}
	next, stop := iter.Pull(SourceVersions(ctx, unknown))
	defer stop()
	for i := range inputs {
		in := &inputs[i]
		if sizes[in.Size] > 1 {
			version := known[in.URI]
			if version == "" {
				version, _ = next()
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			at := content{in.Size, version}
			if of, there := first[at]; there && version != "" {
				left = append(left, Duplicate{in.URI, of})
				continue
			}
			first[at] = in.URI
		}
		kept = append(kept, *in)
	}
	return kept, left, nil
}

// summedAtOnce is how many files SourceVersions opens one after the other as those of a range.
const summedAtOnce = 1000

// SourceVersions reads files and yields the source_version that a run would give each; "" is
// one that cannot be read, and a run says why.
func SourceVersions(ctx context.Context, inputs []*source.Input) iter.Seq[string] {
	return func(yield func(string) bool) {
		for batch := range slices.Chunk(inputs, summedAtOnce) {
			pieces := make([]source.Piece, len(batch))
			for i, in := range batch {
				pieces[i] = source.Piece{Input: *in, End: in.Size}
			}
			if !sourceVersions(ctx, &source.Range{Pieces: pieces}, yield) {
				return
			}
		}
	}
}

func sourceVersions(ctx context.Context, r *source.Range, yield func(string) bool) bool {
	files := source.NewFiles(ctx, r)
	defer files.Close()
	for i := range r.Pieces {
		version := ""
		if f, err := files.Open(i); err == nil {
			if sum, err := f.Sum(ctx); err == nil {
				version = sum.String()
			}
			f.Close()
		}
		if !yield(version) {
			return false
		}
	}
	return true
}

// sumOf reads the first bytes of a file, size of them.
func sumOf(ctx context.Context, in *source.Input, size int64) (source.Sum, error) {
	f, err := source.OpenFile(ctx, in)
	if err != nil {
		return source.Sum{}, err
	}
	defer f.Close()
	f.Truncate(size)
	return f.Sum(ctx)
}

// Grown looks for the tail of a file that had size bytes and a source_version before. It
// returns the sum of the bytes before the tail. These give the rows that the state has; the
// tail gives the rest. The sum is empty if the file must be parsed whole.
func (o *Options) Grown(ctx context.Context, in *source.Input, size int64, version string) (source.Sum, error) {
	sum, err := sumOf(ctx, in, size)
	if err != nil || sum.String() != version {
		return source.Sum{}, err
	}
	m, _, err := o.open(ctx)
	if err != nil {
		return source.Sum{}, err
	}
	tail, err := transforms.Grown(ctx, in, size, m, o.Rows)
	if err != nil || tail == 0 {
		return source.Sum{}, err
	}
	return sumOf(ctx, in, tail)
}

// Kept is what a record has of the values to keep.
type Kept = transforms.Kept

// Kept yields what a file, number i of files, has of the values of Rows.Keep, in its order.
func (o *Options) Kept(ctx context.Context, files *source.Files, i int, in *source.Input) iter.Seq2[Kept, error] {
	return transforms.ReadKept(ctx, files, i, in, o.Rows)
}

// NotKept reports whether a row warns of a value that is not kept.
func NotKept(row *parquet.Failure) bool { return row.Kind == syntax.KindKept.String() }
