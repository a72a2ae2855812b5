package segment

import (
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// Forms and characters are folded alike.
func TestFoldIsPlain(t *testing.T) {
	folded := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		plain := word.Plain(string(r))
		if r >= 0xD800 && r < 0xE000 || plain == string(r) {
			continue
		}
		folded++
		if got := plainRunes([]rune{word.PlainRune(r)}); string(got) != plain {
			t.Errorf("%q is %q, in forms %q", r, string(got), plain)
		}
	}
	if folded < 15 {
		t.Errorf("%d characters are folded", folded)
	}
}

// Text is cut the same with typographic characters and without.
func TestTypographicText(t *testing.T) {
	m := model(t)
	change := strings.NewReplacer("'", "’", `"`, "“")
	list := (&tongue{hash.Rand(21)}).treebank(80)
	for _, p := range paragraphs(list) {
		plain := newGoldBlock(p).layout.block
		block := change.Replace(plain)
		a, b := m.Segment(plain, Request{}), m.Segment(block, Request{})
		check(t, block, b)
		if change.Replace(describe(a)) != describe(b) {
			t.Errorf("got\n%swant\n%s", describe(b), describe(a))
		}
	}
	got := describe(m.Segment("Ada sees pears—boats and clouds… Bela don’t see pears.", Request{}))
	for _, want := range []string{"pears _— _boats", "clouds _…", "do+n’t"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// What is left of a contraction is split again.
func TestDoubleContractions(t *testing.T) {
	var list []syntax.Sentence
	r := tongue{hash.Rand(3)}
	for range 200 {
		list = append(list, gold(r.pick("I we she they Ada")+"+"+r.pick("'d 've 'll"), "see", r.pick("pears boats"), "_."),
			gold(r.pick("Ada Bela"), r.pick("could would did had")+"+n't", "see", r.pick("pears boats"), "_."))
	}
	m, err := Train(list, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"I'd've": "I+'d+'ve", "they'll've": "they+'ll+'ve", "couldn’t’ve": "could+n’t+’ve", "Ada'd": "Ada+'d",
		"I'D'VE": "I+'D+'VE",
		"O'x've": "O'x+'ve",
	} {
		if got := describe(m.Segment(text+" see pears.", Request{})); !strings.HasPrefix(got, want+" see") {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// An abbreviation that is on the list only is cut like one of the treebank, and
// the list does not make one of the same word at the end of a sentence.
func TestListedAbbreviations(t *testing.T) {
	train := (&tongue{hash.Rand(1)}).treebank(600)
	list := []string{"Dr.", "Mr.", "Prof.", "Capt.", "Rev.", "pears."}
	with, err := Train(train, nil, Options{Seed: 3, Abbreviations: list})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range list[:5] {
		text := form + " Ada sees pears. Bela wants boats."
		want := form + " Ada sees pears _. \nBela wants boats _. \n"
		if got := describe(with.Segment(text, Request{})); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}
