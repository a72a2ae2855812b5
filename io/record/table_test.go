package record

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A row is what the tests compare of a record.
type row struct {
	Number, Start, Line int64
	ID, Text            string
	Kept                []string
	Kind                string // of its fault, "" if it has none
}

// read reads the rows that begin in [start, end), from a place that is known.
func read(t *testing.T, data string, l *Layout, from Place, start, end int64) (rows []row, cover [2]int64, r *TableReader) {
	t.Helper()
	r = newTableReader(strings.NewReader(data[from.Offset:]), l, from, start, end)
	rows, err := rowsOf(r)
	must(t, err)
	cover[0], cover[1] = r.Covered()
	return rows, cover, r
}

// rowsOf reads the rows of a reader up to its end, or to an error.
func rowsOf(r Reader) (rows []row, err error) {
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, rowOf(&rec))
	}
}

func rowOf(rec *Record) row {
	got := row{Number: rec.Number, Start: rec.Start, Line: rec.Line, ID: rec.ID, Kept: rec.Kept}
	if rec.Err != nil {
		got.Kind = rec.Err.Kind.String()
	} else {
		got.Text = rec.values.Text(&rec.value)
	}
	return got
}

// decided is the layout of a table that can be read.
func decided(t *testing.T, data string, d Dialect, o Options) *Layout {
	t.Helper()
	l, err := Decide([]byte(data), d, o)
	must(t, err)
	return l
}

// whole reads all rows of a table.
func whole(t *testing.T, data string, d Dialect, o Options) (*Layout, []row) {
	t.Helper()
	l := decided(t, data, d, o)
	rows, cover, _ := read(t, data, l, Place{Line: 1}, 0, -1)
	if cover != [2]int64{0, int64(len(data))} {
		t.Fatalf("covered %v of %d bytes of %q", cover, len(data), data)
	}
	return l, rows
}

// draw makes a cell of what is hard about cells.
func draw(rng *rand.Rand) string {
	parts := []string{"a", "Größe ", `"`, `""`, ",", ";", "\t", "|", "\n", "\n\n", " ", "日本", "x y"}
	var b strings.Builder
	for range rng.IntN(6) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

// TestLikeTheLibrary compares what is read of random tables with what
// encoding/csv reads, and the places of rows with the bytes that are there.
func TestLikeTheLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma = []rune(separators)[rng.IntN(len(separators))]
		w.UseCRLF = rng.IntN(2) == 0
		w.Write([]string{"id", "text", "more, of it"})
		for range rng.IntN(5) {
			w.Write([]string{"n", draw(rng), draw(rng)})
		}
		w.Flush()
		data := b.String()
		if rng.IntN(4) == 0 {
			data = "\ufeff" + data
		}
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
		r.Comma = w.Comma
		want, err := r.ReadAll()
		must(t, err)
		_, got := whole(t, data, CSV, Options{Keep: []string{"more, of it", "absent"}})
		if len(got) != len(want)-1 {
			t.Fatalf("%d rows, the library reads %d:\n%q", len(got), len(want)-1, data)
		}
		for i, g := range got {
			library := want[i+1]
			ours := []string{g.ID, strings.ReplaceAll(g.Text, "\r\n", "\n"), strings.ReplaceAll(g.Kept[0], "\r\n", "\n")}
			if g.Kind != "" || !slices.Equal(ours, library) || g.Number != g.Start || g.Kept[1] != "" {
				t.Fatalf("row %d is %+v, the library reads %q:\n%q", i+1, g, library, data)
			}
			if !strings.HasPrefix(data[g.Start:], "n") || int64(strings.Count(data[:g.Start], "\n"))+1 != g.Line {
				t.Fatalf("row %d begins at byte %d, line %d:\n%q", i+1, g.Start, g.Line, data)
			}
		}
	}
}

// TestAnyCutIsTheWhole cuts tables, good and bad ones, into ranges at all
// places: together they give the rows of the whole, and cover it, however far before a
// range they are looked at.
func TestAnyCutIsTheWhole(t *testing.T) {
	defer func(n int) { lookBack = n }(lookBack)
	rng := rand.New(rand.NewPCG(3, 4))
	back, cuts := 0, 0
	for range 3000 {
		lookBack = 1 + rng.IntN(8)
		d := Dialect(rng.IntN(2))
		data := "id,text\n"
		if d == TSV {
			data = "id\ttext\n"
		}
		ends := [][]string{{",", "\t", "\r\n", "\n"}, {",", ",", "\r", "\r\n"}}[rng.IntN(2)]
		if ends[2] == "\r" {
			data = data[:len(data)-1] + "\r"
		}
		for range rng.IntN(12) {
			data += draw(rng) + ends[rng.IntN(4)]
			if rng.IntN(20) == 0 { // over the limit, with or without quotes before it
				data += strings.Repeat("y", 30+rng.IntN(60))
			}
		}
		if ends[2] == "\r" {
			data += "x"
		}
		o := Options{MaxRecord: 12 + rng.IntN(30)}
		if _, err := Decide([]byte(data), d, o); err != nil {
			continue // the LF of some row says that a CR ends none
		}
		l, want := whole(t, data, d, o)
		var got []row
		var to int64
		size := int64(len(data))
		step := 1 + rng.Int64N(size)
		for start := int64(0); start < size; start += step {
			end := min(size, start+step)
			r, err := l.Open(func(at int64) (io.Reader, error) {
				if start > 0 && at > 0 {
					back++
				}
				return strings.NewReader(data[at:]), nil
			}, start, end)
			must(t, err)
			cuts++
			rows, err := rowsOf(r)
			must(t, err)
			for i := range rows {
				if rows[i].Line == 0 { // not known
					rows[i].Line = want[min(len(got)+i, len(want)-1)].Line
				}
			}
			if from, after := r.Covered(); from != after {
				if from != to {
					t.Fatalf("bytes [%d, %d) are covered from %d, the ones before to %d:\n%q", start, end, from, to, data)
				}
				to = after
			}
			got = append(got, rows...)
		}
		if !reflect.DeepEqual(got, want) || to != size {
			t.Fatalf("in ranges of %d bytes, covered to %d:\n%+v\nas a whole:\n%+v\n%q", step, to, got, want, data)
		}
	}
	if back < cuts/3 {
		t.Errorf("of %d ranges, %d began elsewhere than at the beginning: the test tests little", cuts, back)
	}
}

// A range of a table reads little that is not its own: of one with quotes, and of one
// without.
func TestRangesReadOnce(t *testing.T) {
	for name, row := range map[string]string{
		"quotes":    "7,\"It said: \"\"no\"\",\nand went on, and on.\"\n",
		"no quotes": "7,It said no and went on and on\n",
		"a tabular": "7,\"a,\"\"b\"\"\nc,d\ne,f\n\"\n",
		"one line":  "7,it said no",
		"one quote": "7,\"",
	} {
		data := "id,text\n" + strings.Repeat(row, 8<<20/len(row))
		l := decided(t, data, CSV, Options{MaxRecord: 1 << 20})
		const size = 2 << 20
		read := int64(0)
		for start := int64(0); start < int64(len(data)); start += size {
			r, err := l.Open(func(at int64) (io.Reader, error) { return &counted{strings.NewReader(data[at:]), &read}, nil }, start, start+size)
			if err == nil {
				_, err = rowsOf(r)
			}
			must(t, err)
		}
		most := int64(len(data)) * 115 / 100 // 2 MiB ranges look 64 KiB back, and read 64 KiB ahead
		if !strings.HasSuffix(row, "\n") {   // the first to the end of the line, and the others over 2 MiB back
			most += int64(len(data)) + 3*9<<18
		}
		if read > most {
			t.Errorf("%s: %d bytes were read of %d", name, read, len(data))
		}
	}
}

type counted struct {
	io.Reader
	n *int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.n += int64(n)
	return n, err
}

// TestBadRows has what is wrong with rows, and what is left of the others.
func TestBadRows(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		name string
		d    Dialect
		body string
		want []string // texts, or kinds of faults in brackets
	}{
		{"too few and too many", CSV, "a,b,c\nA\nb,B\n", []string{"[column_count]", "[column_count]", "B"}},
		{"text behind a quote", CSV, `a,"x" y` + "\nb,B\n", []string{"[bad_quotes]", "B"}},
		{"a quote never closed", CSV, "a,\"x\nb,B\nc,C", []string{"[bad_quotes]", "B", "C"}},
		{"a quote closed by the next", CSV, "a,\"x\nb,\"B\"\nc,C", []string{"[bad_quotes]", "B", "C"}},
		{"a quote never closed in the last line", CSV, "b,B\na,\"x", []string{"B", "[bad_quotes]"}},
		{"quotes inside", CSV, "a,it is 3\" long\nb,B", []string{`it is 3" long`, "B"}},
		{"lines in quotes", CSV, "a,\"x\r\ny\"\r\nb,B", []string{"x\r\ny", "B"}},
		{"blank lines", CSV, "\n\r\na,A\n  \nb,B\n\n", []string{"A", "B"}},
		{"empty cells", CSV, "a,\nb,\"\"\n,C", []string{"", "", "C"}},
		{"a long line", CSV, "a," + long + "\nb,B", []string{"[record_too_long]", "B"}},
		{"long lines in quotes", CSV, "a,\"" + long[:30] + "\n" + long + "\"\nb,B", []string{"[bad_quotes]", "[record_too_long]", "B"}},
		{"quotes in TSV", TSV, "a\t\"A\"\nb\tx \"y\"\nc\t\"x\" y\nd\t\"x\ne\t\"x\ty\"\nf\t\"x\"\"y\"", []string{"A", `x "y"`, `"x" y`, `"x`, "x\ty", `x"y`}},
	} {
		header := "id,text\n"
		if c.d == TSV {
			header = "id\ttext\n"
		}
		_, rows := whole(t, header+c.body, c.d, Options{MaxRecord: 60})
		var got []string
		for _, r := range rows {
			if r.Kind != "" {
				r.Text = "[" + r.Kind + "]"
			}
			got = append(got, r.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLimit has records of as many bytes as may be, and of one more, with an end of the
// line and without.
func TestLimit(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n"} {
		for more := range 2 {
			body := strings.Repeat("x", 30+more)
			o := Options{MaxRecord: len(`{"text":""}`) + 30 + len(end)/2}
			rec, err := NewJSONReader(strings.NewReader(`{"text":"`+body+`"}`+end), o, 0, -1).Next()
			if err != nil || (rec.Err != nil) != (more > 0) {
				t.Errorf("JSON, %q, %d more: %v, %v", end, more, rec.Err, err)
			}
			_, rows := whole(t, "text,id\n"+body+`,"1"`+end, CSV, Options{MaxRecord: 34 + len(end)/2})
			if len(rows) != 1 || (rows[0].Kind != "") != (more > 0) {
				t.Errorf("CSV, %q, %d more: %+v", end, more, rows)
			}
		}
	}
}

// TestHeaders has what a first line may be.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		head, kind, says string // "" is no fault
	}{
		{"\n\n\" text\", id \nx,y\n", "", ""},
		{"id;text\n1;x\n", "", ""},
		{"a|b|text", "", ""},
		{"id,body,stars\n", "no_text", `no column "text", but "id", "body", "stars"; name the right one with --text`},
		{"text,text\n", "key_twice", `"text"`},
		{"", "no_text", "the table is empty"},
		{"\n\n", "no_text", "the table is empty"},
		{`"id,text`, "bad_quotes", "not closed"},
		{strings.Repeat("x", 1<<16), "record_too_long", "not a header"},
		{"text" + strings.Repeat(",", maxColumns), "column_count", "10001 columns"},
	} {
		_, err := Decide([]byte(c.head), CSV, Options{})
		var why syntax.Fault
		if err != nil && !errors.As(err, &why) {
			t.Fatalf("%.40q: %v is no fault", c.head, err)
		}
		if c.kind == "" && err != nil || c.kind != "" && (err == nil || why.Kind.String() != c.kind || !strings.Contains(why.Reason, c.says)) {
			t.Errorf("%.40q: %v %v, want %s %s", c.head, why.Kind, err, c.kind, c.says)
		}
	}
	if _, err := Decide([]byte("text\n"), CSV, Options{Options: text.Options{Encoding: "iso-2022-jp"}}); err == nil || !strings.Contains(err.Error(), "iconv") {
		t.Errorf("ISO-2022-JP: %v", err)
	}
}

// TestColumnCandidates has the first candidate that the header names, with any separator.
func TestColumnCandidates(t *testing.T) {
	for head, want := range map[string]int{"a,Body,text\n": 1, "text;a,b;Body\n": 2, "x|text\n": 1, "\"Body,text\",text\n": 0} {
		l, err := Decide([]byte(head), CSV, Options{Text: "Body,text"})
		if err != nil || l.text != want {
			t.Errorf("%q: column %v, %v; want %d", head, l, err, want)
		}
	}
	if _, err := Decide([]byte("a,b\n"), CSV, Options{Text: "Body,text"}); err == nil || !strings.Contains(err.Error(), `none of the columns "Body", "text", but "a", "b"`) {
		t.Errorf("no candidate: %v", err)
	}
}

// TestEncodings reads cells that are not UTF-8, and knows where they stand.
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ encoding, cell, want string }{
		{"windows-1252", "\"Gr\xf6\xdfe \"\"M\"\"\"", `Größe "M"`},
		{"gb18030", "\"\xc4\xe3\"\"\xba\xc3\"", `你"好`},
		{"utf-8", "a\xffb\x00c", "a\ufffdb\ufffdc"},
	} {
		data := "text,id\n" + c.cell + ",1\n"
		l := decided(t, data, CSV, Options{Options: text.Options{Encoding: c.encoding}})
		rec, err := newTableReader(strings.NewReader(data), l, Place{Line: 1}, 0, -1).Next()
		must(t, err)
		b, err := rec.Text().Next()
		if err != nil || b.Text != c.want || rec.ID != "1" {
			t.Errorf("%s: %q, want %q (%v)", c.encoding, b.Text, c.want, err)
		}
		if i := strings.IndexByte(b.Text, '"'); i >= 0 && data[b.Offset(i):b.Offset(i)+2] != `""` || b.Offset(len(b.Text)) != b.End {
			t.Errorf("%s: the quote stands at byte %d", c.encoding, b.Offset(i))
		}
	}
}

// FuzzCSV reads anything: rows tile the file, and stay within the limit.
func FuzzCSV(f *testing.F) {
	f.Add("id,text\n1,\"a\nb\"\n2,\"c", 20, byte(0))
	f.Add("text\tid\n\"x\"\ty\n", 5, byte(1))
	f.Fuzz(func(t *testing.T, data string, limit int, d byte) {
		l, err := Decide([]byte(data), Dialect(d%2), Options{MaxRecord: limit % 1000})
		if err != nil {
			return
		}
		rows, cover, _ := read(t, data, l, Place{Line: 1}, 0, -1)
		if cover != [2]int64{0, int64(len(data))} {
			t.Fatalf("covered %v of %d bytes", cover, len(data))
		}
		for i := range rows {
			if rows[i].Number != rows[i].Start || len(rows[i].Text) > 3*l.opt.MaxRecord {
				t.Fatalf("row %d: %+v", i+1, rows[i])
			}
		}
	})
}

// TestMemory reads a table with a quote that is never closed and a line without
// end: no more is held than the limit and what is read at once.
func TestMemory(t *testing.T) {
	const limit = 1 << 20
	head := "id,text\n"
	l := decided(t, head, CSV, Options{MaxRecord: limit})
	src := io.MultiReader(strings.NewReader(head+"1,\""), strings.NewReader(strings.Repeat("line\n", limit)), strings.NewReader(strings.Repeat("x", 8*limit)))
	r := newTableReader(src, l, Place{Line: 1}, 0, -1)
	n := 0
	for ; ; n++ {
		_, err := r.Next()
		if cap(r.buf) > limit+5*readBytes {
			t.Fatalf("row %d: a buffer of %d bytes", n, cap(r.buf))
		}
		if err == io.EOF {
			break
		}
		must(t, err)
	}
	if n != limit+2-1 {
		t.Errorf("%d rows, want %d", n, limit+1)
	}
}

// TestReturns reads tables whose lines end in CR as it reads them with LF, whole
// and in ranges.
func TestReturns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	ranges := func(data string, d Dialect, size int64) (rows []row) {
		l := decided(t, data, d, Options{Keep: []string{"k"}})
		for at := int64(0); at < int64(len(data)); at += size {
			part, _, _ := read(t, data, l, Place{Line: 1}, at, at+size)
			rows = append(rows, part...)
		}
		return rows
	}
	for _, d := range []Dialect{CSV, TSV} {
		separator, cells := ",", []string{"One.", "", `"Two, ""2""."`, "\"a\nb\nc\"", "1"}
		if d == TSV {
			separator, cells = "\t", []string{"One.", "", `"Two"`, `a " b`, "1"}
		}
		for range 60 {
			lf := strings.Join([]string{"text", "id", "k"}, separator) + "\n"
			for range 1 + rng.IntN(30) {
				var list []string
				for range 3 {
					list = append(list, cells[rng.IntN(len(cells))])
				}
				lf += strings.Join(list, separator) + "\n"
				if rng.IntN(9) == 0 {
					lf += "\n"
				}
			}
			want := ranges(lf, d, 1<<20)
			cr := strings.ReplaceAll(lf, "\n", "\r")
			for _, size := range []int64{1 << 20, 50, 7, 1} {
				got := ranges(cr, d, size)
				if len(got) != len(want) {
					t.Fatalf("%d rows, want %d: %q", len(got), len(want), cr)
				}
				for i := range got {
					for k, v := range got[i].Kept {
						got[i].Kept[k] = strings.ReplaceAll(v, "\r", "\n")
					}
					got[i].Text, got[i].ID = strings.ReplaceAll(got[i].Text, "\r", "\n"), strings.ReplaceAll(got[i].ID, "%0D", "%0A")
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("row %d of %q in ranges of %d is\n%+v, want\n%+v", i, cr, size, got[i], want[i])
					}
				}
			}
		}
	}
	for data, want := range map[string]int{
		"text,id\r\nOne.,1\r\nTwo.,2\r\n":        2,
		"text,id\nOne.\r\r\r\r\rTwo.,1\n":        1, // the header has LF
		"text,id\r\"a\nb\nc\nd\ne\",1\rTwo.,2\r": 2, // LFs in quotes
		"text,id\rOne.,1\r\nTwo.,2\rThree.,3":    3,
		"text\rOne.":                             1,
	} {
		got := ranges(data, CSV, 1<<20)
		if len(got) != want {
			t.Errorf("%q: %d rows, want %d", data, len(got), want)
		}
		for _, r := range got {
			if strings.HasPrefix(r.Text, "\n") {
				t.Errorf("%q: %q", data, r.Text)
			}
		}
	}
}

// TestEmpty tells tables without rows.
func TestEmpty(t *testing.T) {
	for data, want := range map[string]bool{"text,id\n": true, "text,id": true, "text,id\r": true, "text,id\r\n\r\n  \n": true, "text,id\n,\n": false, "text,id\rOne.,1": false} {
		if decided(t, data, CSV, Options{}).Empty([]byte(data)) != want {
			t.Errorf("%q", data)
		}
	}
}

// Where CRs end lines, the LF of a last CR LF belongs to the file, too.
func TestLastFeed(t *testing.T) { whole(t, "text\ra\rb\r\n", CSV, Options{}) }
