package transforms_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// A rows is what comes of files, with the sums of all of them.
type rows struct {
	trees    []string // doc_id, start, end, text, first comments
	failures []string // doc_id, severity, reason
	sums     output.File
}

// stage reads and stages files below dir with the toy model, cut into ranges
// of about rangeBytes.
func stage(t *testing.T, dir string, o output.RowOptions, rangeBytes int64) (got rows) {
	t.Helper()
	eachOf(t, dir, o, rangeBytes, func(c *transforms.Chunk) { got.add(t, c) })
	c := &got.sums
	if c.Blocks != c.Segmented+c.BlocksFailed || c.Sentences != c.Trees+c.SentencesFailed {
		t.Fatalf("the sums do not close: %+v", c.Counts)
	}
	return got
}

// each gives the chunks of files below dir, staged, to do.
func each(t *testing.T, dir string, o output.RowOptions, do func(c *transforms.Chunk)) {
	t.Helper()
	eachOf(t, dir, o, 0, do)
}

func eachOf(t *testing.T, dir string, o output.RowOptions, rangeBytes int64, do func(c *transforms.Chunk)) {
	t.Helper()
	inputs, err := source.List(t.Context(), []string{dir}, source.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := source.NewPlan(inputs, source.PlanOptions{RangeBytes: rangeBytes})
	if err != nil {
		t.Fatal(err)
	}
	toy := new(transformstest.Toy)
	for k := range plan.Ranges {
		err := transforms.ReadPaced(t.Context(), &plan.Ranges[k], o, nil, func(c transforms.Chunk) error {
			c = transforms.Stage(c, toy, o)
			do(&c)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (r *rows) add(t *testing.T, c *transforms.Chunk) {
	for i := range c.Segmented {
		r.sums.Segmented += c.Segmented[i].Blocks
		r.sums.Sentences += c.Segmented[i].Sentences
	}
	for i := range c.Sentences {
		s := &c.Sentences[i]
		r.sums.Trees++
		r.trees = append(r.trees, fmt.Sprintf("%s %d-%d %q %q", c.Files[s.File].DocID, s.StartByte, s.EndByte, s.Text, s.Comments))
	}
	for i := range c.Failures {
		f := &c.Failures[i]
		if f.Block {
			r.sums.BlocksFailed++
		}
		if f.Sentence {
			r.sums.SentencesFailed++
		}
		r.failures = append(r.failures, fmt.Sprintf("%s %d %s %s", c.Files[f.File].DocID, f.ByteOffset, f.Severity, f.Reason))
	}
	for i := range c.Ends {
		e := &c.Ends[i]
		r.sums.Blocks += e.Blocks
		r.sums.Records += e.Records
		if e.Start != e.End {
			if e.Start != r.sums.End {
				t.Fatalf("%s: a range covers from %d, the one before to %d", e.URI, e.Start, r.sums.End)
			}
			r.sums.End = e.End
		}
		if e.EOF {
			r.sums.End = 0
		}
	}
}

func write(t *testing.T, name, content string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Fatalf("%s %d:\ngot  %s\nwant %s", what, i, g, w)
		}
	}
}

func TestRecords(t *testing.T) {
	const first = `{"id": "d1", "text": "One. Two.\n\nThree."}` + "\n"
	const rest = `{"text": "No id."}` + "\n" +
		`{"id": "empty", "text": " "}` + "\n" +
		`{"id": "bad", "text": 7}` + "\n" +
		`{"id": [1], "text": "Odd \u0000 id."}` + "\n" +
		`{"id": 5, "text": "caf\u00e9 A\nB"}`
	dir := write(t, "x.jsonl", first+rest)
	got := stage(t, dir, output.RowOptions{Lines: "auto"}, 0)
	at := func(part string) int { return strings.Index(first+rest, part) }
	none, odd := at(`{"text": "No`), at(`{"id": [1]`)
	equal(t, "tree", got.trees, []string{
		`d1 22-26 "One." ["# newdoc id = d1" "# newpar"]`,
		`d1 27-31 "Two." []`,
		`d1 35-41 "Three." ["# newpar"]`,
		fmt.Sprintf(`x.jsonl#%d %d-%d "No id." ["# newdoc id = x.jsonl#%d" "# newpar"]`, none, at("No id"), at("No id")+6, none),
		fmt.Sprintf(`x.jsonl#%d %d-%d "Odd � id." ["# newdoc id = x.jsonl#%d" "# newpar"]`, odd, at("Odd"), at("Odd")+14, odd),
		fmt.Sprintf(`5 %d-%d "café A" ["# newdoc id = 5" "# newpar"]`, at("caf"), at(`\nB`)),
		fmt.Sprintf(`5 %d-%d "B" ["# newpar"]`, at(`\nB`)+2, at(`\nB`)+3),
	})
	equal(t, "failure", got.failures, []string{
		fmt.Sprintf(`bad %d error text is no string: under "text" stands a number; name the right key with --text-key`, at("7}")),
		fmt.Sprintf(`x.jsonl#%d %d warning id is no string or number: under "id" stands an array; the record has an id made of its place, or name another key with --id-key`, odd, odd+7),
		fmt.Sprintf(`x.jsonl#%d %d warning invalid bytes: 1 character replaced by U+FFFD`, odd, at(`\u0000`)),
	})
	if got.sums.Records != 6 || got.sums.Blocks != 7 || got.sums.BlocksFailed != 1 {
		t.Errorf("sums %+v", got.sums)
	}
}

// The lines of a text, in a record or a file, may be cut, joined or sentences.
func TestLines(t *testing.T) {
	for name, content := range map[string]string{"x.jsonl": `{"text": "one\ntwo\n\nthree"}`, "x.txt": "one\ntwo\n\nthree"} {
		dir := write(t, name, content)
		for lines, want := range map[string]int{"wrapped": 2, "paragraph": 3, "sentence": 3} {
			if got := stage(t, dir, output.RowOptions{Lines: lines}, 0); len(got.trees) != want {
				t.Errorf("%s, %s: got %q", name, lines, got.trees)
			}
		}
	}
}

// However files are cut into ranges, the rows are the same.
func TestRecordsOfRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for i := range 300 {
		text, _ := json.Marshal(strings.Repeat("Ein kleiner \"Satz\" für sich.\n", rng.IntN(30)))
		switch rng.IntN(10) {
		case 0:
			fmt.Fprintf(&b, "{\"text\": %s\n", text)
		case 1:
			fmt.Fprintf(&b, " \r\n{\"text\": %s}\r\n", text)
		default:
			fmt.Fprintf(&b, "{\"id\": %d, \"text\": %s}\n", i, text)
		}
	}
	dir := write(t, "x.jsonl", b.String())
	o := output.RowOptions{Lines: "auto"}
	want := stage(t, dir, o, 0)
	if want.sums.Records != 300 || len(want.failures) < 10 || len(want.trees) < 300 {
		t.Fatalf("sums %+v", want.sums)
	}
	for _, size := range []int64{500, 5000, 40000} {
		got := stage(t, dir, o, size)
		equal(t, "tree", got.trees, want.trees)
		equal(t, "failure", got.failures, want.failures)
		if got.sums.Counts != want.sums.Counts || got.sums.Records != want.sums.Records {
			t.Errorf("sums %+v, not %+v", got.sums, want.sums)
		}
	}
}

func TestDocumentByLine(t *testing.T) {
	content := "\ufeffOne. Two.\n\n  Three.\r\n" + strings.Repeat("A long line of text. ", 2000) + "\nEnd."
	dir := write(t, "x.txt", content)
	o := output.RowOptions{Lines: "auto", Document: output.ByLine}
	want := stage(t, dir, o, 0)
	equal(t, "tree", append(want.trees[:4:4], want.trees[len(want.trees)-1]), []string{
		`x.txt#3 3-7 "One." ["# newdoc id = x.txt#3" "# newpar"]`,
		`x.txt#3 8-12 "Two." []`,
		`x.txt#16 16-22 "Three." ["# newdoc id = x.txt#16" "# newpar"]`,
		`x.txt#24 24-44 "A long line of text." ["# newdoc id = x.txt#24" "# newpar"]`,
		fmt.Sprintf(`x.txt#%[1]d %[1]d-%[2]d "End." ["# newdoc id = x.txt#%[1]d" "# newpar"]`, len(content)-4, len(content)),
	})
	if len(want.trees) != 2004 || want.sums.Blocks < 5 {
		t.Errorf("got %d trees of %d blocks", len(want.trees), want.sums.Blocks)
	}
	for _, size := range []int64{400, 1000, 30000} {
		equal(t, "tree", stage(t, dir, o, size).trees, want.trees)
	}
}
