package tag

import (
	"slices"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// halves makes n sentences of two words whose forms say nothing: words below 500 are
// nouns, others verbs, and either may come first. It draws them from low to high in
// both halves.
func halves(n, low, high int, seed uint64) (list []syntax.Sentence) {
	r := hash.Rand(seed)
	for range n {
		var s syntax.Sentence
		for range 2 {
			i, w := low+int(r.Below(uint32(high-low))), syntax.Word{UPOS: "NOUN", Feats: "A=a"}
			if r.Below(2) == 0 {
				i, w.UPOS, w.Feats = i+500, "VERB", "B=b"
			}
			w.Form = scrambled(i)
			w.Lemma = w.Form
			s.Words = append(s.Words, w)
		}
		list = append(list, s)
	}
	return list
}

// scrambled returns the form of a number, with letters drawn by a hash.
func scrambled(i int) string {
	x, form := hash.Mix(uint64(i)+77), []byte("abcdef")
	for k := range form {
		form[k] = 'a' + byte(x>>(8*k)%26)
	}
	return string(form)
}

// halfClusters has a class for each half of the words.
func halfClusters(t testing.TB) *word.Clusters {
	t.Helper()
	var list []word.ClusterWord
	for i := range 1000 {
		list = append(list, word.ClusterWord{Bits: []string{"0", "10"}[i/500], Form: scrambled(i), Count: 1})
	}
	c, err := word.NewClusters(list, false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Words that training never saw get the tags of their class, and without classes
// no better ones than by chance. The folds of Jackknife know the classes, too.
func TestClustersTagUnknownWords(t *testing.T) {
	train, dev := halves(300, 0, 250, 1), halves(100, 250, 500, 2)
	clusters := halfClusters(t)
	with, err := Train(train, nil, Options{Clusters: clusters})
	if err != nil {
		t.Fatal(err)
	}
	if got := with.Measure(dev); got.UPOS < 99 || got.Feats < 99 {
		t.Errorf("with classes: %v", got)
	}
	without, err := Train(train, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := without.Measure(dev); got.UPOS > 75 {
		t.Errorf("without classes: %v", got)
	}
	opened, err := Open(pack.NewView(packed(with)), "tagger", clusters)
	if err != nil {
		t.Fatal(err)
	}
	a, b := syntax.Clone(dev), syntax.Clone(dev)
	for i := range a {
		with.Tag(&a[i], Request{Retag: true})
		opened.Tag(&b[i], Request{Retag: true})
		if !slices.Equal(a[i].Words, b[i].Words) {
			t.Fatalf("sentence %d differs after save and load", i)
		}
	}
	rare := halves(300, 0, 500, 3) // most words once
	folds, err := Jackknife(rare, nil, 4, Options{Clusters: clusters})
	if err != nil {
		t.Fatal(err)
	}
	if got := compare(rare, folds); got.UPOS < 99 {
		t.Errorf("jackknifed with classes: %v", got)
	}
}

// Classes only add keys; what the others are stays as it is. As with all templates,
// another hash means that models with classes must be trained again: raise
// pack.Clustered.
func TestClusterTemplatesAreStable(t *testing.T) {
	const want = 0x29cba76417e266d3
	s := halves(1, 0, 250, 4)[0]
	s.Words = append(s.Words, syntax.Word{Form: "unlisted"}, syntax.Word{Form: "."})
	keys := func(clusters *word.Clusters) (list []hash.Key) {
		var x text
		x.read(&s, &lexicon{clusters: clusters})
		for i := range s.Words {
			list = tagKeys(ownTagKeys(list, x.at(i).form), &x, i)
			list = morphKeys(ownMorphKeys(list, x.at(i).form, uint16(i+1)), &x, i, []uint16{1, 2, 3, 4})
		}
		return list
	}
	plain, classed := keys(nil), keys(halfClusters(t))
	var h uint64
	for _, k := range classed {
		if at := slices.Index(plain, k); at >= 0 {
			plain = slices.Delete(plain, at, at+1)
			continue
		}
		h = hash.Pair(h, k)
	}
	if len(plain) > 0 {
		t.Errorf("%d keys are not there with classes", len(plain))
	}
	if h != want {
		t.Errorf("the keys of classes hash to %#016x, want %#016x", h, uint64(want))
	}
}
