package lemma

import (
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/sequence"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// wordsOf reads "form lemma UPOS" or "form lemma UPOS FEATS" a line.
func wordsOf(lines string) []syntax.Sentence {
	var s syntax.Sentence
	for line := range strings.Lines(lines) {
		f := append(strings.Fields(line), "")
		if len(f) >= 4 {
			s.Words = append(s.Words, syntax.Word{Form: f[0], Lemma: f[1], UPOS: f[2], Feats: f[3]})
		}
	}
	return []syntax.Sentence{s}
}

// someEnglish has regular verbs, nouns and numbers, and irregular verbs with
// and without prefixes.
func someEnglish() []syntax.Sentence {
	var b strings.Builder
	for _, v := range strings.Fields("walk jump call turn look start open talk help need play pull push kick paint want ask cook clean wash wait count") {
		b.WriteString(v + "ed " + v + " VERB Past\n" + v + "ing " + v + " VERB Ger\n" + v + " " + v + " VERB Inf\n" + v +
			"s " + v + " NOUN Plur\n")
	}
	for _, v := range strings.Fields("draw stand do take run") {
		b.WriteString("with" + v + " with" + v + " VERB Inf\n" + v + " " + v + " VERB Inf\n")
	}
	for _, n := range strings.Fields("3 12 250 40 17 8 99 610") {
		b.WriteString(n + ",000 " + n + "000 NUM\n" + n + " " + n + " NUM\n" + n + ".5 " + n + ".5 NUM\n" + n + "0s " +
			n + "0s NOUN Plur\n")
	}
	b.WriteString("held hold VERB Past\nHeld hold VERB Past\nwent go VERB Past\nCalifornia California PROPN\nLondon London PROPN\nNATO NATO PROPN\n")
	for _, n := range strings.Fields("box fox tax") {
		b.WriteString(n + "es " + n + " NOUN Plur\n" + n + " " + n + " NOUN Sing\n")
	}
	b.WriteString("toes toe NOUN Plur\nshoes shoe NOUN Plur\nhoes hoe NOUN Plur\npotato potato NOUN Sing\n")
	b.WriteString("built build VERB Past\ngilt gild VERB Past\nsend send VERB Inf\nPCs pc NOUN Plur\nCDs cd NOUN Plur\nTVs tv NOUN Plur\n")
	b.WriteString("siad say VERB Past|Typo=Yes\nmiad may VERB Past|Typo=Yes\n")
	return wordsOf(b.String())
}

// options are those of training in tests.
var options = sequence.Options{Seed: 1, Log: func(string, ...any) {}}

func learnt(sents []syntax.Sentence, lexicon ...Entry) func(form, upos, feats string) string {
	z := Train(sents, lexicon, false, options)
	return func(s, upos, feats string) string {
		var f word.Form
		f.Read(s, false)
		return z.Lemma(&Scratch{}, s, &f, TagsOf(upos, "", feats))
	}
}

func TestLemmas(t *testing.T) {
	lemma := learnt(someEnglish())
	for _, x := range []struct{ form, upos, feats, want, why string }{
		{"walked", "VERB", "Past", "walk", "a form of the treebank"},
		{"Walked", "VERB", "Past", "walk", "the same in upper case"},
		{"zorked", "VERB", "Past", "zork", "a rule of many words"},
		{"bricks", "NOUN", "Plur", "brick", "likewise"},
		{"held", "VERB", "Past", "hold", "a memory of one word"},
		{"upheld", "VERB", "Past", "upheld", "a rule of one word is none, in two cases as well"},
		{"withheld", "VERB", "Past", "withhold", "a known prefix before a known form"},
		{"Underwent", "VERB", "Past", "underwent", "no known prefix"},
		{"withwent", "VERB", "Past", "withgo", "the whole form is replaced behind a prefix"},
		{"briad", "VERB", "Past", "briad", "misspelt words teach no rules"},
		{"CALIFORNIA", "PROPN", "", "California", "a name of the treebank in any case"},
		{"Walden", "PROPN", "", "Walden", "an unknown name keeps its case"},
		{"Zork", "VERB", "Inf", "zork", "another word does not"},
		{"4,000", "NUM", "", "4000", "separators go, digits stay"},
		{"9,700,250", "NUM", "", "9700250", "all separators"},
		{"7.5", "NUM", "", "7.5", "a point is no separator here"},
		{"1,234.56", "NUM", "", "1234.56", "nor here"},
		{"3,40", "NUM", "", "3,40", "a separator stands before three digits"},
		{"1990s", "NOUN", "Plur", "1990s", "the s stays behind digits"},
		{"ed", "VERB", "Past", "ed", "something must stay"},
		{"fled", "VERB", "Past", "fled", "two letters that the treebank does not have are no lemma"},
		{"Fled", "VERB", "Past", "fled", "nor in upper case"},
		{"FMs", "NOUN", "Plur", "fm", "but for what is written like an abbreviation"},
		{"doed", "VERB", "Past", "do", "two letters that it has are one"},
		{"potatoes", "NOUN", "Plur", "potato", "the treebank has a potato and no potatoe"},
		{"Potatoes", "NOUN", "Plur", "potato", "likewise"},
		{"tomatoes", "NOUN", "Plur", "tomatoe", "it has neither of these"},
		{"sent", "VERB", "Past", "send", "an end that no word had, for a lemma that the treebank has"},
		{"bent", "VERB", "Past", "bent", "it has no bend"},
	} {
		if got := lemma(x.form, x.upos, x.feats); got != x.want {
			t.Errorf("%s %s: %q, want %q (%s)", x.form, x.upos, got, x.want, x.why)
		}
	}
}

// TestNothingIsLearntFromWordsWrittenApart: the first part has the lemma of
// the whole.
// A number of digits keeps them, whatever a treebank makes of one.
func TestNumbersKeepTheirDigits(t *testing.T) {
	lemma := learnt(append(someEnglish(), wordsOf("5 5000 NUM\n5 5000 NUM\n7 seven NUM\n7 seven NUM\n")...))
	if got := lemma("5", "NUM", ""); got != "5" {
		t.Errorf("the lemma of 5 is %s", got)
	}
	if got := lemma("7", "NUM", ""); got != "seven" {
		t.Errorf("the lemma of 7 is %s", got)
	}
}

func TestNothingIsLearntFromWordsWrittenApart(t *testing.T) {
	sents := someEnglish()
	sents = append(sents, syntax.Sentence{Words: []syntax.Word{
		{Form: "London", Lemma: "LondonBridge@ENRON", UPOS: "PROPN"},
		{Form: "Bridge", UPOS: "X", Head: 1, Deprel: "goeswith"},
		{Form: "Oslo", Lemma: "OsloFjord", UPOS: "PROPN"}, {Form: "Fjord", UPOS: "X", Head: 3, Deprel: "goeswith:x"},
	}})
	for range 3 {
		sents = append(sents, sents[len(sents)-1])
	}
	lemma := learnt(sents)
	for _, name := range []string{"London", "Oslo"} {
		if got := lemma(name, "PROPN", ""); got != name {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// FuzzDigits: no lemma of an unknown form has other digits than the form, or
// nothing of it.
func FuzzDigits(f *testing.F) {
	lemma := learnt(someEnglish())
	for _, form := range []string{"4,000", "9s", "with99ed", "3rd", "ing", "x", "", "１２,０００", "5,held",
		"\xff9", "7,walked"} {
		f.Add(form, uint(0))
	}
	f.Fuzz(func(t *testing.T, form string, tag uint) {
		upos := []string{"NUM", "VERB", "NOUN", "PROPN", "X"}[tag%5]
		digits := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsDigit(r) {
					return r
				}
				return -1
			}, s)
		}
		got := lemma(form, upos, "Past")
		if digits(got) != digits(form) {
			t.Errorf("%q %s has the lemma %q", form, upos, got)
		}
		if form != "" && got == "" {
			t.Errorf("%q %s has no lemma", form, upos)
		}
	})
}

// TestChoose: of rules for potatoes, in the order of their scores.
func TestChoose(t *testing.T) {
	const has, other, end = signLemma, signOther, signEnd
	z := &Model{
		rules:  []rule{{cutSuffix: 1}, {cutSuffix: 2}, {mode: caseLower}, {mode: caseAsIs, cutSuffix: 1}},
		scored: []uint16{0, 1, 2, 3},
		layer:  sequence.Layer{Labels: sequence.Labels{Start: []uint32{0, 1, 2, 3, 4}, Parts: []uint16{0, 1, 2, 3}, N: 4}},
	}
	for _, x := range []struct {
		asked []candidate
		want  int
		why   string
	}{
		{nil, -1, "no rule"},
		{[]candidate{{label: 0, signs: end}, {label: 1, signs: end}}, 0, "the best score, both made up"},
		{[]candidate{{label: 0, signs: end}, {label: 1, signs: has | end}}, 1,
			"a lemma of the treebank before a made-up one"},
		{[]candidate{{label: 0, signs: end}, {label: 1, signs: has}}, 0, "but for an end of another kind"},
		{[]candidate{{label: 0, signs: other | end}, {label: 1, signs: has | end}}, 0, "it has the other with another tag"},
		{[]candidate{{label: 2}, {label: 1, signs: has | end}}, 2, "the form itself is not made up"},
		{[]candidate{{label: 3}, {label: 1, signs: has | end}}, 3, "nor is what keeps its capitals"},
		{[]candidate{{label: 0, signs: end, short: true}, {label: 1, signs: end}}, -1, "short and made up"},
		{[]candidate{{label: 0, signs: other | end, short: true}}, -1, "likewise"},
		{[]candidate{{label: 0, signs: has | end, short: true}}, 0, "short and known"},
		{[]candidate{{label: 2, short: true}}, 2, "a short form stays"},
	} {
		acc := []int32{4 * score.Unit, 3 * score.Unit, 4 * score.Unit, 4 * score.Unit}
		if got := z.choose(x.asked, acc); got != x.want {
			t.Errorf("%v: rule %d, want %d (%s)", x.asked, got, x.want, x.why)
		}
	}
}

// Addresses, paths and the names of files and accounts stay as they are, whatever
// rules names and nouns have.
func TestLiteral(t *testing.T) {
	for _, form := range []string{"jane.doe@uni-x.edu", "/usr/local/src", `C:\Users`, "https://example.org/a?b=c",
		"#rain", "@ann", "all.conllu", "m_max", "he/she", "www.x1.de"} {
		if !literal([]rune(form)) {
			t.Errorf("%s is not taken as it is", form)
		}
	}
	for _, form := range []string{"", "/", "#", "@", "_", "1904/05", "U.S.", "p.m.", "Ph.D.", "3.5", "No.7", "end.",
		"...", "don't", "1.e"} {
		if literal([]rune(form)) {
			t.Errorf("%s is taken as it is", form)
		}
	}
}

// Forms of any length are learned and answered. Steps that grow with the square of
// 300,000 would not end.
func TestLongForms(t *testing.T) {
	sents := someEnglish()
	add := func(form, lemma string) {
		sents = append(sents, syntax.Sentence{Words: []syntax.Word{{Form: form, Lemma: lemma, UPOS: "X"}}})
	}
	long := strings.Repeat("x", 300_000)
	digits := strings.Repeat("1,234", 60_000)
	add(long, long)
	add(long+"Y", long)
	add("z"+long, long)
	add(digits, long)
	lemma := learnt(sents)
	for _, x := range []struct{ form, upos, want string }{
		{long, "X", long}, {long + "Y", "X", long}, {"z" + long, "X", long}, {digits, "X", long},
		{long + "zs", "NOUN", long + "z"}, {"walked", "VERB", "walk"},
	} {
		if got := lemma(x.form, x.upos, "Plur"); got != x.want {
			t.Errorf("%.9q of %d bytes: a lemma of %d bytes, want %d", x.form, len(x.form), len(got), len(x.want))
		}
	}
}

// The keys are part of every model file: a model trained before a change of a
// template would read the weights of other features. If this test fails and
// the change is meant, put in the new hash and raise pack.Templates: older
// models are refused then, and must be trained again.
func TestTemplatesAreStable(t *testing.T) {
	const want = 0xe0b3217f5ffeac4e
	var h uint64
	for _, casing := range []word.Casing{false, true} {
		for _, s := range []string{"Haus", "in", "m", "NATO-3", "überall", "İstanbul'da", ".", "λόγος"} {
			var f word.Form
			f.Read(s, casing)
			t := TagsOf("NOUN", "NN", "Case=Nom")
			keys, _ := keysOf(nil, &f, t)
			for _, k := range memoryKeys(f.Lower, t) {
				keys = append(keys, k)
			}
			for _, k := range append(keys, frontKey(3, f.Runes), signsKey(3, 5, t)) {
				h = hash.Pair(h, k)
			}
		}
	}
	if h != want {
		t.Errorf("the keys hash to %#016x, want %#016x", h, uint64(want))
	}
}
