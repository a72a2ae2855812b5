package segment

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
)

// hidden returns sentences of words that only an oracle can tell apart: of one or two
// random characters, or, if spaced, syllables with spaces between them and inside words.
func hidden(seed uint64, n int, spaced bool) (list []syntax.Sentence) {
	r := hash.Rand(seed)
	letter := func() string { return string(rune(0x4E00 + r.Below(300))) }
	join := func(s string) string { return s + letter() }
	if spaced {
		letter = func() string { return string(rune('a'+r.Below(20))) + string(rune('a'+r.Below(20))) }
		join = func(s string) string { return s + " " + letter() }
	}
	for range n {
		var s syntax.Sentence
		for range 3 + r.Below(10) {
			w := syntax.Word{Form: letter(), Misc: "SpaceAfter=No"}
			if spaced {
				w.Misc = ""
			}
			if r.Below(2) == 0 {
				w.Form = join(w.Form)
			}
			s.Words = append(s.Words, w)
		}
		s.Words[len(s.Words)-1].Misc = "SpaceAfter=No"
		s.Words = append(s.Words, syntax.Word{Form: "。"})
		list = append(list, s)
	}
	return list
}

// oracle returns a Begins that knows the words of lists; if it lies, it says the
// opposite.
func oracle(lies bool, lists ...[]syntax.Sentence) Begins {
	known := map[string][]int32{}
	for _, list := range lists {
		b := newGoldBlock(paragraphs(list)[0])
		odds := make([]int32, len(b.layout.class))
		for i := range odds {
			if !isSpace(b.layout.class[i]) {
				odds[i] = -9 * score.Unit
			}
		}
		for _, t := range b.tokens {
			odds[t.start] = 9 * score.Unit
		}
		for i := range odds {
			if lies {
				odds[i] = -odds[i]
			}
		}
		known[b.layout.block] = odds
	}
	return func(dst []int32, text string) []int32 {
		if odds := known[text]; odds != nil {
			return append(dst, odds...)
		}
		return append(dst, make([]int32, utf8.RuneCountInString(text))...)
	}
}

func packed(m *Model) []pack.Section {
	var b pack.Builder
	m.Pack(b.Sub("segment"))
	return b.Sections
}

func forms(list []syntax.Sentence) (all []string) {
	for i := range list {
		for _, w := range list[i].Words {
			all = append(all, w.Form)
		}
	}
	return all
}

func TestBeginsDecideHiddenWords(t *testing.T) {
	for _, spaced := range []bool{false, true} {
		train, dev, test := hidden(1, 40, spaced), hidden(2, 20, spaced), hidden(3, 20, spaced)
		knows := oracle(false, train, dev, test)
		m, err := Train(train, dev, Options{Begins: knows})
		if err != nil {
			t.Fatal(err)
		}
		if !m.UsesBegins() {
			t.Fatalf("spaced %v: the model does not use what knows all", spaced)
		}
		read, err := Open(pack.NewView(packed(m)), "segment")
		if err != nil {
			t.Fatal(err)
		}
		text := newGoldBlock(paragraphs(test)[0]).layout.block
		for _, m := range []*Model{m, read} {
			if f1 := m.tokenF1(paragraphs(test), &Request{Begins: knows}); f1 < 0.99 {
				t.Errorf("spaced %v: F1 of words %.4f", spaced, f1)
			}
		}
		without := forms(m.Segment(text, Request{}))
		if f1 := m.tokenF1(paragraphs(test), &Request{}); f1 > 0.9 {
			t.Errorf("spaced %v: the words were not hidden", spaced)
		}
		if unknown := forms(m.Segment(text, Request{Begins: oracle(false)})); !slices.Equal(unknown, without) {
			t.Errorf("spaced %v: an encoder that knows nothing changes %.60q to %.60q", spaced, without, unknown)
		}
		// What lies, and what another treebank has no need of, is left out.
		liar, err := Train(train, dev, Options{Begins: oracle(true, train, dev)})
		if err != nil {
			t.Fatal(err)
		}
		if liar.UsesBegins() {
			t.Errorf("spaced %v: the model uses what lies", spaced)
		}
	}
}

func TestBeginsAreNotAskedWhereSpacesShowWords(t *testing.T) {
	var list []syntax.Sentence
	for range 5 {
		list = append(list, syntax.Sentence{Words: []syntax.Word{{Form: "So"}, {Form: "it"}, {Form: "is", Misc: "SpaceAfter=No"}, {Form: "."}}})
	}
	plain, err := Train(list, list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := Train(list, list, Options{Begins: func([]int32, string) []int32 { panic("asked") }})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range packed(plain) {
		if x := packed(asked)[i]; x.Name != s.Name || !slices.Equal(x.Data, s.Data) {
			t.Errorf("section %s differs from %s", x.Name, s.Name)
		}
	}
	asked.Segment("So it is.", Request{Begins: func([]int32, string) []int32 { panic("asked") }})
}

// The log-odds are asked for plain text, whose length differs from the text.
func TestBeginsOfTypography(t *testing.T) {
	w, block := &workspace{}, "我——我…我\xff’ 我"
	w.layout.read(block)
	asked := ""
	w.askBegins(func(dst []int32, text string) []int32 {
		asked = text
		for i := range utf8.RuneCountInString(text) {
			dst = append(dst, int32(i))
		}
		return dst
	})
	if want := "我----我...我\xff' 我"; asked != want {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if want := []int32{0, 1, 3, 5, 6, 9, 10, 11, 12, 13}; !slices.Equal(w.odds, want) {
		t.Errorf("log-odds %v, want %v", w.odds, want)
	}
}

// Whatever an encoder says, the result is a segmentation of the text, and the same one
// each time.
func TestBeginsMaySayAnything(t *testing.T) {
	m, err := Train(hidden(1, 30, false), nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	begins := func(dst []int32, text string) []int32 {
		r := hash.Rand(hash.String(text))
		for range text {
			dst = append(dst, int32(r.Below(1<<18))-1<<17)
		}
		return dst
	}
	m.begins = mixture{token: Portion{1 << 20, -1 << 30}, join: Portion{512, 77}}
	request := Request{Begins: begins, MaxWords: 50}
	for _, m.spaces = range []bool{false, true} {
		for _, text := range []string{"", " \n ", "\xff\xc3我", "ก็\u0e31\u0301 \u200b\u2060x", "我——……“‘a", "a\r\nb\u2028c\u3000d 1 000",
			"😀👩‍👩‍👧 #tag https://x.org/a?q=我 `a b`", "مرحبا؟ كيف। ሰላም። Բարեւ։", strings.Repeat("我ab 。", 3000)} {
			list := m.Segment(text, request)
			check(t, text, list)
			if again := m.Segment(text, request); !slices.Equal(forms(again), forms(list)) || len(again) != len(list) {
				t.Errorf("%.20q: another result the second time", text)
			}
		}
	}
}
