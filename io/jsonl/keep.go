package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Bounds of what is kept of a record.
const (
	MaxKeep  = 100    // keys
	MaxValue = 10_000 // bytes of a value
)

// CheckValue returns the value that stands as s under a key that is to be kept:
// s in valid UTF-8, or why it is not kept.
func CheckValue(s, key string) (value, reason string) {
	if len(s) > MaxValue {
		return "", LongValue(len(s), key)
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError)), ""
}

// LongValue is the reason of CheckValue for a value of n bytes, which are too many.
func LongValue(n int, key string) string {
	return fmt.Sprintf("value not kept: %d bytes under %q, the limit is %d", n, key, MaxValue)
}

// keep fills in Kept from what was found under the keys to be kept.
func (r *Record) keep(fields []field) {
	for i := range fields {
		f := &fields[i]
		value, reason := f.kept()
		if reason != "" {
			r.KeptErrs = append(r.KeptErrs, Error{Fault: syntax.Because(syntax.KindKept, "%s", reason), Offset: r.Start + f.at, Line: r.Line})
		}
		r.Kept = append(r.Kept, value)
	}
}

// kept is the value of a field: a string without its quotes, all else as it is
// written, "" for null and for what is not there.
func (f *field) kept() (value, reason string) {
	switch {
	case f.count == 0 || string(f.value) == "null":
		return "", ""
	case f.count > 1:
		return "", fmt.Sprintf("value not kept: key given twice: %q", f.path)
	case f.value[0] == '"' && len(f.value) <= 6*MaxValue+2: // six bytes a character if all are escaped
		var s string
		if err := json.Unmarshal(f.value, &s); err != nil {
			return "", "value not kept: " + err.Error()
		}
		return CheckValue(s, f.path)
	}
	return CheckValue(string(f.value), f.path)
}
