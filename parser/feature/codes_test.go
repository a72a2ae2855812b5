package feature

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Every extractor must stand any sentence, at both ends of it.
func TestBoundaries(t *testing.T) {
	v := Learn(bank())
	var c Codes
	for _, s := range []syntax.Sentence{
		{},
		sentence("Yes/yes/INTJ/UH/_/0/root"),
		sentence("./././_/_/0/root"),
		{Words: []syntax.Word{{}}},
		sentence("No/no/INTJ/UH/_/0/root !/!/PUNCT/./_/1/punct"),
	} {
		v.Encode(&s, &c)
		if c.N != s.Len() {
			t.Fatalf("N is %d for %d words", c.N, s.Len())
		}
		for _, p := range [...]int{-1, s.Len() + 1} {
			if c.Coarse[at(p)] != coarseOutside || c.Fine[at(p)] != coarseOutside || len(c.Feats(p)) != 0 {
				t.Errorf("%d words: position %d is not outside", s.Len(), p)
			}
		}
		if c.Coarse[at(0)] != coarseRoot || len(c.Feats(0)) != 0 {
			t.Errorf("%d words: position 0 is not the root", s.Len())
		}
		for _, p := range parts(&c, &s) {
			if len(p.keys) == 0 {
				t.Errorf("%d words: a part %q without keys", s.Len(), p.name)
			}
		}
	}
	if c.Form[at(-1)] == c.Form[at(0)] || c.Form[at(0)] == c.Form[at(c.N+1)] || c.Form[at(-1)] == c.Form[at(c.N+1)] {
		t.Error("the root and the two ends share a form")
	}
}

// What an earlier sentence left in the scratch must not show.
func TestEncodeForgets(t *testing.T) {
	v := Learn(bank())
	long, short := fixture(), sentence("Yes/yes/INTJ/UH/_/2/discourse ,/,/PUNCT/,/_/1/punct")
	var used, fresh Codes
	v.Encode(&long, &used)
	v.Encode(&short, &used)
	v.Encode(&short, &fresh)
	a, b := parts(&used, &short), parts(&fresh, &short)
	for i := range a {
		for j := range a[i].keys {
			if a[i].keys[j] != b[i].keys[j] {
				t.Fatalf("key %d of part %d, %q, depends on the sentence before", j, i, a[i].name)
			}
		}
	}
}

func TestAtoms(t *testing.T) {
	v := Learn(bank())
	s := fixture()
	var c Codes
	v.Encode(&s, &c)
	if c.Form[at(6)] != HashString("boxes") || c.Lemma[at(6)] != HashString("box") {
		t.Error("a known word is not its own code")
	}
	if c.Form[at(12)] != rareCode("Xenia") {
		t.Error("an unknown word is not its ending and shape")
	}
	if rareCode("Xenia") == rareCode("xenia") || rareCode("Xenia") != rareCode("Tania") {
		t.Error("the code of rare words should keep the shape and two letters of the ending")
	}
	if c.Form[at(4)] != role5 {
		t.Error("a number is not the one code of numbers")
	}
	if c.Case[at(1)] == 0 || c.Case[at(1)] == c.Case[at(3)] || c.Case[at(6)] != 0 {
		t.Error("Case is wrong")
	}
	if len(c.Feats(1)) != 2 || len(c.Feats(5)) != 0 || len(c.Feats(c.N+1)) != 0 {
		t.Error("FEATS are wrong")
	}
	want := []uint8{0, 0, 0, 0, punctOpen, 0, punctClose, punctComma, 0, punctQuote, 0, 0, punctQuote, punctNone}
	for i, kind := range want {
		if c.Punct[at(i+1)] != kind {
			t.Errorf("word %d has punctuation %d, want %d", i+1, c.Punct[at(i+1)], kind)
		}
	}
	if c.Marker[at(11)] != 0 || c.Marker[at(12)] != 0 {
		t.Error("a quotation mark must shut off a marker")
	}
}

// punctuated makes a sentence of words of one letter each; those that are no
// letter are punctuation.
func punctuated(forms string) syntax.Sentence {
	var s syntax.Sentence
	for _, form := range strings.Fields(forms) {
		w := syntax.Word{Form: form, Lemma: form, UPOS: "NOUN"}
		if form[0] < 'a' || form[0] > 'z' {
			w.UPOS = "PUNCT"
		}
		s.Words = append(s.Words, w)
	}
	return s
}

// Brackets that do not match say nothing about quotes, whatever the order.
func TestBracketsLeaveQuotesAlone(t *testing.T) {
	v := Learn(nil)
	r := rand.New(rand.NewPCG(3, 4))
	var c Codes
	for range 300 {
		var forms []string
		for range 1 + r.IntN(12) {
			forms = append(forms, []string{"(", ")", ")", "\"", "a", "b"}[r.IntN(6)])
		}
		s := punctuated(strings.Join(forms, " "))
		v.Encode(&s, &c)
		depth, quotes := make([]int, len(forms)+2), make([]int, len(forms)+2)
		for p := 1; p <= len(forms); p++ {
			depth[p], quotes[p] = depth[p-1], quotes[p-1]
			switch forms[p-1] {
			case "(":
				depth[p]++
			case ")":
				depth[p] = max(0, depth[p]-1)
			case "\"":
				quotes[p]++
			}
			if got := c.parity[at(p)]; int(got&0xffff) != depth[p] || int(got>>16) != quotes[p] {
				t.Fatalf("%q: at %d depth %d and %d quotes, want %d and %d", forms, p, got&0xffff, got>>16, depth[p], quotes[p])
			}
		}
		for lo := 0; lo <= len(forms); lo++ {
			for hi := lo; hi <= len(forms); hi++ {
				want := uint64(0)
				if depth[lo] != depth[hi] {
					want = 1
				}
				want += uint64((quotes[hi] - quotes[lo]) & 1 * 2)
				if got := c.pairsBetween(at(lo), at(hi)); got != want {
					t.Fatalf("%q: between %d and %d %b, want %b", forms, lo, hi, got, want)
				}
			}
		}
	}
}

// A word with very many items of FEATS has no more features than MaxFeats
// allow, and costs no more memory: the items of two words are paired.
func TestManyFeats(t *testing.T) {
	v := Learn(nil)
	s := sentence("a/a/NOUN/_/_/2/nsubj b/b/VERB/_/_/0/root")
	limit := 0
	for _, items := range []int{syntax.MaxFeats, syntax.MaxFeats + 1, 20_000} {
		for i := range s.Words {
			var b strings.Builder
			for k := range items {
				fmt.Fprintf(&b, "|A%d=%d", k, i)
			}
			s.Words[i].Feats = b.String()[1:]
		}
		var c Codes
		v.Encode(&s, &c)
		if n := len(c.Feats(1)); n != syntax.MaxFeats {
			t.Errorf("%d items: %d are seen", items, n)
		}
		keys := len(c.Arc(2, 1, nil)) + len(c.LeanArc(2, 1, nil)) + len(c.Word(1, nil))
		if limit == 0 {
			limit = keys
		}
		if keys != limit {
			t.Errorf("%d items: %d keys, with %d items %d", items, keys, syntax.MaxFeats, limit)
		}
	}
}

func TestMarker(t *testing.T) {
	s := sentence(`live/live/VERB/_/_/0/root in/in/ADP/_/_/5/case the/the/DET/_/_/5/det old/old/ADJ/_/_/5/amod
		town/town/NOUN/_/_/1/obl if/if/SCONJ/_/_/8/mark I/I/PRON/_/_/8/nsubj stay/stay/VERB/_/_/1/advcl`)
	v := Learn([]syntax.Sentence{s, s})
	var c Codes
	v.Encode(&s, &c)
	for word, want := range map[int]uint64{5: HashString("in"), 4: HashString("in"), 1: 0, 2: 0, 8: 0, 7: HashString("if")} {
		if c.Marker[at(word)] != want {
			t.Errorf("word %d has marker %#x, want %#x", word, c.Marker[at(word)], want)
		}
	}
}

func TestNumbersAndShapes(t *testing.T) {
	for s, want := range map[string]bool{"3": true, "3.14": true, "1,000": true, "": false, "3rd": false, ",3": false, "-3": false} {
		if isNumber(s) != want {
			t.Errorf("isNumber(%q) is %v", s, !want)
		}
	}
	for s, want := range map[string]uint8{"": 0, "abc": 0, "Abc": 1, "ABC": 3, "a-b": 8, "B2": 5, "x.y": 16, "Ärger": 1} {
		if got := shape(s); got != want {
			t.Errorf("shape(%q) is %d, want %d", s, got, want)
		}
	}
}
