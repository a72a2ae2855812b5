package model

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// newModelFile writes a model that no other test has in the cache.
func newModelFile(t testing.TB, path, tag string) []byte {
	t.Helper()
	data := must(Encode(Info{Treebank: tag + t.Name() + time.Now().String()}, smallModel(t)))
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestOpenLoadsOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.tbm")
	data := newModelFile(t, path, "a")
	copied := filepath.Join(dir, "copy.tbm")
	if err := os.WriteFile(copied, data, 0o644); err != nil {
		t.Fatal(err)
	}
	before := Loads()
	models := make([]*Model, 32)
	var wg sync.WaitGroup
	for i := range models {
		wg.Go(func() {
			uri := []string{path, "file://" + path, copied, path}[i%4]
			m, err := Open(uri)
			if err != nil {
				t.Error(err)
			}
			models[i] = m
		})
	}
	wg.Wait()
	fetched := must(OpenBytes(append([]byte{0}, data...)[1:]))
	for _, m := range append(models, fetched) {
		if m != models[0] {
			t.Fatal("the same bytes gave two models")
		}
	}
	if n := Loads() - before; n != 1 {
		t.Errorf("%d loads, want 1", n)
	}
	if models[0].Digest != Digest(data) || models[0].Size != len(data) {
		t.Errorf("digest %s, size %d", models[0].Digest, models[0].Size)
	}
}

func TestOpenSeesAReplacedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tbm")
	newModelFile(t, path, "first")
	first := must(Open(path))
	newModelFile(t, path, "second")
	second, err := Open(path)
	if err != nil || second == first {
		t.Errorf("the replaced file gave the model of the old one (%v)", err)
	}
}

func TestErrorsAreNotCached(t *testing.T) {
	path := filepath.Join(t.TempDir(), "late.tbm")
	if _, err := Open(path); err == nil {
		t.Fatal("a missing file was opened")
	}
	newModelFile(t, path, "late")
	if _, err := Open(path); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, uri := range []string{t.TempDir(), "gs://bucket/m.tbm", "nowhere.tbm"} {
		if _, err := Open(uri); err == nil {
			t.Errorf("%s was opened", uri)
		}
	}
	if english == "" {
		if _, err := Open(""); err == nil {
			t.Error("a missing embedded model was opened")
		}
	}
}
