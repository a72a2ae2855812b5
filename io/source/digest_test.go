package source

import (
	"path/filepath"
	"strings"
	"testing"
)

// Processes that have ranges of the same large file read all of it once, not
// each of them; a damaged answer is none.
func TestSharedDigest(t *testing.T) {
	const pieces = 16
	text := strings.Repeat("0123456789", 160)
	m := memory(t, map[string]string{"b/x.txt": text})
	whole := 0
	m.Break(func(_ string, off, n int64) (int64, error) {
		if off == 0 && n == int64(len(text)) {
			whole++
		}
		return -1, nil
	})
	digestOf := func(i int, plan *Plan, shared string) string {
		t.Helper()
		cut.Lock() // another process
		clear(cut.files)
		cut.order = nil
		cut.Unlock()
		r := &plan.Ranges[i]
		r.Digests = shared
		f, err := Open(t.Context(), r, &r.Pieces[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		sum, err := f.Digest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	many, few := remotePlan(t, PlanOptions{RangeBytes: 100}), remotePlan(t, PlanOptions{RangeBytes: 400})
	want := digestOf(0, many, "")
	for name, c := range map[string]struct {
		plan   *Plan
		shared string
		reads  int
	}{
		"alone":          {many, "", pieces},
		"on a disk":      {many, filepath.Join(t.TempDir(), "_treebeam", "digests"), 1},
		"in a bucket":    {many, "mem://out/_treebeam/digests", 1},
		"of few pieces":  {few, "mem://out/_treebeam/digests", 4},
		"no such folder": {many, filepath.Join(tree(t, map[string]string{"file": ""}), "file", "digests"), pieces},
	} {
		whole = 0
		for i := range c.plan.Ranges {
			if got := digestOf(i, c.plan, c.shared); got != want {
				t.Errorf("%s: piece %d has the digest %s, not %s", name, i, got, want)
			}
		}
		if whole != c.reads {
			t.Errorf("%s: the file was read %d times, not %d", name, whole, c.reads)
		}
	}
	for info, err := range m.List(t.Context(), "mem://out/") {
		if err != nil {
			t.Fatal(err)
		}
		m.Put(info.Name, []byte("half"))
	}
	if got := digestOf(1, many, "mem://out/_treebeam/digests"); got != want {
		t.Errorf("damaged: %s", got)
	}
	m.Put("mem://b/x.txt", []byte(strings.ToUpper(text)+"more"))
	if got := digestOf(1, remotePlan(t, PlanOptions{RangeBytes: 100}), "mem://out/_treebeam/digests"); got == want {
		t.Error("another version has the same digest")
	}
}
