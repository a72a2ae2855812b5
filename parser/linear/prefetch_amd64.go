package linear

import (
	"unsafe"

	"github.com/treebeam/treebeam/parser/hash"
)

// prefetch loads the places of n keys, at least one, into the first cache, and does not
// wait. A table has so many places of 1<<shift bytes, in the order of the keys.
//
//go:noescape
func prefetch(table unsafe.Pointer, places uint64, shift int, keys *hash.Key, n int)

// prefetchCells loads the first cell of each of n rows, at least one, in the same way.
//
//go:noescape
func prefetchCells(cells *uint32, rows *uint64, n int)
