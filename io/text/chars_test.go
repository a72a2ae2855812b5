package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Blocks know how many code points stand before them, wherever the file is cut.
func TestChars(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"word ", "ü", "😀 ", "\n", "\r\n", "\n\n", "\r\n\r\n", "\u00a0", "\xff", "\x00", " ", "\t", "End. ", "\u2029", "```\n", "\xe2\x80", strings.Repeat("long ", 3)}
	for round := range 400 {
		var b strings.Builder
		for range 1 + chance.IntN(60) {
			b.WriteString(pieces[chance.IntN(len(pieces))])
		}
		source := []byte(b.String())
		if round%3 == 0 {
			source = append([]byte("\ufeff"), source...)
		}
		layout, err := Decide(source, Options{Lines: []Lines{Wrapped, Paragraph, Sentence}[round%3]})
		if err != nil {
			t.Fatal(err)
		}
		whole := decodedAll(t, source, layout)
		for cut := 0; cut <= len(source); cut += 1 + chance.IntN(len(source)) {
			for _, part := range [][2]int{{0, cut}, {cut, len(source)}} {
				start, end := int64(part[0]), int64(part[1])
				if start == end {
					continue
				}
				r, err := NewReader(bytes.NewReader(source[SeekTo(start):]), layout, start, end)
				if err != nil {
					t.Fatal(err)
				}
				if start > 0 {
					before, err := CharsBefore(bytes.NewReader(source), layout, start)
					if err != nil {
						t.Fatal(err)
					}
					r.CountFrom(before)
				}
				for block, err := range r.All() {
					if err != nil {
						t.Fatal(err)
					}
					n := utf8.RuneCountInString(block.Text)
					if block.Char < 0 || int(block.Char)+n > len(whole) || string(whole[block.Char:int(block.Char)+n]) != block.Text {
						t.Fatalf("%q of %q, lines %s, from %d: %.60q is not at code point %d, but at %d", source[start:min(start+30, int64(len(source)))], source[max(start-30, 0):start], layout.Lines, start, block.Text, block.Char, utf8.RuneCountInString(string(whole)[:strings.Index(string(whole), block.Text)]))
					}
				}
			}
		}
	}
}

func decodedAll(t *testing.T, source []byte, l Layout) []rune {
	t.Helper()
	d := newDecoder(bytes.NewReader(source[l.BOM:]), l, int64(l.BOM))
	var w window
	for {
		err := d.decode(&w)
		if err == io.EOF {
			return []rune(string(w.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A reader that begins elsewhere does not guess.
func TestCharsAreUnknown(t *testing.T) {
	source := "One.\n\nTwo.\n\nThree."
	layout, err := Decide([]byte(source), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(strings.NewReader(source), layout, 2, -1)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := r.Next(); err != nil || b.Char != -1 {
		t.Errorf("%+v, %v", b, err)
	}
}
