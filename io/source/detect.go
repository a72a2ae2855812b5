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
	case Auto, "auto":
		return Auto, nil
	case Text, CoNLLU, CoNLLX, JSONL, Tokens, Vertical, CSV, TSV, Parquet:
		return f, nil
	}
	return Auto, fmt.Errorf("unknown format %q; use auto, text, conllu, conllx, jsonl, csv, tsv, parquet, tokens or vertical", s)
}

// Table reports whether files of the format are tables: each row is a document.
func (f Format) Table() bool { return f == CSV || f == TSV || f == Parquet }

// Annotated reports whether files of the format bring sentences with comments
// and ids of their own.
func (f Format) Annotated() bool { return f == CoNLLU || f == CoNLLX }

// Detect decides the format of a file from its name and the beginning of its
// decompressed bytes. want overrides it unless it is Auto. encoding is the
// declared one ("" is none): in UTF-16 control bytes are no proof of a binary
// file. A file that is no text (PDF, zip, binary) is a *NotText, whatever is
// wanted; markup, JSON and tables are one unless Text is wanted.
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

// guess decides the format of a file that may be text by its name and its
// beginning, or says what it is instead.
func guess(name string, head []byte) (format Format, what string) {
	if compressionOf(name) != plain {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".conllu":
		return CoNLLU, ""
	case ".conll", ".conllx":
		return CoNLLX, ""
	case ".tok":
		return Tokens, ""
	case ".vert":
		return Vertical, ""
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n\f")
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
		return Auto, what + "; or give --from text to read it as it stands"
	}
	return Text, ""
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
