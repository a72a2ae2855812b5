// Package record reads files of records: NewJSONReader JSON Lines, Layout.Open CSV and
// TSV, OpenParquet Parquet. Each record is a document. Its text is under one key or in
// one column, its id under another, and values to keep under others. A record is a line
// with an object in JSON Lines, and a row in the other formats.
//
// Every reader yields records with their places, so that several readers can share a
// file. A broken record never ends the file.
package record

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Defaults of Options.
const (
	DefaultText      = "text"
	DefaultID        = "id"
	DefaultMaxRecord = 16 << 20
)

// Bounds of what is kept of a record.
const (
	MaxKeep  = 100    // keys
	maxKey   = 200    // bytes of a key: it is in the name of a column
	maxValue = 10_000 // bytes of a value
	maxID    = 500    // bytes of an id: it is repeated in every row
)

// CheckKeep returns an error if keys cannot be the names of columns: at most MaxKeep, of at
// most 200 bytes of characters that show, and without commas. They must differ in more than
// case, because engines tell no other names apart.
func CheckKeep(keys []string) error {
	if len(keys) > MaxKeep {
		return fmt.Errorf("%d keys, the limit is %d", len(keys), MaxKeep)
	}
	seen := map[string]bool{}
	for _, key := range keys {
		folded := strings.ToLower(key)
		switch {
		case strings.TrimSpace(key) == "" || strings.Contains(key, ","):
			return fmt.Errorf("%q cannot be the name of a column: it is empty or has a comma", key)
		case len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl):
			return fmt.Errorf("%.40q cannot be the name of a column: it has over %d bytes, or characters that do not show", key, maxKey)
		case seen[folded]:
			return fmt.Errorf("%q is given twice; names of columns must differ in more than case", key)
		}
		seen[folded] = true
	}
	return nil
}

// Options say what to read of a record. The zero value means the defaults.
type Options struct {
	// Text and ID are the keys or columns of text and id. A key with dots that
	// a record does not have leads into objects: "meta.id" is the key "id" of
	// the object under "meta". Of several with commas between them, the first
	// counts that a table has, or that has a value in a record of JSON.
	Text, ID string
	// Keep are the keys or columns whose values come with every record.
	Keep []string
	// MaxRecord is the most bytes of a record in memory. A longer record is skipped and
	// becomes an error.
	MaxRecord int
	// Options are those of the texts, and the encoding of CSV and TSV.
	text.Options
}

func (o Options) withDefaults() Options {
	if o.Text == "" {
		o.Text = DefaultText
	}
	if o.ID == "" {
		o.ID = DefaultID
	}
	if o.MaxRecord <= 0 {
		o.MaxRecord = DefaultMaxRecord
	}
	return o
}

// A Reader yields the records of a part of a file, in order. It is not safe for
// concurrent use.
type Reader interface {
	// Next returns the next record. At the end of the part it returns io.EOF; any other
	// error is the source's or, of Parquet, a syntax.Fault, and is returned again by
	// later calls. Blank lines are not records.
	Next() (Record, error)
	// Covered returns the interval of the file that the records read so far fill, with
	// the header and blank lines; after io.EOF, all that belongs to the reader. The
	// intervals of readers that share a file follow each other without a gap from 0 to
	// the file's end; an empty one counts for nothing.
	Covered() (from, to int64)
}

// A Record is a line of JSON or a row of a table.
type Record struct {
	// Start and End are offsets in the file, half open, without the white space
	// around the record; of Parquet, the row from 0 times 1<<24, plus
	// the byte within its text.
	Start, End int64
	Line       int64 // of Start, 1-based, 0 if unknown; of Parquet, Number
	// Number identifies the record in the file, however the file is split: the row of
	// Parquet, from 1 on; otherwise Start.
	Number int64
	// Raw is the part of the record that a message may show. It is valid until the next
	// call of Next.
	Raw []byte
	// ID is the value under the key of ids, "" if there is none: a string with control
	// characters written as %XX, or a number as it is written.
	ID string
	// Kept are the values of Options.Keep, in that order: strings as they are, all else
	// as JSON has it, "" for null and for missing values.
	Kept []string
	// Sentences are the tokens of a record of JSON that has tokens instead of a text;
	// otherwise nil. Text must not be called on such a record.
	Sentences []Tokens
	// Err says why the record has no text; Warnings, what else is wrong with it.
	Err      *Error
	Warnings []Error

	row      bool // of a table
	numbered bool // messages name its number
	value    text.Value
	values   *text.Values
}

// Tokens are a sentence that is cut into tokens already, and its place in the file, with
// its brackets.
type Tokens struct {
	Tokens     []string
	Start, End int64
	Repaired   int // characters that are U+FFFD now
}

// An Error is what is wrong with a record.
type Error struct {
	syntax.Fault
	Offset int64 // in the file, in bytes
	Line   int64 // 1-based; 0 if unknown
}

// Text returns a reader of the record's text, cut into blocks as raw text is. It
// must not be used after the next call of Next. A record with an Err has no text;
// a blank text has no blocks.
func (r *Record) Text() *text.Reader { return r.values.Reader(&r.value) }

// Head returns the beginning of the text, of n bytes as it is stored, or all tokens. It is
// without markup if the text is. Like Text, it is for a record without an Err.
func (r *Record) Head(n int) string {
	if r.Sentences != nil {
		var all []string
		for i := range r.Sentences {
			all = append(all, r.Sentences[i].Tokens...)
		}
		return strings.Join(all, " ")
	}
	return string(r.values.Head(&r.value, n))
}

// fail notes why the record has no text, at an offset in the file.
func (r *Record) fail(at int64, kind syntax.Kind, format string, a ...any) {
	if r.Err == nil {
		e := r.error(at, syntax.Because(kind, format, a...))
		r.Err = &e
	}
}

// warn adds a warning.
func (r *Record) warn(at int64, kind syntax.Kind, format string, a ...any) {
	r.Warnings = append(r.Warnings, r.error(at, syntax.Because(kind, format, a...)))
}

func (r *Record) error(at int64, why syntax.Fault) Error {
	if r.numbered {
		why.Reason = fmt.Sprintf("row %d: %s", r.Number, why.Reason)
	}
	return Error{Fault: why, Offset: at, Line: r.Line}
}

// lacking adds warnings about the whole table to its first row.
func (r *Record) lacking(faults []syntax.Fault) {
	for _, why := range faults {
		r.Warnings = append(r.Warnings, Error{Fault: why, Offset: r.Start, Line: r.Line})
	}
}

// setID takes s for the record's id, as UTF-8 without control characters; a blank one is none.
func (r *Record) setID(at int64, s, key string) {
	s = escapeControls(strings.ToValidUTF8(s, string(utf8.RuneError)))
	switch {
	case len(s) > maxID:
		r.longID(at, len(s), key)
	case strings.TrimSpace(s) != "":
		r.ID = s
	}
}

func (r *Record) longID(at int64, size int, key string) {
	r.noID(at, fmt.Sprintf("id too long: %d bytes under %q, the limit is %d", size, key, maxID))
}

// noID warns that the record has no id of its own.
func (r *Record) noID(at int64, reason string) {
	remedy := "the record got an id made from its place; another key can be named with --id"
	if r.row {
		remedy = "the row has an id made of its place, or name another column with --id"
	}
	r.warn(at, syntax.KindRecordID, "%s; %s", reason, remedy)
}

// keep takes s for the value of a key to keep.
func (r *Record) keep(at int64, s, key string) {
	if len(s) > maxValue {
		r.longValue(at, len(s), key)
		return
	}
	r.Kept = append(r.Kept, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

func (r *Record) longValue(at int64, size int, key string) {
	r.keepNone(at, fmt.Sprintf("%d bytes under %q, the limit is %d", size, key, maxValue))
}

// keepNone warns that a value is not kept.
func (r *Record) keepNone(at int64, reason string) {
	r.warn(at, syntax.KindKept, "value not kept: %s", reason)
	r.Kept = append(r.Kept, "")
}

// escapeControls writes the bytes of control characters, line separators and
// byte order marks as %XX: an id becomes a part of comment lines.
func escapeControls(s string) string {
	odd := func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
	}
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !odd(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// candidates are the keys or columns that an option names. One whose own name has a comma
// comes first.
func candidates(option string) []string {
	if !strings.Contains(option, ",") {
		return []string{option}
	}
	names := []string{option}
	for name := range strings.SplitSeq(option, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// noneOf says that none of the candidates of an option is there. What is key or column.
func noneOf(what, option string) string {
	names := candidates(option)
	if len(names) == 1 {
		return fmt.Sprintf("no %s %q", what, option)
	}
	return fmt.Sprintf("none of the %ss %s", what, namesOf(names[1:], len(names)))
}

// namesOf names the first keys or columns of a list in a message.
func namesOf(names []string, most int) string {
	short := make([]string, min(len(names), most))
	for i := range short {
		short[i] = strconv.Quote(syntax.Clip(names[i]))
	}
	return strings.Join(short, ", ")
}
