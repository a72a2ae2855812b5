package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Format is the format of an input file.
type Format string

const (
	Auto     Format = ""         // decide by name and content
	Text     Format = "text"     // raw text
	CoNLLU   Format = "conllu"   // ten columns, comments, multiword tokens
	CoNLLX   Format = "conllx"   // ten columns, by name (.conll, .conllx) or option only
	JSONL    Format = "jsonl"    // a JSON object with a text a line
	Tokens   Format = "tokens"   // a sentence a line, a space between tokens; by name (.tok) or option only
	Vertical Format = "vertical" // a token a line, a blank line between sentences; by name (.vert) or option only
	CSV      Format = "csv"      // a table with a header, cells in quotes where they need them; by name or option only
	TSV      Format = "tsv"      // a table with a header, a row a line, tabs between cells; by name or option only
	Parquet  Format = "parquet"  // a table; by its first bytes
)

// ParseFormat returns the format of a command-line value: auto, text, conllu,
// conllx, jsonl, csv, tsv, parquet, tokens or vertical.
func ParseFormat(s string) (Format, error) {
	switch f := Format(strings.ToLower(s)); f {
	case "auto":
		return Auto, nil
	case Auto, Text, CoNLLU, CoNLLX, JSONL, Tokens, Vertical, CSV, TSV, Parquet:
		return f, nil
	}
	return Auto, fmt.Errorf("unknown format %q; use auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical", s)
}

// Table reports whether files of the format are tables: each row is a document.
func (f Format) Table() bool { return f == CSV || f == TSV || f == Parquet }

// Annotated reports whether the format has sentences with comments and ids of their
// own.
func (f Format) Annotated() bool { return f == CoNLLU || f == CoNLLX }

// Detect decides the format of a file from its name and the beginning of its
// decompressed bytes. want overrides it unless it is Auto. encoding is the declared one
// ("" is none): in UTF-16 control bytes do not prove a binary file. A file that is not
// text (PDF, zip, binary) is a *NotText, whatever is wanted; so are markup, JSON and
// tables unless Text is wanted.
func Detect(name string, head []byte, want Format, encoding string) (Format, error) {
	switch is := bytes.HasPrefix(head, []byte(parquetMagic)); {
	case is && (want == Auto || want == Parquet):
		return Parquet, nil
	case is:
		return want, &NotText{fmt.Sprintf("a Parquet file, not %s; give --from parquet, or no --from", want)}
	case want == Parquet && bytes.HasPrefix(head, []byte(encryptedMagic)):
		return want, &NotText{encryptedParquet}
	case want == Parquet:
		return want, &NotText{"no Parquet file: it does not begin with " + parquetMagic + "; give --from csv, tsv or jsonl for other tables"}
	}
	if order := wideOrder(head); order != "" && !isUTF16(head, "") {
		format := want
		if want == Auto { // NULs apart, its letters may be ASCII
			format, _ = guess(name, bytes.ReplaceAll(head, []byte{0}, nil))
		}
		if format == JSONL || format.Annotated() || format.Table() { // which --encoding is not for
			return want, &NotText{fmt.Sprintf("%s in UTF-16; make it UTF-8 first, for example with iconv -f %s -t UTF-8", format, strings.ToUpper(order))}
		}
	}
	if what := notText(head, encoding); what != "" {
		return want, &NotText{what}
	}
	format, what := want, ""
	if want == Auto {
		format, what = guess(name, head)
	} else if want == JSONL {
		what = wholeJSON(head)
	}
	if what == "" && isUTF16(head, "") && format != Text && format != Tokens && format != Vertical {
		what = fmt.Sprintf("%s in UTF-16; make it UTF-8 first, for example with iconv -f UTF-16 -t UTF-8", format)
	}
	if what != "" {
		return want, &NotText{what}
	}
	return format, nil
}

// parquetMagic begins a Parquet file, encryptedMagic one whose footer is
// encrypted.
const (
	parquetMagic     = "PAR1"
	encryptedMagic   = "PARE"
	encryptedParquet = "an encrypted Parquet file; decrypt it first"
)

// byName are the formats that follow from a file's name alone.
var byName = map[string]Format{".conllu": CoNLLU, ".conll": CoNLLX, ".conllx": CoNLLX, ".tok": Tokens, ".vert": Vertical}

// bom is the byte order mark of UTF-8.
const bom = "\xef\xbb\xbf"

// guess decides the format of a file that may be text by its name and its
// beginning, or says what it is instead.
func guess(name string, head []byte) (format Format, what string) {
	if compressionOf(name) != plain {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	ext := strings.ToLower(path.Ext(name))
	if format, ok := byName[ext]; ok {
		return format, ""
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom)), " \t\r\n\f")
	switch what := wholeJSON(head); {
	case what != "":
		return Auto, what
	case ext == ".jsonl", ext == ".ndjson", looksJSONL(head):
		return JSONL, ""
	case looksCoNLLU(head):
		return CoNLLU, ""
	case ext == ".csv":
		return CSV, ""
	case ext == ".tsv":
		return TSV, ""
	}
	if what := markup(ext, head); what != "" {
		return Auto, what + "; or give --from text to read it as it is"
	}
	return Text, ""
}

// conlluLines is how many token lines must look like CoNLL-U.
const conlluLines = 8

// tokenLine has ten columns that begin with an id: "3", "3-4" or "3.1".
var tokenLine = regexp.MustCompile(`^[0-9]+([-.][0-9]+)?(\t[^\t]*){9}$`)

// looksCoNLLU reports whether the first lines of head, except blank ones and comments,
// are lines of tokens.
func looksCoNLLU(head []byte) bool {
	seen := 0
	for len(head) > 0 && seen < conlluLines {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		head = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) == 0 || line[0] == '#':
			continue
		case !whole && seen > 0: // cut off by the end of the head
			return true
		case !tokenLine.Match(line):
			return false
		}
		seen++
	}
	return seen > 0
}

// jsonLines is how many lines must be JSON objects.
const jsonLines = 3

// looksJSONL reports whether the first lines of head, except blank ones, are JSON
// objects. A line whose end is not in head counts as one if nothing speaks against it.
func looksJSONL(head []byte) bool {
	seen := 0
	for len(head) > 0 && seen < jsonLines {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		head = rest
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case line[0] != '{':
			return false
		case json.Valid(line):
		case whole || seen == 0 && !cutObject(line):
			return false
		}
		seen++
	}
	return seen > 0
}

// cutObject reports whether line is the beginning of a JSON object that is longer than
// a head. In text a quote rarely follows a brace.
func cutObject(line []byte) bool {
	return errors.Is(decodeJSON(line), io.ErrUnexpectedEOF) && bytes.HasPrefix(bytes.TrimLeft(line[1:], " \t"), []byte(`"`)) &&
		bytes.IndexByte(line, ':') > 0
}

// wholeJSON says what a file is that is one JSON value over several lines, or
// an array of objects, or "".
func wholeJSON(head []byte) string {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte(bom)))
	if len(head) == 0 {
		return ""
	}
	inner := bytes.TrimLeft(head[1:], " \t\r\n")
	line, _, more := bytes.Cut(head, []byte("\n"))
	switch {
	case head[0] == '[' && bytes.HasPrefix(inner, []byte("{")) && beginsJSON(inner):
		return "a JSON array; write one object a line, for example with jq -c '.[]'"
	case head[0] == '{' && bytes.HasPrefix(inner, []byte(`"`)) && more && !json.Valid(line) && beginsJSON(head):
		return "a JSON object over several lines; write one object a line, for example with jq -c ."
	}
	return ""
}

// beginsJSON reports whether b begins with a JSON value, or is the beginning of
// one.
func beginsJSON(b []byte) bool {
	err := decodeJSON(b)
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF)
}

// decodeJSON returns the error of decoding the JSON value that b begins with.
func decodeJSON(b []byte) error {
	var v json.RawMessage
	return json.NewDecoder(bytes.NewReader(b)).Decode(&v)
}

// NotText says that a file holds no text, what kind of file it seems to be, and the
// remedy.
type NotText struct{ What string }

func (e *NotText) Error() string { return "not text: " + e.What }

// zipMagic begins zip archives; some kinds of documents are zip archives.
const zipMagic = "PK\x03\x04"

// magics are the beginnings of files that are not text. The first that fits counts.
var magics = []struct {
	begins string
	what   string
	holds  string // in what follows, if set
	binary bool   // text may begin so, too: what follows in the first bytes must be binary
}{
	{begins: "%PDF-", what: "a PDF; extract its text first, for example with pdftotext"},
	{begins: zipMagic, holds: "mimetypeapplication/vnd.oasis.opendocument.text",
		what: "an OpenDocument text (ODT); convert it to plain text first, for example with pandoc -t plain"},
	{begins: zipMagic, holds: "mimetypeapplication/epub+zip", what: "an EPUB book; convert it to plain text first, for example with pandoc -t plain"},
	{begins: zipMagic, holds: "word/", what: "a Word document (DOCX); convert it to plain text first, for example with pandoc -t plain"},
	{begins: zipMagic, holds: "xl/", what: "an Excel workbook; save its sheet as CSV (UTF-8)"},
	{begins: zipMagic, holds: "[Content_Types].xml", what: "an office document; convert it to plain text first"},
	{begins: zipMagic, what: "a zip archive; extract its files first"},
	{begins: "PK\x05\x06", what: "an empty zip archive"},
	{begins: "\x1f\x8b", what: "gzip data under another name; let the name end in .gz"},
	{begins: "\x28\xb5\x2f\xfd", what: "zstd data under another name; let the name end in .zst"},
	{begins: "BZh91AY&SY", what: "bzip2 data under another name; let the name end in .bz2"},
	{begins: "\xfd7zXZ\x00", what: "xz data; decompress it first"},
	{begins: "7z\xbc\xaf\x27\x1c", what: "a 7z archive; extract its files first"},
	{begins: "Rar!\x1a\x07", what: "a RAR archive; extract its files first"},
	{begins: "{\\rtf", what: "an RTF document; convert it to plain text first"},
	{begins: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", what: "an office document; convert it to plain text first"},
	{begins: "SQLite format 3\x00", what: "an SQLite database; write its texts as CSV or JSON lines"},
	{begins: encryptedMagic, what: encryptedParquet, binary: true},
	{begins: "Obj\x01", what: "an Avro file; write its texts as Parquet or JSON lines", binary: true},
	{begins: "ARROW1\x00", what: "an Arrow file; write its texts as Parquet or JSON lines", binary: true},
	{begins: "\x7fELF", what: "a program"},
	{begins: "%!PS", what: "PostScript; convert it to plain text first"},
	{begins: "\x89PNG\r\n\x1a\n", what: "a picture"},
	{begins: "\xff\xd8\xff", what: "a picture"},
	{begins: "GIF87a", what: "a picture"},
	{begins: "GIF89a", what: "a picture"},
	{begins: "II*\x00", what: "a picture"},
	{begins: "MM\x00*", what: "a picture"},
	{begins: "RIFF", what: "a sound, picture or film", binary: true},
	{begins: "OggS", what: "a sound"},
	{begins: "fLaC", what: "a sound"},
	{begins: "ID3", what: "a sound", binary: true},
	{begins: "\xff\xfe\x00\x00", what: "UTF-32; convert it to UTF-8 first"},
	{begins: "\x00\x00\xfe\xff", what: "UTF-32; convert it to UTF-8 first"},
}

// notText says what a file is that no option makes text, or "".
func notText(head []byte, encoding string) string {
	for _, m := range magics {
		rest, is := bytes.CutPrefix(head, []byte(m.begins))
		if is && bytes.Contains(rest, []byte(m.holds)) && (!m.binary || bytes.ContainsFunc(rest[:min(len(rest), 12)], isBinary)) {
			return m.what
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive; extract its files first"
	}
	if isUTF16(head, encoding) {
		return ""
	}
	return binaryKind(head)
}

// isBinary reports whether c is in no text.
func isBinary(c rune) bool { return c < ' ' && (c < '\t' || c > '\r') }

// markups are kinds of text that are not meant to be read as they are, by the
// extensions of their names and by their first bytes. The first that fits counts.
var markups = []struct {
	ext    string
	begins *regexp.Regexp
	what   string
}{
	{".html .htm .xhtml", regexp.MustCompile(`(?is)^(<!doctype html|<html|<head>|(<\?xml|<!doctype).*<html)`),
		"HTML; extract its text first, for example with pandoc -t plain"},
	{"", regexp.MustCompile(`(?is)^(<tei|(<\?xml|<!doctype).*<tei)`), "TEI; extract its text first"},
	{".xml .tei", regexp.MustCompile(`(?i)^(<\?xml|<!doctype)`), "XML; extract its text first"},
	{".json", nil, "JSON, but no object a line; write one object with a text a line"},
	{".mbox", regexp.MustCompile(`^From \S+ +(Mon|Tue|Wed|Thu|Fri|Sat|Sun) .*\d\d:\d\d.*\r?\n>?[A-Za-z-]+: `),
		"a mailbox; extract the texts of its messages first"},
}

// markup names the kind of a text that is not meant to be read as it is, or returns "".
// head is without a byte order mark and leading white space.
func markup(ext string, head []byte) string {
	head = head[:min(len(head), 512)]
	for bytes.HasPrefix(head, []byte("<!--")) { // comments before what counts
		_, rest, ok := bytes.Cut(head, []byte("-->"))
		if !ok {
			break
		}
		head = bytes.TrimLeft(rest, " \t\r\n\f")
	}
	for _, m := range markups {
		if ext != "" && slices.Contains(strings.Fields(m.ext), ext) || m.begins != nil && m.begins.Match(head) {
			return m.what
		}
	}
	return ""
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

// minControl and controlShare say when control bytes prove a binary file: with fewer of
// them, or a smaller share, a file is repaired.
const (
	minControl   = 16
	controlShare = 32 // one byte in 32
)

// binaryKind says what a head full of control bytes seems to be, or "". It does not
// count NULs at the end of a head with other bytes: files end like this if their writer
// was stopped.
func binaryKind(head []byte) string {
	if order := wideOrder(head); order != "" {
		return "it looks like UTF-16 without a byte order mark; give --encoding " + order
	}
	if text := bytes.TrimRight(head, "\x00"); len(text) > 0 {
		head = text
	}
	control, _ := controls(head)
	if control < minControl || control < len(head)/controlShare {
		return ""
	}
	return fmt.Sprintf("a binary file (%d control bytes in the first %d)", control, len(head))
}

// controls counts the control bytes of a head: the ones that prove a binary file, and
// all of them by the parity of their offset.
func controls(head []byte) (control int, low [2]int) {
	for i, c := range head {
		if c < ' ' && (c < '\t' || c > '\r') {
			low[i%2]++
			if c != 0x1b {
				control++
			}
		}
	}
	return control, low
}

// wideOrder returns the encoding of a head that looks like UTF-16 without a byte
// order mark, or "". Text in a script below U+2000, Latin or Arabic, has a byte
// below 32 in nearly every second place.
func wideOrder(head []byte) string {
	control, low := controls(head)
	switch half := len(head) / 2; {
	case control < minControl || control < len(head)/controlShare:
	case low[1] > half/2 && low[0] < half/16:
		return "utf-16le"
	case low[0] > half/2 && low[1] < half/16:
		return "utf-16be"
	}
	return ""
}
