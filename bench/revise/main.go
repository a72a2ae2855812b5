// Command revise measures what --revise-unknown is worth: it parses the gold words of
// a treebank as one text, whose words the model has to tag, and prints for three ways
// what is right of the words that training has not and that occur twice or more, how
// many tags of all words are mended and spoilt, and the scores of all words.
//
//	default   each occurrence by itself
//	vote      as Qiu, Hu and Zhao (2008) decide: a tag whose lead is below 0.8 becomes
//	          that of most occurrences, if the next one has at most half as many
//	revise    as --revise-unknown does
//
// With -copies N the text is there N times, in documents of its own. With -learn N the
// tagger is learned from the first N sentences of -gold, and tags the others: there are
// no trees then, for the parser of -model may have learned from them.
//
//	revise [-model FILE] [-copies N] [-learn N] -gold tr_imst-ud-dev.conllu
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

func main() {
	path := flag.String("model", "embedded", "model file, or embedded")
	gold := flag.String("gold", "", "treebank to parse")
	copies := flag.Int("copies", 1, "how often the text is there")
	learn := flag.Int("learn", 0, "learn the tagger from so many sentences")
	flag.Parse()
	if err := run(os.Stdout, *path, *gold, *copies, *learn); err != nil {
		fmt.Fprintln(os.Stderr, "revise:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, path, gold string, copies, learn int) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	sents, err := conllu.ReadAll(gold)
	if err != nil {
		return err
	}
	b := &bench{gold: sents, copies: copies, tagger: m.Tagger, model: m}
	if learn > 0 {
		if learn >= len(sents) {
			return fmt.Errorf("-learn %d: there are %d sentences", learn, len(sents))
		}
		b.gold, b.model = sents[learn:], nil
		if b.tagger, err = tag.Train(sents[:learn], nil, tag.Options{Seed: 1}); err != nil {
			return err
		}
	}
	b.collect()
	fmt.Fprintf(w, "%d words, %d unknown forms that return, with %d occurrences; %d of the forms can be revised\n\n",
		b.words, b.forms, b.occurrences, b.revisions)
	fmt.Fprintln(w, "| tags | returning, right | mended | spoilt | UPOS | UFeats | UAS | LAS |\n|---|---|---|---|---|---|---|---|")
	for _, way := range []string{"default", "vote", "revise"} {
		if err := b.row(w, way); err != nil {
			return err
		}
	}
	return nil
}

// A bench is a text, and what its unknown words say.
type bench struct {
	gold   []syntax.Sentence
	copies int
	tagger *tag.Model
	model  *model.Model // nil: no trees

	plain  []syntax.Sentence // tagged one by one
	said   map[string]tag.Evidence
	votes  map[string]map[string]int // by form and UPOS
	revise *tag.Revisions

	words, forms, occurrences, revisions int
}

// collect does the first pass.
func (b *bench) collect() {
	b.plain = syntax.Clone(b.gold)
	b.said, b.votes = map[string]tag.Evidence{}, map[string]map[string]int{}
	for i := range b.plain {
		s := &b.plain[i]
		b.words += len(s.Words)
		b.tagger.TagWith(s, tag.Request{Retag: true, Evidence: func(form string, loss []int64) {
			for range b.copies {
				b.said[form] = b.said[form].Plus(tag.Evidence{Count: 1, Loss: loss})
			}
		}})
	}
	for i := range b.plain {
		for _, w := range b.plain[i].Words {
			form := key(&w)
			if _, unknown := b.said[form]; unknown {
				if b.votes[form] == nil {
					b.votes[form] = map[string]int{}
				}
				b.votes[form][w.UPOS] += b.copies
			}
		}
	}
	b.revise = tag.NewRevisions(len(b.tagger.Kinds()), len(b.said))
	for form, e := range b.said {
		if e.Count/int64(b.copies) >= 2 {
			b.forms++
			b.occurrences += int(e.Count) / b.copies
		}
		if add, some := e.Revision(); some {
			b.revisions++
			b.revise.Put(form, add)
		}
	}
}

// Thresholds of Qiu, Hu and Zhao (2008), in probabilities and shares.
const (
	credible    = 0.8
	outstanding = 0.5
)

// key is a form as evidence names it, but for lone signs.
func key(w *syntax.Word) string { return word.Plain(w.Form) }

// voted returns the UPOS that most occurrences of a form vote for, "" if that is not
// clear.
func (b *bench) voted(form string) string {
	best, first, second := "", 0, 0
	for upos, n := range b.votes[form] {
		switch {
		case n > first:
			best, first, second = upos, n, first
		case n > second:
			second = n
		}
	}
	if b.said[form].Count < 2 || float64(first-second) <= outstanding*float64(first) {
		return ""
	}
	return best
}

// tagged are the sentences with tags in one of the ways; of the model, with trees.
func (b *bench) tagged(way string) ([]syntax.Sentence, error) {
	out := syntax.Clone(b.gold)
	m := b.model
	if way == "revise" && m != nil {
		m = m.Revised(b.revise)
	}
	for i := range out {
		s := &out[i]
		r := tag.Request{}
		for j := range s.Words {
			w := &s.Words[j]
			w.UPOS, w.XPOS, w.Feats, w.Lemma = "", "", "", ""
			was := &b.plain[i]
			if upos := b.voted(key(w)); way == "vote" && upos != "" && upos != was.Words[j].UPOS && 2*was.TagProb[j]-1 < credible {
				w.UPOS = upos
			}
		}
		if way == "revise" {
			r.Revisions = b.revise
		}
		if m == nil {
			b.tagger.TagWith(s, r)
			continue
		}
		m.Encode([]*syntax.Sentence{s})
		m.Tag(s, false)
		m.Prune(s)
		if err := m.Parse(s, search.Options{Seed: 1}); err != nil {
			return nil, err
		}
		s.Candidates, s.Dense = syntax.Candidates{}, syntax.Dense{}
	}
	return out, nil
}

func (b *bench) row(w io.Writer, way string) error {
	got, err := b.tagged(way)
	if err != nil {
		return err
	}
	base, err := b.tagged("default")
	if err != nil {
		return err
	}
	right, mended, spoilt := 0, 0, 0
	for i := range b.gold {
		for j := range b.gold[i].Words {
			gold := b.gold[i].Words[j].UPOS
			now, before := got[i].Words[j].UPOS == gold, base[i].Words[j].UPOS == gold
			if b.said[key(&b.gold[i].Words[j])].Count >= 2*int64(b.copies) && now {
				right++
			}
			if now && !before {
				mended++
			}
			if before && !now {
				spoilt++
			}
		}
	}
	r, err := eval.Evaluate(b.gold, got)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| %s | %.2f | %d | %d | %.2f | %.2f |", way, 100*float64(right)/float64(max(b.occurrences, 1)), mended, spoilt,
		100*r.Scores[eval.UPOS].F1(), 100*r.Scores[eval.UFeats].F1())
	if b.model == nil {
		fmt.Fprintln(w, " | |")
		return nil
	}
	fmt.Fprintf(w, " %.2f | %.2f |\n", 100*r.Scores[eval.UAS].F1(), 100*r.Scores[eval.LAS].F1())
	return nil
}
