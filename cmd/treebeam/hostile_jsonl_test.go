package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Records that are none, and ids that are no names of files: each costs a row
// at most, and nothing is written outside the folder that was named.
func TestHostileJSON(t *testing.T) {
	const good = `{"id": "good", "text": "One two ."}` + "\n"
	one := func(record, reason string) hostile {
		c := hostile{in: map[string]string{"a.jsonl": good + record + "\n" + `{"id": "last", "text": "Three ."}` + "\n"}, trees: 2}
		if reason != "" {
			c.rows = []row{{"", "read", reason}}
		}
		return c
	}
	more := func(c hostile, trees int64) hostile { // below 0: any number
		c.trees += trees
		return c
	}
	ids := []string{"../../../up", "/etc/passwd", "..", ".", "a/../../b", `c:\\d`, "CON", `a\u0000b`, `new\nline`, " ", strings.Repeat("n", 300), `\ud83d\ude00`, "a/b", "A/B"}
	var named strings.Builder
	for _, id := range ids {
		named.WriteString(`{"id": "` + id + `", "text": "One two ."}` + "\n")
	}
	runHostile(t, map[string]hostile{
		"no JSON":         one("One two .", "no JSON object"),
		"half a record":   one(`{"id": "x", "text": "One`, "invalid JSON"),
		"a list":          one(`["One"]`, "no JSON object"),
		"two in a line":   one(`{"text": "One ."}{"text": "Two ."}`, "invalid JSON"),
		"deep":            one(strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000), "invalid JSON"),
		"deep lists":      one(`{"text": "One .", "x": `+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+"}", "invalid JSON"),
		"no text":         one(`{"id": "x", "body": "One"}`, "no text"),
		"text of numbers": one(`{"id": "x", "text": 12}`, "text is no string"),
		"text twice":      one(`{"text": "One .", "text": "Two ."}`, "key given twice"),
		"empty text":      one(`{"id": "x", "text": ""}`, ""),
		"lone surrogates": more(one(`{"id": "x", "text": "One \ud800 two ."}`, "invalid bytes"), 1),
		"a large record":  more(one(`{"id": "x", "text": "`+strings.Repeat("word ", 20000)+`"}`, ""), -3),
		"odd ids": {in: map[string]string{"a.jsonl": named.String()}, trees: int64(len(ids)), once: true, after: func(t *testing.T, dir string) {
			before := snapshot(t, dir, "mirror")
			ends(t, exitOK, "", "convert", filepath.Join(dir, "out"), "--per-file", filepath.Join(dir, "mirror"))
			same(t, "what is beside the mirror", before, snapshot(t, dir, "mirror"))
			files := 0
			filepath.WalkDir(filepath.Join(dir, "mirror"), func(_ string, e fs.DirEntry, _ error) error {
				if e != nil && e.Type().IsRegular() {
					files++
				}
				return nil
			})
			if files == 0 {
				t.Error("no file was written")
			}
		}},
	})
}
