package nightly

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// Values that are kept of records stay with them over nights and a compaction,
// and other keys make another state.
func TestKeep(t *testing.T) {
	c := newCorpus(t, 9)
	c.write("a.jsonl", `{"text": "One .", "by": "Ann"}`+"\n"+`{"text": "Two .", "by": "Bob"}`+"\n")
	c.write("b.csv", "text,by\nThree .,Ann\n")
	o := c.options()
	o.Rows.Keep, o.Rows.Words = "by", true
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
	words := 0
	parts, err := filepath.Glob(filepath.Join(c.state, "data", done.Run, "words", "*.parquet"))
	c.must(err)
	for _, part := range parts {
		r, err := parquet.Open[parquet.Word](part)
		c.must(err)
		for w, err := range r.All() {
			c.must(err)
			if words++; len(w.Meta) != 1 || w.Meta[0].Value == "" {
				t.Errorf("%s: %v", w.Form, w.Meta)
			}
		}
		c.must(r.Close())
	}
	if words != 8 {
		t.Errorf("the compaction has %d words in %q", words, parts)
	}
	for name, says := range map[string][]string{"duckdb.sql": {"VIEW words AS", "/words/*.parquet"}, "spark.sql": {"VIEW words AS", "/words`"}} {
		sql, err := os.ReadFile(filepath.Join(c.state, viewsDir, name))
		c.must(err)
		for _, part := range says {
			if !strings.Contains(string(sql), part) {
				t.Errorf("%s has no %s:\n%s", name, part, sql)
			}
		}
	}
	o.Rows.Keep = "by,at"
	c.refused(o, "--keep: was by, is by,at", "--all")
}
