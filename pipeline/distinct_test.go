package pipeline

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
)

// Of files with the same bytes the first is kept, as comparing their bytes says; what is
// known is not read.
func TestDistinct(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(7, 7))
	content := map[string]string{}
	for i := range 60 {
		text := make([]byte, rng.IntN(4)) // few sizes and bytes: many are the same
		for k := range text {
			text[k] = 'a' + byte(rng.IntN(2))
		}
		name := filepath.Join(dir, fmt.Sprintf("%02d.txt", i))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		content[name] = string(text)
	}
	inputs, err := source.List(t.Context(), []string{dir}, source.ListOptions{})
	if err != nil || len(inputs) != 60 {
		t.Fatal(len(inputs), err)
	}
	var kept []source.Input
	var left []Duplicate
	first := map[string]string{}
	for _, in := range inputs {
		if of, there := first[content[in.URI]]; there {
			left = append(left, Duplicate{in.URI, of})
			continue
		}
		first[content[in.URI]] = in.URI
		kept = append(kept, in)
	}
	gotKept, gotLeft, err := Distinct(t.Context(), inputs, nil)
	if err != nil || !reflect.DeepEqual(gotKept, kept) || !reflect.DeepEqual(gotLeft, left) {
		t.Errorf("%v\nkept %v\nleft %v\nwant %v", err, gotKept, gotLeft, left)
	}
	known := map[string]string{}
	for i := range inputs {
		known[inputs[i].URI] = fmt.Sprint("content ", i)
	}
	if all, none, err := Distinct(t.Context(), inputs, known); err != nil || len(all) != 60 || none != nil {
		t.Errorf("known to differ: %d kept, %v, %v", len(all), none, err)
	}
	gone := []source.Input{{URI: filepath.Join(dir, "gone"), Size: 1}, {URI: filepath.Join(dir, "lost"), Size: 1}}
	if all, none, err := Distinct(t.Context(), gone, nil); err != nil || len(all) != 2 || none != nil {
		t.Errorf("unreadable: %v %v, %v", all, none, err)
	}
}

// The members of a compressed tar are read in few passes: each alone would take one from the
// beginning of the archive.
func TestDistinctArchive(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	rng := rand.New(rand.NewPCG(7, 7))
	const members = 100
	for i := range members {
		text := make([]byte, 1000)
		for k := range text {
			text[k] = byte(rng.IntN(256))
		}
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%d.txt", i), Size: 1000}); err != nil {
			t.Fatal(err)
		}
		w.Write(text)
	}
	w.Close()
	z.Close()
	m, name := new(storetest.Memory), "mem://b/a.tar.gz"
	store.Register("mem", func(context.Context) (store.Store, error) { return m, nil })
	m.Put(name, b.Bytes())
	inputs, err := source.List(t.Context(), []string{name}, source.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	listed := m.BytesRead(name)
	kept, left, err := Distinct(t.Context(), inputs, nil)
	if n := m.BytesRead(name) - listed; err != nil || len(kept) != members || left != nil || n > 3*int64(b.Len()) {
		t.Errorf("%d kept, %v, %v; %d bytes of %d were read", len(kept), left, err, n, b.Len())
	}
}
