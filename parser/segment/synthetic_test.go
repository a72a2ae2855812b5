package segment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A tongue makes sentences of an invented language that has what is hard in
// real ones: abbreviations with a full stop, contractions, quotes, brackets,
// numbers with spaces, sentences without final punctuation at paragraph ends.
type tongue struct{ hash.Rand }

func (g *tongue) pick(list string) string {
	words := strings.Fields(list)
	return words[g.Below(uint32(len(words)))]
}

// gold builds a sentence from tokens: "_" before a token glues it to the one
// before, "a+b" is a multiword token, "~" is a space inside a token.
func gold(spec ...string) syntax.Sentence {
	var s syntax.Sentence
	for _, t := range spec {
		if strings.HasPrefix(t, "_") {
			t = t[1:]
			if n := len(s.MWTs); n > 0 && int(s.MWTs[n-1].Last) == len(s.Words) {
				s.MWTs[n-1].Misc = "SpaceAfter=No"
			} else {
				s.Words[len(s.Words)-1].Misc = "SpaceAfter=No"
			}
		}
		parts := strings.Split(t, "+")
		if len(parts) > 1 {
			first := int32(len(s.Words) + 1)
			s.MWTs = append(s.MWTs, syntax.MultiwordToken{First: first, Last: first + int32(len(parts)) - 1,
				Form: strings.Join(parts, "")})
		}
		for _, p := range parts {
			s.Words = append(s.Words, syntax.Word{Form: strings.ReplaceAll(p, "~", " "), Head: syntax.NoHead})
		}
	}
	return s
}

func (g *tongue) sentence() syntax.Sentence {
	names, verbs, nouns := "Ada Bela Cora Dino Enzo Fia", "sees wants paints forgets finds",
		"pears boats clouds stones letters"
	subject := []string{g.pick(names)}
	if g.Float() < 0.3 {
		subject = []string{g.pick("Dr. Mr. Prof."), g.pick(names)}
	}
	verb := []string{g.pick(verbs)}
	if g.Float() < 0.3 {
		verb = []string{g.pick("do+n't did+n't wo+n't ca+n't"), g.pick("see want paint forget find")}
	}
	object := []string{g.pick(nouns)}
	switch g.Below(5) {
	case 0:
		object = []string{fmt.Sprintf("%d~000", 1+g.Below(40)), g.pick(nouns)}
	case 1:
		object = []string{"(", "_" + g.pick(nouns), "_)"}
	case 2:
		object = []string{"\"", "_" + g.pick(nouns), "_\""}
	case 3:
		object = append(object, "_,", g.pick(nouns), "and", g.pick(nouns))
	}
	all := append(append(subject, verb...), object...)
	return gold(append(all, "_"+g.pick(". . . ! ?"))...)
}

func (g *tongue) treebank(n int) []syntax.Sentence {
	out := make([]syntax.Sentence, n)
	for i := range out {
		out[i] = g.sentence()
		if i%4 == 0 {
			out[i].Comments = []string{"# newpar"}
		}
	}
	return out
}

var trained *Model

// model returns a model of the invented language, trained once.
func model(t testing.TB) *Model {
	t.Helper()
	if trained == nil {
		m, err := Train((&tongue{hash.Rand(1)}).treebank(600), (&tongue{hash.Rand(2)}).treebank(60), Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		trained = m
	}
	return trained
}

// describe writes sentences in the notation of gold.
func describe(list []syntax.Sentence) string {
	var b strings.Builder
	for _, s := range list {
		next := 0
		for i := 0; i < len(s.Words); i++ {
			form, misc := s.Words[i].Form, s.Words[i].Misc
			if next < len(s.MWTs) && int(s.MWTs[next].First) == i+1 {
				last := int(s.MWTs[next].Last)
				misc = s.MWTs[next].Misc
				for i+1 < last {
					i++
					form += "+" + s.Words[i].Form
				}
				next++
			}
			b.WriteString(form)
			b.WriteByte(' ')
			if misc == "SpaceAfter=No" {
				b.WriteString("_")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestInventedLanguage(t *testing.T) {
	m := model(t)
	test := (&tongue{hash.Rand(9)}).treebank(200)
	right, total := 0, 0
	for i := 0; i < len(test); i += 4 {
		want := test[i : i+4]
		got := m.Segment(newGoldBlock(paragraphs(want)[0]).layout.block, Request{})
		total++
		if describe(got) == describe(want) {
			right++
		} else {
			t.Logf("got\n%swant\n%s", describe(got), describe(want))
		}
	}
	if right < total-2 {
		t.Errorf("%d of %d paragraphs are right", right, total)
	}
}

func TestWrappedText(t *testing.T) {
	m := model(t)
	list := (&tongue{hash.Rand(11)}).treebank(8)
	r := hash.Rand(4)
	for _, p := range paragraphs(list) {
		want := describe(m.Segment(newGoldBlock(p).layout.block, Request{}))
		wrap(p, 24, &r)
		if got := describe(m.Segment(newGoldBlock(p).layout.block, Request{})); got != want {
			t.Errorf("wrapped:\n%son one line:\n%s", got, want)
		}
	}
}

func sections(m *Model) []pack.Section {
	b := &pack.Builder{}
	m.Pack(b.Sub("segment"))
	return b.Sections
}

func TestSavedModelIsTheSame(t *testing.T) {
	m := model(t)
	list := sections(m)
	opened, err := Open(pack.NewView(list), "segment")
	if err != nil {
		t.Fatal(err)
	}
	again := sections(opened)
	for i := range list {
		if list[i].Name != again[i].Name || string(list[i].Data) != string(again[i].Data) {
			t.Errorf("section %s differs after a round trip", list[i].Name)
		}
	}
	block := newGoldBlock(paragraphs((&tongue{hash.Rand(5)}).treebank(4))[0]).layout.block
	if a, b := describe(m.Segment(block, Request{})), describe(opened.Segment(block, Request{})); a != b {
		t.Errorf("fresh model:\n%sopened model:\n%s", a, b)
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	train, dev := (&tongue{hash.Rand(1)}).treebank(150), (&tongue{hash.Rand(2)}).treebank(30)
	var first []pack.Section
	for _, workers := range []int{1, 4} {
		m, err := Train(train, dev, Options{Seed: 3, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		list := sections(m)
		if first == nil {
			first = list
		}
		for i := range list {
			if string(list[i].Data) != string(first[i].Data) {
				t.Errorf("section %s differs between 1 and %d workers", list[i].Name, workers)
			}
		}
	}
}

func TestTrainNeedsTokens(t *testing.T) {
	if _, err := Train(nil, nil, Options{}); err == nil {
		t.Error("no error for an empty treebank")
	}
	m, err := Train([]syntax.Sentence{gold("a")}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(m.Segment("a b", Request{})); got != "a b \n" {
		t.Errorf("a model of one token gives %q", got)
	}
}

func TestCorruptModels(t *testing.T) {
	list := sections(model(t))
	for i := range list {
		for _, data := range [][]byte{nil, list[i].Data[:len(list[i].Data)/8*4], fill(len(list[i].Data))} {
			broken := append([]pack.Section(nil), list...)
			broken[i].Data = data
			m, err := Open(pack.NewView(broken), "segment")
			if err == nil { // then it must be usable
				m.Segment("Ada does n't see Dr. Bela. don't 10 000", Request{MaxWords: 5})
			}
		}
		rest := slices.Concat(list[:i], list[i+1:])
		if _, err := Open(pack.NewView(rest), "segment"); err == nil && list[i].Name != "segment.colons" { // optional
			t.Errorf("no error without section %s", list[i].Name)
		}
	}
}

// fill returns n bytes of 0xFF, aligned.
func fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xFF
	}
	return b
}
