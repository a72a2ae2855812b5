package tag

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// toyTreebank returns made-up English sentences in documents of five.
func toyTreebank() []syntax.Sentence {
	type w = syntax.Word
	dets := []w{
		{Form: "the", Lemma: "the", UPOS: "DET", XPOS: "DT", Feats: "Definite=Def|PronType=Art"},
		{Form: "some", Lemma: "some", UPOS: "DET", XPOS: "DT", Feats: "PronType=Ind"},
	}
	var nouns, verbs []w
	for _, n := range []string{"dog", "cat", "house", "tree", "walk", "river", "paint", "stone"} {
		nouns = append(nouns, w{Form: n, Lemma: n, UPOS: "NOUN", XPOS: "NN", Feats: "Number=Sing"},
			w{Form: n + "s", Lemma: n, UPOS: "NOUN", XPOS: "NNS", Feats: "Number=Plur"})
	}
	for _, v := range []string{"walk", "paint", "kick", "follow", "visit"} {
		verbs = append(verbs, w{Form: v + "ed", Lemma: v, UPOS: "VERB", XPOS: "VBD", Feats: "Tense=Past|VerbForm=Fin"},
			w{Form: v + "s", Lemma: v, UPOS: "VERB", XPOS: "VBZ", Feats: "Person=3|Tense=Pres|VerbForm=Fin"})
	}
	stop := w{Form: ".", Lemma: ".", UPOS: "PUNCT", XPOS: "."}
	var out []syntax.Sentence
	for i := range 100 {
		d := dets[i%2]
		if i%3 == 0 {
			d.Form = map[string]string{"the": "The", "some": "Some"}[d.Form]
		}
		s := syntax.Sentence{Words: []w{d, nouns[i*7%16], verbs[i*3%10], dets[i/2%2], nouns[(i*5+i/16)%16], stop}}
		if i%5 == 0 {
			s.Comments = []string{fmt.Sprintf("# newdoc id = d%d", i/5)}
		}
		out = append(out, s)
	}
	return out
}

func eachWord(sents []syntax.Sentence, f func(*syntax.Word)) {
	for i := range sents {
		for j := range sents[i].Words {
			f(&sents[i].Words[j])
		}
	}
}

func trainToy(t testing.TB) *Model {
	m, err := Train(toyTreebank(), nil, Options{Epochs: 6})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomForms returns a sentence of n forms, known ones and others.
func randomForms(r *hash.Rand, n int) syntax.Sentence {
	forms := []string{"the", "Some", "dog", "dogs", "walks", "walk", "paints", "paint", "visited", "bricks", "jumped",
		"xx", "kicks", "."}
	s := syntax.Sentence{Words: make([]syntax.Word, n)}
	for i := range s.Words {
		s.Words[i].Form = forms[r.Below(uint32(len(forms)))]
	}
	return s
}

func packed(m *Model) []pack.Section {
	var b pack.Builder
	m.Pack(b.Sub("tagger"))
	return b.Sections
}

func TestTrainLearnsTheToyTreebank(t *testing.T) {
	m := trainToy(t)
	if a := m.measure(toyTreebank()); a.UPOS < 99.9 || a.Feats < 99.9 || a.Lemma < 99.9 || a.XPOS < 99.9 {
		t.Errorf("accuracy on the training data: %v", a)
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "Some"}, {Form: "bricks"}, {Form: "jumped"},
		{Form: "the"}, {Form: "house"}, {Form: "."}}}
	m.Tag(&s, Request{})
	want := []string{"DET DT some", "NOUN NNS brick", "VERB VBD jump", "DET DT the", "NOUN NN house", "PUNCT . ."}
	for i, w := range s.Words {
		if got := w.UPOS + " " + w.XPOS + " " + w.Lemma; got != want[i] {
			t.Errorf("word %d: got %q, want %q", i+1, got, want[i])
		}
	}
}

func TestTrainIsDeterministicAndSavedModelsAreEqual(t *testing.T) {
	a := trainToy(t)
	b, err := Train(toyTreebank(), nil, Options{Epochs: 6, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	pa, pb := packed(a), packed(b)
	for i := range pa {
		if pa[i].Name != pb[i].Name || !bytes.Equal(pa[i].Data, pb[i].Data) {
			t.Errorf("section %s differs between two trainings", pa[i].Name)
		}
	}
	opened, err := Open(pack.NewView(pa), "tagger")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range toyTreebank() {
		s2 := s
		s2.Words = append([]syntax.Word(nil), s.Words...)
		a.Tag(&s, Request{Retag: true})
		opened.Tag(&s2, Request{Retag: true})
		if !reflect.DeepEqual(s.Words, s2.Words) {
			t.Fatalf("opened model tags %v, fresh one %v", s2.Words, s.Words)
		}
	}
	for i, x := range packed(opened) {
		if !bytes.Equal(x.Data, pa[i].Data) {
			t.Errorf("section %s changes when it is packed again", x.Name)
		}
	}
}

func TestTagKeepsWhatIsGiven(t *testing.T) {
	m := trainToy(t)
	given := func() syntax.Sentence {
		return syntax.Sentence{Words: []syntax.Word{
			{Form: "the", UPOS: "DET"}, {Form: "walks", UPOS: "VERB"}, {Form: "zork", UPOS: "INTJ"}, {Form: "."}}}
	}
	s := given()
	m.Tag(&s, Request{})
	if w := s.Words[1]; w.UPOS != "VERB" || w.XPOS != "VBZ" || w.Feats != "Person=3|Tense=Pres|VerbForm=Fin" ||
		w.Lemma != "walk" {
		t.Errorf("given VERB: %+v", w)
	}
	if w := s.Words[2]; w.UPOS != "INTJ" || w.Lemma == "" {
		t.Errorf("a UPOS that the model does not know: %+v", w)
	}
	if w := s.Words[3]; w.UPOS != "PUNCT" {
		t.Errorf("an empty UPOS: %+v", w)
	}
	s = given()
	s.Words[0].Lemma, s.Words[0].Feats = "LEMMA", "A=b"
	m.Tag(&s, Request{})
	if s.Words[0].Lemma != "LEMMA" || s.Words[0].Feats != "A=b" || s.Words[1].Lemma != "" || s.Words[1].Feats != "" {
		t.Errorf("columns that were not empty changed: %+v", s.Words)
	}
	s = given()
	m.Tag(&s, Request{Retag: true})
	if s.Words[1].UPOS != "NOUN" || s.Words[2].UPOS == "INTJ" {
		t.Errorf("retag kept the tags: %+v", s.Words)
	}
	m.Tag(&syntax.Sentence{}, Request{Retag: true})
	s = syntax.Sentence{Words: []syntax.Word{{Form: ""}, {Form: "\xff\xfe"}}}
	m.Tag(&s, Request{})
}

// Dense scores that are equal for all tags change nothing, and strong ones
// decide, for frequent words as for others.
func TestDenseScores(t *testing.T) {
	m := trainToy(t)
	for _, s := range toyTreebank()[:20] {
		want := s
		want.Words = slices.Clone(s.Words)
		m.Tag(&want, Request{Retag: true})
		s.Words = slices.Clone(s.Words)
		s.Dense.Tags = make([]int32, len(s.Words)*m.NumTags())
		for i := range s.Dense.Tags {
			s.Dense.Tags[i] = int32(7000 * (i/m.NumTags() - 2))
		}
		m.Tag(&s, Request{Retag: true})
		if !reflect.DeepEqual(s.Words, want.Words) {
			t.Fatalf("a constant changes %v to %v", want.Words, s.Words)
		}
		for i := range s.Words {
			s.Dense.Tags[i*m.NumTags()+i%m.NumTags()] += 1 << 20
		}
		m.Tag(&s, Request{Retag: true})
		for i, w := range s.Words {
			if upos, xpos := m.TagName(i % m.NumTags()); w.UPOS != upos || w.XPOS != xpos {
				t.Errorf("word %d is %s %s, the dense scores say %s %s", i+1, w.UPOS, w.XPOS, upos, xpos)
			}
		}
	}
}

// The scores of a small network decide, too, but a frequent word that always has the same
// tag keeps it.
func TestNetworkScores(t *testing.T) {
	m := trainToy(t)
	kept, changed := 0, 0
	for _, s := range toyTreebank()[:20] {
		want := s
		want.Words = slices.Clone(s.Words)
		m.Tag(&want, Request{Retag: true})
		s.Words = slices.Clone(s.Words)
		s.Dense = syntax.Dense{Network: true, Tags: make([]int32, len(s.Words)*m.NumTags())}
		m.Tag(&s, Request{Retag: true})
		if !reflect.DeepEqual(s.Words, want.Words) {
			t.Fatalf("scores of 0 change %v to %v", want.Words, s.Words)
		}
		for i := range s.Words {
			s.Dense.Tags[i*m.NumTags()+i%m.NumTags()] += 1 << 20
		}
		sc := &scratch{}
		sc.text.read(&s, m.lex)
		m.Tag(&s, Request{Retag: true})
		for i, w := range s.Words {
			upos, xpos := m.TagName(i % m.NumTags())
			if sc.text.at(i).form.sure != 0 {
				kept++
				upos, xpos = want.Words[i].UPOS, want.Words[i].XPOS
			} else {
				changed++
			}
			if w.UPOS != upos || w.XPOS != xpos {
				t.Errorf("word %d, %s, is %s %s, want %s %s", i+1, w.Form, w.UPOS, w.XPOS, upos, xpos)
			}
		}
	}
	if kept == 0 || changed == 0 {
		t.Errorf("%d words kept their tags and %d did not: the test needs both", kept, changed)
	}
}

// Where dense scores lead by tagLead, features of the context are not looked up.
func TestLeadSavesLookUps(t *testing.T) {
	m := trainToy(t)
	keys := func(w syntax.Word, lead int32) int {
		s := syntax.Sentence{Words: []syntax.Word{w}, Dense: syntax.Dense{Tags: make([]int32, m.NumTags())}}
		s.Dense.Tags[0] = lead
		sc := &scratch{}
		sc.text.read(&s, m.lex)
		m.tagWords(sc, &s, Request{Retag: true}) // looks up the features of the form
		sc.keys = sc.keys[:0]
		m.tagWords(sc, &s, Request{Retag: true})
		return len(sc.keys)
	}
	looked := 0
	for _, s := range toyTreebank()[:20] {
		for _, w := range s.Words {
			if n := keys(w, tagLead); n > 0 {
				t.Errorf("%s: %d keys though the dense scores lead", w.Form, n)
			}
			looked += keys(w, tagLead-1)
		}
	}
	if looked == 0 {
		t.Error("no word has features of the context: the test needs some")
	}
}

// Where dense scores lead by morphLead, FEATS need no features of the context.
func TestMorphLeadSavesLookUps(t *testing.T) {
	m := trainToy(t)
	led, looked := 0, 0
	for tag := range m.NumTags() {
		labels := m.morphOf[tag]
		if len(labels) < 2 {
			continue
		}
		keys := func(lead int32) int {
			s := syntax.Sentence{Words: []syntax.Word{{Form: "zzyzx"}}, Dense: syntax.Dense{Feats: make([]int32, m.NumFeats())}}
			s.Dense.Feats[labels[0]] = lead
			sc := &scratch{}
			sc.text.read(&s, m.lex)
			m.pushMorphs(sc, &s, 0, []uint16{uint16(tag)}, true) // looks up the features of the form
			sc.keys = sc.keys[:0]
			sc.lat.Reset()
			m.pushMorphs(sc, &s, 0, []uint16{uint16(tag)}, true)
			return len(sc.keys)
		}
		if n := keys(morphLead); n > 0 {
			t.Errorf("tag %d: %d keys though the dense scores lead", tag, n)
		}
		led++
		looked += keys(morphLead - 1)
	}
	if led == 0 || looked == 0 {
		t.Errorf("%d tags have several FEATS, with %d keys: the test needs some", led, looked)
	}
}

// Dense scores of FEATS do the same as those of tags, among those that the treebank has for the word's tag.
func TestDenseScoresOfFeats(t *testing.T) {
	m := trainToy(t)
	F, choices := m.NumFeats(), 0
	for _, s := range toyTreebank()[:20] {
		want := s
		want.Words = slices.Clone(s.Words)
		m.Tag(&want, Request{Retag: true})
		s.Words = slices.Clone(s.Words)
		s.Dense.Feats = make([]int32, len(s.Words)*F)
		for i := range s.Dense.Feats {
			s.Dense.Feats[i] = int32(7000 * (i/F - 2))
		}
		m.Tag(&s, Request{Retag: true})
		if !reflect.DeepEqual(s.Words, want.Words) {
			t.Fatalf("a constant changes %v to %v", want.Words, s.Words)
		}
		for i := range s.Words {
			tag := slices.IndexFunc(m.all, func(l uint16) bool {
				return m.upos[l] == want.Words[i].UPOS &&
					m.xpos[l] == want.Words[i].XPOS
			})
			list := m.morphOf[tag]
			if len(list) > 1 {
				choices++
			}
			s.Dense.Feats[i*F+int(list[i%len(list)])] += 1 << 20
			want.Words[i].Feats, _ = m.FeatsName(int(list[i%len(list)]))
		}
		m.Tag(&s, Request{Retag: true})
		for i, w := range s.Words {
			if w.Feats != want.Words[i].Feats {
				t.Errorf("word %d has %q, the dense scores say %q", i+1, w.Feats, want.Words[i].Feats)
			}
		}
	}
	if choices == 0 {
		t.Error("no tag has several FEATS: the test needs such")
	}
}

// Dense scores count by their differences, so that those of a long sentence do
// not add up to what no int32 holds.
func TestAddDense(t *testing.T) {
	for _, low := range []int32{0, -1 << 26, 1 << 26} {
		emit, dense := []int32{5, 7, 9}, []int32{low, low - 3, low + 100, low - 1<<20}
		addDense(emit, []uint16{3, 0, 1}, dense)
		if want := []int32{5 - 1<<20, 7, 9 - 3}; !slices.Equal(emit, want) {
			t.Errorf("from %d on: %v, want %v", low, emit, want)
		}
	}
}

func TestTreebankWithManyXPOS(t *testing.T) {
	sents := toyTreebank()
	n := 0
	eachWord(sents, func(w *syntax.Word) {
		w.XPOS = fmt.Sprintf("%s-%d", w.XPOS, n/7%60)
		n++
	})
	m, err := Train(sents, nil, Options{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !m.fine {
		t.Error("XPOS has hundreds of values and is not fine")
	}
	s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: "dog"}}}
	m.Tag(&s, Request{})
	if s.Words[1].UPOS != "NOUN" || s.Words[1].XPOS[:2] != "NN" {
		t.Errorf("%+v", s.Words)
	}
}

func TestTreebankWithoutTagsOrLemmas(t *testing.T) {
	if _, err := Train(nil, nil, Options{}); err == nil {
		t.Error("no error without training data")
	}
	sents := toyTreebank()
	eachWord(sents, func(w *syntax.Word) { w.Lemma, w.Feats, w.XPOS = "", "", "" })
	m, err := Train(sents, nil, Options{Epochs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from the memo of forms
		s := syntax.Sentence{Words: []syntax.Word{{Form: "the"}, {Form: "bricks"}, {Form: "bricks"}}}
		m.Tag(&s, Request{})
		if w := s.Words[2]; w.UPOS != "NOUN" || w.XPOS != "" || w.Feats != "" || w.Lemma != "" {
			t.Errorf("%+v: the treebank has neither XPOS nor FEATS nor lemmas", w)
		}
	}
	eachWord(sents, func(w *syntax.Word) { w.UPOS = "" })
	if _, err := Train(sents, nil, Options{}); err == nil {
		t.Error("no error without UPOS")
	}
}

func TestTagDoesNotAllocate(t *testing.T) {
	if underRace {
		t.Skip("allocations cannot be counted under the race detector")
	}
	m := trainToy(t)
	s := syntax.Sentence{Words: []syntax.Word{{Form: "some"}, {Form: "dog"}, {Form: "walks"}, {Form: "."}}}
	m.Tag(&s, Request{Retag: true})
	// two: the lemma of "walks", and TagProb
	if n := testing.AllocsPerRun(100, func() { m.Tag(&s, Request{Retag: true}) }); n > 2.5 {
		t.Errorf("%v allocations a sentence", n)
	}
}

func TestJackknife(t *testing.T) {
	sents := toyTreebank()
	one, err := Jackknife(sents, nil, 4, Options{Epochs: 3, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	four, err := Jackknife(sents, nil, 4, Options{Epochs: 3, Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, four) {
		t.Error("the number of workers changes the result")
	}
	some, err := Jackknife(sents, func(s *syntax.Sentence) bool { return s.Words[1].Form != sents[1].Words[1].Form }, 4, Options{Epochs: 3, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	rest := slices.DeleteFunc(slices.Clone(one), func(s syntax.Sentence) bool { return s.Words[1].Form == sents[1].Words[1].Form })
	if len(some) == 0 || len(some) == len(one) || !reflect.DeepEqual(some, rest) {
		t.Errorf("%d of %d sentences are tagged, and not as among all", len(some), len(one))
	}
	if !reflect.DeepEqual(sents, toyTreebank()) {
		t.Error("Jackknife changed its input")
	}
	if a := compare(sents, one); a.UPOS < 95 {
		t.Errorf("jackknifed accuracy: %v", a)
	}
}

// FuzzOpen changes a byte of a section: Open must refuse the model or give
// one that tags without a panic.
func FuzzOpen(f *testing.F) {
	sections := packed(trainToy(f))
	for i := range sections {
		f.Add(uint(i), uint(0), byte(0xff))
		f.Add(uint(i), uint(len(sections[i].Data)/2), byte(0x11))
	}
	f.Fuzz(func(t *testing.T, section, at uint, x byte) {
		list := append([]pack.Section(nil), sections...)
		s := &list[section%uint(len(list))]
		s.Data = append([]byte(nil), s.Data...)
		if len(s.Data) > 0 {
			s.Data[at%uint(len(s.Data))] ^= x
		}
		m, err := Open(pack.NewView(list), "tagger")
		if err != nil {
			return
		}
		for _, s := range toyTreebank()[:10] {
			m.Tag(&s, Request{Retag: true})
			s.Words[1].UPOS, s.Words[1].Feats, s.Words[0].XPOS = "", "", ""
			m.Tag(&s, Request{})
		}
	})
}
