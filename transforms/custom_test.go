package transforms_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/transforms"
)

// What travels of a list says what the file says, whatever that holds, and is the
// same when it is read again.
func TestCustomTextsTravel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"a", "b", "#", " ", "\t", "\n", "\n", "\r", "\ufeff", "\u00a0", "_", "NOUN", "\tX\t", "\u2028", "\x00", "\x85", "\xff", "# ", "."}
	accepted := [3]int{}
	for range 30_000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		for list := range accepted {
			if travels(t, list, b.String()) {
				accepted[list]++
			}
		}
	}
	if slices.Min(accepted[:]) < 1000 {
		t.Errorf("only %d texts could be used", accepted)
	}
}

// travels checks a text, and reports whether it is a list.
func travels(t *testing.T, list int, text string) bool {
	plain, err := transforms.PlainList(list, []byte(text))
	if err != nil {
		return false
	}
	again, err := transforms.PlainList(list, []byte(plain))
	if err != nil || again != plain {
		t.Fatalf("list %d: %q becomes %q, %v", list, plain, again, err)
	}
	said := func(text string) *model.Lists {
		texts := [3]transforms.CustomTexts{{0: text}, {1: text}, {2: text}}
		l, err := texts[list].Lists()
		must(t, err)
		return l
	}
	got, want := said(plain), said(text)
	// The order of the first two changes nothing, nor do repetitions.
	if !slices.Equal(got.Exceptions, want.Exceptions) || !sameStrings(got.Abbreviations, want.Abbreviations) || !sameStrings(got.KeepTogether, want.KeepTogether) {
		t.Fatalf("list %d: %q says %+v, what travels %+v", list, text, *want, *got)
	}
	return true
}

func sameStrings(a, b []string) bool {
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, s := range list {
			m[s] = true
		}
		return m
	}
	return maps.Equal(set(a), set(b))
}

// oddities are what texts are made of here.
var oddities = strings.Split(`don't|a|.| |  |`+"\t|\n|\x00|\x1c|\x85|\u00a0|\u2028|\u3000|\ufeff|"+
	"\u200b|\u00ad|e\u0301\u0323|\u0301|x\u200by|\u202e|\u2060|\u180e|\ufffd|\ue000|\U000e0001|"+
	`U.S.|...|http://a.b/c?d=e|cannot|gonna|dunno|$5,000|'|"|(|)|-|—|😀|`+"👩\u200d👩|"+`ﷺ|漢字|ไทย|İ|ẞ`, "|")

// Every character of a sentence that is not white space is in a word, however
// odd the text.
func TestWordsCoverSentences(t *testing.T) {
	m, _, err := transforms.OpenModel("")
	must(t, err)
	rng := rand.New(rand.NewPCG(1, 9))
	words := 0
	for range 1000 {
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
	if words < 3_500 {
		t.Errorf("%d words only", words)
	}
}
