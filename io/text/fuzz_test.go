package text

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// hostile are beginnings of files in which bytes are not what they seem.
var hostile = []string{
	"\xff\xfea\x00\n\x00",                            // UTF-16
	"\xff\xfe\x00\xd8\n\x00\x00\xdc\n\x00\x01\xd8",   // with lone surrogates
	"\xfe\xff\x00a\x00",                              // with half a character
	"\xef\xbb\xbf\xef\xbb\xbf\n\n\xef\xbb",           // byte order marks, one cut off
	"end.\n\xef\xbb\xbfNext file.\n\xff\xfeAnd",      // of files put together
	"\xc0\xaf \xe0\x80\xaf\n\xf0\x80\x80\xaf",        // overlong
	"\xed\xa0\x80\xed\xb0\x80 \xf4\x90\x80\x80",      // surrogates, beyond Unicode
	"\x00\x00\n\x00 \x00\n\n\x00",                    // NULs
	"a\r\rb\r\nc\n\rd\r",                             // line ends of all kinds
	"a\u2028b\u2029c\u0085d\ve\ff\n\u2029\n\u00a0\n", // and what is none
	"\x1b$B\n\x1b(B\x1b$",                            // ISO-2022-JP, cut off
	"\x81\n\x81\x30\n\x81\x30\x81\n\x81",             // GB18030, line breaks inside characters
	"> quoted,\n> mail\n>\n> goes on",
	"Run:\n```sh\nmake\n\nx\n```\n\nso\nit\n",               // code with a blank line
	"a\n\n```\nb\n\nc\n\n```\n\nd\ne\n```\nf\u2029```\ng\n", // fences of all kinds
	"- a\n  b\n- c\nA: d\ne\nB: f\n\tg = h()\n| i |\n",      // list, speech, code, table
}

var fuzzEncodings = []string{"", "latin1", "utf-16le", "utf-16be", "shift_jis", "gb18030", "euc-jp", "big5", "iso-2022-jp", "koi8-r", "windows-1255"}

var allLines = []Lines{AutoLines, Wrapped, Paragraph, Sentence}

// FuzzReader checks that the blocks of any bytes tile them, hold valid UTF-8
// and are the same however the file is cut into three ranges.
func FuzzReader(f *testing.F) {
	for i, enc := range fuzzEncodings {
		f.Add(sample(rand.New(rand.NewPCG(uint64(i), 1)), 300), enc, uint16(100), uint16(17), uint8(i))
	}
	for i, data := range hostile {
		f.Add([]byte(data), "", uint16(3), uint16(2), uint8(i))
		f.Add([]byte(strings.Repeat(data, 3)), fuzzEncodings[i%len(fuzzEncodings)], uint16(len(data)), uint16(1), uint8(i+1))
	}
	f.Fuzz(func(t *testing.T, data []byte, label string, first, second uint16, lines uint8) {
		l, err := Decide(data, Options{Encoding: label, Lines: allLines[int(lines)%len(allLines)]})
		if err != nil {
			return
		}
		checkRanges(t, data, l, int64(first), int64(first)+int64(second))
	})
}

// checkRanges checks that [0, a), [a, b) and [b, size) give the blocks of the
// whole and cover it.
func checkRanges(t testing.TB, data []byte, l Layout, a, b int64) {
	t.Helper()
	size := int64(len(data))
	whole, cover := read(t, data, l, 0, size)
	if cover != [2]int64{0, size} {
		t.Fatalf("cover %v of %d bytes", cover, size)
	}
	var parts []Block
	at := int64(0)
	for _, r := range [][2]int64{{0, min(a, size)}, {min(a, size), min(b, size)}, {min(b, size), size}} {
		if r[0] == r[1] {
			continue
		}
		blocks, cover := read(t, data, l, r[0], r[1])
		if cover[0] != cover[1] {
			if cover[0] != at {
				t.Fatalf("cover %v of range %v after %d", cover, r, at)
			}
			at = cover[1]
		}
		parts = append(parts, blocks...)
	}
	if at != size {
		t.Fatalf("covers end at %d of %d", at, size)
	}
	same(t, parts, whole)
}

// TestAnyCut checks all cuts of all hostile beginnings, in all encodings and
// with all meanings of lines.
func TestAnyCut(t *testing.T) {
	for _, data := range hostile {
		for _, enc := range fuzzEncodings {
			for _, lines := range allLines {
				l, err := Decide([]byte(data), Options{Encoding: enc, Lines: lines})
				must(t, err)
				for a := range len(data) {
					for _, b := range []int{a, a + 1, a + 4} {
						checkRanges(t, []byte(data), l, int64(a), int64(b))
					}
				}
			}
		}
	}
}
