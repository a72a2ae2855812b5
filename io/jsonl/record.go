package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/treebeam/treebeam/parser/syntax"
)

// maxID is the most bytes of an id: it is repeated in every row.
const maxID = 500

// A field is a value that is looked for in a record.
type field struct {
	path  string
	count int    // how often it was found
	whole bool   // as one key, which counts more than a way into objects
	value []byte // as it is written
	at    int64  // its offset in the record
}

// parse fills in the record from Raw.
func (o *Options) parse(rec *Record) {
	if rec.Raw[0] != '{' {
		rec.fail(0, syntax.KindNoObject, "no JSON object: the line begins with %q; every line must be an object such as {\"id\": \"a\", \"text\": \"...\"}", first(rec.Raw))
		return
	}
	fields := make([]field, 2+len(o.Keep))
	fields[0].path, fields[1].path = o.TextKey, o.IDKey
	wanted := make([]*field, len(fields))
	for i := range fields {
		wanted[i] = &fields[i]
		if i >= 2 {
			fields[i].path = o.Keep[i-2]
		}
	}
	keys, err := find(rec.Raw, 0, wanted)
	if err != nil {
		at, reason := syntaxError(rec.Raw, err)
		rec.fail(at, syntax.KindJSON, "invalid JSON: %s at byte %d of the record", reason, at)
		return
	}
	text, id := &fields[0], &fields[1]
	rec.setID(id)
	rec.keep(fields[2:])
	switch {
	case text.count == 0:
		rec.fail(0, syntax.KindNoTextKey, "no text: the record has no key %q, %s; name the right one with --text-key", o.TextKey, list(keys))
	case text.count > 1:
		rec.fail(text.at, syntax.KindKeyTwice, "key given twice: %q; write one text a record", o.TextKey)
	case text.value[0] != '"':
		rec.fail(text.at, syntax.KindTextType, "text is no string: under %q stands %s; name the right key with --text-key", o.TextKey, kind(text.value))
	default:
		rec.literal = text.value[1 : len(text.value)-1]
		rec.at = rec.Start + text.at + 1
	}
}

// find looks for fields in the JSON object that b begins with, and in the
// objects in it that their paths lead to. base is b's offset in the record.
// It returns the object's keys and reads all of b, to know that it is valid.
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
		if len(keys) <= listed {
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

// setID sets ID or IDErr from what was found under the id's key.
func (r *Record) setID(id *field) {
	reason := ""
	var s string
	switch {
	case id.count == 0 || string(id.value) == "null":
		return
	case id.count > 1:
		reason = fmt.Sprintf("key given twice: %q", id.path)
	case id.value[0] == '-' || id.value[0] >= '0' && id.value[0] <= '9':
		s = string(id.value)
	case id.value[0] != '"':
		reason = fmt.Sprintf("id is no string or number: under %q stands %s", id.path, kind(id.value))
	default:
		if err := json.Unmarshal(id.value, &s); err != nil {
			reason = "id is no string: " + err.Error()
		}
	}
	if reason == "" {
		s, reason = CheckID(s, id.path)
	}
	if reason != "" {
		r.IDErr = &Error{Offset: r.Start + id.at, Line: r.Line, Fault: syntax.Because(syntax.KindRecordID,
			"%s; the record has an id made of its place, or name another key with --id-key", reason)}
		return
	}
	r.ID = s
}

// CheckID returns the id that stands as s under a key: s with control characters
// written as %XX, "" if it is blank, or why it cannot be an id.
func CheckID(s, key string) (id, reason string) {
	s = escapeControls(s)
	if len(s) > maxID {
		return "", LongID(len(s), key)
	}
	if strings.TrimSpace(s) == "" {
		return "", ""
	}
	return s, ""
}

// LongID is the reason of CheckID for an id of n bytes, which are too many.
func LongID(n int, key string) string {
	return fmt.Sprintf("id too long: %d bytes under %q, the limit is %d", n, key, maxID)
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

// listed is how many keys a message lists.
const listed = 5

// list names the keys that a record has.
func list(keys []string) string {
	if len(keys) == 0 {
		return "nor any other"
	}
	var b strings.Builder
	for i, key := range keys[:min(len(keys), listed)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(clip(key)))
	}
	if len(keys) > listed {
		b.WriteString(" and others")
	}
	return "but " + b.String()
}

// clip cuts what goes into a message.
func clip(s string) string {
	const limit = 40
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}

// first is the first character of b.
func first(b []byte) string {
	for _, r := range string(b[:min(len(b), 4)]) {
		return string(r)
	}
	return ""
}
