package parquet_test

import (
	"context"
	"errors"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
	stores "github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// A damaged file of an object store is damaged, as one on a disk is.
func TestDamagedRemote(t *testing.T) {
	m := new(storetest.Memory)
	m.Put("mem://bucket/part.parquet", []byte("not a Parquet file"))
	stores.Register("mem", func(context.Context) (stores.Store, error) { return m, nil })
	if _, err := parquet.OpenFile("mem://bucket/part.parquet"); !errors.Is(err, parquet.ErrDamaged) {
		t.Error(err)
	}
}
