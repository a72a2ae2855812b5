package transforms_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/transforms"
)

// TestRows reads good and bad rows of a table.
func TestRows(t *testing.T) {
	const csv = "\ufeffid,text,stars\r\nr1,\"One. \"\"Two.\"\"\r\n\r\nThree.\",5\r\n,No id.,4\r\nr3,,3\r\nr4,\"Bad\" quotes.,2\r\nr5,Four.\r\n"
	dir := write(t, "x.csv", csv)
	got := stage(t, dir, output.RowOptions{Lines: "auto"}, 0)
	at := func(part string) int { return strings.Index(csv, part) }
	equal(t, "tree", got.trees, []string{
		fmt.Sprintf(`r1 %d-%d "One." ["# newdoc id = r1" "# newpar"]`, at("One"), at("One")+4),
		fmt.Sprintf(`r1 %d-%d "\"Two.\"" []`, at(`""Two`), at(`""Two`)+8),
		fmt.Sprintf(`r1 %d-%d "Three." ["# newpar"]`, at("Three"), at("Three")+6),
		fmt.Sprintf(`x.csv#%d %d-%d "No id." ["# newdoc id = x.csv#%[1]d" "# newpar"]`, at(",No id"), at("No id"), at("No id")+6),
	})
	equal(t, "failure", got.failures, []string{
		fmt.Sprintf(`x.csv#%d %[1]d error a quote is not closed, or there is text after a closing quote; write a quote inside a quoted cell twice`, at("r4")),
		fmt.Sprintf(`x.csv#%d %[1]d error 2 columns, but the header names 3: a separator inside a cell needs quotes around the cell`, at("r5")),
	})
	if got.sums.Records != 5 || got.sums.Blocks != 5 || got.sums.BlocksFailed != 2 {
		t.Errorf("sums %+v", got.sums)
	}
}

// draws writes the same random rows as CSV, TSV and Parquet.
func draws(t *testing.T, n int) (files map[string]string) {
	t.Helper()
	type row struct {
		ID   string  `parquet:"id"`
		Body string  `parquet:"body"`
		Note *string `parquet:"note,optional"`
	}
	rng := rand.New(rand.NewPCG(7, 8))
	var csv, tsv strings.Builder
	var file bytes.Buffer
	w := pq.NewGenericWriter[row](&file, pq.PageBufferSize(3000))
	csv.WriteString("id;body;note\n")
	tsv.WriteString("id\tbody\tnote\n")
	for i := range n {
		r := row{ID: fmt.Sprint("r", i), Body: strings.Repeat("Ein kleiner \"Satz\" für sich. ", rng.IntN(9))}
		if i%10 == 0 {
			r.ID = ""
		}
		note := fmt.Sprint("n", i%7)
		if r.Note = &note; i%7 == 0 {
			note = ""
		}
		fmt.Fprintf(&csv, "%s;\"%s\";%s\n", r.ID, strings.ReplaceAll(r.Body, `"`, `""`), note)
		fmt.Fprintf(&tsv, "%s\t%s\t%s\n", r.ID, r.Body, note)
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
		if i%90 == 89 {
			w.Flush()
		}
	}
	must(t, w.Close())
	return map[string]string{"x.csv": csv.String(), "x.tsv": tsv.String(), "x.parquet": file.String()}
}

// TestTablesOfRanges compares tables with each other: whatever the format, and
// however it is cut into ranges, the documents and their sentences are the same.
func TestTablesOfRanges(t *testing.T) {
	files := draws(t, 300)
	var first []string
	for name, content := range files {
		dir := write(t, name, content)
		o := output.RowOptions{Lines: "auto", TextKey: "body", Keep: "note,absent"}
		want := stage(t, dir, o, 0)
		if want.sums.Records != 300 || len(want.failures) != 1 || !strings.Contains(want.failures[0], `no column "absent"`) || len(want.trees) < 300 {
			t.Fatalf("%s: %d trees, %q, sums %+v", name, len(want.trees), want.failures, want.sums)
		}
		var same []string // all but the places
		for _, row := range want.trees {
			id, rest, _ := strings.Cut(row, " ")
			_, rest, _ = strings.Cut(rest, " ")
			made, _, _ := strings.Cut(id, "#") // an id that has the place, too
			same = append(same, strings.ReplaceAll(made+strings.ReplaceAll(rest, id, made), name, "x"))
		}
		if first == nil {
			first = same
		}
		equal(t, name, same, first)
		sameInRanges(t, dir, o, want, 300, 5000, 20000)
	}
}

// TestKept has the values that come with documents, and those of a file.
func TestKept(t *testing.T) {
	for name, content := range map[string]string{
		"x.csv":   "text,by,n,in\nOne.,\"A, B\",1,x\nTwo.,,2,x\n",
		"x.jsonl": `{"text": "One.", "by": "A, B", "n": 1, "in": "x"}` + "\n" + `{"text": "Two.", "by": null, "n": 2, "in": "x"}`,
	} {
		dir := write(t, name, content)
		var got, whole [][]string
		values := func(meta []parquet.KeyValue) (list []string) {
			for _, kv := range meta {
				list = append(list, kv.Value)
			}
			return list
		}
		each(t, dir, output.RowOptions{Lines: "auto", Keep: "by,n,in,absent"}, 0, func(c *transforms.Chunk) {
			for i := range c.Sentences {
				got = append(got, values(c.Files[c.Sentences[i].File].Meta))
			}
			for i := range c.Ends {
				whole = append(whole, values(c.Ends[i].Meta))
			}
		})
		want := [][]string{{"A, B", "1", "x", ""}, {"", "2", "x", ""}}
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(whole) != fmt.Sprint([][]string{{"", "", "x", ""}}) {
			t.Errorf("%s: %q, file %q", name, got, whole)
		}
	}
	dir := write(t, "x.jsonl", `{"text": "One.", "by": {"name": ["A", 2]}}`)
	each(t, dir, output.RowOptions{Lines: "auto", Keep: "by.name,by"}, 0, func(c *transforms.Chunk) {
		if got := c.Files[0].Meta; !slices.Equal(got, []parquet.KeyValue{{Key: "by.name", Value: `["A", 2]`}, {Key: "by", Value: `{"name": ["A", 2]}`}}) {
			t.Errorf("nested: %q", got)
		}
	})
}

// TestUnkept has keys to keep that no record of JSON Lines has: a warning each for the file,
// however it is cut into ranges. A key that comes late is missing from its head.
func TestUnkept(t *testing.T) {
	const early = "{\"text\": \"One.\", \"by\": null, \"in\": {\"town\": 1}}\n"
	head := strings.Repeat(early, 2*source.HeadBytes/len(early))
	for content, want := range map[string]string{
		early:                              `no record has the key "yb", but "text", "by", "in"`,
		strings.Repeat(early, 99):          `no record has the key "yb", but "text", "by", "in"`,
		head:                               fmt.Sprintf(`none of the first %d records has the key "yb", but "text", "by", "in"`, source.HeadBytes/len(early)),
		early + `{"text": "Two.", "yb":1}`: "",
		"\n\n":                             "",
	} {
		dir := write(t, "x.jsonl", content)
		o := output.RowOptions{Lines: "auto", Keep: "by,yb,in.town"}
		got := stage(t, dir, o, 0)
		var failures []string
		if want != "" {
			failures = []string{"x.jsonl 0 warning value not kept: " + want}
		}
		equal(t, "failure", got.failures, failures)
		sameInRanges(t, dir, o, got, 40, 5000)
	}
	dir := write(t, "x.jsonl", early)
	for key, want := range map[string][]string{"by": nil, "in.town": nil, "nope": {`x.jsonl 0 warning no id: no record has the key "nope", but "text", "by", "in"; ids are made of places`}} {
		o := output.RowOptions{Lines: "auto", IDKey: key}
		got := stage(t, dir, o, 0)
		equal(t, "failure with --id "+key, got.failures, want)
	}
}

// TestNoTable has tables of which nothing can be read: one row says why, however
// many ranges there are.
func TestNoTable(t *testing.T) {
	files := draws(t, 100)
	for name, content := range files {
		dir := write(t, name, content)
		for _, size := range []int64{0, 300} {
			got := stage(t, dir, output.RowOptions{Lines: "auto"}, size)
			if len(got.trees) != 0 || len(got.failures) != 1 || !strings.Contains(got.failures[0], `no text: the table has no column "text", but "id", "body", "note"; name the right one with --text`) {
				t.Errorf("%s: %q, %q", name, got.trees, got.failures)
			}
		}
	}
	dir := write(t, "x.parquet.gz", gzipped(files["x.parquet"]))
	if got := stage(t, dir, output.RowOptions{TextKey: "body"}, 0); len(got.failures) != 1 || !strings.Contains(got.failures[0], "compressed as a whole") {
		t.Errorf("compressed Parquet: %q", got.failures)
	}
	dir = write(t, "x.csv.gz", gzipped(files["x.csv"]))
	if got := stage(t, dir, output.RowOptions{TextKey: "body"}, 0); len(got.failures) != 0 || got.sums.Records != 100 {
		t.Errorf("compressed CSV: %q", got.failures)
	}
}

// TestLiveTable reads rows as they come: a row is parsed while the next one is
// not there yet.
func TestLiveTable(t *testing.T) {
	in, out := io.Pipe()
	live := transforms.Live{Input: source.Input{URI: "-", DocID: "-"}, From: in}
	seen := make(chan string)
	done := make(chan error)
	go func() {
		done <- transforms.ReadLive(t.Context(), &live, nil, output.RowOptions{From: "csv", Lines: "auto"}, new(transforms.Pace), func(c transforms.Chunk) error {
			for i := range c.Blocks {
				seen <- c.Blocks[i].Text
			}
			return nil
		})
	}()
	fmt.Fprint(out, "id,text\n")
	for _, text := range []string{"One.", "Two."} {
		fmt.Fprintf(out, "1,\"%s\"\n", text)
		if got := <-seen; got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	out.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
