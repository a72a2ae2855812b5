package segment

import (
	"strings"
	"testing"
)

// Marks that training has not seen are read exactly as one that it has, in any script.
func TestUnseenMarks(t *testing.T) {
	m := model(t)
	blocks := []string{"Ada sees pears? Bela wants boats? Cora paints stones? Dino finds clouds?", "Ada sees pears?Bela wants", "boats ? stones",
		"Ada sees \"pears?\" and boats (clouds?) Dino finds Enzo?", "?", "a?b", "???", "\xff?\xfe", "Dr? Ada sees"}
	for _, mark := range []string{"！", "。", "।", "؟", "۔", "։", "።", "‼", "．"} {
		for _, block := range blocks {
			want := strings.ReplaceAll(describe(m.Segment(block, Request{})), "?", mark)
			block := strings.ReplaceAll(block, "?", mark)
			list := m.Segment(block, Request{})
			check(t, block, list)
			if got := describe(list); got != want {
				t.Errorf("%q: %s, want %s", block, got, want)
			}
		}
	}
	commas := "Ada sees pears, and Bela wants boats, stones,clouds (pears, boats)."
	for _, mark := range []string{"،", "、", "，", "؛"} {
		want := strings.ReplaceAll(describe(m.Segment(commas, Request{})), ",", mark)
		if got := describe(m.Segment(strings.ReplaceAll(commas, ",", mark), Request{})); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	var l layout
	l.read("a！b!c·d？1،0،")
	m.readMarks(&l)
	if got := string(l.norm); got != "a?b!c·d?0،0," || l.class[1] != '?' || l.class[5] != classPunct {
		t.Errorf("%q is read, classes %d", got, l.class)
	}
}
