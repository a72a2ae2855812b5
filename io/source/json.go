package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// jsonLines is how many lines must be JSON objects.
const jsonLines = 3

// looksJSONL reports whether the first lines of head, blank ones apart, are
// JSON objects. A line that head does not show to its end is taken for one if
// nothing speaks against it.
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

// cutObject reports whether line is the beginning of a JSON object that is
// longer than a head. In text a brace is seldom followed by a quote.
func cutObject(line []byte) bool {
	var v json.RawMessage
	err := json.NewDecoder(bytes.NewReader(line)).Decode(&v)
	return errors.Is(err, io.ErrUnexpectedEOF) && bytes.HasPrefix(bytes.TrimLeft(line[1:], " \t"), []byte(`"`)) &&
		bytes.IndexByte(line, ':') > 0
}

// wholeJSON says what a file is that is one JSON value over several lines, or
// an array of objects, or "".
func wholeJSON(head []byte) string {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if len(head) == 0 {
		return ""
	}
	inner := bytes.TrimLeft(head[1:], " \t\r\n")
	switch head[0] {
	case '[':
		if !bytes.HasPrefix(inner, []byte("{")) || !begins(inner) {
			return ""
		}
		return "a JSON array; write one object a line, for example with jq -c '.[]'"
	case '{':
		line, _, more := bytes.Cut(head, []byte("\n"))
		if !more || !bytes.HasPrefix(inner, []byte(`"`)) || json.Valid(line) || !begins(head) {
			return ""
		}
		return "a JSON object over several lines; write one object a line, for example with jq -c ."
	}
	return ""
}

// begins reports whether b begins with a JSON value, or is the beginning of
// one.
func begins(b []byte) bool {
	var v json.RawMessage
	err := json.NewDecoder(bytes.NewReader(b)).Decode(&v)
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF)
}
