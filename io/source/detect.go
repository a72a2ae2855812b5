package source

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// A Format is how a file is to be read.
type Format string

const (
	Auto   Format = ""       // decide by name and content
	Text   Format = "text"   // raw text
	CoNLLU Format = "conllu" // ten columns, comments, multiword tokens
	CoNLLX Format = "conllx" // ten columns, by name (.conll, .conllx) or option only
)

// ParseFormat returns the format of a command-line value: auto, text, conllu
// or conllx.
func ParseFormat(s string) (Format, error) {
	switch f := Format(strings.ToLower(s)); f {
	case Auto, "auto":
		return Auto, nil
	case Text, CoNLLU, CoNLLX:
		return f, nil
	}
	return Auto, fmt.Errorf("unknown format %q; use auto, text, conllu or conllx", s)
}

// NotText says that a file holds no text, what it seems to be, and the remedy.
type NotText struct{ What string }

func (e *NotText) Error() string { return "not text: " + e.What }

// magics are the beginnings of files that are no text.
var magics = []struct{ magic, what string }{
	{"%PDF-", "a PDF; extract its text first"},
	{"PK\x03\x04", "a zip archive or an office document; extract its text first"},
	{"PK\x05\x06", "an empty zip archive"},
	{"\x1f\x8b", "gzip data under another name; let the name end in .gz"},
	{"\x28\xb5\x2f\xfd", "zstd data under another name; let the name end in .zst"},
	{"BZh91AY&SY", "bzip2 data under another name; let the name end in .bz2"},
	{"\xfd7zXZ\x00", "xz data; decompress it first"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive; extract its text first"},
	{"Rar!\x1a\x07", "a RAR archive; extract its text first"},
	{"{\\rtf", "an RTF document; convert it to plain text first"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document; convert it to plain text first"},
	{"PAR1", "a Parquet file"},
	{"SQLite format 3\x00", "an SQLite database"},
	{"\x7fELF", "a program"},
	{"\x89PNG\r\n\x1a\n", "a picture"},
	{"\xff\xd8\xff", "a picture"},
	{"GIF8", "a picture"},
	{"OggS", "a sound"},
	{"\xff\xfe\x00\x00", "UTF-32; convert it to UTF-8 first"},
	{"\x00\x00\xfe\xff", "UTF-32; convert it to UTF-8 first"},
}

// Detect decides the format of a file from its name and the beginning of its
// decompressed bytes. want overrides it unless it is Auto. encoding is the
// declared one ("" is none): in UTF-16 control bytes are no proof of a binary
// file. A file that is no text (PDF, zip, binary) is a
// *NotText, whatever is wanted.
func Detect(name string, head []byte, want Format, encoding string) (Format, error) {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return want, &NotText{m.what}
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return want, &NotText{"a tar archive; extract its files first"}
	}
	if !isUTF16(head, encoding) {
		if what := binaryKind(head); what != "" {
			return want, &NotText{what}
		}
	}
	if want != Auto {
		return want, nil
	}
	if compressionOf(name) != plain {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".conllu":
		return CoNLLU, nil
	case ".conll", ".conllx":
		return CoNLLX, nil
	case ".jsonl", ".ndjson":
		return want, &NotText{"JSON lines, which this version does not read; extract their text first"}
	}
	if looksCoNLLU(head) {
		return CoNLLU, nil
	}
	return Text, nil
}

// isUTF16 reports whether a file begins with the byte order mark of UTF-16 or
// is declared to be in it.
func isUTF16(head []byte, encoding string) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return true
	}
	label := strings.ToLower(encoding)
	return strings.Contains(label, "16") && strings.HasPrefix(label, "u") || strings.Contains(label, "ucs-2") || label == "unicode"
}

// minControl and controlShare say when control bytes prove a binary file: a
// few of them are repaired, as are those of a large text.
const (
	minControl   = 16
	controlShare = 32 // one byte in 32
)

// binaryKind says what a head full of control bytes seems to be, or "".
func binaryKind(head []byte) string {
	control := 0
	var low [2]int // by parity of the offset
	for i, c := range head {
		if c < ' ' && (c < '\t' || c > '\r') {
			low[i%2]++
			if c != 0x1b {
				control++
			}
		}
	}
	if control < minControl || control < len(head)/controlShare {
		return ""
	}
	// Text as UTF-16 in a script below U+2000, Latin or Arabic, has a byte below
	// 32 in nearly every second place.
	switch half := len(head) / 2; {
	case low[1] > half/2 && low[0] < half/16:
		return "it looks like UTF-16 without a byte order mark; give --encoding utf-16le"
	case low[0] > half/2 && low[1] < half/16:
		return "it looks like UTF-16 without a byte order mark; give --encoding utf-16be"
	}
	return fmt.Sprintf("a binary file (%d control bytes in the first %d)", control, len(head))
}

// conlluLines is how many token lines must look like CoNLL-U.
const conlluLines = 8

// looksCoNLLU reports whether the first token lines, after comments, have ten
// columns that begin with an id.
func looksCoNLLU(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	seen := 0
	for len(head) > 0 && seen < conlluLines {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		head = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if !whole && seen > 0 {
			break // cut off by the end of the head
		}
		if bytes.Count(line, []byte("\t")) != 9 || !isID(line[:bytes.IndexByte(line, '\t')]) {
			return false
		}
		seen++
	}
	return seen > 0
}

// isID reports whether b is "3", "3-4" or "3.1".
func isID(b []byte) bool {
	digits := 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case (c == '-' || c == '.') && i > 0 && digits == i:
		default:
			return false
		}
	}
	return digits > 0 && b[len(b)-1] != '-' && b[len(b)-1] != '.'
}
