package text

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/gogs/chardet"
)

// An encodingInfo is a supported encoding.
type encodingInfo struct {
	name     string
	cuttable bool              // a line break byte is a line break wherever one begins to read
	table    *[256]rune        // of encodings with a byte for each character, or nil
	enc      encoding.Encoding // nil for UTF-8
}

// multibyte are the stateless encodings with several bytes a character in which only a
// line break contains the byte of a line break.
var multibyte = map[string]bool{
	"big5": true, "euc-jp": true, "euc-kr": true, "gb18030": true, "gbk": true, "shift_jis": true,
}

// lookup returns the encoding of a label.
func lookup(label string) (*encodingInfo, error) {
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "", "utf-8", "utf8":
		return &encodingInfo{name: "utf-8", cuttable: true}, nil
	case "utf-16le":
		return &encodingInfo{name: "utf-16le", enc: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}, nil
	case "utf-16be":
		return &encodingInfo{name: "utf-16be", enc: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}, nil
	}
	unknown := fmt.Errorf("unknown encoding %q; use a name such as utf-8, utf-16le, iso-8859-1, windows-1252, koi8-r, shift_jis or gb18030", label)
	enc, err := htmlindex.Get(label)
	name := ""
	if err == nil {
		name, err = htmlindex.Name(enc)
	} else if enc, err = ianaindex.IANA.Encoding(label); err == nil && enc != nil {
		name, err = ianaindex.IANA.Name(enc)
	}
	if err != nil || enc == nil || enc == encoding.Replacement {
		return nil, unknown
	}
	name = strings.ToLower(name)
	switch name {
	case "utf-8", "utf-16le", "utf-16be":
		return lookup(name)
	case "utf-16":
		return lookup("utf-16le")
	}
	info := &encodingInfo{name: name, enc: enc, cuttable: multibyte[name]}
	if m, ok := enc.(*charmap.Charmap); ok {
		info.table = new([256]rune)
		for i := range info.table {
			info.table[i] = m.DecodeByte(byte(i))
		}
		info.cuttable = info.table['\n'] == '\n' && info.table['\r'] == '\r' && info.table['a'] == 'a'
	}
	return info, nil
}

// minConfidence is how sure, of 100, a guess must be. Right ones on a few
// hundred bytes have 50 and more.
const minConfidence = 30

// Suspect returns the probable encoding of a file, given its beginning, if the file was
// read as UTF-8 and is not UTF-8: a name for Options.Encoding, or "" if unknown. The
// same bytes always give the same name.
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
