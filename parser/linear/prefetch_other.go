//go:build !amd64

package linear

import (
	"unsafe"

	"github.com/treebeam/treebeam/parser/hash"
)

func prefetch(unsafe.Pointer, uint64, int, *hash.Key, int) {}
func prefetchCells(*uint32, *uint64, int)                  {}
