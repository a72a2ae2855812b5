package segment

import (
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// A classifier that cuts everywhere leaves the words of the lexicon whole in scripts
// with capitals.
func TestWordsStayWhole(t *testing.T) {
	x := lexicon{counts: map[uint64]occurrences{}}
	for _, word := range []string{"everyone", "one", "日本", "4th"} {
		x.counts[hash.Runes([]rune(word))] = occurrences{n: 1}
	}
	for text, want := range map[string]string{
		"everyone": "everyone", "Everyone's": "Everyone|'|s", "(EVERYONE)": "(|EVERYONE|)",
		"onex": "o|n|e|x", "alot": "a|l|o|t", "日本": "日|本", "4th": "4|t|h",
	} {
		var w workspace
		w.layout.read(text)
		c := newChunk(&w.layout, 0)
		var got []string
		last := int32(0)
		for _, cut := range w.cuts(&c, &x, func(int, []hash.Key) int32 { return 1 }) {
			got = append(got, string([]rune(text)[last:cut.end]))
			last = cut.end
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: %s", text, s)
		}
	}
}
