package main

import (
	"bytes"
	"io"
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
		"empty folder":      {want: exitRefused, last: "no file"},
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
	const words = 10_000
	repeated := func(unit string) hostile {
		return hostile{in: map[string]string{"a.txt": strings.Repeat(unit, words/strings.Count(unit, " "))}, trees: -1, model: true, quick: true, once: true}
	}
	runHostile(t, map[string]hostile{
		"dashes": repeated("- "), "commas": repeated(", "), "quotes": repeated("' "), "closed and open": repeated(") ( "), "that": repeated("that "),
		"the": repeated("the "), "all of them": repeated("the , that - a ( and ) ' to "),
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
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		piece := bytes.Repeat([]byte(unit), 1<<20/len(unit))
		for n := 0; n < size; n += 1 << 20 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// wideWindow writes a zstd frame that asks for a window of 2 GB.
func wideWindow(t *testing.T, dir string) {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00}
	if err := os.WriteFile(filepath.Join(dir, "in", "a.txt.zst"), frame, 0o644); err != nil {
		t.Fatal(err)
	}
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
