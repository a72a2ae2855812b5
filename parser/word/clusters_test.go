package word

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
)

// classes makes a list of "bits form count".
func classes(lines ...string) (list []ClusterWord) {
	for _, line := range lines {
		var w ClusterWord
		if _, err := fmt.Sscan(line, &w.Bits, &w.Form, &w.Count); err != nil {
			panic(err)
		}
		list = append(list, w)
	}
	return list
}

func clustersOf(t *testing.T, list []ClusterWord) *Clusters {
	t.Helper()
	c, err := NewClusters(list, false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func of(c *Clusters, form string) Cluster { return c.Of(read(form, false)) }

// A form has its own class, else that of its lower case, else that of the number.
func TestClustersFindForms(t *testing.T) {
	c := clustersOf(t, classes("0000001 Paris 9", "00000010 London 3", "00000011 12 4", "01 34 5", "01 the 90",
		"11 PARIS 2", "10 May 7", "110 may 3", "111 Don’t 2", "1011 ROME 1"))
	if got := c.Classes(); got != 9 {
		t.Fatalf("%d classes, want 9", got)
	}
	paris, london, the := of(c, "Paris"), of(c, "London"), of(c, "the")
	if paris.Four != london.Four || paris.Six != london.Six || paris.Full == london.Full || paris.Four == the.Four ||
		the.Four != 0b101 || paris.Six != 0b1000000 {
		t.Errorf("Paris %v, London %v, the %v", paris, london, the)
	}
	for form, like := range map[string]string{
		"paris":  "Paris", // which occurs more often than PARIS
		"The":    "the",
		"Rome":   "ROME",
		"MAY":    "may",
		"Don't":  "Don’t", // as a typewriter writes it
		"99":     "34",    // of the numbers of two digits the more frequent one
		"DON'T":  "Don't",
		"London": "london",
	} {
		if got, want := of(c, form), of(c, like); got != want || got == (Cluster{}) {
			t.Errorf("%s has %v, want %v of %s", form, got, want, like)
		}
	}
	if of(c, "PARIS") == paris || of(c, "May") == of(c, "may") {
		t.Error("forms that are listed have the class of another")
	}
	for _, form := range []string{"Berlin", "1", "x34", ""} {
		if got := of(c, form); got != (Cluster{}) {
			t.Errorf("%q has %v, want none", form, got)
		}
	}
	var none *Clusters
	if of(none, "Paris") != (Cluster{}) {
		t.Error("no classes have one")
	}
}

// Bits that are all of one length are numbers.
func TestFlatClassesHaveNoPrefixes(t *testing.T) {
	var list []ClusterWord
	for i := range 300 {
		list = append(list, ClusterWord{fmt.Sprintf("%09b", i), fmt.Sprint("w", strings.Repeat("x", i)), 1})
	}
	c := clustersOf(t, list)
	for i := range list {
		if got, n := of(c, list[i].Form), uint16(i+1); got != (Cluster{n, n, n}) {
			t.Fatalf("class %d is %v", n, got)
		}
	}
}

// The order of the list changes nothing, and what is packed is the same again.
func TestClustersAreDeterministic(t *testing.T) {
	r := hash.Rand(5)
	var list []ClusterWord
	for range 2000 {
		list = append(list, ClusterWord{fmt.Sprintf("%b", 1+r.Below(900)),
			fmt.Sprintf("%c%c%d", 'A'+r.Below(4), 'a'+r.Below(9), r.Below(30)), 1 + int64(r.Below(3))})
	}
	first := packed(new(Vocabulary).WithClusters(clustersOf(t, list)))
	for i, at := range hash.Shuffled(len(list), 6) {
		list[i], list[at] = list[at], list[i]
	}
	again := clustersOf(t, list)
	if second := packed(new(Vocabulary).WithClusters(again)); !reflect.DeepEqual(first, second) {
		t.Error("another order makes other sections")
	}
	opened, err := Open(pack.NewView(first), "x")
	if err != nil || !reflect.DeepEqual(opened.Clusters(), again) {
		t.Errorf("what was packed differs: %v", err)
	}
}

func TestClustersAreRefused(t *testing.T) {
	many := make([]ClusterWord, MaxClusters+1)
	for i := range many {
		many[i] = ClusterWord{fmt.Sprintf("%b", i), "x", 1}
	}
	for want, list := range map[string][]ClusterWord{
		"no word":       nil,
		"60001 classes": many,
		"words have":    make([]ClusterWord, MaxClusterWords+1),
		`class "012"`:   {{"012", "x", 1}},
		`class ""`:      {{"", "x", 1}, {"1", "y", 1}},
	} {
		if _, err := NewClusters(list, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	good := packed(Learn(bank()).WithClusters(clustersOf(t, classes("0 a 1", "11 b 1"))))
	for i, s := range good {
		if !strings.HasPrefix(s.Name, "x.clusters.") || s.Name == "x.clusters.words" {
			continue
		}
		for what, data := range map[string][]byte{"short": s.Data[:2], "high": slices.Repeat([]byte{250}, len(s.Data))} {
			list := slices.Clone(good)
			list[i].Data = aligned(data)
			if _, err := Open(pack.NewView(list), "x"); err == nil && !(s.Name == "x.clusters.short" && what == "high") {
				t.Errorf("%s: %s data are read", s.Name, what)
			}
		}
	}
}

// Without clusters a vocabulary and its encodings are what they were.
func TestSentencesWithoutClusters(t *testing.T) {
	v := Learn(bank())
	for _, s := range packed(v) {
		if strings.Contains(s.Name, "cluster") {
			t.Errorf("there is a section %s", s.Name)
		}
	}
	s := fixture()
	plain := NewEncoder(v).encode(&s)
	if plain.Clustered() {
		t.Error("a sentence has classes")
	}
	classed := NewEncoder(v.WithClusters(clustersOf(t, classes("0000 Anna 1", "01 gave 1", "1 him 1")))).encode(&s)
	if !classed.Clustered() {
		t.Fatal("a sentence has no classes")
	}
	seen := map[Cluster]bool{}
	for p := -1; p <= 3; p++ {
		seen[*classed.Cluster(p)] = true
	}
	if len(seen) != 5 || *classed.Cluster(-2) != *classed.Cluster(s.Len() + 2) || *classed.Cluster(4) != (Cluster{}) {
		t.Errorf("classes are %v", classed.clusters)
	}
	for p := -2; p <= s.Len()+2; p++ {
		a, b := *plain.At(p), *classed.At(p)
		if a.OfForm, a.OfLemma, a.Feats, b.OfForm, b.OfLemma, b.Feats = nil, nil, nil, nil, nil, nil; a != b {
			t.Errorf("the word at %d differs", p)
		}
	}
	if e := NewEncoder(v); e.Encode(&s) == NewEncoder(v.WithClusters(nil)).Encode(&s) {
		t.Error("another vocabulary takes over an encoding")
	}
}
