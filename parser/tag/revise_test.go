package tag

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// TestLossesAreThoseOfAllPaths compares what words say with the best of all paths.
func TestLossesAreThoseOfAllPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kind := []uint16{0, 0, 1, 2, 2}
	var p posterior
	capped, open := 0, 0
	for trial := range 400 {
		ls, pairs := randomLabels(rng, 5), randomInts(rng, 36)
		var lat lattice[int32]
		lat.reset()
		n := 1 + rng.IntN(5)
		for range n {
			allowed := []uint16{0, 1, 2, 3, 4}[rng.IntN(5):]
			emit := randomInts(rng, len(allowed))
			for i := range emit {
				emit[i] *= int32(1) << (trial % 4 * 5)
			}
			lat.push(allowed, emit, 1+rng.IntN(4), 0)
		}
		found := int64(lat.score(ls, pairs, slices.Clone(lat.search(ls, pairs))))
		want := make([][]int64, n)
		for i := range want {
			want[i] = []int64{lossCap, lossCap, lossCap}
		}
		path := make([]int32, n)
		for more := true; more; more = next(path, &lat) {
			var labels []uint16
			for i, c := range path {
				labels = append(labels, lat.label[lat.start[i]+c])
			}
			loss := found - int64(lat.score(ls, pairs, labels))
			for i, l := range labels {
				want[i][kind[l]] = min(want[i][kind[l]], loss)
			}
		}
		p.compute(&lat, ls, pairs, HeatUnit)
		for i := range n {
			got := make([]int64, 3)
			p.losses(&lat, i, kind, got)
			if !slices.Equal(got, want[i]) {
				t.Fatalf("trial %d: word %d says %v, want %v", trial, i, got, want[i])
			}
			for _, x := range got {
				if x == lossCap {
					capped++
				} else if x > 0 {
					open++
				}
			}
		}
	}
	if capped == 0 || open == 0 {
		t.Errorf("%d losses at their most, %d below: the test needs both", capped, open)
	}
}

// Evidence adds up to the same however it is grouped, and changes nothing that it
// was made of.
func TestEvidenceAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		list := make([]Evidence, 1+rng.IntN(9))
		for i := range list {
			list[i] = Evidence{rng.Int64N(5), []int64{rng.Int64N(lossCap), rng.Int64N(lossCap)}}
		}
		want := Evidence{0, []int64{0, 0}}
		for _, e := range list {
			want.Count += e.Count
			want.Loss[0] += e.Loss[0]
			want.Loss[1] += e.Loss[1]
		}
		parts := slices.Clone(list)
		for len(parts) > 1 { // any two, in any order
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			before := slices.Clone(parts[0].Loss)
			sum := parts[0].Plus(parts[1])
			if !slices.Equal(before, parts[0].Loss) {
				t.Fatal("an addend has changed")
			}
			parts = append(parts[2:], sum)
		}
		if got := (Evidence{}).Plus(parts[0]); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v adds up to %v, want %v", list, got, want)
		}
	}
}

func TestRevision(t *testing.T) {
	for _, c := range []struct {
		e    Evidence
		want []int16
	}{
		{Evidence{1, []int64{0, 100}}, nil},                                                                    // once
		{Evidence{5, []int64{0, 5 * lossCap, 5 * lossCap}}, nil},                                               // one UPOS only
		{Evidence{2, []int64{0, 300, 2 * lossCap}}, []int16{0, -200, -4 * lossCap / 3}},                        // 2/3 of the mean
		{Evidence{1 << 40, []int64{1 << 40, 0, lossCap << 40}}, []int16{-reviseWeight + 1, 0, -2*lossCap + 1}}, // of many, nearly the mean
	} {
		add, some := c.e.Revision()
		if some != (c.want != nil) || some && !slices.Equal(add, c.want) {
			t.Errorf("%v: %v %v, want %v", c.e, add, some, c.want)
		}
	}
}

// evidenceOf tags sentences and returns what they say, and their tags.
func evidenceOf(m *Model, sents []syntax.Sentence, r Request) map[string]Evidence {
	all := map[string]Evidence{}
	r.Evidence = func(form string, loss []int64) { all[form] = all[form].Plus(Evidence{1, loss}) }
	for i := range sents {
		m.TagWith(&sents[i], r)
	}
	return all
}

func sentences(texts ...string) (list []syntax.Sentence) {
	for _, x := range texts {
		list = append(list, sentence(x))
	}
	return list
}

// An unknown form that its ending makes a verb in one place is a noun there if it is
// one everywhere else. Other words stay as they are.
func TestReviseUnknown(t *testing.T) {
	m := trainToy(t)
	hard, at := "some walks groofs .", 2
	texts := []string{hard, "the groofs walked the dog .", "some groofs kicked the cat .", "The groofs visited some river .", "the dog walks the cat ."}
	first := sentences(texts...)
	all := evidenceOf(m, first, Request{Retag: true})
	if len(all) != 1 || all["groofs"].Count != 4 {
		t.Fatalf("evidence of %v", all)
	}
	e := all["groofs"]
	add, some := e.Revision()
	if !some || len(add) != len(m.Kinds()) {
		t.Fatalf("revision %v %v of %v", add, some, e)
	}
	for i := range 4 {
		w := first[i].Words[max(1, at-2*i)]
		if want := []string{"VERB", "NOUN"}[min(i, 1)]; w.Form != "groofs" || w.UPOS != want {
			t.Fatalf("%s: %s is %s before, want %s: the test needs it", texts[i], w.Form, w.UPOS, want)
		}
	}
	v := NewRevisions(len(add), 1)
	v.Put("groofs", add)
	second := sentences(texts...)
	for i := range second {
		m.TagWith(&second[i], Request{Retag: true, Revisions: v})
	}
	if w := second[0].Words[at]; w.UPOS != "NOUN" || w.XPOS != "NNS" || w.Feats != "Number=Plur" {
		t.Errorf("revised: %+v", w)
	}
	for i := range second {
		for j, w := range second[i].Words {
			if w.Form != "groofs" && w != first[i].Words[j] {
				t.Errorf("%s: %+v, before %+v", texts[i], w, first[i].Words[j])
			}
		}
	}

	// Nor does another path score higher than the revised one.
	c := m.Choices(&second[0], Request{Retag: true, Revisions: v}, Bounds{Tags: 4, Most: 1 << 20})
	best := make([]int, len(c.Words))
	if len(c.Words[at]) < 2 || c.Words[at][0].UPOS != "NOUN" {
		t.Fatalf("choices %v: the test needs more, NOUN first", c.Words[at])
	}
	eachPath(&c, func(path []int) {
		if c.Score(path) > c.Score(best) {
			t.Errorf("path %v scores %d, the revised one %d", path, c.Score(path), c.Score(best))
		}
	})

	for i := range second { // no tag is more probable for being counted twice
		for j, p := range second[i].TagProb {
			if second[i].Words[j].UPOS == first[i].Words[j].UPOS && p != first[i].TagProb[j] {
				t.Errorf("%s: word %d has probability %v, before %v", texts[i], j+1, p, first[i].TagProb[j])
			}
		}
	}

	// What is given, by the input or a caller, stays, and says nothing.
	s := sentence(hard)
	s.Words[at].UPOS = "VERB"
	x := exceptions(t, Exception{"groofs", "VERB", ""})
	u := sentence(hard)
	if n := len(evidenceOf(m, []syntax.Sentence{s}, Request{Revisions: v})) + len(evidenceOf(m, []syntax.Sentence{u}, Request{Revisions: v, Exceptions: x})); n > 0 {
		t.Errorf("%d given words say something", n)
	}
	m.TagWith(&s, Request{Revisions: v})
	m.TagWith(&u, Request{Revisions: v, Exceptions: x})
	if s.Words[at].UPOS != "VERB" || u.Words[at].UPOS != "VERB" {
		t.Errorf("given tags were revised: %+v, %+v", s.Words[at], u.Words[at])
	}
}

// Words that training has, numbers, marks and forms that no file can hold are not
// revised.
func TestRevisable(t *testing.T) {
	m := trainToy(t)
	long := strings.Repeat("x", MaxRevisedBytes)
	s := sentence("the dog 17 ?! " + long + " " + long + "y foo\x01bar x\ufffd Übung")
	all := evidenceOf(m, []syntax.Sentence{s}, Request{Retag: true})
	if len(all) != 2 || all[long].Count != 1 || all["Übung"].Count != 1 {
		t.Errorf("evidence of %v", all)
	}
}
