package pipeline

import (
	"context"

	"github.com/treebeam/treebeam/io/source"
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
	for i := range inputs {
		in := &inputs[i]
		if sizes[in.Size] > 1 {
			version := known[in.URI]
			if version == "" {
				version, _ = SourceVersion(ctx, in) // a run says why it cannot be read
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

// SourceVersion reads a file and returns the source_version that a run would give it.
func SourceVersion(ctx context.Context, in *source.Input) (string, error) {
	piece := source.Piece{Input: *in, End: in.Size}
	f, err := source.Open(ctx, &source.Range{N: 1, Pieces: []source.Piece{piece}}, &piece)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, err := f.Sum(ctx)
	if err != nil {
		return "", err
	}
	return sum.String(), nil
}
