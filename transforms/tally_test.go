package transforms_test

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/transforms"
)

// A stream counts as a run does, and what is lost between two stages, or with
// a range, fails it.
func TestTally(t *testing.T) {
	text := strings.Repeat("One two .\n\nThree four .\n\n", 100) + "caf\xe9 .\n"
	dir := write(t, "a.txt", text)
	var chunks []transforms.Chunk
	eachOf(t, dir, output.RowOptions{MaxWords: 100}, 300, func(c *transforms.Chunk) { chunks = append(chunks, *c) })
	if len(chunks) < 5 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for lost, drop := range map[string]func(i int, c *transforms.Chunk) bool{
		"":            func(int, *transforms.Chunk) bool { return false },
		"sentences":   func(i int, c *transforms.Chunk) bool { c.Sentences = c.Sentences[1:]; return false },
		"blocks":      func(i int, c *transforms.Chunk) bool { c.Segmented[0].Blocks--; return false },
		"by no range": func(i int, c *transforms.Chunk) bool { return i == 2 },
		"not read":    func(i int, c *transforms.Chunk) bool { return i >= 3 },
		"bytes 0 to":  func(i int, c *transforms.Chunk) bool { return i < 1 },
	} {
		var sum output.Tally
		var err error
		for i := range chunks {
			c := chunks[i]
			c.Segmented = append([]output.Count(nil), c.Segmented...)
			c.Ends = append([]output.File(nil), c.Ends...)
			if err == nil && !drop(i, &c) {
				err = sum.Add(c.Batch())
			}
		}
		if err == nil {
			err = sum.Close()
		}
		if lost != "" && (err == nil || !strings.Contains(err.Error(), strings.Fields(lost)[0])) {
			t.Errorf("%s: %v", lost, err)
		}
		if lost == "" && (err != nil || sum.Files != 1 || sum.Trees != 201 || sum.Blocks != 201 || sum.Words != 602 || sum.Warnings != 1 ||
			sum.Repaired != 1 || sum.StoredBytes != int64(len(text)) || len(sum.Reasons) != 1 || sum.Status["repaired"] != 1) {
			t.Errorf("%+v, %v", sum.Summary, err)
		}
	}
}
