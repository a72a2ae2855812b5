package source

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// NotText says that a file holds no text, what it seems to be, and the remedy.
type NotText struct{ What string }

func (e *NotText) Error() string { return "not text: " + e.What }

// magics are the beginnings of files that are no text.
var magics = []struct{ magic, what string }{
	{"%PDF-", "a PDF; extract its text first, for example with pdftotext"},
	{"PK\x05\x06", "an empty zip archive"},
	{"\x1f\x8b", "gzip data under another name; let the name end in .gz"},
	{"\x28\xb5\x2f\xfd", "zstd data under another name; let the name end in .zst"},
	{"BZh91AY&SY", "bzip2 data under another name; let the name end in .bz2"},
	{"\xfd7zXZ\x00", "xz data; decompress it first"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive; extract its files first"},
	{"Rar!\x1a\x07", "a RAR archive; extract its files first"},
	{"{\\rtf", "an RTF document; convert it to plain text first"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document; convert it to plain text first"},
	{"SQLite format 3\x00", "an SQLite database; write its texts as CSV or JSON lines"},
	{encryptedMagic, encryptedParquet},
	{"Obj\x01", "an Avro file; write its texts as Parquet or JSON lines"},
	{"ARROW1\x00", "an Arrow file; write its texts as Parquet or JSON lines"},
	{"\x7fELF", "a program"},
	{"%!PS", "PostScript; convert it to plain text first"},
	{"\x89PNG\r\n\x1a\n", "a picture"},
	{"\xff\xd8\xff", "a picture"},
	{"GIF87a", "a picture"},
	{"GIF89a", "a picture"},
	{"II*\x00", "a picture"},
	{"MM\x00*", "a picture"},
	{"RIFF", "a sound, picture or film"},
	{"OggS", "a sound"},
	{"fLaC", "a sound"},
	{"ID3", "a sound"},
	{"\xff\xfe\x00\x00", "UTF-32; convert it to UTF-8 first"},
	{"\x00\x00\xfe\xff", "UTF-32; convert it to UTF-8 first"},
}

// inText are the magics that text may begin with: what follows in the first
// bytes must be binary.
var inText = []string{encryptedMagic, "RIFF", "ID3", "Obj\x01", "ARROW1\x00"}

// zipped are the kinds of document that are zip archives, by what their first
// entries say.
var zipped = []struct{ sign, what string }{
	{"mimetypeapplication/vnd.oasis.opendocument.text", "an OpenDocument text (ODT); convert it to plain text first, for example with pandoc -t plain"},
	{"mimetypeapplication/epub+zip", "an EPUB book; convert it to plain text first, for example with pandoc -t plain"},
	{"word/", "a Word document (DOCX); convert it to plain text first, for example with pandoc -t plain"},
	{"xl/", "an Excel workbook; save its sheet as CSV (UTF-8)"},
	{"[Content_Types].xml", "an office document; convert it to plain text first"},
}

// notText says what a file is that no option makes text, or "".
func notText(head []byte, encoding string) string {
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		for _, z := range zipped {
			if bytes.Contains(head, []byte(z.sign)) {
				return z.what
			}
		}
		return "a zip archive; extract its files first"
	}
	for _, m := range magics {
		if !bytes.HasPrefix(head, []byte(m.magic)) {
			continue
		}
		if !slices.Contains(inText, m.magic) || bytes.ContainsFunc(head[len(m.magic):min(len(head), 16)], isBinary) {
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

// isBinary reports whether c stands in no text.
func isBinary(c rune) bool { return c < ' ' && (c < '\t' || c > '\r') }

// letter begins a message of a mailbox.
var letter = regexp.MustCompile(`^From \S+ +(Mon|Tue|Wed|Thu|Fri|Sat|Sun) .*\d\d:\d\d.*\r?\n>?[A-Za-z-]+: `)

// markup says what a text is that is not meant to be read as it stands, or "".
// head is without a byte order mark and leading white space.
func markup(ext string, head []byte) string {
	begin := bytes.ToLower(head[:min(len(head), 512)])
	for len(begin) > 0 { // comments before what counts
		_, rest, ok := bytes.Cut(begin, []byte("-->"))
		if !ok || !bytes.HasPrefix(begin, []byte("<!--")) {
			break
		}
		begin = bytes.TrimLeft(rest, " \t\r\n\f")
	}
	has := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return bytes.HasPrefix(begin, []byte(p)) })
	}
	switch {
	case ext == ".html", ext == ".htm", ext == ".xhtml", has("<!doctype html", "<html", "<head>"):
		return "HTML; extract its text first, for example with pandoc -t plain"
	case bytes.Contains(begin, []byte("<html")) && has("<?xml", "<!doctype"):
		return "HTML; extract its text first, for example with pandoc -t plain"
	case bytes.Contains(begin, []byte("<tei")) && has("<?xml", "<tei", "<!doctype"):
		return "TEI; extract its text first"
	case ext == ".xml", ext == ".tei", has("<?xml", "<tei ", "<tei>", "<teicorpus", "<!doctype"):
		return "XML; extract its text first"
	case ext == ".json":
		return "JSON, but no object a line; write one object with a text a line"
	case ext == ".mbox", letter.Match(head):
		return "a mailbox; extract the texts of its messages first"
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

// minControl and controlShare say when control bytes prove a binary file: a
// few of them are repaired, as are those of a large text.
const (
	minControl   = 16
	controlShare = 32 // one byte in 32
)

// binaryKind says what a head full of control bytes seems to be, or "". NULs at
// its end are not counted where something else is before them: so do files end
// whose writer was stopped.
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

// controls counts the control bytes of a head: those that prove a binary file,
// and all by the parity of their offset.
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
