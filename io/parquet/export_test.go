package parquet

import "io"

// A Source is what bytes come from.
type Source = interface {
	io.ReaderAt
	io.Closer
}

// OpenSource opens a file of trees that a source has.
func OpenSource(in Source, size int64) (*Reader[Tree], error) {
	f, err := open("file", in, size)
	return &Reader[Tree]{f}, err
}
