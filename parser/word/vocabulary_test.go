package word

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// fineOf returns the fine tag of a word.
func fineOf(v *Vocabulary, w *syntax.Word) uint8 {
	return NewEncoder(v).encode(&syntax.Sentence{Words: []syntax.Word{*w}}).At(1).Fine
}

// packed returns the sections of a vocabulary, with data of their own.
func packed(v *Vocabulary) []pack.Section {
	var b pack.Builder
	v.Pack(b.Sub("x"))
	for i := range b.Sections {
		b.Sections[i].Data = aligned(b.Sections[i].Data)
	}
	return b.Sections
}

func aligned(data []byte) []byte {
	words := make([]uint64, len(data)/8+1)
	var b pack.Builder
	pack.Put(b.Sub("x"), "x", words)
	copy(b.Sections[0].Data, data)
	return b.Sections[0].Data[:len(data)]
}

func TestSavedVocabularyEqualsFresh(t *testing.T) {
	fresh := Learn(bank())
	opened, err := Open(pack.NewView(packed(fresh)), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := fixture()
	a, b := NewEncoder(fresh).encode(&s), NewEncoder(opened).encode(&s)
	if !reflect.DeepEqual(a.words, b.words) {
		t.Error("the encoding differs after save and load")
	}
}

// The same treebank gives the same bytes, in any order of its sentences.
func TestVocabularyIsDeterministic(t *testing.T) {
	list := bank()
	list = append(list, sentence("Yes/yes/INTJ/UH/Polarity=Pos/0/root"))
	first := packed(Learn(list))
	slices.Reverse(list)
	second := packed(Learn(list))
	for i := range first {
		if first[i].Name != second[i].Name || string(first[i].Data) != string(second[i].Data) {
			t.Errorf("section %s differs", first[i].Name)
		}
	}
}

// Fine tags are what tells heads apart: an attribute that does becomes part
// of them, one that does not is left out.
func TestFineTagLearnsTheUsefulAttribute(t *testing.T) {
	var list []syntax.Sentence
	for i := range 60 {
		list = append(list,
			sentence("a/a/NOUN/_/Case=Nom|Junk=J"+string(rune('a'+i%2))+"/2/nsubj b/b/VERB/_/_/0/root"),
			sentence("a/a/NOUN/_/Case=Acc|Junk=J"+string(rune('a'+i%2))+"/2/obj b/b/VERB/_/_/0/root"))
	}
	v := Learn(list)
	if !slices.Equal(v.attrs, []string{"Case="}) {
		t.Errorf("fine tags use %q, want Case= alone", v.attrs)
	}
	nom, acc := list[0].Words[0], list[1].Words[0]
	if fineOf(v, &nom) == fineOf(v, &acc) {
		t.Error("Nom and Acc have one fine tag")
	}
	rare := nom
	rare.Feats = "Case=Gen"
	if got := fineOf(v, &rare); got != Coarse("NOUN") {
		t.Errorf("an unseen fine tag is %d, want that of NOUN", got)
	}
}

// Attributes that are too many to be tried give way to the commoner ones, and
// no word has more than MaxFeats that count.
func TestManyAttributes(t *testing.T) {
	var list []syntax.Sentence
	for i := range 300 {
		s := sentence("a/a/NOUN/_/Zz=1/0/root b/b/NOUN/_/_/1/dep")
		s.Words[1].Feats = fmt.Sprintf("A%03d=1%s|Zzz=1", i, strings.Repeat("|B=1", syntax.MaxFeats-1))
		list = append(list, s)
	}
	names := attributeNames(kindsOf(list))
	if len(names) != maxAttributes || !slices.IsSorted(names) || !slices.Contains(names, "Zz=") ||
		!slices.Contains(names, "B=") ||
		slices.Contains(names, "Zzz=") || slices.Contains(names, "A299=") {
		t.Errorf("%d attributes: %q", len(names), names)
	}
}

func TestFineTagUsesXPOSWhereItRefines(t *testing.T) {
	var list []syntax.Sentence
	for range 10 {
		list = append(list, sentence("a/a/VERB/VBZ/_/0/root b/b/VERB/VBD/_/1/conj"))
	}
	v := Learn(list)
	if !v.xpos || fineOf(v, &list[0].Words[0]) == fineOf(v, &list[0].Words[1]) {
		t.Error("XPOS refines UPOS here")
	}
	for i := range list {
		for j := range list[i].Words {
			list[i].Words[j].XPOS = list[i].Words[j].UPOS
		}
	}
	if Learn(list).xpos {
		t.Error("an XPOS that is a copy of UPOS refines nothing")
	}
}

func TestEmptyTreebank(t *testing.T) {
	v := Learn(nil)
	opened, err := Open(pack.NewView(packed(v)), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := fixture()
	NewEncoder(opened).Encode(&s)
	NewEncoder(new(Vocabulary)).Encode(&s) // the zero value knows nothing, and works
}

func TestDamagedVocabulary(t *testing.T) {
	v := Learn(bank())
	full := make([]byte, 4*16)
	for i := range full {
		full[i] = 1
	}
	for name, change := range map[string]func(s *pack.Section) bool{
		"missing":       func(s *pack.Section) bool { s.Name = "x.other"; return true },
		"of other kind": func(s *pack.Section) bool { s.Kind = pack.Float32; return true },
		"without a hole": func(s *pack.Section) bool {
			s.Data = aligned(full)
			return s.Kind == pack.Uint32 && !strings.HasSuffix(s.Name, ".off")
		},
		"shorter": func(s *pack.Section) bool { s.Data = s.Data[:0]; return strings.HasSuffix(s.Name, ".ids") },
	} {
		for i := range packed(v) {
			sections := packed(v)
			was := sections[i].Name
			if !change(&sections[i]) {
				continue
			}
			if _, err := Open(pack.NewView(sections), "x"); err == nil {
				t.Errorf("section %s %s was accepted", sections[i].Name, name)
			} else if !strings.Contains(err.Error(), strings.TrimSuffix(was, ".off")) &&
				!(strings.HasSuffix(was, ".tags") && strings.Contains(err.Error(), "x.ids")) {
				t.Errorf("%s: %v does not name the section", name, err)
			}
		}
	}
}

// With more fine tags than ids, the commonest tags have their own ids, and no tag gets the id
// of another.
func TestFineTagsDoNotWrap(t *testing.T) {
	var list []syntax.Sentence
	count := map[string]int{} // 8, 9 or 10
	for i := range 300 {
		for range 8 + i%3 {
			s := sentence(fmt.Sprintf("a/a/T%d/_/_/0/root", i))
			list = append(list, s)
			count[s.Words[0].UPOS]++
		}
	}
	v := Learn(list)
	seen := map[uint8]string{}
	own := 0
	for i := range list {
		w := &list[i].Words[0]
		id := fineOf(v, w)
		if id == Other {
			continue
		}
		if other, ok := seen[id]; ok && other != w.UPOS || id < CoarseTags {
			t.Fatalf("%s and %q have the fine tag %d", w.UPOS, other, id)
		}
		if seen[id] == "" {
			own++
		}
		seen[id] = w.UPOS
	}
	if own != FineTags-CoarseTags {
		t.Errorf("%d tags have an id, want %d", own, FineTags-CoarseTags)
	}
	for i := range list {
		if w := &list[i].Words[0]; fineOf(v, w) == Other && count[w.UPOS] > 8 {
			t.Fatal("a commoner tag gave way")
		}
	}
}
