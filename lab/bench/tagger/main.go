// Package tagger learns tags by a small network of convolutions over hashed atoms of words,
// and compares it with the program's tagger, alone and added to it by syntax.Dense, on gold
// words:
//
//	tagger -train F -dev F [-silver F -silver-words N] [-width 96] [-layers 2] [-epochs 15]
//
// It prints accuracies on dev after every epoch, what a word costs, and what the scores of
// the network add to the lattice under several factors. Factor 0 is a check: it must change
// nothing. Tags of the lattice are trained without cases and lexicons.
package tagger

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Set by Main: the programs of bench share one flag set.
var (
	trainFile, devFile, silverFile                           *string
	silverWords, width, layers, rows, epochs, batch, workers *int
	rate, drop, wordDrop                                     *float64
	grams                                                    *bool
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	trainFile = flag.String("train", "", "treebank")
	devFile = flag.String("dev", "", "treebank")
	silverFile = flag.String("silver", "", "text that a better model has tagged")
	silverWords = flag.Int("silver-words", 500000, "of it")
	width = flag.Int("width", 128, "numbers of a vector, a multiple of 16")
	layers = flag.Int("layers", 3, "of convolutions")
	rows = flag.Int("rows", 1<<17, "of the table")
	epochs = flag.Int("epochs", 10, "over all sentences")
	batch = flag.Int("batch", 600, "words")
	rate = flag.Float64("rate", 0.002, "of Adam at the beginning")
	drop = flag.Float64("drop", 0.2, "share of the numbers of first vectors that are dropped")
	wordDrop = flag.Float64("worddrop", 0.1, "share of words that show affixes and shape alone")
	workers = flag.Int("j", 2, "threads")
	grams = flag.Bool("grams", false, "trigrams of letters, too")
	flag.Parse()
	gold, err := conllu.ReadAllWith(*trainFile, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	dev, err := conllu.ReadAllWith(*devFile, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	all := gold
	if *silverFile != "" {
		silver, err := conllu.ReadAllWith(*silverFile, conllu.Options{MultipleRoots: true})
		if err != nil {
			return err
		}
		x := train.NewSampler(train.Treebank{Sentences: gold}, train.Treebank{Sentences: dev}, *silverWords, 0)
		for i := range silver {
			x.Add(0, &silver[i])
		}
		fmt.Println(x)
		list := x.Sentences(1)[0]
		all = nil
		k := 0
		for i := range gold {
			all = append(all, gold[i])
			for ; k < len(list)*(i+1)/len(gold); k++ {
				all = append(all, list[k])
			}
		}
	}
	begun := time.Now()
	m, err := tag.Train(all, nil, tag.Options{Workers: *workers, Seed: 1})
	if err != nil {
		return err
	}
	fmt.Printf("lattice: %.0f s, %v\n", time.Since(begun).Seconds(), m.Measure(dev))
	l := newLearner(m, gold)
	examples := l.examples(all, true)
	devs := l.examples(dev, false)
	n := newNetwork(*rows, *width, *layers, l.heads, 7)
	n.drop, n.wordDrop = float32(*drop), float32(*wordDrop)
	fmt.Printf("network: %d weights beside the table; parts %d and %d\n", len(n.dense), l.heads[0].n, l.heads[1].n)
	begun = time.Now()
	n.train(examples, *epochs, *batch, *rate, *workers, 1, func(epoch int, loss float64) {
		fmt.Printf("epoch %d, loss %.4f, %.0f s: dev %s\n", epoch, loss, time.Since(begun).Seconds(), l.measure(n, devs, dev))
	})
	q := newQuantized(n)
	fmt.Printf("in 8 bits: dev %s\n", l.measure(q, devs, dev))
	for range 3 {
		l.clock(q, m, devs, dev)
	}
	for _, f := range []float64{0, 0.05, 0.1, 0.15, 0.2, 0.3} {
		fmt.Printf("added to the lattice, %.2f: %v\n", f, l.together(n, m, devs, dev, f))
	}
	return nil
}

// A learner knows the labels of a tagger and the atoms of forms.
type learner struct {
	m      *tag.Model
	heads  [2]labels
	tags   map[[2]string]uint16
	feats  map[[3]string]uint16
	links  map[[2]uint16]bool
	fine   bool
	casing word.Casing
	memo   word.Memo[atoms]
	name   [][3]string // of each label of FEATS: UPOS, FEATS, fine XPOS
}

type atoms struct {
	word.Form
	rows []int32
}

func newLearner(m *tag.Model, gold []syntax.Sentence) *learner {
	l := &learner{m: m, tags: map[[2]string]uint16{}, feats: map[[3]string]uint16{}, links: map[[2]uint16]bool{}, casing: word.LearnCasing(gold)}
	parts := map[string]uint16{}
	part := func(ls *labels, name string) uint16 {
		id, ok := parts[name]
		if !ok {
			id = uint16(ls.n)
			ls.n++
			parts[name] = id
		}
		return id
	}
	for t := range m.NumTags() {
		u, x := m.TagName(t)
		l.fine = l.fine || x != ""
		l.tags[[2]string{u, x}] = uint16(t)
		l.heads[0].parts = append(l.heads[0].parts, []uint16{part(&l.heads[0], "0"+u), part(&l.heads[0], "0"+u+" "+x)})
	}
	l.fine = !l.fine
	// labels of FEATS: by UPOS and name; several UPOS may share a name
	for f := range m.NumFeats() {
		feats, x := m.FeatsName(f)
		l.name = append(l.name, [3]string{"", feats, x})
		var list []uint16
		for _, a := range strings.Split(feats, "|") {
			list = append(list, part(&l.heads[1], "1"+a))
		}
		if x != "" {
			list = append(list, part(&l.heads[1], "x"+x))
		}
		list = append(list, part(&l.heads[1], fmt.Sprint("bundle", f)))
		l.heads[1].parts = append(l.heads[1].parts, list)
	}
	// Which bundle belongs to which tag is not told; bundles are numbered by UPOS, FEATS, XPOS, sorted.
	seen := map[[3]string]bool{}
	var sorted [][3]string
	for s := range gold {
		for i := range gold[s].Words {
			w := &gold[s].Words[i]
			c := [3]string{w.UPOS, w.Feats, ""}
			if l.fine {
				c[2] = w.XPOS
			}
			if !seen[c] {
				seen[c] = true
				sorted = append(sorted, c)
			}
		}
	}
	slices.SortFunc(sorted, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	if len(sorted) != m.NumFeats() {
		panic(fmt.Sprint(len(sorted), " bundles, not ", m.NumFeats()))
	}
	for f, c := range sorted {
		if c[1] != l.name[f][1] || c[2] != l.name[f][2] {
			panic("other order")
		}
		l.feats[c] = uint16(f)
		l.heads[1].parts[f] = append(l.heads[1].parts[f], part(&l.heads[1], "upos"+c[0]))
	}
	every := make([]uint16, m.NumTags())
	for i := range every {
		every[i] = uint16(i)
	}
	l.heads[0].among = [][]uint16{every}
	l.heads[1].among = make([][]uint16, m.NumTags())
	for s := range gold {
		for i := range gold[s].Words {
			t, f, _ := l.labelsOf(&gold[s].Words[i])
			if !l.links[[2]uint16{t, f}] {
				l.links[[2]uint16{t, f}] = true
				l.heads[1].among[t] = append(l.heads[1].among[t], f)
			}
		}
	}
	for _, list := range l.heads[1].among {
		slices.Sort(list)
	}
	return l
}

func (l *learner) labelsOf(w *syntax.Word) (t, f uint16, ok bool) {
	x := w.XPOS
	c := [3]string{w.UPOS, w.Feats, ""}
	if l.fine {
		c[2], x = x, ""
	}
	t, a := l.tags[[2]string{w.UPOS, x}]
	f, b := l.feats[c]
	return t, f, a && b
}

func (l *learner) atomsOf(s string) []int32 {
	a, fresh := l.memo.Find(s)
	if fresh || a.rows == nil {
		a.Form = word.Form{}
		a.Read(s, l.casing)
		row := func(template, x uint64) {
			if x != 0 {
				a.rows = append(a.rows, int32(hash.Pair(template, x)%uint64(*rows)))
			}
		}
		row(1, a.Hash)
		row(2, a.Lower)
		row(3, a.Shape)
		row(4, a.Long)
		row(5, uint64(a.Signs)+1)
		for k := range 4 {
			row(10+uint64(k), a.Prefix[k])
		}
		for k := range 6 {
			row(20+uint64(k), a.Suffix[k])
		}
		if *grams {
			for k := 0; k+3 <= len(a.Runes); k++ {
				row(30, hash.Runes(a.Runes[k:k+3]))
			}
		}
		a.rows = slices.Clone(a.rows)
	}
	return a.rows
}

func (l *learner) examples(sents []syntax.Sentence, learns bool) []*sentence {
	var out []*sentence
next:
	for i := range sents {
		s := &sentence{weight: sents[i].Step()}
		for j := range sents[i].Words {
			w := &sents[i].Words[j]
			t, f, ok := l.labelsOf(w)
			if learns && (!ok || !l.links[[2]uint16{t, f}]) {
				continue next
			}
			s.atoms = append(s.atoms, l.atomsOf(w.Form))
			s.gold[0], s.gold[1] = append(s.gold[0], t), append(s.gold[1], f)
			s.within[0], s.within[1] = append(s.within[0], 0), append(s.within[1], t)
		}
		out = append(out, s)
	}
	return out
}

// A scorer scores the parts of both heads for the words of a sentence.
type scorer interface {
	logits(s *sentence) [2][]float32
}

func (n *network) logits(s *sentence) (out [2][]float32) {
	p := &pass{}
	n.forward(p, []*sentence{s}, 0)
	for h, k := range n.padded {
		out[h] = p.logits[h][k:]
	}
	return out
}

func (q *quantized) logits(s *sentence) [2][]float32 {
	x := &scratch8{}
	var first [][]float32
	for _, atoms := range s.atoms {
		first = append(first, q.first(x, atoms))
	}
	q.run(x, first)
	return x.logits
}

// clock prints what a word costs: with the lattice, FEATS and lemmas included; in the
// network, where the first vectors of forms are remembered, and labels chosen.
func (l *learner) clock(q *quantized, m *tag.Model, list []*sentence, gold []syntax.Sentence) {
	tagged := syntax.Clone(gold)
	words := float64(syntax.CountWords(gold))
	begun := time.Now()
	for i := range tagged {
		m.Tag(&tagged[i], tag.Request{Retag: true})
	}
	lattice := time.Since(begun)
	x := &scratch8{}
	known := map[string][]float32{}
	var first [][]float32
	begun = time.Now()
	sum := 0
	for i, s := range list {
		first = first[:0]
		for j, atoms := range s.atoms {
			form := gold[i].Words[j].Form
			v, ok := known[form]
			if !ok {
				v = q.first(x, atoms)
				known[form] = v
			}
			first = append(first, v)
		}
		q.run(x, first)
		for j := range s.atoms {
			t := l.heads[0].best(x.logits[0][j*q.n.padded[0]:], 0)
			sum += int(t) + int(l.heads[1].best(x.logits[1][j*q.n.padded[1]:], t))
		}
	}
	micro := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / words }
	fmt.Printf("lattice and lemmas %.2f us a word, network %.2f us (%d)\n", micro(lattice), micro(time.Since(begun)), sum)
}

func (l *learner) measure(n scorer, list []*sentence, gold []syntax.Sentence) string {
	var right [4]int
	words := 0
	padded := [2]int{(l.heads[0].n + 15) / 16 * 16, (l.heads[1].n + 15) / 16 * 16}
	for i, s := range list {
		logits := n.logits(s)
		for j := range s.atoms {
			t := l.heads[0].best(logits[0][j*padded[0]:], 0)
			f := l.heads[1].best(logits[1][j*padded[1]:], t)
			u, x := l.m.TagName(int(t))
			feats, fine := l.m.FeatsName(int(f))
			w := &gold[i].Words[j]
			a, b, c := u == w.UPOS, x+fine == w.XPOS, feats == w.Feats
			for k, ok := range []bool{a, b, c, a && b && c} {
				if ok {
					right[k]++
				}
			}
			words++
		}
	}
	share := func(k int) float64 { return 100 * float64(right[k]) / float64(words) }
	return fmt.Sprintf("UPOS %.2f, XPOS %.2f, FEATS %.2f, all %.2f", share(0), share(1), share(2), share(3))
}

// together tags with the log-scores of the network added to those of the lattice.
func (l *learner) together(n *network, m *tag.Model, list []*sentence, gold []syntax.Sentence, factor float64) tag.Accuracy {
	p := &pass{}
	tagged := syntax.Clone(gold)
	for i, s := range list {
		n.forward(p, []*sentence{s}, 0)
		d := &tagged[i].Dense
		d.Tags, d.Feats = nil, nil
		for j := range s.atoms {
			r := j + 1
			for t := range m.NumTags() {
				d.Tags = append(d.Tags, int32(factor*score.Unit*float64(l.heads[0].score(p.logits[0][r*n.padded[0]:], uint16(t)))))
			}
			for f := range m.NumFeats() {
				d.Feats = append(d.Feats, int32(factor*score.Unit*float64(l.heads[1].score(p.logits[1][r*n.padded[1]:], uint16(f)))))
			}
		}
		m.Tag(&tagged[i], tag.Request{Retag: true})
	}
	return compare(gold, tagged)
}

func compare(gold, tagged []syntax.Sentence) tag.Accuracy {
	var a tag.Accuracy
	words := 0.0
	for i := range gold {
		for j := range gold[i].Words {
			g, w := &gold[i].Words[j], &tagged[i].Words[j]
			u, x, f := g.UPOS == w.UPOS, g.XPOS == w.XPOS, g.Feats == w.Feats
			for k, ok := range []bool{u, x, f, g.Lemma == w.Lemma, u && x && f} {
				if ok {
					*[]*float64{&a.UPOS, &a.XPOS, &a.Feats, &a.Lemma, &a.All}[k]++
				}
			}
			words++
		}
	}
	for _, x := range []*float64{&a.UPOS, &a.XPOS, &a.Feats, &a.Lemma, &a.All} {
		*x *= 100 / words
	}
	return a
}
