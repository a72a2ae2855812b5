package transforms_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/transforms"
)

// oddities are what texts are made of here.
var oddities = strings.Split(`don't|a|.| |  |`+"\t|\n|\x00|\x1c|\x85|\u00a0|\u2028|\u3000|\ufeff|"+
	"\u200b|\u00ad|e\u0301\u0323|\u0301|x\u200by|\u202e|\u2060|\u180e|\ufffd|\ue000|\U000e0001|"+
	`U.S.|...|http://a.b/c?d=e|cannot|gonna|dunno|$5,000|'|"|(|)|-|—|😀|`+"👩\u200d👩|"+`ﷺ|漢字|ไทย|İ|ẞ`, "|")

// Every character of a sentence that is not white space is in a word, however
// odd the text.
func TestWordsCoverSentences(t *testing.T) {
	m, _, err := transforms.OpenModel("")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	words := 0
	for range 3000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(oddities[rng.IntN(len(oddities))])
			if rng.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		for _, s := range m.Segment(b.String(), 1+rng.IntN(30)) {
			left, last := []rune(s.Text), int32(0)
			for _, w := range s.Words {
				if w.StartChar < last || w.StartChar >= w.EndChar || int(w.EndChar) > len(left) {
					t.Fatalf("%q: word %+v", s.Text, w)
				}
				for i := w.StartChar; i < w.EndChar; i++ {
					left[i] = ' '
				}
				last = w.StartChar
			}
			if rest := strings.TrimFunc(string(left), unicode.IsSpace); len(s.Words) == 0 || rest != "" {
				t.Fatalf("%q: %d words, and %q is in none", s.Text, len(s.Words), rest)
			}
			words += len(s.Words)
		}
	}
	if words < 10_000 {
		t.Errorf("%d words only", words)
	}
}
