// Package view shows an output to people: TreeRow draws a tree for a terminal, SVG and
// HTMLTree draw pictures, and a Report is a whole run as one HTML page. It reads rows
// of package parquet, wherever they come from, and treats all text in them as hostile.
package view

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// Visible returns s with nothing in it that could act on a terminal or on the text
// around it: control characters become their pictures (U+2400 and following),
// characters that change the direction of the following text become U+FFFD, and line
// separators become spaces.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case r == 0x2028 || r == 0x2029:
			return ' '
		case r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

type integer interface{ int | int32 | int64 }

// Number writes n with commas between thousands.
func Number[N integer](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Many returns a count with its noun: "1 tree", "2,300 trees" or "2 classes".
func Many[N integer](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		thing += "e"
	}
	return Number(n) + " " + thing + "s"
}

// Width returns the number of columns that s takes in a terminal.
func Width(s string) int { return uniseg.StringWidth(s) }

// Clip returns s, or its beginning with "…" if it is wider than columns, which
// is at least 1. No letter is cut from its marks.
func Clip(s string, columns int) string {
	if prefix(s, columns) == len(s) {
		return s
	}
	return s[:prefix(s, columns-1)] + "…"
}

// prefix returns how many bytes of s fit in the given columns.
func prefix(s string, columns int) int {
	if 4*len(s) <= 3*columns {
		return len(s) // four columns take at least three bytes: the longest dash has as many
	}
	end, state, rest := 0, -1, s
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if columns -= w; columns < 0 {
			break
		}
		end += len(cluster)
	}
	return end
}

// wrap cuts s into lines of at most columns, at spaces where it can.
func wrap(s string, columns int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Split(s, " ") {
		w := Width(word)
		if line != "" && used+1+w <= columns {
			line, used = line+" "+word, used+1+w
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line, used = word, w
		for used > columns {
			end := prefix(line, columns)
			if end == 0 || end == len(line) {
				used = Width(line)
				break
			}
			lines = append(lines, line[:end])
			line = line[end:]
		}
	}
	return append(lines, line)
}

// isRightToLeft reports whether most letters of the words belong to a script that
// is written from right to left.
func isRightToLeft(words []string) bool {
	right, left := 0, 0
	for _, word := range words {
		for _, r := range word {
			switch {
			case !unicode.IsLetter(r):
			case unicode.In(r, rightToLeft...):
				right++
			default:
				left++
			}
		}
	}
	return right > left
}

var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko,
	unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui, unicode.Yezidi}
