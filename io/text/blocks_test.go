package text

import (
	"slices"
	"strings"
	"testing"
)

func TestBlocksOfMemory(t *testing.T) {
	got, err := Blocks("One line.\n\nTwo\nlines.\n", 8, Options{Lines: Paragraph})
	want, _ := Blocks("One line.\n\nTwo\nlines.\n", 100, Options{Lines: Wrapped})
	if err != nil || len(got) != 3 || len(want) != 2 || !slices.Equal(got[:1], want[:1]) {
		t.Errorf("%q, %q, %v", got, want, err)
	}
	if got, err := Blocks("", 8, Options{Lines: Paragraph}); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestBounds holds Bounds against the text that a segmenter makes of a sentence, for all
// strings of up to five of some characters.
func TestBounds(t *testing.T) {
	chars := []string{"a", "\r", "\n", "é", "😀", "\xff"}
	var try func(s string, left int)
	try = func(s string, left int) {
		shown := []rune(strings.ReplaceAll(s, "\r\n", " "))
		got := Bounds(nil, s)
		if len(got) != len(shown)+1 || got[len(shown)] != len(s) {
			t.Fatalf("%q: %v", s, got)
		}
		for i, r := range shown {
			if c := s[got[i]:got[i+1]]; c != "\r\n" && []rune(c)[0] != r || c == "\r\n" && r != ' ' {
				t.Fatalf("%q: character %d is %q, want %q", s, i, c, r)
			}
		}
		for _, c := range chars {
			if left > 0 {
				try(s+c, left-1)
			}
		}
	}
	try("", 5)
}
