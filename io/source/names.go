package source

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// join is a cheaper path.Join for paths that are clean.
func join(dir, name string) string {
	switch dir {
	case ".":
		return name
	case "/":
		return "/" + name
	}
	return dir + "/" + name
}

// relative returns p relative to the folder root above it.
func relative(root, p string) string {
	if root == "." {
		return p
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, root), "/")
}

// idOf is the document id that is made of a name: in comments of CoNLL-U no
// character of it may end a line, for any reader.
func idOf(name string) string {
	return escape(name, func(r rune, size int) bool {
		return isInvalid(r, size) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

// escape writes the bytes of the characters of a file name that are bad as %XX.
func escape(s string, bad func(r rune, size int) bool) string {
	var b strings.Builder
	for s != "" {
		r, w := utf8.DecodeRuneInString(s)
		if bad(r, w) {
			for _, c := range []byte(s[:w]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(s[:w])
		}
		s = s[w:]
	}
	return b.String()
}

func isInvalid(r rune, size int) bool { return r == utf8.RuneError && size == 1 }
