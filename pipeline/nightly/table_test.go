package nightly

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Values that are kept of records stay with them over nights and a compaction,
// and other keys make another state.
func TestKeep(t *testing.T) {
	c := newCorpus(t, 9)
	c.write("a.jsonl", `{"text": "One .", "by": "Ann"}`+"\n"+`{"text": "Two .", "by": "Bob"}`+"\n")
	c.write("b.csv", "text,by\nThree .,Ann\n")
	o := c.options()
	o.Rows.Keep = "by"
	c.mustNight(o)
	c.write("c.csv", "text,by\nFour .,Cem\n")
	c.mustNight(o)
	want := c.rows()
	for _, part := range []string{`"meta_by":"Ann"`, `"meta_by":"Bob"`, `"meta_by":"Cem"`, `"Meta":[{"Key":"by","Value":""}]`, `"Meta":[{"Key":"by","Value":"Cem"}]`} {
		if !strings.Contains(want, part) {
			t.Fatalf("no %s in\n%s", part, want)
		}
	}
	done, err := Compact(context.Background(), CompactOptions{State: c.state})
	c.must(err)
	if got := c.rows(); done.Merged != 2 || got != want {
		t.Errorf("%d runs were merged, which leaves\n%s", done.Merged, got)
	}
	sql, err := os.ReadFile(filepath.Join(c.state, viewsDir, "trino.sql"))
	c.must(err)
	if n := strings.Count(string(sql), `  "meta_by" varchar`); n != 2 {
		t.Errorf("trino.sql has %d columns meta_by:\n%s", n, sql)
	}
	o.Rows.Keep = "by,at"
	c.refused(o, "--keep: was by, is by,at", "--all")
}
