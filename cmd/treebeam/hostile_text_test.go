package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Bytes that are no text, no UTF-8, or too much of something.
func TestHostileText(t *testing.T) {
	const sentence = "One two three .\n"
	many := strings.Repeat(fine+"\n", 200)
	runHostile(t, map[string]hostile{
		"empty file":        {in: map[string]string{"a.txt": ""}},
		"empty folder":      {want: exitRefused, last: "without files"},
		"white space":       {in: map[string]string{"a.txt": " \n\n\t\r\n\u00a0\u2028\n  "}},
		"byte order mark":   {in: map[string]string{"a.txt": "\xef\xbb\xbf"}},
		"marks inside":      {in: map[string]string{"a.txt": "\xef\xbb\xbf" + sentence + "\n\xef\xbb\xbf" + sentence}, trees: 2},
		"no last line feed": {in: map[string]string{"a.txt": "One two"}, trees: 1},
		"carriage returns":  {in: map[string]string{"a.txt": "One two .\r\rThree four .\r"}, trees: 2},
		"one NUL": {in: map[string]string{"a.txt": "One \x00 two .\n" + many}, trees: 401,
			rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"a tail of NULs": {in: map[string]string{"a.txt": "One two .\n\n" + strings.Repeat("\x00", 4096)}, trees: -1,
			rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"only NULs": {in: map[string]string{"a.txt": strings.Repeat("\x00", 5000)},
			rows: []row{{"a.txt", "read", "not text"}}},
		"a single NUL":    {in: map[string]string{"a.txt": "\x00"}, trees: 1, rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"cut character":   {in: map[string]string{"a.txt": "One two \xe2\x82"}, trees: 1, rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"Latin-1":         {in: map[string]string{"a.txt": "Caf\xe9 au lait .\n"}, trees: 1, rows: []row{{"a.txt", "read", "invalid bytes"}}, last: "--encoding"},
		"Latin-1, told":   {in: map[string]string{"a.txt": "Caf\xe9 au lait .\n"}, trees: 1, args: []string{"IN", "--output", "OUT", "--encoding", "latin1"}},
		"surrogates":      {in: map[string]string{"a.txt": "One \xed\xa0\x80 two .\n"}, trees: 1, rows: []row{{"a.txt", "read", "3 characters"}}},
		"overlong":        {in: map[string]string{"a.txt": "One \xc0\xaf \xf8\x88\x80\x80\x80 two .\n"}, trees: 1, rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"UTF-16":          {in: map[string]string{"a.txt": "\xff\xfe" + utf16le(sentence)}, trees: 1},
		"UTF-16, odd":     {in: map[string]string{"a.txt": "\xff\xfe" + utf16le(sentence) + "x"}, trees: 2, rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"UTF-16, big":     {in: map[string]string{"a.txt": "\xfe\xff" + swapped(utf16le(sentence))}, trees: 1},
		"UTF-16, no mark": {in: map[string]string{"a.txt": utf16le(many)}, rows: []row{{"a.txt", "read", "--encoding utf-16le"}}},
		"UTF-16, told":    {in: map[string]string{"a.txt": utf16le(sentence)}, trees: 1, args: []string{"IN", "--output", "OUT", "--encoding", "utf-16le"}},
		"UTF-16, half a pair": {in: map[string]string{"a.txt": "\xff\xfe" + utf16le("One ") + "\x00\xd8" + utf16le(" two .\n")}, trees: 1,
			rows: []row{{"a.txt", "read", "invalid bytes"}}},
		"UTF-32":          {in: map[string]string{"a.txt": "\xff\xfe\x00\x00" + utf32le(sentence)}, rows: []row{{"a.txt", "read", "UTF-32"}}},
		"UTF-32, no mark": {in: map[string]string{"a.txt": utf32le(many)}, rows: []row{{"a.txt", "read", "not text"}}},
		"containers": {in: map[string]string{
			"a.pdf": "%PDF-1.4\n%\xe2\xe3", "b.docx": "PK\x03\x04" + noise(100), "c.txt": "\x89PNG\r\n\x1a\n" + noise(10),
			"d": "\x7fELF\x02\x01\x01" + noise(50), "e.doc": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "f.txt": string(bytesTo255()), "g.xz": "\xfd7zXZ\x00",
		}, rows: []row{{"a.pdf", "read", "not text: a PDF"}, {"b.docx", "read", "not text: a zip"}, {"c.txt", "read", "not text: a picture"},
			{"d", "read", "not text: a program"}, {"e.doc", "read", "not text: an office document"}, {"f.txt", "read", "not text: a binary file"},
			{"g.xz", "read", "not text: xz"}}, last: "WARNING"},
		"a container on request": {in: map[string]string{"a.pdf": "%PDF-1.4\n"}, args: []string{"IN", "--output", "OUT", "--from", "text"},
			rows: []row{{"a.pdf", "read", "not text"}}},
		"escape sequences":    {in: map[string]string{"a.txt": "\x1b[31mOne\x1b[0m two\x07 .\n"}, trees: 1},
		"bidirectional marks": {in: map[string]string{"a.txt": "One \u202etwo\u202c \u200b .\n\n\u200f\n"}, trees: -1},
		"combining marks":     {in: map[string]string{"a.txt": "e" + strings.Repeat("\u0301", 40000) + " .\n"}, trees: -1},
		"many blank lines":    {in: map[string]string{"a.txt": sentence + strings.Repeat("\n", 100000) + sentence}, trees: 2},
		"many short lines":    {in: map[string]string{"a.txt": strings.Repeat("x\n", 20000)}, trees: -1, once: true},
		"a word of 1 MB":      {in: map[string]string{"a.txt": strings.Repeat("x", 1<<20)}, trees: 64},
		"70,000 words":        {in: map[string]string{"a.txt": strings.Repeat("word ", 70000)}, trees: -1, once: true},
		"a line of 50 MB":     {in: map[string]string{"a.txt": strings.Repeat(strings.Repeat("x", 4999)+" ", 10000)}, trees: -1, once: true},
	})
}

// Text that is no language: sentences that only --max-words ends, which would take
// long to search.
func TestHostileWords(t *testing.T) {
	const words = 5_000
	repeated := func(unit string) hostile {
		return hostile{in: map[string]string{"a.txt": strings.Repeat(unit, words/strings.Count(unit, " "))}, trees: -1, model: true, quick: true, once: true}
	}
	accurate := repeated("the , that - a ( and ) ' to ")
	accurate.accurate, accurate.quick = true, false
	the := repeated("the ") // with a small network, the search spends all of its budget on it
	the.quick = false
	runHostile(t, map[string]hostile{
		"by the accurate model": accurate,
		"dashes":                repeated("- "), "commas": repeated(", "), "quotes": repeated("' "), "closed and open": repeated(") ( "), "that": repeated("that "),
		"the": the, "all of them": repeated("the , that - a ( and ) ' to "),
		"in one sentence": {in: map[string]string{"a.tok": strings.Repeat("- ", words) + "\n"}, args: []string{"IN", "--output", "OUT", "--from", "tokens"},
			trees: 1, model: true, quick: true, once: true},
	})
}

// Compressed files that are damaged, nested, or much larger than they look.
func TestHostileCompression(t *testing.T) {
	text := fine + "\n" + noise(120000) + ".\n"
	whole := zipped(text)
	flipped := []byte(whole)
	flipped[len(flipped)/2] ^= 0x10
	args := []string{"IN", "--output", "OUT"}
	runHostile(t, map[string]hostile{
		"gzip, cut off":      {in: map[string]string{"a.txt.gz": whole[:len(whole)/2]}, trees: -1, rows: []row{{"a.txt.gz", "read", "end too early"}}},
		"gzip, two bytes":    {in: map[string]string{"a.txt.gz": whole[:2]}, rows: []row{{"a.txt.gz", "read", "end too early"}}},
		"gzip, empty file":   {in: map[string]string{"a.txt.gz": ""}, rows: []row{{"a.txt.gz", "read", "end too early"}}},
		"gzip of nothing":    {in: map[string]string{"a.txt.gz": zipped("")}},
		"gzip, a bit":        {in: map[string]string{"a.txt.gz": string(flipped)}, trees: -1, rows: []row{{"a.txt.gz", "read", "damaged"}}},
		"gzip and garbage":   {in: map[string]string{"a.txt.gz": zipped(fine) + "garbage behind it"}, trees: -1, rows: []row{{"a.txt.gz", "read", "damaged"}}},
		"gzip and zeros":     {in: map[string]string{"a.txt.gz": zipped(fine) + strings.Repeat("\x00", 512)}, trees: -1, rows: []row{{"a.txt.gz", "read", "damaged"}}},
		"gzip members":       {in: map[string]string{"a.txt.gz": zipped("One ") + zipped("two .\n\nThr") + zipped("") + zipped("ee .\n")}, trees: 2},
		"gzip of gzip":       {in: map[string]string{"a.txt.gz": zipped(zipped(fine))}, rows: []row{{"a.txt.gz", "read", "not text: gzip data"}}},
		"gzip, other name":   {in: map[string]string{"a.txt": zipped(fine)}, rows: []row{{"a.txt", "read", "end in .gz"}}},
		"text called gzip":   {in: map[string]string{"a.gz": fine}, rows: []row{{"a.gz", "read", "not what the name says"}}},
		"a folder called gz": {in: map[string]string{"a.gz/b.txt": fine}, trees: 2},
		"zstd, wide window":  {setup: wideWindow, rows: []row{{"a.txt.zst", "read", "a window of over 128 MB"}}, args: args},
		"zstd, cut off":      {in: map[string]string{"a.txt.zst": zstdOf(text)[:5000]}, trees: 0, rows: []row{{"a.txt.zst", "read", "end too early"}}},
		"zstd frames":        {in: map[string]string{"a.txt.zst": zstdOf("One ") + zstdOf("two .\n")}, trees: 1},
		"bzip2, damaged":     {in: map[string]string{"a.txt.bz2": "BZh91AY&SY" + noise(100)}, rows: []row{{"a.txt.bz2", "read", "end too early"}}},
		"bzip2, cut off":     {in: map[string]string{"a.txt.bz2": "BZh9"}, rows: []row{{"a.txt.bz2", "read", "end too early"}}},
		"standard input":     {stdin: whole, args: []string{"-", "--output", "OUT"}, want: exitRefused, last: "standard input can be read only once"},
	})
}

// A small file that becomes a large one costs time, not memory.
func TestHostileBombs(t *testing.T) {
	const size = 64 << 20
	runHostile(t, map[string]hostile{
		"spaces":     {setup: bomb(" ", size), once: true},
		"line feeds": {setup: bomb("\n", size), once: true},
		"one letter": {setup: bomb("x", size), trees: size / (16 << 10), once: true},
		"NULs":       {setup: bomb("\x00", size), rows: []row{{"a.txt.gz", "read", "not text"}}, once: true},
		"CoNLL": {setup: bomb("1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n", size), once: true,
			rows: []row{{"a.txt.gz", "read", "more than the limit"}}},
	})
}

func bomb(unit string, size int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		f, err := os.Create(filepath.Join(dir, "in", "a.txt.gz"))
		must(t, err)
		defer f.Close()
		w, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		must(t, err)
		piece := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		for n := 0; n < size; n += 1 << 20 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		must(t, w.Close())
	}
}

// wideWindow writes a zstd frame that asks for a window of 2 GB.
func wideWindow(t *testing.T, dir string) {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00}
	must(t, os.WriteFile(filepath.Join(dir, "in", "a.txt.zst"), frame, 0o644))
}

func zstdOf(s string) string {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func utf16le(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func utf32le(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8), byte(r>>16), 0)
	}
	return string(b)
}

// swapped exchanges the bytes of every pair.
func swapped(s string) string {
	b := []byte(s)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

func bytesTo255() []byte {
	b := make([]byte, 2560)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// wordLine is a line of CoNLL-U: an id, a form and a head.
func wordLine(id, form, head string) string {
	return fmt.Sprintf("%s\t%s\t_\t_\t_\t_\t%s\t_\t_\t_\n", id, form, head)
}

// Blocks that are no sentences, or odd ones: each costs a row of its own and
// nothing of its neighbours.
func TestHostileCoNLL(t *testing.T) {
	before, after := "# sent_id = before\n"+words(2), "# sent_id = after\n"+words(3)
	one := func(name, block, reason string) hostile {
		c := hostile{in: map[string]string{name: before + block + "\n" + after}, trees: 3}
		if reason != "" {
			c.trees, c.rows = 2, []row{{name, "read", reason}}
		}
		return c
	}
	warned := func(block, reason string) hostile {
		c := one("a.conllu", block, reason)
		c.trees = 3
		return c
	}
	keep := func(block, reason string) hostile {
		c := one("a.conllu", block, reason)
		c.in["a.conllu"] = block + "\n"
		c.trees, c.args = 0, []string{"IN", "--output", "OUT", "--keep-heads"}
		return c
	}
	runHostile(t, map[string]hostile{
		"ids out of order":      one("a.conllu", wordLine("1", "x", "2")+wordLine("3", "y", "0"), "word 3, but 2 comes next"),
		"ids from 0":            one("a.conllu", wordLine("0", "x", "0"), "word 0, but 1 comes next"),
		"ids with signs":        one("a.conllu", wordLine("+1", "x", "0"), "is not a word number"),
		"an id of 20 digits":    one("a.conllu", wordLine(strings.Repeat("9", 20), "x", "0"), "is not a word number"),
		"cyclic heads":          one("a.conllu", wordLine("1", "x", "2")+wordLine("2", "y", "1"), ""),
		"two roots":             one("a.conllu", wordLine("1", "x", "0")+wordLine("2", "y", "0"), ""),
		"a head too large":      one("a.conllu", wordLine("1", "x", "7"), ""),
		"a head that is none":   one("a.conllu", wordLine("1", "x", "-1")+wordLine("2", "x", "zero"), ""),
		"cyclic heads kept":     keep(wordLine("1", "x", "2")+wordLine("2", "y", "1"), "no word has head 0"),
		"a cycle kept":          keep(wordLine("1", "x", "0")+wordLine("2", "y", "3")+wordLine("3", "z", "2"), "cycle"),
		"two roots kept":        keep(wordLine("1", "x", "0")+wordLine("2", "y", "0"), "both roots"),
		"a large head kept":     keep(wordLine("1", "x", "7"), "head"),
		"overlapping ranges":    one("a.conllu", wordLine("1-2", "xy", "_")+wordLine("1", "x", "0")+wordLine("2-3", "yz", "_")+wordLine("2", "y", "1")+wordLine("3", "z", "1"), "overlaps"),
		"a range backwards":     one("a.conllu", wordLine("2-1", "xy", "_")+wordLine("1", "x", "0"), "not a range"),
		"a range too long":      one("a.conllu", wordLine("1-9", "xy", "_")+wordLine("1", "x", "0"), "ends after the last word"),
		"a range without words": one("a.conllu", wordLine("1", "x", "0")+wordLine("2-3", "yz", "_"), "ends after the last word"),
		"an empty node first":   one("a.conllu", wordLine("0.1", "x", "_")+wordLine("1", "y", "0"), ""),
		"an empty node astray":  one("a.conllu", wordLine("1", "y", "0")+wordLine("5.1", "x", "_"), "is not after word 5"),
		"empty nodes backwards": one("a.conllu", wordLine("1", "y", "0")+wordLine("1.2", "x", "_")+wordLine("1.1", "x", "_"), "empty node 1.1 after"),
		"an empty node in a token": warned(wordLine("1-2", "xy", "_")+wordLine("0.1", "e", "_")+wordLine("1", "x", "0")+wordLine("2", "y", "1"),
			"moved before the token"),
		"only empty nodes":     one("a.conllu", wordLine("0.1", "x", "_"), "no word line"),
		"only comments":        one("a.conllu", "# text = nothing\n", "no word line"),
		"comments in between":  warned(wordLine("1", "x", "0")+"# late\n"+wordLine("2", "y", "1"), "moved before it"),
		"tabs in MISC":         one("a.conllu", "1\tx\t_\t_\t_\t_\t0\t_\t_\tA=1\tB=2\n", "11 columns"),
		"spaces for tabs":      one("a.conllu", "1 x _ _ _ _ 0 _ _ _\n", "separated by spaces, not by tabs"),
		"an empty form":        one("a.conllu", wordLine("1", "", "0"), "the column is empty"),
		"an empty column":      warned("1\tx\t\t_\t_\t_\t0\t_\t_\t_\n", `read as "_"`),
		"a form with spaces":   one("a.conllu", wordLine("1", "New  York", "0"), ""),
		"a NUL in a form":      warned(wordLine("1", "x\x00y", "0"), "NUL or not UTF-8"),
		"bad UTF-8 in a form":  warned(wordLine("1", "caf\xe9", "0"), "not UTF-8"),
		"a million columns":    one("a.conllu", "1"+strings.Repeat("\t", 1_000_000)+"\n", "1000001 columns"),
		"a form of 1 MB":       one("a.conllu", wordLine("1", strings.Repeat("x", 1<<20), "0"), ""),
		"text that is not so":  one("a.conllu", "# text = something else\n"+wordLine("1", "x", "0"), ""),
		"a failure of before":  one("a.conllu", "# treebeam_failure = old\n"+wordLine("1", "x", "_"), ""),
		"ids twice":            {in: map[string]string{"a.conllu": before + before}, trees: 2},
		"no blank line at all": one("a.conllu", wordLine("1", "x", "0")+wordLine("1", "y", "0"), "word 1, but 2 comes next"),
		"no last line feed":    {in: map[string]string{"a.conllu": "1\tx\t_\t_\t_\t_\t0\t_\t_\t_"}, trees: 1},
		"text under the name":  {in: map[string]string{"a.conllu": fine}, rows: []row{{"a.conllu", "read", "1 columns"}, {"a.conllu", "read", "1 columns"}}},
		"CoNLL under txt":      {in: map[string]string{"a.txt": before}, trees: 1},
		"UTF-16":               {in: map[string]string{"a.conllu": "\xff\xfe" + utf16le(before)}, rows: []row{{"a.conllu", "read", "UTF-16"}}},
		"CoNLL-X with ranges":  one("a.conllx", wordLine("1-2", "xy", "_")+wordLine("1", "x", "0"), "is not a word number"),
		"70,000 words": {in: map[string]string{"a.conllu": words(70_000) + after}, trees: 1, once: true,
			rows: []row{{"a.conllu", "read", "more than 65535 words"}}},
		"65,535 words":        {in: map[string]string{"a.conllu": words(65_535)}, trees: 1, once: true},
		"a block over 4 MB":   {setup: hugeBlock, trees: 1, once: true, rows: []row{{"a.conllu", "read", "more than the limit"}}},
		"tags that are words": one("a.conllu", "1\tx\tx\t"+strings.Repeat("LONG", 5000)+"\tx\tA=\x01|=|B\t0\troot:"+strings.Repeat("y", 5000)+"\t_\t_\n", ""),
	})
}

// hugeBlock is a block of 33 MB between two sentences, one of which is cut
// off from it by a line of white space only.
func hugeBlock(t *testing.T, dir string) {
	long := wordLine("1", strings.Repeat("x", 1<<20), "0")
	text := strings.Repeat(long, 33) + " \t \n" + words(2)
	must(t, os.WriteFile(filepath.Join(dir, "in", "a.conllu"), []byte(text), 0o644))
}

// Records that are none, and ids that are no names of files: each costs a row
// at most, and nothing is written outside the folder that was named.
func TestHostileJSON(t *testing.T) {
	const good = `{"id": "good", "text": "One two ."}` + "\n"
	one := func(record, reason string) hostile {
		c := hostile{in: map[string]string{"a.jsonl": good + record + "\n" + `{"id": "last", "text": "Three ."}` + "\n"}, trees: 2}
		if reason != "" {
			c.rows = []row{{"", "read", reason}}
		}
		return c
	}
	more := func(c hostile, trees int64) hostile { // below 0: any number
		c.trees += trees
		return c
	}
	ids := []string{"../../../up", "/etc/passwd", "..", ".", "a/../../b", `c:\\d`, "CON", `a\u0000b`, `new\nline`, " ", strings.Repeat("n", 300), `\ud83d\ude00`, "a/b", "A/B"}
	var named strings.Builder
	for _, id := range ids {
		named.WriteString(`{"id": "` + id + `", "text": "One two ."}` + "\n")
	}
	runHostile(t, map[string]hostile{
		"no JSON":         one("One two .", "no JSON object"),
		"half a record":   one(`{"id": "x", "text": "One`, "invalid JSON"),
		"a list":          one(`["One"]`, "no JSON object"),
		"two in a line":   one(`{"text": "One ."}{"text": "Two ."}`, "invalid JSON"),
		"deep":            one(strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000), "invalid JSON"),
		"deep lists":      one(`{"text": "One .", "x": `+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+"}", "invalid JSON"),
		"no text":         one(`{"id": "x", "body": "One"}`, "no text"),
		"text of numbers": one(`{"id": "x", "text": 12}`, "not a string"),
		"text twice":      one(`{"text": "One .", "text": "Two ."}`, "key given twice"),
		"empty text":      one(`{"id": "x", "text": ""}`, ""),
		"lone surrogates": more(one(`{"id": "x", "text": "One \ud800 two ."}`, "invalid bytes"), 1),
		"a large record":  more(one(`{"id": "x", "text": "`+strings.Repeat("word ", 20000)+`"}`, ""), -3),
		"odd ids": {in: map[string]string{"a.jsonl": named.String()}, trees: int64(len(ids)), once: true, after: func(t *testing.T, dir string) {
			before := snapshot(t, dir, "mirror")
			ends(t, exitOK, "", "convert", filepath.Join(dir, "out"), "--per-file", filepath.Join(dir, "mirror"))
			same(t, "what is beside the mirror", before, snapshot(t, dir, "mirror"))
			files := 0
			filepath.WalkDir(filepath.Join(dir, "mirror"), func(_ string, e fs.DirEntry, _ error) error {
				if e != nil && e.Type().IsRegular() {
					files++
				}
				return nil
			})
			if files == 0 {
				t.Error("no file was written")
			}
		}},
	})
}
