package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// odd holds what is seldom seen: an empty node before the first word, double
// equals signs, repeated and empty comments, literal underscores.
const odd = `# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC
# newpar
# # newpar
# sent_id = a-1
# sent_id = a-1
# text_en =
# text = Don't go_
0.1	_	_	_	_	_	_	_	0:root	_
1-2	Don't	_	_	_	Typo=Yes	_	_	_	SpaceAfter=Yes
1	Do	do	AUX	VBP	Mood=Imp	3	aux	_	Gloss==DO
2	n't	not	PART	_	_	3	advmod	_	_
3	go	go	VERB	VB	_	0	root	0:root|0.1:x	SpaceAfter=No
3.1	gone	go	VERB	_	A=b	_	_	0.1:y	X
4	_	_	PUNCT	_	_	3	punct	_	_

`

const plain = `1	Yes	yes	INTJ	UH	_	0	root	_	_

`

var doc = parquet.Doc{DocID: "d.conllu", SourceURI: "in/d.conllu", ModelID: "m"}

// sentences reads CoNLL-U.
func sentences(t testing.TB, text string) []syntax.Sentence {
	t.Helper()
	var list []syntax.Sentence
	for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		b.Sentence.StartByte, b.Sentence.EndByte = b.Start, b.End
		list = append(list, b.Sentence)
	}
	return list
}

// write returns a file of rows.
func write[T parquet.Row](t testing.TB, rows []T, meta ...parquet.KeyValue) []byte {
	t.Helper()
	return kept(t, rows, nil, meta...)
}

// kept returns a file of rows with columns for keys.
func kept[T parquet.Row](t testing.TB, rows []T, keys []string, meta ...parquet.KeyValue) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewWriter[T](&b, meta, keys...)
	must(t, w.Write(rows...))
	must(t, w.Close())
	return b.Bytes()
}

// open writes bytes to a file and opens it.
func open[T parquet.Row](t testing.TB, data []byte) (*parquet.Reader[T], error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.parquet")
	must(t, os.WriteFile(name, data, 0o666))
	r, err := parquet.Open[T](name)
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// read returns the rows of a file.
func read[T parquet.Row](t testing.TB, data []byte) []T {
	t.Helper()
	r, err := open[T](t, data)
	must(t, err)
	var rows []T
	for row, err := range r.All() {
		must(t, err)
		rows = append(rows, *row)
	}
	if int64(len(rows)) != r.Len() {
		t.Fatalf("read %d rows of %d", len(rows), r.Len())
	}
	return rows
}

func TestCoNLLURoundTrip(t *testing.T) {
	text := odd + plain + odd
	checkRoundTrip(t, text)
	files, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "treebanks", "*", "*dev.conllu"))
	for _, name := range files {
		data, err := os.ReadFile(name)
		must(t, err)
		checkRoundTrip(t, string(data))
	}
	if len(files) == 0 {
		t.Log("../shared is absent: treebanks are not tried")
	}
}

func checkRoundTrip(t *testing.T, text string) {
	t.Helper()
	var rows []parquet.Tree
	list := sentences(t, text)
	for i := range list {
		rows = append(rows, parquet.ToRow(&list[i], &doc))
	}
	var got bytes.Buffer
	for i, row := range read[parquet.Tree](t, write(t, rows)) {
		s, err := parquet.FromRow(&row)
		must(t, err)
		list[i].Line, list[i].Candidates = 0, syntax.Candidates{}
		if !reflect.DeepEqual(normal(s), normal(list[i])) {
			t.Fatalf("sentence %d:\n got %+v\nwant %+v", i, s, list[i])
		}
		must(t, conllu.Write(&got, &s))
	}
	if got.String() != text {
		t.Fatalf("the text differs after a round trip of %d sentences", len(list))
	}
}

// normal makes empty lists nil.
func normal(s syntax.Sentence) syntax.Sentence {
	if len(s.Comments) == 0 {
		s.Comments = nil
	}
	if len(s.MWTs) == 0 {
		s.MWTs = nil
	}
	if len(s.Empty) == 0 {
		s.Empty = nil
	}
	return s
}

// parsed returns a sentence of n words with everything set.
func parsed(n int) syntax.Sentence {
	s := syntax.Sentence{Text: strings.Repeat("w ", n), StartByte: 10, EndByte: 10 + 2*int64(n), Status: syntax.Long}
	c := &s.Confidence
	for i := range n {
		s.Words = append(s.Words, syntax.Word{Form: "w", UPOS: "X", Head: int32(i), Deprel: "dep", StartChar: int32(2 * i), EndChar: int32(2*i + 1)})
		c.HeadMarginal = append(c.HeadMarginal, float32(i%4097)/4096)
		c.HeadMargin = append(c.HeadMargin, float32(i))
		c.LabelProb = append(c.LabelProb, 1)
	}
	c.TreeMargin, c.TreeScore, c.Certificate, c.Restarts, c.NCandidates = 1.5, -3, syntax.Bound, 7, 12
	return s
}

func TestRows(t *testing.T) {
	full, calibrated, bare := parsed(3), parsed(2), syntax.Sentence{ID: "x"}
	calibrated.Confidence.HeadConf = []float32{0, 1}
	calibrated.Confidence.DeprelConf = []float32{0.5, 0}
	calibrated.Confidence.UPOSConf = []float32{0.25, 1}
	calibrated.Confidence.Certificate = syntax.All
	calibrated.Confidence.TreeConf, calibrated.Confidence.HasTreeConf = 0, true
	bare.StartByte, bare.Status = 30, syntax.Repaired
	for _, s := range []syntax.Sentence{full, calibrated, bare, parsed(70000)} {
		row := parquet.ToRow(&s, &doc)
		rows := read[parquet.Tree](t, write(t, []parquet.Tree{row}))
		if rows[0].TreeConf != nil != s.Confidence.HasTreeConf || (rows[0].HeadConf != nil) != (s.Confidence.HeadConf != nil) {
			t.Errorf("confidence is null where it should not be, or the reverse: %+v", rows[0])
		}
		got, err := parquet.FromRow(&rows[0])
		must(t, err)
		if len(s.Words) == 0 {
			got.Words = nil
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("got %.300v\nwant %.300v", got, s)
		}
	}
	if id := parquet.ToRow(&full, &doc).SentID; id != "d.conllu@10" {
		t.Errorf("sent_id is %s", id)
	}
}

// Columns that an earlier version did not have are null, and stay so when the
// rows are written again; those that this one has not are passed over.
func TestEarlierColumns(t *testing.T) {
	parts, err := filepath.Glob(filepath.Join("..", "..", "cmd", "treebeam", "testdata", "format3", "trees", "*"))
	if err != nil || len(parts) != 1 {
		t.Fatal(parts, err)
	}
	data, err := os.ReadFile(parts[0])
	must(t, err)
	rows := read[parquet.Tree](t, data)
	table := arrowTable(t, write(t, rows))
	upos, certificates := column(t, table, "upos_conf"), column(t, table, "certificate")
	for i := range rows {
		s, err := parquet.FromRow(&rows[i])
		if err != nil || s.Confidence.UPOSConf != nil || len(s.Confidence.HeadConf) != len(s.Words) || s.Confidence.Certificate != syntax.Uncertain {
			t.Errorf("row %d: %v, %+v", i, err, s.Confidence)
		}
		if upos[i] != nil || certificates[i] != nil {
			t.Errorf("row %d: upos_conf %v, certificate %v", i, upos[i], certificates[i])
		}
	}
	if len(rows) == 0 {
		t.Error("no rows")
	}
	if _, err := open[parquet.Failure](t, data); !errors.Is(err, parquet.ErrForeign) {
		t.Errorf("columns that are never null are missing: %v", err)
	}
	bad := rows[0]
	bad.Certificate = "of another version"
	if _, err := parquet.FromRow(&bad); err == nil {
		t.Error("a certificate that nobody knows was read")
	}
}

func TestFailuresAndDocuments(t *testing.T) {
	for _, f := range []syntax.Failure{
		{DocID: "d", SourceURI: "u", ByteOffset: 5, Line: 2, Stage: "read", Severity: syntax.SeverityError, Fault: syntax.Because(syntax.KindColumns, "r"), Text: "t", Block: "b\n"},
		{DocID: "d", SourceURI: "u", Stage: "parse", Severity: syntax.SeverityWarning, Fault: syntax.Because(syntax.KindBytes, "r")},
	} {
		rows := read[parquet.Failure](t, write(t, []parquet.Failure{parquet.ToFailure(&f)}))
		if got, err := parquet.FromFailure(&rows[0]); err != nil || got != f || rows[0].Kind != f.Kind.String() || (rows[0].Line == nil) != (f.Line == 0) {
			t.Errorf("got %+v, want %+v", got, f)
		}
	}
	if _, err := parquet.FromFailure(&parquet.Failure{Kind: "of another version"}); err == nil {
		t.Error("a kind that nobody knows was read")
	}
	bad := parquet.ToFailure(&syntax.Failure{Text: "caf\xe9"})
	if bad.Text != "caf\ufffd" {
		t.Errorf("got %q", bad.Text)
	}
	d := []parquet.Document{{DocID: "d", SourceURI: "u", StoredBytes: 3, EndByte: 3, Format: "text", Blocks: 1, Trees: 2, Words: 9},
		{DocID: "e", SourceURI: "u", CalibratedWords: 7, ExpectedLAS: 1.0 / 3, ExpectedLASStderr: 1e-9}}
	if got := read[parquet.Document](t, write(t, d)); !reflect.DeepEqual(got, d) {
		t.Errorf("got %+v", got)
	}
	e := []parquet.Entry{{Document: d[0], Version: "v", Run: "r"}, {Document: d[1], Version: "v", Run: "r"}}
	data := write(t, e)
	if got := read[parquet.Entry](t, data); !reflect.DeepEqual(got, e) {
		t.Errorf("got %+v", got)
	}
	table := arrowTable(t, data)
	for name, want := range map[string][]any{"calibrated_words": {nil, 7.0}, "expected_uas": {nil, 0.0}, "expected_las": {nil, 1.0 / 3}, "expected_las_stderr": {nil, 1e-9}} {
		if got := column(t, table, name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestSameBytes(t *testing.T) {
	var rows []parquet.Tree
	for i := range 500 {
		s := parsed(1 + i%30)
		s.StartByte = int64(i)
		rows = append(rows, parquet.ToRow(&s, &doc))
	}
	want := write(t, rows, parquet.KeyValue{Key: "b", Value: "1"}, parquet.KeyValue{Key: "a", Value: "2"})
	var got bytes.Buffer
	w := parquet.NewWriter[parquet.Tree](&got, []parquet.KeyValue{{Key: "a", Value: "2"}, {Key: "b", Value: "1"}})
	for i := range rows {
		must(t, w.Write(rows[i]))
	}
	must(t, w.Close())
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("row by row gives other bytes than all at once")
	}
	if bytes.Contains(want, []byte("parquet-go version")) {
		t.Error("the library's version is in the file")
	}
}

func TestRowGroups(t *testing.T) {
	text := strings.Repeat("some text that a sentence could have ", 100)
	written := make([]parquet.Tree, 12000)
	for i := range written {
		s := parsed(3)
		s.Text, s.StartByte = fmt.Sprint(i, text), int64(i)
		written[i] = parquet.ToRow(&s, &doc)
	}
	data := write(t, written)
	rows := read[parquet.Tree](t, data)
	for i := range rows {
		if rows[i].StartByte != int64(i) || rows[i].Text != fmt.Sprint(i, text) {
			t.Fatalf("row %d is %d: %.20s", i, rows[i].StartByte, rows[i].Text)
		}
	}
	if groups := rowGroups(t, data); groups < 2 || groups > 4 {
		t.Errorf("%d row groups", groups)
	}
}

func TestFromRowChecks(t *testing.T) {
	for name, damage := range map[string]func(*parquet.Tree){
		"lists":         func(r *parquet.Tree) { r.UPOS = r.UPOS[:1] },
		"heads":         func(r *parquet.Tree) { r.Head = nil },
		"spans":         func(r *parquet.Tree) { r.EndChar = r.EndChar[:1] },
		"status":        func(r *parquet.Tree) { r.Status = "odd" },
		"probabilities": func(r *parquet.Tree) { r.HeadConf = []float32{1} },
		"mwt":           func(r *parquet.Tree) { r.MWT = []parquet.MWT{{ID: "1"}} },
		"empty":         func(r *parquet.Tree) { r.EmptyNodes = []parquet.EmptyNode{{ID: "x.1"}} },
	} {
		s := parsed(2)
		row := parquet.ToRow(&s, &doc)
		damage(&row)
		if _, err := parquet.FromRow(&row); err == nil || !strings.Contains(err.Error(), "in/d.conllu at byte 10") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Rows are laid out without an allocation of their own, and read with one for each
// list and little more.
func TestAllocations(t *testing.T) {
	rows := someRows(1000, 20)
	more := someRows(3000, 20)
	few := testing.AllocsPerRun(3, func() { write(t, rows) })
	many := testing.AllocsPerRun(3, func() { write(t, more) })
	if perRow := (many - few) / 2000; perRow > 1 {
		t.Errorf("a row is written with %.2f allocations", perRow)
	}
	data := write(t, rows)
	if perRow := testing.AllocsPerRun(3, func() { read[parquet.Tree](t, data) }) / 1000; perRow > 25 {
		t.Errorf("a row is read with %.1f allocations", perRow)
	}
}

// someRows are rows of so many words.
func someRows(sentences, words int) (rows []parquet.Tree) {
	for i := range sentences {
		s := parsed(words)
		for j := range s.Words {
			w := &s.Words[j]
			w.Form, w.Lemma, w.XPOS, w.Feats = fmt.Sprint("form", i*j%997), fmt.Sprint("lemma", i*j%499), "NN", fmt.Sprint("Number=", j%7)
		}
		s.StartByte = int64(i)
		rows = append(rows, parquet.ToRow(&s, &doc))
	}
	return rows
}

// A file that is damaged is an error or has other rows, and nothing worse.
func FuzzOpen(f *testing.F) {
	s := parsed(30)
	rows := make([]parquet.Tree, 70)
	for i := range rows {
		rows[i] = parquet.ToRow(&s, &doc)
	}
	data := write(f, rows)
	for at := 4; at < len(data); at += 1 + len(data)/100 {
		f.Add(uint16(at), byte(0x55), uint16(0))
	}
	f.Add(uint16(0), byte(0), uint16(0))
	f.Add(uint16(len(data)-20), byte(1), uint16(0))
	f.Add(uint16(500), byte(0x80), uint16(100))
	f.Fuzz(func(t *testing.T, at uint16, flip byte, cut uint16) {
		bad := bytes.Clone(data)
		bad[int(at)%len(bad)] ^= flip
		r, err := open[parquet.Tree](t, bad[:len(bad)-int(cut)%len(bad)])
		if err != nil {
			return
		}
		for row, err := range r.All() {
			if err != nil {
				break
			}
			_, _ = parquet.FromRow(row) // may fail, must not panic
		}
	})
}

// The sums behind a document's shares come back from them.
func TestExpectedOfDocument(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		n := 1 + rng.Int64N(1<<30)
		want := syntax.Expected{Words: n}
		estimate := func() syntax.Estimate {
			return syntax.Estimate{Right: rng.Int64N(4096*n + 1), Variance: rng.Int64N(1024*n + 1)}
		}
		want.UPOS, want.UAS, want.LAS = estimate(), estimate(), estimate()
		d := parquet.Document{CalibratedWords: n}
		d.ExpectedUPOS, d.ExpectedUPOSStderr = want.UPOS.Share(n)
		d.ExpectedUAS, d.ExpectedUASStderr = want.UAS.Share(n)
		d.ExpectedLAS, d.ExpectedLASStderr = want.LAS.Share(n)
		if got := d.Expected(); *got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
	if got := new(parquet.Document).Expected(); *got != (syntax.Expected{}) {
		t.Errorf("nothing was expected: %+v", got)
	}
}

// Long values stand in a file once, compressed: not as bounds in the headers of
// pages and in the footer, which stays in memory until the end.
func TestLongValuesAreNoStatistics(t *testing.T) {
	long := strings.Repeat("c", 1<<20)
	row := parquet.Tree{SentID: "s", Text: "x", Comments: []string{long}, Tokens: []string{long}, Lemmas: []string{long}, Head: []int32{0},
		Misc: []string{long}, MWT: []parquet.MWT{{ID: "1-1", Form: long}}, EmptyNodes: []parquet.EmptyNode{{ID: "1.1", Form: long}}}
	if n := len(write(t, slices.Repeat([]parquet.Tree{row}, 64))); n > 1<<20 {
		t.Errorf("%d bytes for 64 rows of the same letter", n)
	}
}

// A disk fails to read what comes after a byte, or begins before it.
type disk struct {
	io.ReaderAt
	before, after int64
}

func (d *disk) ReadAt(b []byte, off int64) (int, error) {
	if off < d.before || off+int64(len(b)) > d.after {
		return 0, syscall.EIO
	}
	return d.ReaderAt.ReadAt(b, off)
}

func (d *disk) Close() error { return nil }

// A file that cannot be read now is not a damaged one, of which a run would remove all.
func TestUnreadable(t *testing.T) {
	s := parsed(2)
	data := write(t, []parquet.Tree{parquet.ToRow(&s, &doc)})
	size := int64(len(data))
	d := &disk{ReaderAt: bytes.NewReader(data)}
	check := func(what string, err error) {
		if !errors.Is(err, syscall.EIO) || errors.Is(err, parquet.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := parquet.OpenSource(d, size)
	check("the end", err)
	d.after, d.before = size, 1000
	_, err = parquet.OpenSource(d, size)
	check("the beginning", err)
	d.before = 0
	open := func() *parquet.Reader[parquet.Tree] {
		d.before = 0
		r, err := parquet.OpenSource(d, size)
		must(t, err)
		d.before = size
		return r
	}
	check("all", open().Verify())
	for _, err := range open().All() {
		check("a row", err)
	}
}
