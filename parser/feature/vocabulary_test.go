package feature

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

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
	opened, err := OpenVocabulary(pack.NewView(packed(fresh)), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := fixture()
	var a, b Codes
	fresh.Encode(&s, &a)
	opened.Encode(&s, &b)
	p, q := parts(&a, &s), parts(&b, &s)
	for i := range p {
		if !slices.Equal(p[i].keys, q[i].keys) {
			t.Fatalf("part %d, %q, has other keys after save and load", i, p[i].name)
		}
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
	if v.fineOf(&nom) == v.fineOf(&acc) {
		t.Error("Nom and Acc have one fine tag")
	}
	rare := nom
	rare.Feats = "Case=Gen"
	if got := v.fineOf(&rare); got != coarseOf("NOUN") {
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
	names := attributeNames(list)
	if len(names) != maxAttributes || !slices.IsSorted(names) || !slices.Contains(names, "Zz=") || !slices.Contains(names, "B=") ||
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
	if !v.useXPOS || v.fineOf(&list[0].Words[0]) == v.fineOf(&list[0].Words[1]) {
		t.Error("XPOS refines UPOS here")
	}
	for i := range list {
		for j := range list[i].Words {
			list[i].Words[j].XPOS = list[i].Words[j].UPOS
		}
	}
	if Learn(list).useXPOS {
		t.Error("an XPOS that is a copy of UPOS refines nothing")
	}
}

func TestEmptyTreebank(t *testing.T) {
	v := Learn(nil)
	opened, err := OpenVocabulary(pack.NewView(packed(v)), "x")
	if err != nil {
		t.Fatal(err)
	}
	s := fixture()
	var c Codes
	opened.Encode(&s, &c)
	if len(c.Arc(1, 2, nil)) == 0 {
		t.Error("no keys")
	}
	var none Vocabulary // the zero value knows nothing, and works
	none.Encode(&s, &c)
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
		"no power of 2": func(s *pack.Section) bool {
			s.Data = aligned(full[:12])
			return s.Kind == pack.Uint32 && !strings.HasSuffix(s.Name, ".off")
		},
		"without a hole": func(s *pack.Section) bool {
			s.Data = aligned(full)
			return s.Kind == pack.Uint32 && !strings.HasSuffix(s.Name, ".off")
		},
		"shorter": func(s *pack.Section) bool { s.Data = s.Data[:0]; return strings.HasSuffix(s.Name, ".ids") },
	} {
		for i := range packed(v) {
			sections := packed(v)
			was := sections[i].Name
			if !change(&sections[i]) || name == "missing" && was == "x.templates" {
				continue // see TestTemplateVersions
			}
			if _, err := OpenVocabulary(pack.NewView(sections), "x"); err == nil {
				t.Errorf("section %s %s was accepted", sections[i].Name, name)
			} else if !strings.Contains(err.Error(), strings.TrimSuffix(was, ".off")) && !strings.Contains(err.Error(), "vocabulary.") {
				t.Errorf("%s: %v does not name the section", name, err)
			}
		}
	}
}

// A model is read by the templates that it was trained with: what has no
// version is of the first one, and one that is not known is refused.
func TestTemplateVersions(t *testing.T) {
	s := fixture()
	fresh := packed(Learn(bank()))
	at := slices.IndexFunc(fresh, func(s pack.Section) bool { return s.Name == "x.templates" })
	encode := func(sections []pack.Section) []part {
		v, err := OpenVocabulary(pack.NewView(sections), "x")
		if err != nil {
			t.Fatal(err)
		}
		again := packed(v)
		if _, err := OpenVocabulary(pack.NewView(again), "x"); err != nil {
			t.Fatal(err)
		}
		var c Codes
		v.Encode(&s, &c)
		return parts(&c, &s)
	}
	keys := func(list []part) (all []Key) {
		for _, p := range list {
			all = append(all, p.keys...)
		}
		return all
	}
	version := func(v ...uint32) []pack.Section {
		var b pack.Builder
		pack.Put(b.Sub("x"), "templates", v)
		sections := slices.Clone(fresh)
		sections[at].Data = b.Sections[0].Data
		return sections
	}
	none := keys(encode(slices.Delete(slices.Clone(fresh), at, at+1)))
	if !slices.Equal(none, keys(encode(version(1)))) {
		t.Error("no version is not version 1")
	}
	if slices.Equal(none, keys(encode(fresh))) || !slices.Equal(keys(encode(fresh)), keys(encode(version(Templates)))) {
		t.Error("a new model is not of the newest version")
	}
	for _, bad := range [][]uint32{{0}, {Templates + 1}, {1 << 31}, {}, {1, 2}} {
		_, err := OpenVocabulary(pack.NewView(version(bad...)), "x")
		if err == nil || !strings.Contains(err.Error(), "train") || !strings.Contains(err.Error(), "x") {
			t.Errorf("version %v: %v, want a refusal that says what to do", bad, err)
		}
	}
}

// More tags than a fine tag has ids: the commonest have one of their own, and
// none has that of another.
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
		id := v.fineOf(w)
		if id == coarseOther {
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
	if own != maxFine-CoarseTags {
		t.Errorf("%d tags have an id, want %d", own, maxFine-CoarseTags)
	}
	for i := range list {
		if w := &list[i].Words[0]; v.fineOf(w) == coarseOther && count[w.UPOS] > 8 {
			t.Fatal("a commoner tag gave way")
		}
	}
}

func TestCheckSet(t *testing.T) {
	for _, c := range []struct {
		set []uint32
		ok  bool
	}{{nil, true}, {[]uint32{0}, true}, {[]uint32{1, 0}, true}, {[]uint32{1, 2}, false}, {[]uint32{1, 0, 0}, false}} {
		if err := CheckSet(c.set, "x"); (err == nil) != c.ok {
			t.Errorf("CheckSet(%v) = %v", c.set, err)
		}
	}
}
