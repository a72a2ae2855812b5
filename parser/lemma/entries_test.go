package lemma

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadEntries(t *testing.T) {
	got, err := ReadEntries("\ufeff# a comment\n\nswam\tVERB\tVBD\t_\tswim\r\n#\tSYM\tNN\tNumber=Sing\t#\nswam\tVERB\tVBD\t_\tswim\naft\tADV\t_\t_\t_\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{{"#", "SYM", "NN", "Number=Sing", "#"}, {"aft", "ADV", "", "", ""},
		{"swam", "VERB", "VBD", "", "swim"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, line := range []string{"swam\tVERB", "swam\tVERB\t_\t_\t_\t_", "\tVERB\t_\t_\tswim", "_\tVERB\t_\t_\tswim",
		"swam\tverb\t_\t_\tswim", "swam\t_\t_\t_\tswim", "sw\xffam\tVERB\t_\t_\tswim",
		strings.Repeat("x", maxEntryLine) + "\tX\t_\t_\t_"} {
		if _, err := ReadEntries("ok\tX\t_\t_\t_\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}

// Entries teach words and lemmas that the treebank does not have, and change none that
// it has.
func TestLexicon(t *testing.T) {
	entries, err := ReadEntries(`went	VERB	_	_	wend
swam	VERB	_	Past	swim
kept	VERB	_	_	keep
stood	VERB	_	_	stand
thrum	VERB	_	_	thrum
thrum	NOUN	_	_	_
swam	ADV	_	_	_
`)
	if err != nil {
		t.Fatal(err)
	}
	lemma := learnt(someEnglish(), entries...)
	for _, x := range []struct{ form, upos, feats, want, why string }{
		{"went", "VERB", "Past", "go", "the treebank is right"},
		{"swam", "VERB", "Past", "swim", "with all that is known of it"},
		{"SWAM", "VERB", "Other", "swim", "with UPOS only"},
		{"kept", "VERB", "Past", "keep", "FEATS are unknown"},
		{"withstood", "VERB", "Past", "withstand", "a prefix of the treebank before an entry"},
		{"thrumed", "VERB", "Past", "thrum", "by a rule, to the lemma of an entry"},
	} {
		if got := lemma(x.form, x.upos, x.feats); got != x.want {
			t.Errorf("%s/%s: %q, want %q: %s", x.form, x.upos, got, x.want, x.why)
		}
	}
}

func FuzzReadEntries(f *testing.F) {
	f.Add("swam\tVERB\tVBD\t_\tswim\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadEntries(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, e := range list {
			for i, c := range e.columns() {
				if c == "" {
					c = "_"
				}
				b.WriteString(c + []string{"\t", "\t", "\t", "\t", "\n"}[i])
			}
		}
		again, err := ReadEntries(b.String())
		if err != nil || len(again) != len(list) {
			t.Fatalf("%q: %v", b.String(), err)
		}
	})
}
