package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
)

// maxFrequent is how many different words a frequency counts at once.
const maxFrequent = 50_000

// A frequency counts words in bounded memory. While there are at most
// maxFrequent different ones, all counts are exact. After that they may be too
// low, by no more than the total divided by maxFrequent (Misra and Gries 1982):
// when there is no room for a new word, all counts go down by one, and words
// without a count make room. The same words in the same order give the same
// counts.
type frequency struct {
	counts map[string]int64
	total  int64
	low    int64 // how much too low counts may be
}

func (f *frequency) add(word string) {
	if f.counts == nil {
		f.counts = map[string]int64{}
	}
	f.total++
	if _, ok := f.counts[word]; ok || len(f.counts) < maxFrequent {
		f.counts[word]++
		return
	}
	f.low++
	for other, n := range f.counts { // in any order
		if n == 1 {
			delete(f.counts, other)
		} else {
			f.counts[other] = n - 1
		}
	}
}

// top returns the commonest n words.
func (f *frequency) top(n int) []*count {
	list := make([]*count, 0, len(f.counts))
	for word, k := range f.counts {
		list = append(list, &count{Name: word, N: k})
	}
	slices.SortFunc(list, func(a, b *count) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
	return list[:min(n, len(list))]
}

// content are the parts of speech of words that say what a text is about.
var content = map[string]bool{"NOUN": true, "PROPN": true, "VERB": true, "ADJ": true, "ADV": true}

// A vocabulary counts the words of trees, punctuation left out.
type vocabulary struct{ forms, lemmas, content frequency }

func (v *vocabulary) add(t *parquet.Tree) {
	for i := range t.Tokens {
		if pick.IsPunctuation(t, i) {
			continue
		}
		v.forms.add(Clip(Visible(strings.ToLower(t.Tokens[i])), maxForm))
		if i >= len(t.Lemmas) || t.Lemmas[i] == "" {
			continue
		}
		lemma := Clip(Visible(t.Lemmas[i]), maxForm)
		v.lemmas.add(lemma)
		if i < len(t.UPOS) && content[t.UPOS[i]] {
			v.content.add(lemma)
		}
	}
}

// maxListed is how many words a list of the page has.
const maxListed = 25

// tables are the lists of the page; those without a word are left out.
func (v *vocabulary) tables() (tables []wordTable) {
	for _, of := range []struct {
		title, column string
		f             *frequency
	}{{"Forms", "form, in lower case", &v.forms}, {"Lemmas", "lemma", &v.lemmas}, {"Lemmas of content words", "lemma", &v.content}} {
		table := wordTable{Title: of.title, Column: of.column}
		list := of.f.top(maxListed)
		for _, c := range list {
			table.Rows = append(table.Rows, wordRow{Name: c.Name, N: number(c.N), Share: percent(c.N, of.f.total), Bar: float64(1000*c.N/list[0].N) / 10})
		}
		switch more := len(of.f.counts) - len(list); {
		case of.f.low > 0:
			table.More = fmt.Sprintf("There are too many different ones to count them all: counts may be up to %s too low.", number(of.f.low))
		case more > 0:
			table.More = fmt.Sprintf("and %s others", number(int64(more)))
		}
		if len(list) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}
