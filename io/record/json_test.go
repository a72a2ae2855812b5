package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/treebeam/treebeam/io/text"
)

// A document is a record with its blocks, as a test wants to compare it.
type document struct {
	Record
	raw    string
	blocks []text.Block
}

// read returns the records of [start, end) of data and their cover, having
// checked what every reader promises.
func readJSON(t testing.TB, data []byte, o Options, start, end int64) (list []document, from, to int64) {
	t.Helper()
	r := NewJSONReader(bytes.NewReader(data[min(max(start-1, 0), int64(len(data))):]), o, start, end)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			from, to = r.Covered()
			return list, from, to
		}
		must(t, err)
		d := document{Record: rec, raw: string(rec.Raw)}
		if rec.Start >= rec.End || rec.End > int64(len(data)) || bytes.IndexByte(data[rec.Start:rec.End-1], '\n') >= 0 {
			t.Fatalf("record [%d, %d)", rec.Start, rec.End)
		}
		if rec.Err == nil {
			d.blocks = readText(t, data, &rec)
		}
		list = append(list, d)
	}
}

// readText returns the blocks of a record, having compared them with what
// encoding/json makes of the same bytes.
func readText(t testing.TB, data []byte, rec *Record) (blocks []text.Block) {
	t.Helper()
	r := rec.Text()
	var all strings.Builder
	at := rec.value.Offset
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		all.WriteString(decoded(t, data[at:b.Start]))
		all.WriteString(b.Text)
		if got := decoded(t, data[b.Start:b.End]); got != b.Text {
			t.Fatalf("the source of a block is %.80q, its text %.80q", got, b.Text)
		}
		// Every character is where Offset says.
		for i := 0; i < len(b.Text) && i < 200; {
			size := len(string([]rune(b.Text[i:min(len(b.Text), i+4)])[0]))
			if got := decoded(t, data[b.Offset(i):b.Offset(i+size)]); got != b.Text[i:i+size] {
				t.Fatalf("%q is at %q", b.Text[i:i+size], data[b.Offset(i):b.Offset(i+size)])
			}
			i += size
		}
		if b.Line != rec.Line || !b.OneLine {
			t.Fatalf("line %d, not %d", b.Line, rec.Line)
		}
		blocks, at = append(blocks, b), b.End
	}
	end := rec.value.Offset + int64(len(rec.value.Bytes))
	all.WriteString(decoded(t, data[at:end]))
	if got, want := all.String(), decoded(t, data[rec.value.Offset:end]); got != want {
		t.Fatalf("the blocks and what is between them are %.80q, not %.80q", got, want)
	}
	return blocks
}

// decoded is what encoding/json makes of the inside of a string, but that NULs
// are repaired.
func decoded(t testing.TB, literal []byte) string {
	t.Helper()
	var s string
	if err := json.Unmarshal([]byte(`"`+string(literal)+`"`), &s); err != nil {
		t.Fatalf("%q: %v", literal, err)
	}
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}

func TestText(t *testing.T) {
	for line, want := range map[string]string{
		`{"text": "A cat."}`:                              "A cat.",
		`{"text":""}`:                                     "",
		`{"text":" \n\t "}`:                               "",
		`{"text": "one\n\ntwo"}`:                          "one|two",
		`{"text": "One.\r\nTwo."}`:                        "One.|Two.",
		`{"text": "caf\u00e9 \ud83d\ude00 na\u00EFve"}`:   "café 😀 naïve",
		`{"text": "\"quoted\" \\ \/ \b\f"}`:               "\"quoted\" \\ / \b",
		`{"text": "lone \ud83d and \ude00 and \ud83d\n"}`: "lone \ufffd and \ufffd and \ufffd",
		`{"text": "\ud83d\u0041 \ud83d\ud83d\ude00"}`:     "\ufffdA \ufffd😀",
		`{"text": "nul \u0000 here"}`:                     "nul \ufffd here",
		"{\"text\": \"bad \xff\xc3 bytes\"}":              "bad \ufffd\ufffd bytes",
		`{"a": [1, {"text": "no"}], "text": "yes"}`:       "yes",
		` {"text" : "spaces" } `:                          "spaces",
		"{\"text\":\"CR\"}\r":                             "CR",
		`{"te\u0078t": "escaped key"}`:                    "escaped key",
		"\ufeff{\"text\": \"mark\"}":                      "mark",
		`{"text": "\ufeffmark inside"}`:                   "mark inside",
	} {
		list, from, to := readJSON(t, []byte(line), Options{}, 0, -1)
		if len(list) != 1 || list[0].Err != nil || from != 0 || to != int64(len(line)) {
			t.Errorf("%s: got %+v, cover %d to %d", line, list, from, to)
			continue
		}
		var got []string
		repaired := 0
		for _, b := range list[0].blocks {
			got = append(got, b.Text)
			repaired += b.Repaired
			if (b.Repaired > 0) != (b.FirstBad >= 0) {
				t.Errorf("%s: %d repaired, first at %d", line, b.Repaired, b.FirstBad)
			}
		}
		if joined := strings.Join(got, "|"); joined != want || repaired != strings.Count(want, "\ufffd") {
			t.Errorf("%s: got %q, %d repaired, want %q", line, joined, repaired, want)
		}
	}
}

func TestKeysAndIDs(t *testing.T) {
	long := strings.Repeat("x", maxID+1)
	for _, c := range []struct {
		o              Options
		line, text, id string
		reason         string
	}{
		{Options{}, `{"id": "a/b", "text": "t"}`, "t", "a/b", ""},
		{Options{}, `{"id": 12345678901234567890, "text": "t"}`, "t", "12345678901234567890", ""},
		{Options{}, `{"id": -1.50, "text": "t"}`, "t", "-1.50", ""},
		{Options{}, `{"id": null, "text": "t"}`, "t", "", ""},
		{Options{}, `{"id": " ", "text": "t"}`, "t", "", ""},
		{Options{}, `{"id": "a\nb\u0000%\u2028", "text": "t"}`, "t", "a%0Ab%00%%E2%80%A8", ""},
		{Options{}, `{"id": "../../x", "text": "t"}`, "t", "../../x", ""},
		{Options{}, `{"id": {"a": 1}, "text": "t"}`, "t", "", "\"id\" is an object, not a string or a number"},
		{Options{}, `{"id": true, "text": "t"}`, "t", "", "is true"},
		{Options{}, `{"id": 1, "id": 2, "text": "t"}`, "t", "", "key given twice: \"id\""},
		{Options{}, `{"id": "` + long + `", "text": "t"}`, "t", "", "id too long: 501 bytes"},
		{Options{Text: "body", ID: "_id.$oid"}, `{"_id": {"$oid": "7f"}, "body": "t"}`, "t", "7f", ""},
		{Options{Text: "a.b.c"}, `{"a": {"b": {"x": 0, "c": "deep"}}}`, "deep", "", ""},
		{Options{Text: "a.b"}, `{"a.b": "flat"}`, "flat", "", ""},
		{Options{Text: "a.b.c"}, `{"a.b": {"c": "mixed"}}`, "mixed", "", ""},
		{Options{Text: "t", ID: "t"}, `{"t": "both"}`, "both", "both", ""},
		// A key as it stands wins over the same one as a way into objects, in any order.
		{Options{Text: "m.t"}, `{"m.t": "whole", "m": {"t": "way"}}`, "whole", "", ""},
		{Options{Text: "m.t"}, `{"m": {"t": "way"}, "m.t": "whole"}`, "whole", "", ""},
		{Options{Text: "m.t"}, `{"m": {"t": 7}, "m": {"t": 8}, "m.t": "whole"}`, "whole", "", ""},
	} {
		list, _, _ := readJSON(t, []byte(c.line), c.o, 0, -1)
		if len(list) != 1 || list[0].Err != nil || list[0].ID != c.id || list[0].blocks[0].Text != c.text {
			t.Errorf("%s: got %+v", c.line, list)
			continue
		}
		if got := list[0].Warnings; len(got) > 0 != (c.reason != "") || len(got) > 0 && !strings.Contains(got[0].Reason, c.reason) {
			t.Errorf("%s: got %v", c.line, got)
		}
	}
}

func TestBadRecords(t *testing.T) {
	for _, c := range []struct {
		o      Options
		line   string
		at     int64
		reason string
	}{
		{Options{}, `text`, 0, `no JSON object: the line begins with "t"`},
		{Options{}, `["text"]`, 0, "no JSON object"},
		{Options{}, `{"text": "cut o`, 14, "invalid JSON: unexpected end of JSON input at byte 14"},
		{Options{}, `{"text": "a"`, 11, "invalid JSON: unexpected end"},
		{Options{}, `{"text": "a"} {"text": "b"}`, 14, "invalid JSON: invalid character '{' after top-level value at byte 14"},
		{Options{}, `{"text": "a",}`, 13, "invalid JSON"},
		{Options{}, `{'text': 'a'}`, 1, "invalid JSON"},
		{Options{}, `{"text": "a" "b": 1}`, 13, "invalid JSON"},
		{Options{}, "{\"text\": \"tab\there\"}", 13, "invalid JSON: invalid character '\\t' in string literal"},
		{Options{}, `{"text": "\x41"}`, 11, "invalid JSON"},
		{Options{}, `{"text": "a", "b": NaN}`, 19, "invalid JSON"},
		{Options{}, `{"a":` + strings.Repeat("[", 20000) + `}`, 10004, "exceeded max depth"},
		{Options{Text: "a.b.c"}, `{"a": {"b": {"c": "x"`, 20, "invalid JSON"},
		{Options{}, `{"content": "x", "title": "y"}`, 0, `no text: the record has no key "text", but "content", "title"; name the right one with --text`},
		{Options{}, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, 0, `"e" and others;`},
		{Options{}, `{}`, 0, "nor any other"},
		{Options{}, `{"text": 1}`, 9, `"text" is a number, not a string`},
		{Options{}, `{"text": null}`, 9, "is null"},
		{Options{}, `{"text": ["a"]}`, 10, "is an array with a string, not a string or a list of sentences"},
		{Options{}, `{"text": [["a"], 1]}`, 17, "is an array with a number"},
		{Options{}, `{"text": [["a"], ["b", 2]]}`, 17, "has a token that is not a string"},
		{Options{}, `{"text": "a", "text": "b"}`, 22, `key given twice: "text"`},
		{Options{Text: "a.b"}, `{"a": {"b": "y"}, "a": {"b": "z"}}`, 29, "key given twice"},
		{Options{Text: "a.b"}, `{"a.b": "x", "a": {"b": "y"}, "a.b": "z"}`, 37, "key given twice"},
		{Options{Text: "a.b"}, `{"a": "x"}`, 0, `no key "a.b", but "a"`},
		{Options{Text: "Body, b.c"}, `{"a": "x", "b": 1}`, 0, `none of the keys "Body", "b.c", but "a", "b"`},
		{Options{Text: "Body,b"}, `{"a": "x", "b": 1, "Body": null}`, 16, `"b" is a number`},
		{Options{Text: "Body,b"}, `{"a": "x", "b": null}`, 16, `"b" is null`},
		{Options{MaxRecord: 20}, `{"text": "longer than that"}`, 0, "record too long: it has 28 bytes, the limit is 20"},
	} {
		const before, after = "{\"text\": \"0\"}\n", "\n{\"text\": \"2\"}"
		list, from, to := readJSON(t, []byte(before+c.line+after), c.o, 0, -1)
		if len(list) != 3 || list[0].Err != nil || list[2].Err != nil || from != 0 || to != int64(len(before+c.line+after)) {
			if c.o.Text == "" {
				t.Errorf("%.80s: got %+v, cover %d to %d", c.line, list, from, to)
				continue
			}
		}
		e := list[1].Err
		if e == nil || e.Offset != int64(len(before))+c.at || e.Line != 2 || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%.80s: got %+v, want %q at %d", c.line, e, c.reason, int64(len(before))+c.at)
		}
	}
}

// The first candidate counts that has a value, and one with commas in its name before
// all others.
func TestCandidates(t *testing.T) {
	lines := `{"text": "3", "content": {"text": "2"}, "Body": "1", "n": 1, "k": "no"}
{"text": "3", "content": {"text": "2"}, "Body": null, "id": "x"}
{"text": "3", "content": "no"}
{"a,b": "0", "Body": "1"}
`
	for o, want := range map[string]string{"Body,content.text,text": "1 2 3 1", "a,b": "- - - 0", "text, Body": "3 3 3 1"} {
		list, _, _ := readJSON(t, []byte(lines), Options{Text: o, ID: "n, id"}, 0, -1)
		var got []string
		for i := range list {
			text := "-"
			if list[i].Err == nil {
				text = list[i].Head(9)
			}
			got = append(got, text)
		}
		if len(list) != 4 || strings.Join(got, " ") != want || list[0].ID != "1" || list[1].ID != "x" || list[2].ID != "" {
			t.Errorf("%s: got %v and %q, want %s", o, got, list[0].ID, want)
		}
	}
}

// A text may be cut into sentences and tokens.
// A NUL in a token is U+FFFD, as in every other text.
func TestNULInToken(t *testing.T) {
	list, _, _ := readJSON(t, []byte(`{"text": [["a\u0000b", "c"]]}`), Options{}, 0, -1)
	want := Tokens{[]string{"a\ufffdb", "c"}, 10, 27, 1}
	if got := list[0].Sentences; len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The head, which tells the language, is without markup if the text is.
func TestHead(t *testing.T) {
	line := []byte(`{"id": "<7>", "text": "<p class=\"en\">Caf\u00e9 &amp; Bar"}`)
	for strip, want := range map[bool]string{false: `<p class="en">Café &amp; Bar`, true: "\u2028Café & Bar"} {
		o := Options{}
		o.StripHTML = strip
		rec, err := NewJSONReader(bytes.NewReader(line), o, 0, -1).Next()
		must(t, err)
		if got := rec.Head(100); got != want || rec.ID != "<7>" {
			t.Errorf("%t: %q, id %q", strip, got, rec.ID)
		}
	}
}

func TestGivenTokens(t *testing.T) {
	line := `{"id": "x", "text": [["caf\u00e9", "\ud800"], [], ["\uFFFD", "` + "\ufffd\xff" + `" ] ]}`
	list, _, _ := readJSON(t, []byte(line), Options{}, 0, -1)
	want := []Tokens{{[]string{"café", "\ufffd"}, 21, 44, 1}, {[]string{}, 46, 48, 0}, {[]string{"\ufffd", "\ufffd\ufffd"}, 50, 69, 1}}
	if len(list) != 1 || list[0].Err != nil || !reflect.DeepEqual(list[0].Sentences, want) {
		t.Errorf("got %+v", list)
	}
	for i, x := range want {
		if got := line[x.Start:x.End]; got[0] != '[' || got[len(got)-1] != ']' {
			t.Errorf("sentence %d is %s", i, got)
		}
	}
}

func TestBlankLines(t *testing.T) {
	data := "\ufeff\n \t\r\n{\"text\":\"a\"}\n\n\n {\"text\":\"b\"}  \r\n\n"
	list, from, to := readJSON(t, []byte(data), Options{}, 0, -1)
	if len(list) != 2 || list[0].Line != 3 || list[1].Line != 6 || from != 0 || to != int64(len(data)) {
		t.Fatalf("got %+v, cover %d to %d", list, from, to)
	}
	if list[1].raw != `{"text":"b"}` || data[list[1].Start:list[1].End] != list[1].raw {
		t.Errorf("got %q", list[1].raw)
	}
	for _, data := range []string{"", "\n", " ", "\ufeff"} {
		if list, from, to := readJSON(t, []byte(data), Options{}, 0, -1); len(list) != 0 || from != 0 || to != int64(len(data)) {
			t.Errorf("%q: got %+v, cover %d to %d", data, list, from, to)
		}
	}
}

// A long text becomes several blocks, and its memory does not grow with its
// escapes.
func TestLongText(t *testing.T) {
	sentence := `She said \"no\" to the caf\u00e9\u2019s owner.\n`
	data := []byte(`{"id": 1, "text": "` + strings.Repeat(sentence, 20000) + "\"}\n")
	list, _, _ := readJSON(t, data, Options{}, 0, -1)
	if len(list) != 1 || len(list[0].blocks) < 2 {
		t.Fatalf("got %d records, %d blocks", len(list), len(list[0].blocks))
	}
	data = []byte(`{"text": "` + strings.Repeat(`\u0434\u0430 `, 20000) + "\"}\n")
	list, _, _ = readJSON(t, data, Options{}, 0, -1)
	if n := len(list[0].blocks); n != (20000*5)/text.MaxBlock+1 {
		t.Errorf("got %d blocks", n)
	}
	for i, b := range list[0].blocks {
		if len(b.Text) > text.MaxBlock || b.Continues != (i > 0) || len(b.Runs) > 2*len(b.Text)/5+2 {
			t.Errorf("block %d: %d bytes, continues %v, %d runs", i, len(b.Text), b.Continues, len(b.Runs))
		}
	}
}

// sample makes lines of all kinds.
func sample(rng *rand.Rand, size int) []byte {
	pieces := []string{
		`{"id": "a", "text": "One. Two."}`, `{"text": "caf\u00e9\n\nend"}`, `{"text": "`, "\n", "\n", "\n", "\r\n", " ", "{}", "[]",
		`{"text": "\ud83d\ude00 \ud83d"}`, "\xff", "\x00", `{"id": 7, "text": "` + strings.Repeat("long and longer ", 40) + `"}`, `"}`,
	}
	var b []byte
	for len(b) < size {
		b = append(b, pieces[rng.IntN(len(pieces))]...)
	}
	return b
}

// However a file is cut, its records are the same, and the covers tile it.
func TestRangesGiveTheSameRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		data := sample(rng, rng.IntN(2000))
		o := Options{MaxRecord: 300 + rng.IntN(1000)}
		for range 4 {
			checkCut(t, data, o, rng.Int64N(int64(len(data))+1))
		}
	}
}

// checkCut checks that the parts of a file before and behind a place have the records
// of the whole, and cover it.
func checkCut(t testing.TB, data []byte, o Options, at int64) {
	t.Helper()
	whole, from, to := readJSON(t, data, o, 0, -1)
	if from != 0 || to != int64(len(data)) {
		t.Fatalf("cover %d to %d of %d", from, to, len(data))
	}
	if at <= 0 || at >= int64(len(data)) {
		return
	}
	first, _, end := readJSON(t, data, o, 0, at)
	second, begin, last := readJSON(t, data, o, at, -1)
	if begin != last && begin != end || last != int64(len(data)) {
		t.Fatalf("covers to %d, %d to %d of %d", end, begin, last, len(data))
	}
	if got, want := describe(append(first, second...)), describe(whole); got != want {
		t.Fatalf("cut at %d: got\n%s\nwant\n%s", at, got, want)
	}
}

// describe is all of the records but their line numbers, which only the reader
// of a file's beginning knows.
func describe(list []document) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%d %d %q %q %v %v", d.Start, d.End, d.raw, d.ID, d.Err != nil, d.reasons())
		for _, k := range d.blocks {
			fmt.Fprintf(&b, " [%d %d %q %d]", k.Start, k.End, k.Text, k.Repaired)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (d *document) reasons() (list []string) {
	for _, e := range slices.Concat(d.Warnings, []Error{*cmp.Or(d.Err, &Error{})}) {
		list = append(list, fmt.Sprint(e.Offset, e.Reason))
	}
	return list
}

// A reader that fails gives what was whole before, then its error.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	data := "{\"text\": \"a\"}\n{\"text\": \"b"
	r := NewJSONReader(io.MultiReader(strings.NewReader(data), iotest.ErrReader(broken)), Options{}, 0, -1)
	if rec, err := r.Next(); err != nil || rec.Err != nil {
		t.Fatal(rec, err)
	}
	for range 2 {
		if rec, err := r.Next(); err != broken {
			t.Fatal(rec, err)
		}
	}
	if from, to := r.Covered(); from != 0 || to != 14 {
		t.Errorf("covered %d to %d", from, to)
	}
}

func FuzzRecords(f *testing.F) {
	for _, seed := range []string{
		`{"id": "a", "text": "One. \u00e9\ud83d\ude00"}`, "{\"text\": \"\xff\\ud83d\"}\n\n{}", "\ufeff[1]\n{\"text\":1}", `{"a":{"b":"x"}}`,
	} {
		f.Add([]byte(seed), int64(7), uint8(0))
		f.Add([]byte(seed), int64(1), uint8(20))
	}
	f.Fuzz(func(t *testing.T, data []byte, at int64, limit uint8) {
		checkCut(t, data, Options{MaxRecord: int(limit)}, at)
	})
}

// A token may hold the escape of U+FFFD as text, which is no U+FFFD.
func TestEscapedReplacement(t *testing.T) {
	line := `{"text": [["\\ufffd", "\ufffd", "\\\uFFFD", "` + "\ufffd \xff" + `"]]}`
	rec, err := NewJSONReader(strings.NewReader(line), Options{}, 0, -1).Next()
	if must(t, err); rec.Sentences[0].Repaired != 1 {
		t.Errorf("%d repaired: %q", rec.Sentences[0].Repaired, rec.Sentences[0].Tokens)
	}
}
