package train

import (
	"slices"

	"github.com/treebeam/treebeam/parser/pack"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A phase may predict columns of the treebank instead of a component. They
// are packed sentence after sentence, in order.

func packed(name string, layout func(*pack.Layout)) []pack.Section {
	var b pack.Builder
	pack.Write(b.Sub(name), layout)
	return b.Sections
}

// readColumns gives the sentences of a layout what the phase predicted. The
// lists alias the result.
func readColumns(r *result, name string, layout func(*pack.Layout)) error {
	return pack.Read(pack.NewView(r.sections), name, layout)
}

// tagColumns are the tags and lemmas of all words.
func tagColumns(sents []syntax.Sentence) func(*pack.Layout) {
	return func(l *pack.Layout) {
		words := countWords(sents)
		for i, field := range wordColumns {
			name := columnNames[i]
			column := make([]string, 0, words)
			for i := range sents {
				for j := range sents[i].Words {
					column = append(column, *field(&sents[i].Words[j]))
				}
			}
			l.Strings(name, &column)
			l.Check(name, len(column) == words, "has not as many words as the treebank")
			if !l.Reading() {
				continue
			}
			for i := range sents {
				for j := range sents[i].Words {
					*field(&sents[i].Words[j]) = column[0]
					column = column[1:]
				}
			}
		}
	}
}

var columnNames = []string{"upos", "xpos", "feats", "lemma"}

var wordColumns = []func(*syntax.Word) *string{
	func(w *syntax.Word) *string { return &w.UPOS }, func(w *syntax.Word) *string { return &w.XPOS },
	func(w *syntax.Word) *string { return &w.Feats }, func(w *syntax.Word) *string { return &w.Lemma },
}

// headColumn has the heads of all words.
func headColumn(sents []syntax.Sentence) func(*pack.Layout) {
	return func(l *pack.Layout) {
		column := make([]int32, 0, countWords(sents))
		for i := range sents {
			column = append(column, sents[i].Heads()...)
		}
		words := len(column)
		pack.Array(l, "head", &column)
		l.Check("head", len(column) == words, "has not as many words as the treebank")
		for i := range sents {
			for j := range sents[i].Words {
				if !l.Reading() {
					return
				}
				h := column[0]
				l.Check("head", h >= syntax.NoHead && int(h) <= sents[i].Len(), "is outside its sentence")
				sents[i].Words[j].Head, column = h, column[1:]
			}
		}
	}
}

// candidateColumns are the candidate heads of all sentences. Where they are
// missing, they do not bound their array when they are read.
func candidateColumns(sents []syntax.Sentence) func(*pack.Layout) {
	return func(l *pack.Layout) {
		var start, heads, odds []int32
		for i := range sents {
			c := &sents[i].Candidates
			start, heads, odds = append(start, c.Start...), append(heads, c.Heads...), append(odds, c.LogOdds...)
		}
		pack.Array(l, "start", &start)
		pack.Array(l, "heads", &heads)
		pack.Array(l, "logodds", &odds)
		l.Check("start", len(start) == countWords(sents)+len(sents), "does not fit the treebank")
		for i := range sents {
			if !l.Reading() {
				return
			}
			n := sents[i].Len()
			k := int(start[n])
			l.Check("heads", k >= 0 && k <= len(heads) && k <= len(odds), "does not fit the treebank")
			pack.Bounds(l, "start", start[:n+1], k)
			if l.Reading() {
				sents[i].Candidates = syntax.Candidates{Start: slices.Clip(start[:n+1]), Heads: slices.Clip(heads[:k]), LogOdds: slices.Clip(odds[:k])}
				start, heads, odds = start[n+1:], heads[k:], odds[k:]
			}
		}
		l.Check("heads", len(heads)+len(odds) == 0, "does not fit the treebank")
	}
}
