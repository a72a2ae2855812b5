package dense

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// chains are sentences of random tags, each word of which hangs on a neighbour.
func chains(count int, seed uint64) []syntax.Sentence {
	r := hash.Rand(seed)
	list := make([]syntax.Sentence, count)
	for i := range list {
		list[i].Words = make([]syntax.Word, 2+r.Below(12))
		for k := range list[i].Words {
			upos := []string{"NOUN", "VERB", "DET", "ADJ", "PUNCT"}[r.Below(5)]
			form := fmt.Sprint(upos, r.Below(9))
			list[i].Words[k] = syntax.Word{Form: form, Lemma: form, UPOS: upos, Head: int32(k)}
		}
	}
	return list
}

func learnChains() (Tables, *word.Encoder) {
	list := chains(60, 1)
	v := word.Learn(list)
	e := word.NewEncoder(v)
	return Learn(v, LearnLexicon(list, e), list, 1), e
}

// Commas and colons between two words count alike, as far as 2, and other marks do not.
func TestWalkCountsCommas(t *testing.T) {
	for _, c := range []struct {
		marks []uint8
		want  int
	}{{[]uint8{word.Comma}, 1}, {[]uint8{word.Colon}, 1}, {[]uint8{word.Quote, word.Opening}, 0}, {[]uint8{word.Comma, word.Colon, word.Comma}, 2}} {
		var w walk
		for _, mark := range c.marks {
			w.pass(&word.Word{Coarse: word.PUNCT, Punct: mark})
		}
		if w.commas != c.want {
			t.Errorf("marks %v: %d commas, want %d", c.marks, w.commas, c.want)
		}
	}
}

// The score of an arc is the sum of its single weights, however it is added
// up.
func TestRowsSumToCells(t *testing.T) {
	tables, e := learnChains()
	weights := make([]float32, len(tables.weights))
	for i, w := range tables.weights {
		weights[i] = float32(w) - zero
	}
	var g Scorer
	nonzero := 0
	for _, s := range chains(30, 3) {
		s.Words[1].Form, s.Words[1].Lemma = "unseen", "unseen"
		g.Read(e.Encode(&s), &tables)
		n := len(s.Words)
		whole, row, sums := make([]int32, n+1), make([]float32, n+1), g.sumsOf(weights, nil)
		for mod := 1; mod <= n; mod++ {
			g.Scores(mod, whole)
			scores(&g, mod, &tables.at, sums, weights, row)
			for h := 0; h <= n; h++ {
				if h == mod {
					continue
				}
				want := int32(0)
				for _, c := range g.cells(h, mod, &tables.at, nil) {
					want += int32(tables.weights[c]) - zero
				}
				if whole[h] != want*scale || row[h] != float32(want) {
					t.Fatalf("arc %d -> %d of %d words: %d and %g from rows, %d from single weights", h, mod, n, whole[h], row[h], want)
				}
				if want != 0 {
					nonzero++
				}
			}
		}
	}
	if nonzero == 0 {
		t.Error("all scores are 0")
	}
	if n := bytes.Count(tables.weights, []byte{zero}); n < len(weights)/2 {
		t.Errorf("%d of %d weights are 0, though most belong to no word of 60 sentences", n, len(weights))
	}
}

func TestTablesPreferWhatTheyLearned(t *testing.T) {
	tables, e := learnChains()
	var g Scorer
	for _, s := range chains(30, 5) {
		g.Read(e.Encode(&s), &tables)
		row := make([]int32, len(s.Words)+1)
		for m := 1; m <= len(s.Words); m++ {
			g.Scores(m, row)
			for h, x := range row {
				if h != m && h != m-1 && x > row[m-1]+score.Unit/4 {
					t.Errorf("arc %d -> %d scores %d, that from the word before %d", h, m, x, row[m-1])
				}
			}
		}
	}
}

func TestScoresAllocateNothing(t *testing.T) {
	tables, e := learnChains()
	s := chains(1, 7)[0]
	words, row := e.Encode(&s), make([]int32, len(s.Words)+1)
	var g Scorer
	if n := testing.AllocsPerRun(20, func() {
		g.Read(words, &tables)
		for m := 1; m < len(row); m++ {
			g.Scores(m, row)
		}
	}); n > 0 {
		t.Errorf("%v allocations a sentence", n)
	}
}

// A section that does not fit is an error that names it.
func TestDamagedTables(t *testing.T) {
	for section, damage := range map[string]func(x *Tables){
		"":        func(*Tables) {},
		"p.dense": func(x *Tables) { x.weights = x.weights[1:] },
		"dense":   func(x *Tables) { x.lexicon, _ = hash.NewSet(make([]hash.Key, 9), false) },
	} {
		x, _ := learnChains()
		damage(&x)
		var b pack.Builder
		pack.Write(b.Sub("p"), x.Layout)
		var y Tables
		err := pack.Read(pack.NewView(b.Sections), "p", y.Layout)
		if section == "" && err != nil || section != "" && (err == nil || !strings.Contains(err.Error(), section)) {
			t.Errorf("%q: %v", section, err)
		}
	}
}
