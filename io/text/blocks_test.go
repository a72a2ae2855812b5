package text

import (
	"slices"
	"testing"
)

func TestBlocksOfMemory(t *testing.T) {
	got, err := Blocks([]byte("One line.\n\nTwo\nlines.\n"), 8, Options{Lines: Paragraph})
	want, _ := Blocks([]byte("One line.\n\nTwo\nlines.\n"), 100, Options{Lines: Wrapped})
	if err != nil || len(got) != 3 || len(want) != 2 || !slices.Equal(got[:1], want[:1]) {
		t.Errorf("%q, %q, %v", got, want, err)
	}
	if got, err := Blocks(nil, 8, Options{Lines: Paragraph}); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
