package word

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Any sentence can be encoded, and has two positions outside at both ends.
func TestBoundaries(t *testing.T) {
	e := NewEncoder(Learn(bank()))
	for _, s := range []syntax.Sentence{
		{},
		sentence("Yes/yes/INTJ/UH/_/0/root"),
		sentence("./././_/_/0/root"),
		{Words: []syntax.Word{{}}},
		sentence("No/no/INTJ/UH/_/0/root !/!/PUNCT/./_/1/punct"),
	} {
		c := e.Encode(&s)
		n := s.Len()
		if c.Len() != n || len(c.All()) != n+5 {
			t.Fatalf("%d words, %d atoms for %d words", c.Len(), len(c.All()), n)
		}
		for _, p := range [...]int{-2, -1, n + 1, n + 2} {
			if w := c.At(p); w.Coarse != Outside || w.Fine != Outside || len(w.Feats.Items) != 0 || w.OfForm == nil {
				t.Errorf("%d words: position %d is not outside: %+v", n, p, w)
			}
		}
		if w := c.At(0); w.Coarse != Root || w.Fine != Root || w.Feats == nil {
			t.Errorf("%d words: position 0 is not the root", n)
		}
		if c.At(-1).Form == c.At(0).Form || c.At(0).Form == c.At(n+1).Form || c.At(-1).Form == c.At(n+1).Form {
			t.Error("the root and the two ends share a form")
		}
	}
}

func TestAtoms(t *testing.T) {
	e := NewEncoder(Learn(bank()))
	s := fixture()
	c := e.Encode(&s)
	if c.At(6).Form != hash.String("boxes") || c.At(6).Lemma != hash.String("box") {
		t.Error("a known word is not its own code")
	}
	code := func(form string) uint64 { return e.form(form).Code }
	if c.At(12).Form == hash.String("Xenia") || code("Xenia") == code("xenia") || code("Xenia") != code("Tania") ||
		code("Xenia") == code("Xenio") {
		t.Error("the code of rare words should keep the signs and two letters of the ending")
	}
	if c.At(4).Form != code("17,5") || c.At(4).Form == code("x17") {
		t.Error("a number is not the one code of numbers")
	}
	if c.At(1).Case == 0 || c.At(1).Case == c.At(3).Case || c.At(6).Case != 0 {
		t.Error("Case is wrong")
	}
	if f := c.At(1).Feats; len(f.Items) != 2 || f.Attr[Case] != hash.String("Case=Nom") ||
		f.Attr[Number] != f.Items[1] || f.Attr[Tense] != 0 || f.Hash == 0 {
		t.Error("FEATS are wrong")
	}
	if f := c.At(5).Feats; len(f.Items) != 0 || f.Hash != 0 {
		t.Error("absent FEATS are there")
	}
	want := []uint8{0, 0, 0, 0, Opening, 0, Closing, Comma, 0, Quote, 0, 0, Quote, NoPunct}
	for i, kind := range want {
		if c.At(i+1).Punct != kind {
			t.Errorf("word %d has punctuation %d, want %d", i+1, c.At(i+1).Punct, kind)
		}
	}
	if c.At(11).Marker != 0 || c.At(12).Marker != 0 {
		t.Error("a quotation mark must shut off a marker")
	}
	if c.CommasBetween(2, 12) != 1 || c.CommasBetween(9, 7) != 1 || c.CommasBetween(8, 9) != 0 ||
		c.CommasBetween(7, 8) != 0 {
		t.Error("commas are miscounted")
	}
}

// A sentence is encoded once, unless its words change.
func TestMemoOfASentence(t *testing.T) {
	v := Learn(bank())
	e := NewEncoder(v)
	s := fixture()
	c := e.Encode(&s)
	s.Words[0].Head, s.Words[0].Deprel = 5, "x"
	if e.Encode(&s) != c || NewEncoder(v).Encode(&s) != c {
		t.Error("the same words were encoded twice")
	}
	twin := s
	twin.Words = slices.Clone(s.Words)
	for i := range twin.Words {
		twin.Words[i].Form = strings.Clone(twin.Words[i].Form)
	}
	if NewEncoder(v).Encode(&twin) != c {
		t.Error("equal words were encoded twice")
	}
	for i, change := range []func(w *syntax.Word){
		func(w *syntax.Word) { w.Form = "x" }, func(w *syntax.Word) { w.Lemma = "x" }, func(w *syntax.Word) { w.UPOS = "X" },
		func(w *syntax.Word) { w.XPOS = "x" }, func(w *syntax.Word) { w.Feats = "A=b" },
	} {
		other := s
		other.Words = slices.Clone(s.Words)
		change(&other.Words[3])
		got := e.Encode(&other)
		if got == c || !reflect.DeepEqual(got, NewEncoder(v).encode(&other)) {
			t.Errorf("change %d: the encoding is that of other words", i)
		}
	}
	if NewEncoder(Learn(nil)).Encode(&s) == c {
		t.Error("the encoding is that of another vocabulary")
	}
	if w := s.Window(2, 6); e.Encode(&w).Len() != 4 || e.Encode(&w).At(0).Coarse != Root {
		t.Error("the encoding of a window is wrong")
	}
}

// What an encoder has seen before does not show.
func TestEncoderForgets(t *testing.T) {
	v := Learn(bank())
	used := NewEncoder(v)
	long, short := fixture(), sentence("Yes/yes/INTJ/UH/_/2/discourse ,/,/PUNCT/,/_/1/punct")
	used.encode(&long)
	if !reflect.DeepEqual(used.encode(&short), NewEncoder(v).encode(&short)) {
		t.Error("an encoding depends on the sentence before")
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
	e := NewEncoder(Learn(nil))
	r := hash.Rand(3)
	for range 300 {
		var forms []string
		for range 1 + r.Below(12) {
			forms = append(forms, []string{"(", ")", ")", "\"", "a", "b"}[r.Below(6)])
		}
		s := punctuated(strings.Join(forms, " "))
		c := e.Encode(&s)
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
			if w := c.At(p); int(w.Depth) != depth[p] || int(w.Quotes) != quotes[p] {
				t.Fatalf("%q: at %d depth %d and %d quotes, want %d and %d", forms, p, w.Depth, w.Quotes, depth[p], quotes[p])
			}
		}
		for lo := 0; lo <= len(forms); lo++ {
			for hi := lo; hi <= len(forms); hi++ {
				want := uint64(0)
				if depth[lo] != depth[hi] {
					want = 1
				}
				want += uint64((quotes[hi] - quotes[lo]) & 1 * 2)
				if got := c.PairsBetween(lo, hi); got != want {
					t.Fatalf("%q: between %d and %d %b, want %b", forms, lo, hi, got, want)
				}
			}
		}
	}
}

// A word with very many items of FEATS has no more than MaxFeats.
func TestManyFeats(t *testing.T) {
	e := NewEncoder(Learn(nil))
	s := sentence("a/a/NOUN/_/_/2/nsubj b/b/VERB/_/_/0/root")
	for _, count := range []int{syntax.MaxFeats, syntax.MaxFeats + 1, 20_000} {
		var b strings.Builder
		for k := range count {
			fmt.Fprintf(&b, "|A%d=1", k)
		}
		s.Words[0].Feats = b.String()[1:]
		if n := len(e.Encode(&s).At(1).Feats.Items); n != syntax.MaxFeats {
			t.Errorf("%d items: %d are seen", count, n)
		}
	}
}

func TestMarker(t *testing.T) {
	s := sentence(`live/live/VERB/_/_/0/root in/in/ADP/_/_/5/case the/the/DET/_/_/5/det old/old/ADJ/_/_/5/amod
		town/town/NOUN/_/_/1/obl if/if/SCONJ/_/_/8/mark I/I/PRON/_/_/8/nsubj stay/stay/VERB/_/_/1/advcl`)
	c := NewEncoder(Learn([]syntax.Sentence{s, s})).Encode(&s)
	for word, want := range map[int]uint64{5: hash.String("in"), 4: hash.String("in"), 1: 0, 2: 0, 8: 0,
		7: hash.String("if")} {
		if c.At(word).Marker != want {
			t.Errorf("word %d has marker %#x, want %#x", word, c.At(word).Marker, want)
		}
	}
}

// Words that were met before cost no memory but the encoding's own: the
// atoms, the strings and the head of both.
func TestEncodeAllocates(t *testing.T) {
	e := NewEncoder(Learn(bank()))
	s := fixture()
	e.Encode(&s)
	if n := testing.AllocsPerRun(100, func() { e.encode(&s) }); n > 3 {
		t.Errorf("%.0f allocations a sentence, want 3", n)
	}
	if n := testing.AllocsPerRun(100, func() { e.Encode(&s) }); n > 0 {
		t.Errorf("%.0f allocations for a sentence that is encoded", n)
	}
}

func TestDistance(t *testing.T) {
	for d, want := range map[int]uint64{1: 1, 5: 5, 6: 6, 10: 6, 11: 7, 99: 7, -1: 8, -5: 12, -7: 13, -11: 14} {
		if got := Distance(100+d, 100); got != want || got >= Distances {
			t.Errorf("distance %d is in bin %d, want %d", d, got, want)
		}
	}
}
