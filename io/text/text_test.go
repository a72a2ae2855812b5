package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// read returns the blocks of [start, end) of data and their cover, having
// checked what every reader promises.
func read(t testing.TB, data []byte, l Layout, start, end int64) ([]Block, [2]int64) {
	t.Helper()
	at := SeekTo(start)
	r, err := NewReader(bytes.NewReader(data[min(at, int64(len(data))):]), l, start, end)
	must(t, err)
	from, _ := r.Covered()
	blocks, err := all(r)
	must(t, err)
	for _, b := range blocks {
		if b.From != from || b.Start < b.From || b.End <= b.Start {
			t.Fatalf("block [%d, %d) from %d after %d", b.Start, b.End, b.From, from)
		}
		if !utf8.ValidString(b.Text) || strings.ContainsRune(b.Text, 0) || b.Text == "" || len(b.Text) > MaxBlock {
			t.Fatalf("bad text of %d bytes: %.50q", len(b.Text), b.Text)
		}
		if strings.TrimFunc(b.Text, isSpace) != b.Text {
			t.Fatalf("text is not trimmed: %.50q", b.Text)
		}
		if (b.Repaired > 0) != (b.FirstBad >= 0) || b.Repaired > strings.Count(b.Text, "\ufffd") {
			t.Fatalf("%d repaired, first at %d, in %.50q", b.Repaired, b.FirstBad, b.Text)
		}
		last := b.Start
		for i := range b.Text {
			if o := b.Offset(i); o < last || o > b.End {
				t.Fatalf("offset %d of %.50q is at %d after %d", i, b.Text, o, last)
			} else {
				last = o
			}
		}
		if b.Offset(0) != b.Start || b.Offset(len(b.Text)) != b.End {
			t.Fatalf("the offsets of %.50q are not its interval", b.Text)
		}
		if b.Runs == nil && string(data[b.Start:b.End]) != b.Text {
			t.Fatalf("text is not the source's: %.50q", b.Text)
		}
		from = b.End
	}
	start, end = r.Covered()
	if end < from {
		t.Fatalf("the cover ends at %d, before the last block's end %d", end, from)
	}
	if l.Encoding == "utf-8" {
		checkSeparators(t, data, blocks, end)
	}
	return blocks, [2]int64{start, end}
}

// checkSeparators checks that what is not in a block is white space.
func checkSeparators(t testing.TB, data []byte, blocks []Block, end int64) {
	t.Helper()
	for i := 0; i <= len(blocks); i++ {
		var sep []byte
		if i < len(blocks) {
			sep = data[blocks[i].From:blocks[i].Start]
		} else if i > 0 {
			sep = data[blocks[i-1].End:end]
		}
		if len(bytes.TrimFunc(sep, isSpace)) != 0 {
			t.Fatalf("text between blocks: %.50q", sep)
		}
	}
}

// all returns the blocks of a reader up to its end, or to an error.
func all(r *Reader) (blocks []Block, err error) {
	for b, err := range r.All() {
		if err != nil {
			return blocks, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func texts(blocks []Block) string {
	var s []string
	for _, b := range blocks {
		s = append(s, b.Text)
	}
	return strings.Join(s, "|")
}

func decide(t testing.TB, data string, o Options) Layout {
	t.Helper()
	l, err := Decide([]byte(data[:min(len(data), 64<<10)]), o)
	must(t, err)
	return l
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		data  string
		lines Lines
		want  string
	}{
		{"", AutoLines, ""},
		{"\n \t\r\n\n", AutoLines, ""},
		{"one", AutoLines, "one"},
		{"one\n", Wrapped, "one"},
		{"one\ntwo\n\nthree", Wrapped, "one\ntwo|three"},
		{"one\ntwo\n \t\nthree\n\n\n", Wrapped, "one\ntwo|three"},
		{"one\r\ntwo\r\n\r\nthree\r\n", Wrapped, "one\r\ntwo|three"},
		{"  one \n two\n\u00a0\nthree", Wrapped, "one \n two|three"},
		{"one\ntwo\n\nthree", Paragraph, "one|two|three"},
		{"one\r\n two \r\n\r\nthree", Sentence, "one|two|three"},
		{"one\rtwo\r\rthree", Paragraph, "one|two|three"},
		{"one\rtwo\r\rthree", Wrapped, "one\rtwo|three"},
		{"\ufeffone\ntwo", Paragraph, "one|two"},
		{"one\n\ufefftwo", Paragraph, "one|two"},
		{"\ufeff", Paragraph, ""},
		{"a\x00b\xffc", Paragraph, "a\ufffdb\ufffdc"},
		{"one\n\ufefftwo\nthree", Wrapped, "one|two\nthree"}, // files put together
		{"one\u2029two\u2028three", Wrapped, "one|two\u2028three"},
		{"one\u2029two\u2028three\nfour", Sentence, "one|two\u2028three|four"},
		{"one\n\ftwo\n\f\nthree\u0085four", Wrapped, "one\n\ftwo|three\u0085four"},
		{"one\rtwo\r\r\nthree\rfour\r\n\rfive", Paragraph, "one|two|three|four|five"}, // mostly CR
		{"one\r\r\ntwo\r\r\nthree", Wrapped, "one\r\r\ntwo\r\r\nthree"},               // LF made CR LF twice
		{"an exam-\nple", Wrapped, "an exam-\nple"},
	} {
		blocks, cover := read(t, []byte(c.data), decide(t, c.data, Options{Lines: c.lines}), 0, int64(len(c.data)))
		if got := texts(blocks); got != c.want || cover != [2]int64{0, int64(len(c.data))} {
			t.Errorf("%q %s: got %q, cover %v", c.data, c.lines, got, cover)
		}
	}
}

func TestRepair(t *testing.T) {
	data := "ok\n\nna\xefve caf\xc3\n\xe2\x82 \x00 \xed\xa0\x80 \ufffd end\xf0\x9f"
	blocks, _ := read(t, []byte(data), decide(t, data, Options{Lines: Wrapped}), 0, -1)
	if len(blocks) != 2 || blocks[0].Repaired != 0 || blocks[0].FirstBad != -1 {
		t.Fatalf("got %+v", blocks)
	}
	b := blocks[1]
	if want := "na\ufffdve caf\ufffd\n\ufffd\ufffd \ufffd \ufffd\ufffd\ufffd \ufffd end\ufffd\ufffd"; b.Text != want {
		t.Fatalf("got %q, want %q", b.Text, want)
	}
	if b.Repaired != 10 || b.FirstBad != 6 || b.Line != 3 {
		t.Errorf("got %d, %d, line %d", b.Repaired, b.FirstBad, b.Line)
	}
	for _, word := range []string{"ve caf", "end"} {
		if got, want := b.Offset(strings.Index(b.Text, word)), int64(strings.Index(data, word)); got != want {
			t.Errorf("%q: got offset %d, want %d", word, got, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct{ label, name, data, want string }{
		{"latin1", "windows-1252", "na\xefve\x93\n\ncaf\xe9", "naïve“|café"},
		{"ISO-8859-15", "iso-8859-15", "\xa4 5", "€ 5"},
		{"koi8-r", "koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4 world", "Привет world"},
		{"shift_jis", "shift_jis", "\x93\xfa\x96{\x8c\xea\n\nx\x81", "日本語|x\ufffd"},
		{"gb18030", "gb18030", "\xc4\xe3 \x81\n\n\xba\xc3", "你 \ufffd|好"},
		{"euc-kr", "euc-kr", "\xb0\xa1b", "가b"},
		{"iso-2022-jp", "iso-2022-jp", "a\x1b$BF|K\\\x1b(Bb", "a日本b"},
		{"utf-16be", "utf-16be", "\x00a\x00\n\x00\n\xd8\x3d\xde\x00\x00b", "a|😀b"},
		{"utf-16", "utf-16le", "a\x00b\x00", "ab"},
		{"", "utf-16le", "\xff\xfea\x00\x00\xd8b\x00c", "a\ufffdb\ufffd"},
		{"latin1", "utf-8", "\xef\xbb\xbfcaf\u00e9", "café"},
	} {
		l := decide(t, c.data, Options{Encoding: c.label, Lines: Wrapped})
		blocks, _ := read(t, []byte(c.data), l, 0, -1)
		if got := texts(blocks); got != c.want || l.Encoding != c.name {
			t.Errorf("%s: got %q as %s, want %q as %s", c.label, got, l.Encoding, c.want, c.name)
		}
		for _, b := range blocks {
			if i := strings.IndexByte(b.Text, 'b'); i >= 0 && c.data[b.Offset(i)] != 'b' && c.data[b.Offset(i)] != 0 {
				t.Errorf("%s: b is at %d of %q", c.label, b.Offset(i), c.data)
			}
		}
	}
	if err := (Options{Encoding: "klingon"}).Validate(); err == nil || !strings.Contains(err.Error(), "use a name such as") {
		t.Errorf("got %v", err)
	}
	if err := (Options{Encoding: "iso-2022-kr"}).Validate(); err == nil {
		t.Error("an encoding that cannot be decoded was accepted")
	}
	if err := (Options{Lines: "odd"}).Validate(); err == nil || !strings.Contains(err.Error(), "paragraph") {
		t.Errorf("got %v", err)
	}
}

// sample makes text with lines, paragraphs and odd bytes.
func sample(rng *rand.Rand, size int) []byte {
	pieces := []string{"word", " ", "\n", "\n\n", "\r\n", " \n \n", "Word. ", "é", "日本。", "\xff", "\x00", "\u00a0", "longer words go here ", "\t", "!\n", "\u2029", "\u2028", "\ufeff", "\r", "\f", "\u00a0\n"}
	var b []byte
	for len(b) < size {
		b = append(b, pieces[rng.IntN(len(pieces))]...)
		if rng.IntN(200) == 0 {
			b = append(b, strings.Repeat("and so on ", rng.IntN(4000))...)
		}
		if rng.IntN(400) == 0 {
			b = append(b, strings.Repeat(" ", rng.IntN(40000))...)
		}
	}
	return b
}

func TestRangesGiveTheSameBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 30 {
		data := sample(rng, rng.IntN(3000))
		if round%3 == 0 {
			data = append([]byte("\ufeff"), data...)
		}
		for _, o := range []Options{{Lines: Wrapped}, {Lines: Paragraph}, {Lines: Sentence}, {Lines: Sentence, Encoding: "latin1"}, {Lines: Wrapped, Encoding: "latin1"}, {Lines: Paragraph, Encoding: "gbk"}, {Lines: Wrapped, Encoding: "utf-16le"}} {
			l := decide(t, string(data), o)
			if round%10 == 0 { // however much is read at once
				want, _ := read(t, data, l, 0, -1)
				r, err := NewReader(iotest.OneByteReader(bytes.NewReader(data)), l, 0, -1)
				must(t, err)
				got, err := all(r)
				must(t, err)
				same(t, got, want)
			}
			for range 3 {
				first := 1 + rng.Int64N(int64(len(data))+1)
				checkRanges(t, data, l, first, first+rng.Int64N(int64(len(data))+1))
			}
		}
	}
}

// same compares blocks but for their lines and the white space before them.
func same(t testing.TB, got, want []Block) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d blocks, want %d", len(got), len(want))
	}
	for i := range got {
		if g, w := got[i], want[i]; !alike(g, w) {
			t.Fatalf("block %d: got %.80q [%d, %d), want %.80q [%d, %d)", i, g.Text, g.Start, g.End, w.Text, w.Start, w.End)
		}
	}
}

func alike(g, w Block) bool {
	return g.Text == w.Text && g.Start == w.Start && g.End == w.End && g.Repaired == w.Repaired && g.Continues == w.Continues &&
		g.Cut == w.Cut && g.Opens == w.Opens && g.FirstBad == w.FirstBad
}

func TestReadError(t *testing.T) {
	fail := errors.New("the disk is gone")
	data := "one\n\ntwo\n\nthree is cut o"
	for _, lines := range []Lines{Wrapped, Paragraph} {
		r, err := NewReader(io.MultiReader(strings.NewReader(data), iotest.ErrReader(fail)), decide(t, data, Options{Lines: lines}), 0, -1)
		must(t, err)
		blocks, err := all(r)
		if _, end := r.Covered(); texts(blocks) != "one|two" || err != fail || end != 8 {
			t.Errorf("%s: got %q, %v, cover to %d", lines, texts(blocks), err, end)
		}
	}
}

func TestLongLine(t *testing.T) {
	for name, unit := range map[string]string{
		"sentences": "This is a sentence of Mr. Smith here. ", "words": "word ", "letters": "x", "combining": "e\u0301", "spaces": " ", "han": "日本語", "bad": "\xff",
	} {
		n := 1 << 20
		if name == "sentences" {
			n = 30 << 20
		}
		src := &repeat{unit: unit, left: n / len(unit)}
		r, err := NewReader(src, decide(t, strings.Repeat(unit, 1000), Options{Lines: Paragraph}), 0, -1)
		must(t, err)
		blocks, covered := 0, int64(0)
		for b, err := range r.All() {
			if err != nil || b.From != covered || len(b.Text) > MaxBlock || b.Continues != (blocks > 0) {
				t.Fatalf("%s: %v, block of %d bytes from %d after %d", name, err, len(b.Text), b.From, covered)
			}
			if name == "sentences" && !strings.HasSuffix(b.Text, "here.") {
				t.Fatalf("cut at %q", b.Text[len(b.Text)-20:])
			}
			if name == "words" && !strings.HasSuffix(b.Text, "word") || name == "combining" && !strings.HasPrefix(b.Text, "e") {
				t.Fatalf("%s: cut inside a word", name)
			}
			blocks, covered = blocks+1, b.End
		}
		if cap(r.win.text) > 256<<10 || len(r.win.spans) > 64<<10 {
			t.Errorf("%s: the window grew to %d bytes", name, cap(r.win.text))
		}
		if _, end := r.Covered(); end != int64(n/len(unit)*len(unit)) {
			t.Errorf("%s: covered %d bytes", name, end)
		}
	}
}

// A repeat reads a unit many times.
type repeat struct {
	unit string
	left int
	rest string
}

func (r *repeat) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		if r.rest == "" {
			if r.left == 0 {
				break
			}
			r.left, r.rest = r.left-1, r.unit
		}
		k := copy(b[n:], r.rest)
		n, r.rest = n+k, r.rest[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestCutPoint(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"It ended. It began again here", "It ended."},
		{"He said \u201cdone enough.\u201d Then Dr. Smith left us", "He said \u201cdone enough.\u201d"},
		{"I met J. Smith and then no one else", "I met J."},
		{"no sentence here\nbut a line break too", "no sentence here"},
		{"only words go on in this one", "only words go on in"},
		{"\u4f60\u597d\u3002\u518d\u89c1\u5427\u518d\u89c1\u5427\u518d\u89c1", "\u4f60\u597d\u3002"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"},
		{"Why? \u00bfPor qu\u00e9 no ahora mismo", "Why?"},
	} {
		limit := 20
		if strings.Contains(c.text, "\u201c") {
			limit = 35
		}
		if got := strings.TrimSpace(c.text[:cutPoint([]byte(c.text), limit, '\n')]); got != c.want {
			t.Errorf("%q: cut after %q, want %q", c.text, got, c.want)
		}
	}
}

func ExampleReader() {
	data := "A first paragraph\nin two lines.\n\nA second one.\n"
	layout, _ := Decide([]byte(data), Options{Lines: Wrapped})
	r, _ := NewReader(strings.NewReader(data), layout, 0, -1)
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		fmt.Printf("%d-%d line %d: %q\n", b.Start, b.End, b.Line, b.Text)
	}
	// Output:
	// 0-31 line 1: "A first paragraph\nin two lines."
	// 33-46 line 4: "A second one."
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
