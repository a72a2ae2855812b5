package train

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func TestSampler(t *testing.T) {
	train, dev := grammar("train", 5, 1), grammar("dev", leastDev, 2)
	x := NewSampler(train, dev, 1000, 0)
	fresh := grammar("silver", 8, 3).Sentences
	change := func(i int, f func(*syntax.Sentence)) { f(&fresh[i]) }
	change(0, func(s *syntax.Sentence) { s.Words = s.Words[:2] })
	change(1, func(s *syntax.Sentence) { s.Words[0].Head = syntax.Root })
	change(2, func(s *syntax.Sentence) { s.Words[0].Head = int32(s.Len()) + 1 })
	change(3, func(s *syntax.Sentence) { s.Words[0].UPOS = "" })
	change(4, func(s *syntax.Sentence) { s.Words[0].Deprel = "unheard" })
	change(5, func(s *syntax.Sentence) { s.Words[0].Misc, s.Words[1].Misc = "HeadConf=0.2", "A=b|HeadConf=0.6" })
	change(6, func(s *syntax.Sentence) { s.Words[0].Misc, s.Words[1].Misc = "HeadConf=0.5|C=d", "HeadConf=1" })
	foreign := syntax.Sentence{ID: "foreign", Words: slices.Clone(fresh[7].Words)}
	for i := range foreign.Words {
		foreign.Words[i].Form = "xyzzyq"
	}
	fresh = append(fresh, foreign)
	for _, s := range slices.Concat(train.Sentences[:1], dev.Sentences[:2], fresh, fresh[7:8]) {
		x.Add(1, &s)
	}
	out := x.Sentences(2)
	if len(out[0]) != 0 || len(out[1]) != 2 {
		t.Fatalf("kept %d and %d sentences: %v", len(out[0]), len(out[1]), x)
	}
	for _, s := range out[1] {
		if want := map[string]float32{"silver6": 0.75, "silver7": 1}[s.ID]; s.Weight != want || s.Gold() {
			t.Errorf("%s has weight %g, want %g", s.ID, s.Weight, want)
		}
	}
	for _, want := range []string{"silver sentences: 2, words: ", "4 left out: seen before", "1 left out: low confidence",
		"1 left out: under 3 words",
		"2 left out: no tree", "1 left out: no UPOS", "1 left out: letters", "1 left out: relations"} {
		if !strings.Contains(x.String(), want) {
			t.Errorf("%s: want %q", x, want)
		}
	}
}

// What is drawn does not depend on when the sampler has cut, and is spread
// over the files.
func TestSamplerDraws(t *testing.T) {
	list := grammar("silver", 400, 3).Sentences
	for i := range list {
		list[i].Words[0].Form += fmt.Sprint(i)
	}
	bare := 0
	drawn := func(list []syntax.Sentence, tags int) (ids []string, words int) {
		x := NewSampler(grammar("train", 5, 1), Treebank{}, 700, tags)
		for i := range list {
			x.Add(i%2, &list[i])
		}
		for file, sents := range x.Sentences(2) {
			if len(sents) < 20 {
				t.Errorf("%d sentences of file %d", len(sents), file)
			}
			for _, s := range sents {
				if !onlyTags(&s) {
					ids = append(ids, s.ID)
				}
			}
			words += syntax.CountWords(sents)
			bare += bareWords(sents)
		}
		if words != x.Words() {
			t.Errorf("%d words, said to be %d", words, x.Words())
		}
		slices.Sort(ids)
		return ids, words
	}
	first, words := drawn(list, 0)
	if words > 700 || words < 650 {
		t.Errorf("%d words, want 700 at most", words)
	}
	slices.Reverse(list)
	if second, _ := drawn(list, 0); !slices.Equal(first, second) || bare != 0 {
		t.Errorf("the order of the sentences changes which are drawn; %d words have lost their trees", bare)
	}
	if second, all := drawn(list, 500); !slices.Equal(first, second) || bare != all-words || bare < 450 || all > 1200 {
		t.Errorf("%d of %d words are for the tagger alone, or other sentences keep their trees", bare, all)
	}
	bare = 0
	if second, all := drawn(list, 1_000_000); !slices.Equal(first, second) || bare != all-words {
		t.Errorf("where nothing is left out, %d of %d words are for the tagger alone, or other sentences keep their trees", bare, all)
	}
}

func TestSamplerOfAll(t *testing.T) {
	silver := toyTreebank("silver", 2)
	x := NewSampler(toyTreebank("train", 3), toyTreebank("dev", 3), math.MaxInt, 500_000)
	for i := range silver.Sentences {
		x.Add(0, &silver.Sentences[i])
	}
	if got, want := x.Words(), syntax.CountWords(silver.Sentences); got != want {
		t.Errorf("%d words of %d, where any number is wanted", got, want)
	}
}

// The sample is the longest prefix of all sentences by hash that has no more than
// the words wanted, and what the sampler holds does not grow with the stream.
func TestSamplerBound(t *testing.T) {
	const words, stream = 3000, 200_000
	x := NewSampler(Treebank{}, Treebank{}, words, 0)
	x.rels["root"], x.rels["dep"] = true, true
	sentence := func(i, n int) syntax.Sentence {
		s := syntax.Sentence{ID: strconv.Itoa(i)}
		for k := range n {
			w := syntax.Word{Form: strconv.Itoa(i) + "." + strconv.Itoa(k), UPOS: "X", Head: int32(k), Deprel: "dep"}
			if k == 0 {
				w.Deprel = "root"
			}
			s.Words = append(s.Words, w)
		}
		return s
	}
	type one struct {
		hash  uint64
		id    string
		words int
	}
	all := make([]one, 0, stream)
	most := 0
	for i := range stream {
		s := sentence(i, 3+i%5)
		x.Add(0, &s)
		if i%7 == 0 {
			x.Add(0, &s)
		}
		all = append(all, one{formsHash(&s), s.ID, s.Len()})
		most = max(most, len(x.seen), len(x.list))
	}
	if most > 2*words/minSilver+1 {
		t.Errorf("%d sentences are held or remembered, want %d at most", most, 2*words/minSilver+1)
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.hash, b.hash) })
	got := x.Sentences(1)[0]
	sum := 0
	for i, s := range got {
		if s.ID != all[i].id {
			t.Fatalf("sentence %d of the sample is %s, want %s", i, s.ID, all[i].id)
		}
		sum += s.Len()
	}
	if next := all[len(got)].words; sum > words || sum+next <= words {
		t.Errorf("%d words, and the next sentence has %d: want %d", sum, next, words)
	}
}

// silver returns the sentences as silver ones.
func silver(weight float32, lists ...[]syntax.Sentence) []syntax.Sentence {
	out := slices.Concat(lists...)
	for i := range out {
		out[i].Weight = weight
	}
	return out
}

// Silver sentences of weight 1 teach pruner, parser, labels and tagger what
// gold ones teach, those of another weight something else. Lemmas know gold
// alone.
func TestSilverSteps(t *testing.T) {
	train, dev := grammar("train", 30, 1).Sentences, grammar("dev", 10, 2).Sentences
	all := func(h *word.Vocabulary, list []syntax.Sentence) map[string]string {
		out := map[string]string{}
		for _, phase := range []string{"tagger", "pruner", "parser", "labels"} {
			j := job{Options: Options{Seed: 1, Workers: 2, Log: func(string, ...any) {}}, words: h}
			c, err := components[phase].train(dataset{train: list, dev: dev}, j)
			if err != nil {
				t.Fatal(err)
			}
			var b pack.Builder
			c.Pack(b.Sub(phase))
			for _, s := range b.Sections {
				if !strings.HasPrefix(s.Name, "tagger.lemma") {
					out[phase] += string(s.Data)
				}
			}
		}
		return out
	}
	for _, list := range [][]syntax.Sentence{train, dev} {
		for i := range list {
			c := &list[i].Candidates
			*c = syntax.Candidates{Start: []int32{0}}
			for m := 1; m <= list[i].Len(); m++ {
				for h := range list[i].Len() + 1 {
					if h != m {
						c.Heads, c.LogOdds = append(c.Heads, int32(h)), append(c.LogOdds, 0)
					}
				}
				c.Start = append(c.Start, int32(len(c.Heads)))
			}
		}
	}
	words := word.Learn(train)
	doubled := all(words, slices.Concat(train, train))
	for weight, same := range map[float32]bool{1: true, 0.5: false} {
		for phase, data := range all(words, slices.Concat(train, silver(weight, train))) {
			if (data == doubled[phase]) != same {
				t.Errorf("weight %g: the %s is that of doubled gold: %t, want %t", weight, phase, !same, same)
			}
		}
	}
}

// The tagger passes over silver sentences with tags that gold has not, the
// vocabulary takes forms alone from silver ones.
func TestForeignSilverTags(t *testing.T) {
	train := grammar("train", 30, 1).Sentences
	foreign := syntax.Clone(train[:5])
	for i := range foreign {
		foreign[i].Words[0].XPOS = "foreign"
	}
	j := job{Options: Options{Seed: 1, Workers: 1, Log: func(string, ...any) {}}}
	packed := func(phase string, list []syntax.Sentence) (all []byte) {
		c, err := components[phase].train(dataset{train: list}, j)
		if err != nil {
			t.Fatal(err)
		}
		var b pack.Builder
		c.Pack(b.Sub(phase))
		for _, s := range b.Sections {
			all = append(all, s.Data...)
		}
		return all
	}
	bare := silver(1, syntax.Clone(train[:5]))
	for i := range bare {
		for k := range bare[i].Words {
			w := &bare[i].Words[k]
			w.Form, w.Head, w.Deprel = "unheard", syntax.NoHead, ""
		}
	}
	if !bytes.Equal(packed("words", train), packed("words", slices.Concat(train, bare))) {
		t.Error("the vocabulary has forms that no tree has")
	}
	for _, phase := range []string{"tagger", "words"} {
		if !bytes.Equal(packed(phase, train), packed(phase, slices.Concat(train, silver(1, foreign)))) {
			t.Errorf("%s learned from foreign tags", phase)
		}
	}
	if bytes.Equal(packed("tagger", train), packed("tagger", slices.Concat(train, silver(1, train[:5])))) {
		t.Error("the tagger learned nothing from the treebank's own tags")
	}
}

// All phases but the segmenter see silver sentences, once each and spread
// evenly, and depend on them; with weight 0 there are none.
func TestSilverReachesPhases(t *testing.T) {
	dataset := toyTreebank("silver", 24)
	dataset.Sentences = silver(1, slices.Delete(dataset.Sentences, 2, 3))
	store := memory{}
	train := func(weight float64, o Options) (*rig, *model.File) {
		var r rig
		o.Silver, o.SilverWeight, o.Store = []Treebank{dataset}, weight, store
		data, err := trainToy(&r, o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := model.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return &r, f
	}
	var plain rig
	if _, err := trainToy(&plain, Options{Store: store}); err != nil {
		t.Fatal(err)
	}
	if r, f := train(0, Options{}); slices.Contains(r.ran, "words") || len(f.Info.Silver) != 0 {
		t.Errorf("weight 0 is not as without silver: ran %v, %+v", r.ran, f.Info)
	}
	r, f := train(0.5, Options{})
	if slices.Contains(r.ran, "segmenter") || !slices.Contains(r.ran, "words") {
		t.Errorf("ran %v", r.ran)
	}
	all, trees := 12+23, 2*11+23 // gold ones with one root with two kinds of tags
	for phase, want := range map[string]int{"words": all, "tagger": all, "pruner": trees, "parser": trees,
		"labels": trees} {
		list := r.seen[phase]
		if gold := len(syntax.Gold(list)); len(list) != want || gold != want-23 {
			t.Errorf("%s saw %d sentences, %d of them gold, want %d with 23 silver ones", phase, len(list), gold, want)
		}
		at := slices.IndexFunc(list, func(s syntax.Sentence) bool { return !s.Gold() })
		if at > 3 || list[at].Weight != 0.5 {
			t.Errorf("%s: first silver sentence at %d with weight %g", phase, at, list[at].Weight)
		}
	}
	if d := f.Info.Silver; len(d) != 1 || d[0].File != "silver.conllu" || d[0].SHA256 != dataset.SHA256 ||
		d[0].Words != 23*7 || f.Info.Options["silver-weight"] != "0.5" {
		t.Errorf("provenance %+v", f.Info)
	}
	// Without its tree, a silver sentence reaches the tagger alone.
	key := dataset.Sentences
	dataset.Sentences = syntax.Clone(key)
	for i := range dataset.Sentences[:3] {
		for k := range dataset.Sentences[i].Words {
			w := &dataset.Sentences[i].Words[k]
			w.Head, w.Deprel = syntax.NoHead, ""
		}
	}
	r, f = train(0.5, Options{})
	for phase, want := range map[string]int{"words": all, "tagger": all, "pruner": trees - 3, "parser": trees - 3, "labels": trees - 3} {
		if list := r.seen[phase]; len(list) != want {
			t.Errorf("%s saw %d sentences, want %d, as 3 have no tree", phase, len(list), want)
		}
	}
	if got := f.Info.Options["silver-tags"]; got != "21 words without trees" {
		t.Errorf("provenance has %q", got)
	}
	dataset.Sentences = key
	if r, _ := train(1e-60, Options{}); len(syntax.Gold(r.seen["words"])) != all-23 {
		t.Error("a weight of nearly 0 makes silver sentences gold")
	}
	if again, _ := train(0.25, Options{}); !slices.Contains(again.ran, "words") {
		t.Error("another weight gave the same phases")
	}
	if _, err := trainToy(&rig{}, Options{Silver: []Treebank{dataset}, SilverWeight: -1}); err == nil {
		t.Error("a negative weight was accepted")
	}
}

// A small treebank is parsed better with silver text.
func TestWholeTrainingWithSilver(t *testing.T) {
	if testing.Short() {
		t.Skip("trains whole models")
	}
	dataset := grammar("silver", 150, 7)
	x := NewSampler(grammar("train", 6, 1), grammar("dev", 40, 2), 10_000, 0)
	for i := range dataset.Sentences {
		x.Add(0, &dataset.Sentences[i])
	}
	dataset.Sentences = x.Sentences(1)[0]
	las := func(o Options) float64 {
		o.Seed, o.Folds, o.Blocks = 5, 2, blocksOf
		data, err := Run(grammar("train", 6, 1), grammar("dev", 40, 2), o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := model.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		return f.Info.Scores[1].LAS
	}
	without, with := las(Options{}), las(Options{Silver: []Treebank{dataset}, SilverWeight: 1})
	if with < 95 || with <= without {
		t.Errorf("LAS %.2f with silver, %.2f without", with, without)
	}
}

// What a network learns from is another phase if some of the same sentences lose their trees.
func TestKeyOfSilverTrees(t *testing.T) {
	whole := grammar("silver", 40, 3)
	bare := whole
	bare.Sentences = syntax.Clone(whole.Sentences)
	for i := range bare.Sentences[:20] {
		bare.Sentences[i].Weight = 1
		for w := range bare.Sentences[i].Words {
			bare.Sentences[i].Words[w].Head = syntax.NoHead
		}
	}
	learned := func(silver Treebank) dataset {
		return (&trainer{Options: Options{Silver: []Treebank{silver}}}).withTrees(dataset{})
	}
	if a, b := learned(whole), learned(bare); len(a.train) != 40 || len(b.train) != 20 || a.key == b.key {
		t.Errorf("%d and %d sentences, keys %s and %s", len(a.train), len(b.train), a.key, b.key)
	}
}
