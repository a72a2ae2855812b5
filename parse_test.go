package treebeam_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/io/source"
)

func open(t *testing.T) *treebeam.Model {
	t.Helper()
	return must(treebeam.Open(""))
}

// must returns what a call returns without an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestOpen(t *testing.T) {
	if _, err := treebeam.Open("no such file.tbm"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no such file.tbm") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := treebeam.Open("parse_test.go"); err == nil || !strings.Contains(err.Error(), "parse_test.go") {
		t.Errorf("a file that is no model: %v", err)
	}
	if treebeam.HeadBytes != source.HeadBytes {
		t.Errorf("Parse decides on %d bytes, the command on %d", treebeam.HeadBytes, source.HeadBytes)
	}
}

// A model that nobody has opened is an error of one line, not a trace of the stack.
func TestZeroModel(t *testing.T) {
	for _, m := range []*treebeam.Model{nil, {}} {
		_, parse := m.Parse("One dog barks.")
		_, empty := m.Parse("")
		_, words := m.ParseWords([]string{"One"})
		_, effort := m.WithEffort(0.5)
		_, custom := m.WithCustom(treebeam.Custom{})
		for _, err := range []error{parse, empty, words, effort, custom} {
			if err == nil || !strings.Contains(err.Error(), "Open") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		}
	}
}

// Plain text, line breaks of all kinds, bytes that are no UTF-8, characters of
// all widths, a byte order mark.
var texts = []string{
	"The boats come in. They leave again.\n\nNobody knows why they'd do it.",
	"One line.\r\nThe other\r\nends here.\r\n\r\nA  third\tone\u00a0is\u2028here.",
	"Bad \xff\xfe bytes \xc3 here. And a NUL \x00 too. Fine.",
	"Zoë said “no” 😀 to 東京 . Then e\u0301 came.",
	"\ufeffMarked text. It doesn't matter.",
}

func TestPlacesOfWords(t *testing.T) {
	m := open(t)
	for _, text := range texts {
		sentences := must(m.Parse(text))
		at, end := 0, 0
		for _, s := range sentences {
			if gap := text[end:s.Start]; strings.Trim(gap, " \r\n\ufeff") != "" {
				t.Errorf("%q: %q is in no sentence", text, gap)
			}
			end = s.End
			chars := []rune(s.Text)
			roots := 0
			for _, w := range s.Words {
				if w.Head < 0 || w.Head > len(s.Words) {
					t.Fatalf("%q: head %d", text, w.Head)
				}
				if w.Head == 0 {
					roots++
				}
				if w.Start < at || w.End <= w.Start || w.Start < s.Start || w.End > s.End {
					t.Fatalf("%q: %q is at %d to %d, behind %d, in a sentence at %d to %d", text, w.Form, w.Start, w.End, at, s.Start, s.End)
				}
				written := strings.ReplaceAll(strings.ReplaceAll(text[w.Start:w.End], "\r\n", " "), "\n", " ")
				if shown := string(chars[w.StartChar:w.EndChar]); s.Status == "ok" && shown != written {
					t.Errorf("%q: %q is shown as %q and written %q", text, w.Form, shown, written)
				}
				at = w.Start
			}
			if roots != 1 || len(s.Words) == 0 {
				t.Errorf("%q: %d roots, %d words", text, roots, len(s.Words))
			}
			if last := s.Words[len(s.Words)-1]; s.Words[0].Start != s.Start || last.End != s.End {
				t.Errorf("%q: words at %d to %d in a sentence at %d to %d", text, s.Words[0].Start, last.End, s.Start, s.End)
			}
		}
		if end != len(text) {
			t.Errorf("%q: %q is in no sentence", text, text[end:])
		}
	}
}

// Many goroutines with one model get what one gets.
func TestConcurrentUse(t *testing.T) {
	m := open(t)
	want := make([][]treebeam.Sentence, len(texts))
	for i, text := range texts {
		want[i] = must(m.Parse(text))
	}
	var wait sync.WaitGroup
	for k := range 8 {
		wait.Go(func() {
			for j := range texts {
				i := (j + k) % len(texts)
				if got, err := m.Parse(texts[i]); err != nil || !reflect.DeepEqual(got, want[i]) {
					t.Errorf("goroutine %d: %q gives other trees, %v", k, texts[i], err)
				}
			}
		})
	}
	wait.Wait()
}

// Readers in other languages split at these, too: words must not begin with them.
func TestSeparators(t *testing.T) {
	s, err := open(t).Parse("One\x1fword\x1c and\x1d\x1eanother.")
	if err != nil || len(s) != 1 {
		t.Fatalf("%d sentences, %v", len(s), err)
	}
	got := s[0].Text
	for _, w := range s[0].Words {
		got += "/" + w.Form + " " + w.Misc
	}
	if want := "One word  and  another./One SpacesAfter=\\u001F/word SpacesAfter=\\u001C\\s/and SpacesAfter=\\u001D\\u001E/another SpaceAfter=No/. "; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestNoText(t *testing.T) {
	for _, text := range []string{"", " \n\n\t", "\ufeff", "\u2028", "\x1c\n\x1f"} {
		if got, err := open(t).Parse(text); len(got) != 0 || err != nil {
			t.Errorf("%q: %d sentences, %v", text, len(got), err)
		}
	}
}

func TestParseWords(t *testing.T) {
	m := open(t)
	s := must(m.ParseWords([]string{"New York", "don't", "sleep", "😀"}))
	if s.Text != "New York don't sleep 😀" || len(s.Words) != 4 || s.End != len(s.Text) {
		t.Errorf("%+v", s)
	}
	for _, w := range s.Words {
		if s.Text[w.Start:w.End] != w.Form || w.UPOS == "" || w.Deprel == "" {
			t.Errorf("%+v", w)
		}
	}
	for want, forms := range map[string][]string{
		"no words":           {},
		"word 2":             {"a", ""},
		"white space":        {"a "},
		"not UTF-8":          {"\xff"},
		"control":            {"a\nb"},
		"the limit is 65535": make([]string, 65536),
		"over 1048576 bytes": {"a", strings.Repeat("a", 1<<20+1)},
		"over 4194304 bytes": slices.Repeat([]string{strings.Repeat("a", 1<<20)}, 4),
	} {
		if _, err := m.ParseWords(forms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A sentence that is too long for one window has probabilities like any other.
func TestLongSentence(t *testing.T) {
	s, err := open(t).ParseWords(strings.Fields(strings.Repeat("boats and ", 600)))
	if err != nil || s.Status != "long" || s.Words[0].HeadMarginal < 0 || s.Words[0].HeadConf < 0 || s.Words[0].DeprelConf < 0 || s.TreeConf < 0 || s.Words[0].HeadMargin < 0 {
		t.Errorf("status %s, %+v, %v", s.Status, s.Words[:1], err)
	}
}

func TestCustomRefused(t *testing.T) {
	m := open(t)
	for want, c := range map[string]treebeam.Custom{
		"abbreviations: ":            {Abbreviations: []string{"\n"}},
		"strings to keep together: ": {KeepTogether: []string{" x"}},
		`exceptions: row 2, "x"`:     {Exceptions: []treebeam.Exception{{"y", "NOUN", ""}, {"x", "N", ""}}},
	} {
		if _, err := m.WithCustom(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// What is known of a text takes effect, and the model that it was said to stays as
// it was.
func TestCustom(t *testing.T) {
	const text = "The frobs ran C++ here approx. Nine of them did. New  York frobs."
	plain := open(t)
	m := must(plain.WithCustom(treebeam.Custom{
		Abbreviations: []string{"approx"}, KeepTogether: []string{"C++", "New York"},
		Exceptions: []treebeam.Exception{{"frobs", "X", "frob"}, {"ran", "", "go"}},
	}))
	said := func(m *treebeam.Model) string {
		sentences := must(m.Parse(text))
		var b strings.Builder
		for _, s := range sentences {
			for _, w := range s.Words {
				b.WriteString(w.Form + "/" + w.Lemma + "/" + w.UPOS + " ")
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	before := said(plain)
	got := said(m)
	for _, want := range []string{"frobs/frob/X ran/go/VERB C++/", " approx./", " Nine/", "\nNew York/", " frobs/frob/X ./"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 2 {
		t.Errorf("%d sentences:\n%s", n, got)
	}
	s, err := m.ParseWords([]string{"frobs", "sing"})
	if err != nil || s.Words[0].UPOS != "X" || s.Words[0].Lemma != "frob" {
		t.Errorf("of words: %+v, %v", s.Words, err)
	}
	if after := said(plain); after != before || strings.Contains(after, "frobs/frob/X") {
		t.Errorf("the model was changed: %s", after)
	}
	if m, err = m.WithCustom(treebeam.Custom{}); err != nil || said(m) != before {
		t.Errorf("something is left of what was said: %v", err)
	}
}

// Words have one of the UPOS that exceptions leave them, whatever label they get, and
// trees need not keep to the rules.
func TestExceptionsStand(t *testing.T) {
	text := must(os.ReadFile("sample/text/harbour.txt"))
	plain := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	freed := 0 // trees that are others without the rules
	tags := []string{"NOUN", "VERB", "ADJ", "ADV", "DET", "ADP", "AUX", "CCONJ", "SCONJ", "PUNCT", "PART"}
	for range 10 {
		var c treebeam.Custom
		allowed := map[string]string{} // by form
		for _, form := range strings.Fields(string(text)) {
			for len(strings.Fields(allowed[form])) < 2 {
				upos := tags[rng.IntN(len(tags))]
				allowed[form] += " " + upos + " "
				c.Exceptions = append(c.Exceptions, treebeam.Exception{Form: form, UPOS: upos})
			}
		}
		parse := func() []treebeam.Sentence {
			return must(must(plain.WithCustom(c)).Parse(string(text)))
		}
		sentences := parse()
		c.Unconstrained = true
		free := parse()
		for i := range free {
			if !slices.EqualFunc(free[i].Words, sentences[i].Words, func(a, b treebeam.Word) bool { return a.Head == b.Head && a.Deprel == b.Deprel }) {
				freed++
			}
		}
		for _, s := range append(sentences, free...) {
			for _, w := range s.Words {
				if a := allowed[w.Form]; a != "" && !strings.Contains(a, " "+w.UPOS+" ") {
					t.Fatalf("%s is %s, not one of%s, in %q", w.Form, w.UPOS, a, s.Text)
				}
			}
		}
	}
	if freed == 0 {
		t.Error("trees that are not constrained are the same")
	}
}

// Below effort 1, sentences end where they end without the encoder, which would be asked here.
func TestEffortOfSentenceEnds(t *testing.T) {
	const text = "File -> Save Page does not open a window."
	count := func(m *treebeam.Model) int { return len(must(m.Parse(text))) }
	accurate := must(treebeam.Open("embedded-accurate"))
	fast := count(must(treebeam.Open("embedded")))
	if got := count(accurate); got != 1 || fast != 2 {
		t.Errorf("%d sentences with the encoder, %d without, want 1 and 2", got, fast)
	}
	for _, effort := range []float64{0, 0.85} {
		if got := count(must(accurate.WithEffort(effort))); got != fast {
			t.Errorf("%d sentences with effort %v, want %d", got, effort, fast)
		}
	}
}

// A typographic mark keeps its plain lemma when its tag is chosen again for its relation.
func TestMarksTaggedAgain(t *testing.T) {
	sentences := must(must(treebeam.Open("embedded")).Parse("’advanced JavaScript options’ window doesn’t retain preferences"))
	for _, w := range sentences[0].Words {
		if w.Form == "’" && w.Lemma != "'" {
			t.Errorf("a mark (%s) has the lemma %s", w.UPOS, w.Lemma)
		}
	}
}
