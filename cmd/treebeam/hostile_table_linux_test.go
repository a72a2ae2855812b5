package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/record/recordtest"
)

// Tables that are broken, or could take much memory.
func TestHostileTables(t *testing.T) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("column %d", i)
	}
	wide := strings.Join(names[:5000], "\t") + "\ttext\n" + strings.Repeat(strings.Repeat("x\t", 5000)+"One .\n", 100)
	value := strings.Repeat("k", 10<<20)
	keep := []string{"IN", "--output", "OUT", "--keep", "kept"}
	runHostile(t, map[string]hostile{
		"a line of 40 MB":          {in: map[string]string{"a.tsv": "text\n" + strings.Repeat("x", 40<<20) + "\nOne .\n"}, trees: 1, rows: []row{{"a.tsv#5", "read", "record too long"}}, once: true},
		"a quote never closed":     {in: map[string]string{"a.csv": "text\n\"x\n" + strings.Repeat("\n", 4<<20) + "One .\n"}, trees: 1, rows: []row{{"a.csv#5", "read", "a quote is not closed"}}, once: true},
		"a header that never ends": {in: map[string]string{"a.csv": strings.Repeat("x,", 1<<20)}, rows: []row{{"", "read", "no header"}}},
		"lines that end in CR":     {in: map[string]string{"a.csv": "text,id\rOne .,1\r\"Two\r.\",2\r"}, trees: -1},
		"a header and no row":      {in: map[string]string{"a.csv": "text,id\n"}, rows: []row{{"", "read", "has no row"}}},
		"no Parquet at all":        {in: map[string]string{"a.parquet": "PAR1" + strings.Repeat("\xff", 100) + "PAR1"}, rows: []row{{"", "read", "a footer of"}}},
		"5,000 columns":            {in: map[string]string{"a.tsv": wide}, trees: 100, once: true},
		"a long prefix, kept":      {in: prefixed("kept"), args: keep, rows: []row{{"", "read", "it and the rows up to 290 are in a page that decodes to"}}},
		"a long prefix of ids":     {in: prefixed("id"), rows: []row{{"", "read", "it and the rows up to 290 are in a page that decodes to"}}},
		"a long prefix of texts":   {in: map[string]string{"a.parquet": string(recordtest.Parquet(290, recordtest.Same("text", 290, 15<<20)))}, rows: []row{{"", "read", "rows up to 290"}}},
		"a large value many times": {in: map[string]string{"a.parquet": parquetOf(t, 100, 100, func(i int) cells {
			return cells{Text: map[bool]string{true: "One ."}[i == 7], Kept: value}
		})}, args: keep, trees: 1, rows: many(100, "value not kept: 10485760 bytes"), once: true},
	})
}

// prefixed is 290 rows of Parquet in which a column has the same 15 MB in each: 4
// GB, of which the file holds two kilobytes.
func prefixed(column string) map[string]string {
	return map[string]string{"a.parquet": string(recordtest.Parquet(290, recordtest.Texts("text", 290, "One ."), recordtest.Same(column, 290, 15<<20)))}
}

// cells is a row of Parquet.
type cells struct {
	Text string `parquet:"text"`
	Kept string `parquet:"kept,dict"`
}

// parquetOf writes n rows into row groups of a size.
func parquetOf(t *testing.T, size, n int, row func(i int) cells) string {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[cells](&b, pq.Compression(&pq.Zstd), pq.SkipPageBounds("text"), pq.SkipPageBounds("kept"), pq.PageBufferSize(1<<20))
	for i := range n {
		if _, err := w.Write([]cells{row(i)}); err != nil {
			t.Fatal(err)
		}
		if (i+1)%size == 0 {
			must(t, w.Flush())
		}
	}
	must(t, w.Close())
	return b.String()
}
