package text

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/gogs/chardet"
)

// minConfidence is how sure, of 100, a guess must be. Right ones on a few
// hundred bytes have 50 and more.
const minConfidence = 30

// Suspect returns the encoding that the beginning of a file seems to be in, if
// it was read as UTF-8 and was not: a name for Options.Encoding, or "" if it
// cannot be told. The same bytes always give the same name.
func Suspect(head []byte) string {
	head = bytes.ReplaceAll(head, []byte{0}, nil) // of a tail that was never written, say: no encoding has them
	if utf8.Valid(head) || mostlyUTF8(head) {
		return ""
	}
	all, err := chardet.NewTextDetector().DetectAll(head)
	if err != nil {
		return ""
	}
	slices.SortFunc(all, func(a, b chardet.Result) int { // equals come in any order
		return cmp.Or(b.Confidence-a.Confidence, cmp.Compare(a.Charset, b.Charset))
	})
	enc, err := lookup(all[0].Charset)
	if err != nil || enc.name == "utf-8" || all[0].Confidence < minConfidence {
		return ""
	}
	return enc.name
}

// mostlyUTF8 reports whether fewer characters beyond ASCII are invalid in b
// than are not.
func mostlyUTF8(b []byte) bool {
	valid, invalid := 0, 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch b = b[n:]; {
		case n > 1:
			valid++
		case r == utf8.RuneError:
			invalid++
		}
	}
	return invalid < valid
}
