package transforms_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/store/storetest"
	"github.com/treebeam/treebeam/model/modeltest"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	modeltest.SkipWithout("^Test(WordsCoverSentences|NetworkChunk)$")
	os.Exit(m.Run())
}

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
	each(t, dir, o, rangeBytes, func(c *transforms.Chunk) { got.add(t, c) })
	c := &got.sums
	if c.Blocks != c.Segmented+c.BlocksFailed || c.Sentences != c.Trees+c.SentencesFailed {
		t.Fatalf("the sums do not close: %+v", c.Counts)
	}
	return got
}

// planned are the ranges of the files below dir.
func planned(t *testing.T, dir string, rangeBytes int64) []source.Range {
	t.Helper()
	inputs, err := source.Find(t.Context(), []string{dir}, source.ListOptions{})
	must(t, err)
	defer inputs.Close()
	plan, err := source.NewPlan(t.Context(), inputs, source.PlanOptions{RangeBytes: rangeBytes})
	must(t, err)
	return rangesOf(t, plan)
}

func rangesOf(t *testing.T, plan *source.Plan) (list []source.Range) {
	t.Helper()
	for r, err := range plan.Ranges() {
		must(t, err)
		list = append(list, r)
	}
	return list
}

// each gives the chunks of files below dir, staged, to do.
func each(t *testing.T, dir string, o output.RowOptions, rangeBytes int64, do func(c *transforms.Chunk)) {
	t.Helper()
	plan := planned(t, dir, rangeBytes)
	toy := new(transformstest.Toy)
	for k := range plan {
		err := transforms.ReadPaced(t.Context(), &plan[k], nil, o, nil, func(c transforms.Chunk) error {
			c = transforms.Stage(c, toy, o)
			do(&c)
			return nil
		})
		must(t, err)
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
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
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

// sameInRanges compares the rows of files that are cut into ranges of some sizes.
func sameInRanges(t *testing.T, dir string, o output.RowOptions, want rows, sizes ...int64) {
	t.Helper()
	for _, size := range sizes {
		got := stage(t, dir, o, size)
		equal(t, "tree", got.trees, want.trees)
		equal(t, "failure", got.failures, want.failures)
		if !reflect.DeepEqual(got.sums.Counts, want.sums.Counts) || got.sums.Records != want.sums.Records {
			t.Errorf("ranges of %d bytes: sums %+v, not %+v", size, got.sums, want.sums)
		}
	}
}

func TestRecords(t *testing.T) {
	const first = `{"id": "d1", "text": "One. Two.\n\nThree."}` + "\n"
	const rest = `{"text": "No id."}` + "\n" +
		`{"id": "empty", "text": " "}` + "\n" +
		`{"id": "bad", "text": 7}` + "\n" +
		`{"id": [1], "text": "Odd \u0000 id."}` + "\n" +
		`{"id": 5, "text": "caf\u00e9 A\nB"}` + "\n" +
		`{"id": 6, "text": [["Cut", "up\udc00"], ["", "b"], ["In", "two"]]}`
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
		fmt.Sprintf(`6 %d-%d "Cut up�" ["# newdoc id = 6"]`, at(`["Cut`), at(`, ["", "b"]`)),
		fmt.Sprintf(`6 %d-%d "In two" []`, at(`["In`), at(`]}`)),
	})
	equal(t, "failure", got.failures, []string{
		fmt.Sprintf(`bad %d error "text" is a number, not a string; name the key of the text with --text`, at("7}")),
		fmt.Sprintf(`x.jsonl#%d %d warning "id" is an array, not a string or a number; the record got an id made from its place; another key can be named with --id`, odd, odd+7),
		fmt.Sprintf(`x.jsonl#%d %d warning invalid bytes: 1 character replaced by U+FFFD`, odd, at(`\u0000`)),
		fmt.Sprintf("6 %d warning invalid bytes: 1 character replaced by U+FFFD", at(`["Cut`)),
		fmt.Sprintf("6 %d error no token: token 1 is blank", at(`["", "b"]`)),
	})
	if got.sums.Records != 7 || got.sums.Blocks != 10 || got.sums.BlocksFailed != 2 {
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
		case 2:
			fmt.Fprintf(&b, "{\"text\": [[%s, \"b\"], [], [\"c\"]]}\n", text)
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
	sameInRanges(t, dir, o, want, 500, 5000, 40000)
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
	sameInRanges(t, dir, o, want, 400, 1000, 30000)
}

// A stream counts as a run does, and what is lost between two stages, or with
// a range, fails it.
func TestTally(t *testing.T) {
	text := strings.Repeat("One two .\n\nThree four .\n\n", 100) + "caf\xe9 .\n"
	dir := write(t, "a.txt", text)
	var chunks []transforms.Chunk
	each(t, dir, output.RowOptions{MaxWords: 100}, 300, func(c *transforms.Chunk) { chunks = append(chunks, *c) })
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

// A panicking store's files panic at their last byte.
type panicking struct{ *storetest.Memory }

func (p *panicking) Open(ctx context.Context, name, _ string, off, n int64) (io.ReadCloser, error) {
	r, err := p.Memory.Open(ctx, name, "", off, n)
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(r, n-1), bomb{}), r}, err
}

type bomb struct{}

func (bomb) Read([]byte) (int, error) { panic("planted") }

// A panic while a file is read costs the rest of that file: there is a row of
// a defect, and what came before is parsed. One in a later stage is not the
// file's.
func TestReadPanics(t *testing.T) {
	s := &panicking{new(storetest.Memory)}
	store.Register("panicking", func(context.Context) (store.Store, error) { return s, nil })
	text := strings.Repeat("One two three .\n\n", 600_000) // over what is fetched ahead
	s.Put("panicking://b/a.txt", []byte(text))
	size := int64(len(text))
	r := source.Range{N: 1, Pieces: []source.Piece{
		{Input: source.Input{URI: "panicking://b/a.txt", DocID: "a.txt", Size: size, Version: "1"}, End: size},
	}}
	blocks, ends := int64(0), []output.File(nil)
	var rows []output.Failure
	emit := func(c transforms.Chunk) error {
		blocks += int64(len(c.Blocks))
		ends = append(ends, c.Ends...)
		rows = append(rows, c.Failures...)
		return nil
	}
	must(t, transforms.ReadPaced(t.Context(), &r, nil, output.RowOptions{}, nil, emit))
	if blocks < 590_000 || len(ends) != 1 || ends[0].Blocks != blocks || !ends[0].Failed || ends[0].Sum != nil {
		t.Errorf("%d blocks, %+v", blocks, ends)
	}
	if len(rows) != 1 || rows[0].Kind != syntax.KindInternal || rows[0].Stage != "read" || rows[0].ByteOffset != ends[0].End {
		t.Errorf("rows %+v", rows)
	}

	in := strings.Repeat("One two three .\n\n", 20_000)
	dir := write(t, "b.txt", in)
	plan := planned(t, dir, 0)
	defer func() {
		if recover() != "of a later stage" {
			t.Error("a panic of a later stage was recovered")
		}
	}()
	transforms.ReadPaced(t.Context(), &plan[0], nil, output.RowOptions{}, nil, func(transforms.Chunk) error { panic("of a later stage") })
}

// must ends the test if there is an error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
