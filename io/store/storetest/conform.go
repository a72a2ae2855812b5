// Package storetest checks that a store keeps the promises of package store (Conform).
// It has a store in memory and a server whose connections break when a test asks for
// it.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/store"
)

// Conform checks s with files whose names begin with root, which must be a
// folder without any.
func Conform(t *testing.T, s store.Store, root string) {
	root = strings.TrimRight(root, "/")
	for name, check := range map[string]func(*testing.T, store.Store, string){
		"list": checkList, "ranges": checkRanges, "conditions": checkConditions,
		"abort": checkAbort, "absent": checkAbsent, "large": checkLarge,
	} {
		t.Run(name, func(t *testing.T) { check(t, s, root+"/"+name) })
	}
}

// Put writes a file and returns what the store says of it.
func Put(t *testing.T, s store.Store, name, data, expect string) store.Info {
	t.Helper()
	if err := put(t.Context(), s, name, data, expect); err != nil {
		t.Fatal(err)
	}
	info, err := s.Stat(t.Context(), name)
	if err != nil || info.Name != name || info.Size != int64(len(data)) || info.Version == "" {
		t.Fatalf("%s was written, and then there is %+v, %v", name, info, err)
	}
	return info
}

func put(ctx context.Context, s store.Store, name, data, expect string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.Create(ctx, name, store.Options{Expect: expect})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.WriteString(w, data); err != nil {
		return err
	}
	return w.Commit()
}

// Get reads the bytes [off, off+n).
func Get(t *testing.T, s store.Store, name, version string, off, n int64) (string, error) {
	t.Helper()
	r, err := s.Open(t.Context(), name, version, off, n)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

func checkList(t *testing.T, s store.Store, root string) {
	var want []string
	for _, name := range []string{"a/x", "a.txt", "a/b/c é.txt", "B", "ab", "z/1", "z/10", "z/9"} {
		want = append(want, root+"/"+name)
		Put(t, s, root+"/"+name, name, store.Absent)
	}
	slices.Sort(want)
	for _, prefix := range []string{"/", "/a", "/a/", "/z/1", "/nothing/"} {
		var got []string
		for info, err := range s.List(t.Context(), root+prefix) {
			if err != nil {
				t.Fatal(err)
			}
			if info.Size != int64(len(info.Name)-len(root)-1) || info.Version == "" {
				t.Errorf("listed %+v", info)
			}
			if now, err := s.Stat(t.Context(), info.Name); err != nil || now != info {
				t.Errorf("listed %+v, then it is %+v, %v", info, now, err)
			}
			got = append(got, info.Name)
		}
		expected := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return !strings.HasPrefix(name, root+prefix) })
		if !slices.Equal(got, expected) {
			t.Errorf("%s: got %q, want %q", prefix, got, expected)
		}
	}
	for range s.List(t.Context(), root+"/") {
		break // a consumer that has enough
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.List(ctx, root+"/") {
		if err == nil {
			t.Error("a listing went on without its context")
		}
		break
	}
}

func checkRanges(t *testing.T, s store.Store, root string) {
	info := Put(t, s, root+"/x", "0123456789", store.Absent)
	for off := range int64(10) {
		for n := int64(1); off+n <= 10; n++ {
			for _, version := range []string{"", info.Version} {
				if got, err := Get(t, s, info.Name, version, off, n); err != nil || got != "0123456789"[off:off+n] {
					t.Fatalf("[%d, %d): got %q, %v", off, off+n, got, err)
				}
			}
		}
	}
	if data, err := store.ReadFile(t.Context(), info.Name); err != nil || string(data) != "0123456789" {
		t.Errorf("got %q, %v", data, err)
	}
}

func checkConditions(t *testing.T, s store.Store, root string) {
	name := root + "/x"
	first := Put(t, s, name, "first", store.Absent)
	for _, expect := range []string{store.Absent, first.Version + "0"} {
		if err := put(t.Context(), s, name, "refused", expect); !errors.Is(err, store.ErrCondition) {
			t.Errorf("expecting %q: got %v", expect, err)
		}
		if got, err := Get(t, s, name, first.Version, 0, 5); got != "first" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	second := Put(t, s, name, "second", first.Version)
	if _, err := Get(t, s, name, first.Version, 0, 5); !errors.Is(err, store.ErrVersion) || store.IsTransient(err) {
		t.Errorf("an old version: got %v", err)
	}
	if err := put(t.Context(), s, name, "refused", first.Version); !errors.Is(err, store.ErrCondition) {
		t.Errorf("an old version was replaced: %v", err)
	}
	if got, err := Get(t, s, name, second.Version, 0, 6); got != "second" {
		t.Errorf("got %q, %v", got, err)
	}
	Put(t, s, name, "third", store.Anything)
	Put(t, s, root+"/y", "", store.Anything)
	for range 2 {
		if err := s.Delete(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if _, err := Get(t, s, name, second.Version, 0, 1); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrVersion) {
		t.Errorf("a file that is gone: %v", err)
	}
	if err := put(t.Context(), s, name, "refused", second.Version); !errors.Is(err, store.ErrCondition) {
		t.Errorf("a file that is gone was replaced: %v", err)
	}
}

func checkAbort(t *testing.T, s store.Store, root string) {
	for _, size := range []int{0, 10, 20 << 20} {
		name := fmt.Sprintf("%s/%d", root, size)
		ctx, cancel := context.WithCancel(t.Context())
		w, err := s.Create(ctx, name, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		w.Abort()
		if err := w.Commit(); err == nil {
			t.Error("Commit after Abort gave no error")
		}
		cancel()
	}
	for info, err := range s.List(t.Context(), root+"/") {
		t.Errorf("something is left: %+v, %v", info, err)
	}
	w, err := s.Create(t.Context(), root+"/x", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if info, err := s.Stat(t.Context(), root+"/x"); err != nil || info.Size != 0 {
		t.Errorf("Abort after Commit: %+v, %v", info, err)
	}
}

func checkAbsent(t *testing.T, s store.Store, root string) {
	_, err := s.Stat(t.Context(), root+"/none")
	_, openErr := s.Open(t.Context(), root+"/none", "", 0, 1)
	_, readErr := store.ReadFile(t.Context(), root+"/none")
	for _, err := range []error{err, openErr, readErr} {
		if !errors.Is(err, fs.ErrNotExist) || store.IsTransient(err) || !strings.Contains(err.Error(), root+"/none") {
			t.Errorf("got %v", err)
		}
	}
}

// checkLarge writes more than one request of an object store takes.
func checkLarge(t *testing.T, s store.Store, root string) {
	data := make([]byte, 21<<20)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	w, err := s.Create(t.Context(), root+"/x", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 1<<20+17)
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := store.ReadFile(t.Context(), root+"/x"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes of %d, %v", len(got), len(data), err)
	}
}
