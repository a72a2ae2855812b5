package text

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
)

// An encodingInfo is a supported encoding.
type encodingInfo struct {
	name     string
	cuttable bool              // a line break byte is a line break wherever one begins to read
	table    *[256]rune        // of encodings with a byte for each character, or nil
	enc      encoding.Encoding // nil for UTF-8
}

// multibyte are the encodings of several bytes a character, without state, in
// which no other character holds the byte of a line break.
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
