package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A JSONReader reads JSON Lines: an object a line.
type JSONReader struct {
	lineReader
	opt    Options
	texts  []string // candidates of Options.Text
	ids    []string // and of Options.ID
	values *text.Values

	objects int64    // records that are objects, so far
	had     []bool   // of Options.Keep: a record had the key
	hadID   bool     // a record had a key of Options.ID
	keys    []string // of the records, the first listedKeys+1
}

// NewJSONReader returns a reader of the records whose lines begin in [start,
// end). r must be positioned at start-1, or at 0 if start is 0; end may be
// beyond the end of the file, and is ignored if negative. The reader reads on
// past end to finish the last line. A byte order mark before the first line
// is passed over.
func NewJSONReader(r io.Reader, o Options, start, end int64) *JSONReader {
	o = o.withDefaults()
	rd := &JSONReader{opt: o, texts: candidates(o.Text), ids: candidates(o.ID), values: text.NewJSONValues(o.Options), had: make([]bool, len(o.Keep))}
	rd.lineReader = lineReader{scanner: scanner{src: r, rows: rows{newline: '\n', limit: o.MaxRecord}}, record: rd.record, end: end}
	if start == 0 {
		rd.at.Line = 1
		return rd
	}
	rd.at.Offset = start - 1
	rd.done = rd.skipLine()
	rd.from, rd.to = rd.at.Offset, rd.at.Offset
	return rd
}

// skipLine passes over the line that another reader reads, as far as end:
// after that nothing is ours.
func (r *JSONReader) skipLine() error {
	for r.end < 0 || r.at.Offset < r.end {
		if err := r.more(1); err != nil {
			return err
		}
		n := bytes.IndexByte(r.buf, '\n') + 1
		if n > 0 {
			r.consume(n)
			return nil
		}
		r.consume(len(r.buf))
	}
	return io.EOF
}

// Unkept returns a warning for each key of Options.Keep that none of the records so far
// has, and one for the keys of Options.ID, unless that is the default. all says that these are all records of the file.
func (r *JSONReader) Unkept(all bool) (warnings []syntax.Fault) {
	who := "no record has"
	switch {
	case r.objects == 0:
		return nil
	case !all && r.objects == 1:
		who = "the first record does not have"
	case !all:
		who = fmt.Sprintf("none of the first %d records has", r.objects)
	}
	for i, key := range r.opt.Keep {
		if !r.had[i] {
			warnings = append(warnings, syntax.Because(syntax.KindKept, "value not kept: %s the key %q, %s", who, key, others(r.keys)))
		}
	}
	if !r.hadID && r.opt.ID != DefaultID {
		warnings = append(warnings, syntax.Because(syntax.KindRecordID, "no id: %s the key %q, %s; ids are made of places", who, r.opt.ID, others(r.keys)))
	}
	return warnings
}

// met notes which keys a record has.
func (r *JSONReader) met(keys []string, ids, kept []field) {
	r.objects++
	r.hadID = r.hadID || firstField(ids).count > 0
	for i := range kept {
		r.had[i] = r.had[i] || kept[i].count > 0
	}
	for _, key := range keys {
		if len(r.keys) <= listedKeys && !slices.Contains(r.keys, key) {
			r.keys = append(r.keys, key)
		}
	}
}

// record makes a record of a line, unless nothing but a byte order mark and white
// space is in it.
func (r *JSONReader) record(l *line) (rec Record, ok bool) {
	raw := l.raw
	if l.at.Offset == 0 {
		raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	}
	inner := bytes.TrimLeft(raw, space)
	if len(inner) == 0 && !l.long {
		return rec, false
	}
	start := l.at.Offset + int64(len(l.raw)-len(inner))
	inner = bytes.TrimRight(inner, space)
	rec = Record{Start: start, End: start + int64(len(inner)), Line: l.at.Line, Number: start, Raw: inner, values: r.values}
	if !l.long {
		r.parse(&rec)
		return rec, true
	}
	size := l.size - (len(l.raw) - len(raw))
	if rec.End = r.to; l.ended {
		rec.End--
		size--
	}
	rec.fail(start, syntax.KindLongRecord, "record too long: it has %d bytes, the limit is %d: is a line break missing between records?", size, r.opt.MaxRecord)
	return rec, true
}

// space is the white space of JSON, and a form feed.
const space = " \t\r\n\f"

// A field is a value that is looked for in a record.
type field struct {
	path  string
	count int    // how often it was found
	whole bool   // as one key, which counts more than a way into objects
	value []byte // as it is written
	at    int64  // its offset in the file
}

// absent says that there is no value, or null.
func (f *field) absent() bool { return f.count == 0 || string(f.value) == "null" }

// isString says that the value is a string.
func (f *field) isString() bool { return f.value[0] == '"' }

// firstField is the first candidate with a value, or else the first that is there.
func firstField(list []field) *field {
	i := slices.IndexFunc(list, func(f field) bool { return !f.absent() })
	if i < 0 {
		i = max(0, slices.IndexFunc(list, func(f field) bool { return f.count > 0 }))
	}
	return &list[i]
}

// parse fills in the record from Raw.
func (r *JSONReader) parse(rec *Record) {
	o := &r.opt
	if rec.Raw[0] != '{' {
		rec.fail(rec.Start, syntax.KindNoObject, "no JSON object: the line begins with %q; every line must be an object such as {\"id\": \"a\", \"text\": \"...\"}", first(rec.Raw))
		return
	}
	fields := make([]field, 0, len(r.texts)+len(r.ids)+len(o.Keep))
	for _, path := range slices.Concat(r.texts, r.ids, o.Keep) {
		fields = append(fields, field{path: path})
	}
	wanted := make([]*field, len(fields))
	for i := range fields {
		wanted[i] = &fields[i]
	}
	texts, ids, keep := fields[:len(r.texts)], fields[len(r.texts):len(r.texts)+len(r.ids)], fields[len(r.texts)+len(r.ids):]
	keys, err := find(rec.Raw, rec.Start, wanted)
	if err != nil {
		at, reason := syntaxError(rec.Raw, err)
		rec.fail(rec.Start+at, syntax.KindJSON, "invalid JSON: %s at byte %d of the record", reason, at)
		return
	}
	if len(o.Keep) > 0 || o.ID != DefaultID {
		r.met(keys, ids, keep)
	}
	rec.readID(firstField(ids))
	for i := range keep {
		rec.readKept(&keep[i])
	}
	switch text := firstField(texts); {
	case text.count == 0:
		rec.fail(rec.Start, syntax.KindNoTextKey, "no text: the record has %s, %s; name the right one with --text", noneOf("key", o.Text), others(keys))
	case text.count > 1:
		rec.fail(text.at, syntax.KindKeyTwice, "key given twice: %q; write one text a record", text.path)
	case text.value[0] == '[':
		rec.readTokens(text)
	case !text.isString():
		rec.fail(text.at, syntax.KindTextType, "%q is %s, not a string; name the key of the text with --text", text.path, kind(text.value))
	default:
		rec.value.Bytes, rec.value.Offset = text.value[1:len(text.value)-1], text.at+1
		rec.value.Line, rec.value.OneLine, rec.value.Escape = rec.Line, true, '\\'
	}
}

// readTokens fills in the sentences of a text that is an array of arrays of tokens.
func (r *Record) readTokens(f *field) {
	dec := json.NewDecoder(bytes.NewReader(f.value))
	_, err := dec.Token() // the bracket
	r.Sentences = []Tokens{}
	for err == nil && dec.More() {
		var sentence json.RawMessage
		if err = dec.Decode(&sentence); err != nil {
			break
		}
		x := Tokens{End: f.at + dec.InputOffset()}
		x.Start = x.End - int64(len(sentence))
		if sentence[0] != '[' {
			r.fail(x.Start, syntax.KindTextType, "%q is an array with %s, not a string or a list of sentences, each a list of tokens", f.path, kind(sentence))
			return
		}
		if json.Unmarshal(sentence, &x.Tokens) != nil {
			r.fail(x.Start, syntax.KindTextType, "%q has a token that is not a string; it must be a list of sentences, each a list of tokens", f.path)
			return
		}
		for i, token := range x.Tokens {
			token = strings.ReplaceAll(token, "\x00", "\ufffd") // as of all other text
			x.Tokens[i] = token
			x.Repaired += strings.Count(token, "\ufffd")
		}
		x.Repaired -= replacements(sentence)
		r.Sentences = append(r.Sentences, x)
	}
}

// escape is a backslash or U+FFFD as JSON may write it.
var escape = regexp.MustCompile(`(?i)\\(\\|ufffd)`)

// replacements counts the characters U+FFFD that JSON has, however they are written.
func replacements(b []byte) int {
	n := bytes.Count(b, []byte("\ufffd"))
	for _, found := range escape.FindAll(b, -1) {
		if found[1] != '\\' {
			n++
		}
	}
	return n
}

// find looks for fields in the JSON object that b begins with, and in the
// objects in it that their paths lead to. base is b's offset in the file. It
// returns the object's keys and reads all of b, to know that it is valid.
func find(b []byte, base int64, fields []*field) (keys []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil { // the brace
		return nil, err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if len(keys) <= listedKeys {
			keys = append(keys, key)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		end := dec.InputOffset()
		at := end - int64(len(value))
		value = b[at:end]
		var below []*field
		for _, f := range fields {
			if f.path == key {
				if !f.whole {
					f.count, f.whole = 0, true
				}
				f.count++
				f.value, f.at = value, base+at
			} else if rest, ok := strings.CutPrefix(f.path, key+"."); ok && value[0] == '{' {
				below = append(below, &field{path: rest})
			}
		}
		if below == nil {
			continue
		}
		if _, err := find(value, base+at, below); err != nil {
			return nil, err
		}
		for _, f := range fields {
			for _, g := range below {
				if g.count > 0 && !f.whole && f.path == key+"."+g.path {
					f.count += g.count
					f.value, f.at = g.value, g.at
				}
			}
		}
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.Join(errTrailing, err)
	}
	return keys, nil
}

var errTrailing = errors.New("more than one value in a line")

// syntaxError says what is wrong with b, and at which byte of it.
func syntaxError(b []byte, err error) (at int64, reason string) {
	var raw json.RawMessage
	var s *json.SyntaxError
	if errors.As(json.Unmarshal(b, &raw), &s) {
		return max(0, min(s.Offset, int64(len(b)))-1), strings.TrimPrefix(s.Error(), "json: ")
	}
	return 0, err.Error()
}

// readID sets the record's id from what was found under its key.
func (r *Record) readID(f *field) {
	switch {
	case f.absent():
	case f.count > 1:
		r.noID(f.at, fmt.Sprintf("key given twice: %q", f.path))
	case f.value[0] == '-' || f.value[0] >= '0' && f.value[0] <= '9':
		r.setID(f.at, string(f.value), f.path)
	case !f.isString():
		r.noID(f.at, fmt.Sprintf("%q is %s, not a string or a number", f.path, kind(f.value)))
	default:
		var s string
		if err := json.Unmarshal(f.value, &s); err != nil {
			r.noID(f.at, "the id is not a string: "+err.Error())
			return
		}
		r.setID(f.at, s, f.path)
	}
}

// readKept keeps what was found under a key: a string without its quotes, all
// else as it is written.
func (r *Record) readKept(f *field) {
	s := string(f.value)
	switch {
	case f.absent():
		s = ""
	case f.count > 1:
		r.keepNone(f.at, fmt.Sprintf("key given twice: %q", f.path))
		return
	case f.isString() && len(f.value) <= 6*maxValue+2: // six bytes a character if all are escaped
		if err := json.Unmarshal(f.value, &s); err != nil {
			r.keepNone(f.at, err.Error())
			return
		}
	}
	r.keep(f.at, s, f.path)
}

// kind names the kind of a JSON value.
func kind(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(value)
	}
	return "a number"
}

// listedKeys is how many keys a message lists.
const listedKeys = 5

// others names the keys that a record has.
func others(keys []string) string {
	if len(keys) == 0 {
		return "nor any other"
	}
	more := ""
	if len(keys) > listedKeys {
		more = " and others"
	}
	return "but " + namesOf(keys, listedKeys) + more
}

// first is the first character of b.
func first(b []byte) string {
	for _, r := range string(b[:min(len(b), 4)]) {
		return string(r)
	}
	return ""
}
