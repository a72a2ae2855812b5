package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A review is a row of the tables of the tests.
type review struct {
	ID    int64 `parquet:"id"`
	Place struct {
		Text *string `parquet:"text,optional"`
		Town string  `parquet:"town,dict"`
	} `parquet:"place"`
	Stars float64   `parquet:"stars"`
	Price int64     `parquet:"price,decimal(2:18)"`
	Day   int32     `parquet:"day,date"`
	At    time.Time `parquet:"at,timestamp(microsecond)"`
	Good  bool      `parquet:"good"`
	Tags  []string  `parquet:"tags,list,optional"`
	Nums  []int32   `parquet:"nums"`
}

// reviews writes n rows in groups of size and returns the file, and what is to be read.
func reviews(t *testing.T, n, size int) (file []byte, want []row) {
	t.Helper()
	var list []review
	for i := range n {
		r := review{ID: int64(i), Stars: float64(i) / 4, Price: int64(-i), Day: int32(i), At: time.UnixMicro(int64(i)).UTC(), Good: i%2 == 0}
		text, tags, nums := "", "", "[]"
		if i%5 > 0 {
			text = fmt.Sprintf("Row %d is good.\nIt is \"long\".", i)
			r.Place.Text = &text
		}
		r.Place.Town = "Köln"
		for range i % 3 {
			r.Tags = append(r.Tags, fmt.Sprintf(`t"%d`, i))
			tags += fmt.Sprintf(`,"t\"%d"`, i)
		}
		if i%3 > 0 {
			tags = "[" + tags[1:] + "]"
		}
		if i%7 == 0 {
			r.Nums, nums = []int32{int32(i), 2}, fmt.Sprintf("[%d,2]", i)
		}
		list = append(list, r)
		good, cents := "false", fmt.Sprintf("-%d.%02d", i/100, i%100)
		if i%2 == 0 {
			good = "true"
		}
		if i == 0 {
			cents = "0.00"
		}
		want = append(want, row{Number: int64(i + 1), Start: int64(i) << cellBits, Line: int64(i + 1), ID: fmt.Sprint(i), Text: text, Kept: []string{
			"Köln", strings.TrimSuffix(fmt.Sprintf("%v", float64(i)/4), ".0"), cents,
			time.Unix(int64(i)*86400, 0).UTC().Format("2006-01-02"), time.UnixMicro(int64(i)).UTC().Format("2006-01-02T15:04:05.999999999Z"),
			good, tags, nums, ""}})
	}
	groups := slices.Collect(slices.Chunk(list, size))
	return grouped(t, groups, pq.PageBufferSize(200), pq.Compression(&pq.Snappy), pq.DataPageVersion(1+size%2)), want
}

// A place is a row of a smaller table.
type place struct {
	Text string `parquet:"text"`
	Town string `parquet:"town,dict"`
}

// grouped writes rows in groups.
func grouped[T any](t *testing.T, groups [][]T, options ...pq.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewGenericWriter[T](&b, options...)
	for _, rows := range groups {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		must(t, w.Flush())
	}
	must(t, w.Close())
	return b.Bytes()
}

var reviewOptions = Options{Text: "place.text", Keep: []string{"place.town", "stars", "price", "day", "at", "good", "tags", "nums", "absent"}}

// open opens a file that can be read.
func open(t *testing.T, file []byte, o Options) *Parquet {
	t.Helper()
	p, err := OpenParquet(bytes.NewReader(file), int64(len(file)), o)
	must(t, err)
	return p
}

// shareGroups makes ranges share row groups of any size.
func shareGroups(t *testing.T) {
	before := maxGroup
	t.Cleanup(func() { maxGroup = before })
	maxGroup = 0
}

// partOf reads the rows of a part of a file.
func partOf(p *Parquet, start, end, size int64) (rows []row, from, to int64, err error) {
	r := p.Rows(start, end, size)
	rows, err = rowsOf(r)
	from, to = r.Covered()
	return rows, from, to, err
}

// TestParquet reads files of several row groups and pages, as a whole and in
// ranges.
func TestParquet(t *testing.T) {
	for _, c := range []struct{ rows, group int }{{0, 1}, {1, 10}, {300, 1000}, {300, 70}, {300, 151}} {
		file, want := reviews(t, c.rows, c.group)
		size := int64(len(file))
		for _, ranges := range []int64{1, 2, 7, 1000} {
			var got []row
			at := int64(0)
			for k := range ranges {
				p := open(t, file, reviewOptions)
				rows, from, to, err := partOf(p, size*k/ranges, size*(k+1)/ranges, size)
				must(t, err)
				if from != at {
					t.Fatalf("range %d of %d covers from %d, the one before to %d", k, ranges, from, at)
				}
				got, at = append(got, rows...), to
			}
			if !reflect.DeepEqual(got, want) {
				for i := range want {
					if i >= len(got) || !reflect.DeepEqual(got[i], want[i]) {
						t.Fatalf("%d rows in groups of %d, %d ranges: %d rows; row %d is\n%+v, want\n%+v", c.rows, c.group, ranges, len(got), i, got[min(i, len(got)-1)], want[i])
					}
				}
				t.Fatalf("%d rows, want %d", len(got), len(want))
			}
			if at != int64(c.rows)<<cellBits {
				t.Errorf("%d rows are covered to %d", c.rows, at)
			}
		}
	}
}

// TestParquetColumns has columns that cannot be read.
func TestParquetColumns(t *testing.T) {
	file, _ := reviews(t, 3, 3)
	for _, c := range []struct {
		o    Options
		kind syntax.Kind
		says string
	}{
		{Options{}, syntax.KindNoTextKey, `no column "text", but "id", "place.text", "place.town", "stars"`},
		{Options{Text: "place"}, syntax.KindTextType, `"place" is a group of "place.text", "place.town"`},
		{Options{Text: "place.text", ID: "place"}, syntax.KindTextType, `"place" is a group of "place.text", "place.town"; name another column with --id`},
		{Options{Text: "body,stars,place.text"}, syntax.KindTextType, `"stars" is DOUBLE`},
		{Options{Text: "body,Body"}, syntax.KindNoTextKey, `none of the columns "body", "Body"`},
		{Options{Text: "body,place.text", ID: "key,tags"}, syntax.KindTextType, `"tags" is a list`},
		{Options{Text: "stars"}, syntax.KindTextType, `"stars" is DOUBLE`},
		{Options{Text: "tags"}, syntax.KindTextType, "a list"},
		{Options{Text: "place.text", ID: "tags"}, syntax.KindTextType, "a list"},
	} {
		_, err := OpenParquet(bytes.NewReader(file), int64(len(file)), c.o)
		var why syntax.Fault
		if !errors.As(err, &why) || why.Kind != c.kind || !strings.Contains(why.Reason, c.says) {
			t.Errorf("%+v: %v, want %v", c.o, err, c.says)
		}
	}
}

// written writes one row in columns of the given nodes.
func written(t *testing.T, schema pq.Group, options ...pq.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pq.NewWriter(&b, append(options, pq.NewSchema("table", schema))...)
	row := pq.Row{}
	for i, path := range pq.NewSchema("table", schema).Columns() {
		v := pq.NullValue().Level(0, 0, i)
		if path[0] != "null" {
			v = pq.ByteArrayValue([]byte("It rained.")).Level(0, 0, i)
		}
		row = append(row, v)
	}
	if _, err := w.WriteRows([]pq.Row{row}); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// TestParquetOfOthers has columns of the same name, columns without a type for
// they have nothing but nulls, a part of an output of ours, and files that are cut
// off or encrypted.
func TestParquetOfOthers(t *testing.T) {
	twice := bytes.ReplaceAll(written(t, pq.Group{"id": pq.String(), "text": pq.String(), "texu": pq.String()}), []byte("texu"), []byte("text"))
	nulls := written(t, pq.Group{"id": pq.String(), "null": pq.Optional(pq.Leaf(pq.NullType))})
	ours := written(t, pq.Group{"text": pq.String()}, pq.KeyValueMetadata(parquet.KeyFormat, "4"))
	secret := func(plain bool) []byte {
		return written(t, pq.Group{"id": pq.String(), "text": pq.String()}, pq.WithEncryption(&pq.EncryptionConfig{FooterKey: []byte("0123456789abcdef"), EncryptedFooter: !plain}))
	}
	for _, c := range []struct {
		file []byte
		o    Options
		says string // of the fault, "" if there is none
	}{
		{secret(false), Options{}, "an encrypted Parquet file; decrypt it first"},
		{secret(true), Options{}, "an encrypted Parquet file; decrypt it first"},
		{twice, Options{}, `given twice: "text"`},
		{twice, Options{Text: "id", ID: "text"}, `given twice: "text"`},
		{twice, Options{Text: "id", Keep: []string{"text"}}, `given twice: "text"`},
		{twice, Options{Text: "id"}, ""},
		{nulls, Options{Text: "null"}, ""},
		{nulls, Options{Text: "id", Keep: []string{"null"}}, ""},
		{ours, Options{}, "treebeam convert"},
		{nulls[:len(nulls)-1], Options{Text: "id"}, "cut off"},
		{append(bytes.Clone(nulls[:len(nulls)-4]), "PARE"...), Options{Text: "id"}, "an encrypted"},
	} {
		p, err := OpenParquet(bytes.NewReader(c.file), int64(len(c.file)), c.o)
		var why syntax.Fault
		if errors.As(err, &why) && (c.says == "" || !strings.Contains(why.Reason, c.says)) || (err == nil) != (c.says == "") {
			t.Errorf("%+v: %v, want %q", c.o, err, c.says)
		}
		if err != nil {
			continue
		}
		want := "It rained."
		if c.o.Text == "null" {
			want = ""
		}
		rows, _, _, err := partOf(p, 0, -1, int64(len(c.file)))
		if err != nil || len(rows) != 1 || rows[0].Text != want || strings.Join(rows[0].Kept, "") != "" {
			t.Errorf("%+v: %v, %v", c.o, rows, err)
		}
	}
}

// Bytes that are not UTF-8 are repaired in an id as they are in a value to keep.
func TestBytesInParquet(t *testing.T) {
	type one struct {
		ID   []byte `parquet:"id"`
		Text string `parquet:"text"`
	}
	file := grouped(t, [][]one{{{[]byte("a\xff\nb"), "A."}, {[]byte("\xfe"), "B."}}})
	rows, _, _, err := partOf(open(t, file, Options{Keep: []string{"id"}}), 0, -1, int64(len(file)))
	must(t, err)
	for i, want := range []Record{{ID: "a\ufffd%0Ab", Kept: []string{"a\ufffd\nb"}}, {ID: "\ufffd", Kept: []string{"\ufffd"}}} {
		if rows[i].ID != want.ID || !reflect.DeepEqual(rows[i].Kept, want.Kept) {
			t.Errorf("row %d: id %q, kept %q; want %q, %q", i+1, rows[i].ID, rows[i].Kept, want.ID, want.Kept)
		}
	}
}

// TestNothingToKeep warns once of columns that a table does not have, or of
// which no single value can be kept, and of an id that it does not have, whichever range has the first row.
func TestNothingToKeep(t *testing.T) {
	file, _ := reviews(t, 300, 70)
	warnings := func(next func() (Record, error)) (all []string) {
		for {
			rec, err := next()
			if err == io.EOF {
				return all
			}
			must(t, err)
			for _, w := range rec.Warnings {
				all = append(all, fmt.Sprintf("%d %s %s", rec.Number, w.Kind, w.Reason))
			}
		}
	}
	var got []string
	for k := range int64(3) {
		p := open(t, file, Options{Text: "place.text", ID: "nope", Keep: []string{"place", "absent", "stars"}})
		got = append(got, warnings(p.Rows(k*1000, (k+1)*1000, 3000).Next)...)
	}
	const data = "text,id\nIt rained.,1\nWe left.,2\n"
	for _, at := range []int64{0, 20} {
		l := decided(t, data, CSV, Options{ID: "ID,uid", Keep: []string{"id", "Stars"}})
		got = append(got, warnings(newTableReader(strings.NewReader(data), l, Place{Line: 1}, at, at+20).Next)...)
	}
	rows := open(t, file, Options{Text: "place.text", Keep: []string{"absent"}}).Rows(0, -1, int64(len(file)))
	first := rows.large(&tooLarge{what: "a page", to: 2})
	got = append(got, fmt.Sprint(len(first.Warnings), " ", first.Err.Reason))
	want := []string{
		`1 bad_id no id: the table has no column "nope", but "id", "place.text", "place.town", "stars", "price", "day", "at", "good" and 2 more; ids are made of places`,
		`1 value_not_kept value not kept: the column "place" is a group of "place.text", "place.town"; name columns of single values, or of lists of them`,
		`1 value_not_kept value not kept: the table has no column "absent", but "id", "place.text", "place.town", "stars", "price", "day", "at", "good" and 2 more`,
		`8 bad_id no id: the table has none of the columns "ID", "uid", but "text", "id"; ids are made of places`,
		`8 value_not_kept value not kept: the table has no column "Stars", but "text", "id"`,
		`1 row 1: it and the rows up to 2 are in a page; write the file with smaller pages`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDamagedParquet changes bytes of a file: what comes of it are rows or a
// fault, never a panic and never an endless reading.
func TestDamagedParquet(t *testing.T) {
	file, want := reviews(t, 60, 25)
	rng := rand.New(rand.NewPCG(5, 6))
	faults := 0
	for range 3000 {
		bad := bytes.Clone(file)
		for range 1 + rng.IntN(3) {
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		if rng.IntN(5) == 0 {
			bad = bad[:rng.IntN(len(bad))]
		}
		p, err := OpenParquet(bytes.NewReader(bad), int64(len(bad)), reviewOptions)
		var rows []row
		if err == nil {
			rows, _, _, err = partOf(p, 0, -1, int64(len(bad)))
		}
		var why syntax.Fault
		if err != nil {
			if faults++; !errors.As(err, &why) {
				t.Fatalf("%v is no fault", err)
			}
		} else if len(rows) > 10*len(want) {
			t.Fatalf("%d rows", len(rows))
		}
	}
	if faults == 0 {
		t.Error("no change did any harm")
	}
}

// failing fails as a disk does.
type failing struct{ io.ReaderAt }

var errDisk = errors.New("a fault of the disk")

func (f failing) ReadAt(b []byte, off int64) (int, error) {
	if off < 1000 {
		return 0, errDisk
	}
	return f.ReaderAt.ReadAt(b, off)
}

// TestFaultsAreNoDamage tells a fault of the disk from a damaged file.
func TestFaultsAreNoDamage(t *testing.T) {
	file, _ := reviews(t, 300, 70)
	p, err := OpenParquet(failing{bytes.NewReader(file)}, int64(len(file)), reviewOptions)
	if err == nil {
		_, _, _, err = partOf(p, 0, -1, int64(len(file)))
	}
	if !errors.Is(err, errDisk) {
		t.Errorf("%v, want %v", err, errDisk)
	}
}

// TestLargePage has a page that memory should not hold: its rows cannot be read,
// one fault a range says which, and all others can.
func TestLargePage(t *testing.T) {
	type one struct {
		Text string `parquet:"text"`
	}
	third := strings.Repeat("x", maxPage/3+1)
	for name, large := range map[string][]one{
		"its data":   {{third}, {third}, {third}},
		"its header": {{"B"}, {strings.Repeat("x", maxPage+1)}, {"C"}}, // which has the largest value
	} {
		t.Run(name, func(t *testing.T) { testLargePage(t, [][]one{{{"A"}}, large, {{"D"}, {"E"}}}) })
	}
}

func testLargePage[one any](t *testing.T, groups [][]one) {
	shareGroups(t)
	file := grouped(t, groups, pq.Compression(&pq.Zstd), pq.SkipPageBounds("text"), pq.PageBufferSize(64<<20))
	size := int64(len(file))
	for _, c := range []struct {
		ranges int64
		want   []string
	}{
		{1, []string{"1 A", "2 row 2: it and the rows up to 4 are in a page of 33554", "5 D", "6 E"}},
		{2, []string{"1 A", "2 row 2: it is in a page of 33554", "3 row 3: it and the rows up to 4 are in a page of 33554", "5 D", "6 E"}},
	} {
		var got []string
		at := int64(0)
		for k := range c.ranges {
			p := open(t, file, Options{})
			r := p.Rows(size*k/c.ranges, size*(k+1)/c.ranges, size)
			for {
				rec, err := r.Next()
				from, to := r.Covered()
				if err == io.EOF {
					if from != at {
						t.Errorf("range %d covers from %d, the one before to %d", k, from, at)
					}
					at = to
					break
				}
				must(t, err)
				says := rec.values.Text(&rec.value)
				if rec.Err != nil {
					says = rec.Err.Reason
				}
				got = append(got, fmt.Sprintf("%d %s", rec.Number, says))
			}
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) || at != 6<<cellBits {
			t.Errorf("%d ranges: %.200q, covered to row %d", c.ranges, got, at>>cellBits)
		}
	}
}

// TestSeek reads a range behind many pages without reading those, whatever the
// version of the pages, with a dictionary and without, and without an index.
func TestSeek(t *testing.T) {
	shareGroups(t)
	const n = 20000
	places := make([]place, n)
	for i := range places {
		places[i] = place{fmt.Sprintf("text %d", i), fmt.Sprintf("town %d", i%100)}
	}
	for _, version := range []int{1, 2} {
		file := grouped(t, [][]place{places}, pq.PageBufferSize(1<<12), pq.DataPageVersion(version))
		in := &counting{ReaderAt: bytes.NewReader(file)}
		size := int64(len(file))
		p, err := OpenParquet(in, size, Options{Keep: []string{"town"}})
		must(t, err)
		for _, start := range []int64{0, size / 3, size - size/100} {
			end := start + size/100
			rows, from, _, err := partOf(p, start, end, size)
			must(t, err)
			for i, r := range rows {
				at := int(from>>cellBits) + i
				if r.Text != fmt.Sprintf("text %d", at) || r.Kept[0] != fmt.Sprintf("town %d", at%100) {
					t.Fatalf("version %d: row %d is %+v", version, at, r)
				}
			}
			if len(rows) < n/200 || in.pages > int(size)/4 {
				t.Errorf("version %d: %d rows from byte %d; %d of %d bytes were read in large pieces", version, len(rows), start, in.pages, size)
			}
			in.pages = 0
		}
	}
}

// counting counts what is read: pieces over 1 KB are those of pages.
type counting struct {
	io.ReaderAt
	pages int
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	if len(b) > 1<<10 {
		c.pages += len(b)
	}
	return c.ReaderAt.ReadAt(b, off)
}

// A list is JSON whatever is in it: numbers that JSON has not are strings, and so
// are the bytes of a decimal that is longer than any.
func TestListsAreJSON(t *testing.T) {
	type one struct {
		Doubles []float64 `parquet:"doubles"`
		Floats  []float32 `parquet:"floats"`
		Text    string    `parquet:"text"`
	}
	file := grouped(t, [][]one{{{Doubles: []float64{1.5, math.NaN(), math.Inf(-1)}, Floats: []float32{float32(math.Inf(1)), 2}, Text: "x"}}})
	p := open(t, file, Options{Keep: []string{"doubles", "floats"}})
	rec, err := p.Rows(0, -1, int64(len(file))).Next()
	must(t, err)
	want := []string{`[1.5,"NaN","-Inf"]`, `["+Inf",2]`}
	for i, got := range rec.Kept {
		if got != want[i] || !json.Valid([]byte(got)) {
			t.Errorf("%s, want %s", got, want[i])
		}
	}
	z := strings.Repeat("z", maxDecimal+1)
	decimal := pq.Decimal(0, 150, pq.FixedLenByteArrayType(len(z))).Type()
	if got := string(appendList(nil, []pq.Value{pq.FixedLenByteArrayValue([]byte(z))}, decimal)); got != `["`+z+`"]` {
		t.Errorf("a decimal of %d bytes is %s", len(z), got)
	}
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
