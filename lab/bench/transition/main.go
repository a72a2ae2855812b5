// Package transition measures parsing from left to right (package
// lab/family/transition) on dev, with gold words and tags.
//
//	transition -train F.conllu -dev F.conllu [-epochs N]
//	transition -model M.tbm -dev F.conllu
//
// With -train it prints the UAS of perceptrons, by how they update and how wide
// their beam is, in training and in use: the best epoch on dev. Training leaves
// out trees with crossing arcs. Invalid is the share of wrongly parsed sentences
// that had no violation at the end, in the last epoch.
//
// With -model it looks for the best tree by the scores of the model's pruner, of
// sentences of up to 100 words: by beams, by best-first search, by a chart
// (Eisner 1996), and by the model's own search on all its scores. Loss is what
// the tree is worth less than the chart's, in nats a word.
package transition

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/lab/family/transition"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/graph"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	train := flag.String("train", "", "gold trees to learn from, a CoNLL-U `FILE`")
	dev := flag.String("dev", "", "gold trees to measure on, a CoNLL-U `FILE`")
	path := flag.String("model", "", "model `FILE`, or embedded")
	epochs := flag.Int("epochs", 8, "pass `N` times over the trees")
	flag.Parse()
	return run(*train, *dev, *path, *epochs)
}

func run(train, dev, path string, epochs int) error {
	gold, err := conllu.ReadAllWith(dev, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	switch {
	case train != "":
		list, err := conllu.ReadAllWith(train, conllu.Options{MultipleRoots: true})
		if err != nil {
			return err
		}
		return learn(examples(list), examples(gold), epochs)
	case path != "":
		m, err := model.Open(path)
		if err != nil {
			return err
		}
		return decode(m, gold)
	}
	return errors.New("give -train or -model")
}

func examples(list []syntax.Sentence) []transition.Example {
	out := make([]transition.Example, len(list))
	for i, s := range list {
		out[i].Head = []int32{0}
		for _, w := range s.Words {
			out[i].Words = append(out[i].Words, transition.Word{Form: hash.String(w.Form), Tag: hash.String(w.UPOS)})
			out[i].Head = append(out[i].Head, w.Head)
		}
	}
	return out
}

// learn prints the table of strategies and beams.
func learn(train, dev []transition.Example, epochs int) error {
	fmt.Println("| update | beam 1 | 2 | 4 | 8 | invalid |\n|---|---|---|---|---|---|")
	for s := transition.Skip; s <= transition.Latest; s++ {
		fmt.Printf("| %v |", s)
		invalid := ""
		for _, width := range []int{1, 2, 4, 8} {
			best, last := 0.0, transition.Counts{}
			_, err := transition.Train(train, transition.TrainOptions{Strategy: s, Width: width, Epochs: epochs, Seed: 1}, func(_ int, p *transition.Perceptron, c transition.Counts) {
				best, last = max(best, accuracy(p, width, dev)), c
			})
			if err != nil {
				return err
			}
			fmt.Printf(" %.2f |", best)
			share := fmt.Sprintf("%.0f", 100*float64(last.Invalid)/float64(max(last.Wrong, 1)))
			if s == transition.Early {
				share = "-"
			}
			if invalid != "" {
				share = ", " + share
			}
			invalid += share
		}
		fmt.Printf(" %s |\n", invalid)
	}
	return nil
}

func accuracy(p *transition.Perceptron, width int, dev []transition.Example) float64 {
	b := transition.Beam{Width: width, OneRoot: true}
	right, words := 0, 0
	for _, e := range dev {
		head := make([]int32, len(e.Head))
		p.Read(e.Words)
		b.Decode(len(e.Words), p, head)
		for m := 1; m < len(head); m++ {
			words++
			if head[m] == e.Head[m] {
				right++
			}
		}
	}
	return 100 * float64(right) / float64(max(words, 1))
}

// A row is a decoder, and what it did.
type row struct {
	name    string
	decode  func(a *graph.Arcs, s *syntax.Sentence, head []int32) (states int)
	right   int
	best    int // sentences whose tree is worth as much as the chart's
	loss    int64
	states  int
	elapsed time.Duration
}

const missing = 16 << 10 // cost of an arc that is no candidate

func decode(m *model.Model, gold []syntax.Sentence) error {
	rows := decoders(m)
	words, sentences := 0, 0
	for i := range gold {
		s := gold[i].Window(0, len(gold[i].Words))
		if s.Len() > 100 || s.Len() == 0 {
			continue
		}
		m.Prune(&s)
		a := graph.Of(&s.Candidates)
		chart := make([]int32, s.Len()+1)
		if new(transition.Eisner).Tree(&a, chart) > 0 {
			continue // the candidates hold no projective tree
		}
		words += s.Len()
		sentences++
		for k := range rows {
			r, head := &rows[k], make([]int32, s.Len()+1)
			began := time.Now()
			r.states += r.decode(&a, &s, head)
			r.elapsed += time.Since(began)
			loss := worth(&a, chart) - worth(&a, head)
			if r.loss += loss; loss == 0 {
				r.best++
			}
			for m := 1; m < len(head); m++ {
				if head[m] == gold[i].Words[m-1].Head {
					r.right++
				}
			}
		}
	}
	fmt.Println("| decoder | UAS | best tree % | loss | states per word | us per word |\n|---|---|---|---|---|---|")
	for _, r := range rows {
		n := float64(max(words, 1))
		fmt.Printf("| %s | %.2f | %.1f | %.4f | %.1f | %.1f |\n", r.name, 100*float64(r.right)/n, 100*float64(r.best)/float64(max(sentences, 1)),
			float64(r.loss)/1024/n, float64(r.states)/n, r.elapsed.Seconds()*1e6/n)
	}
	return nil
}

func decoders(m *model.Model) (rows []row) {
	var arcs transition.Arcs
	for _, width := range []int{1, 4, 16, 64} {
		b := transition.Beam{Width: width, OneRoot: true}
		rows = append(rows, row{name: fmt.Sprint("beam ", width), decode: func(a *graph.Arcs, s *syntax.Sentence, head []int32) int {
			arcs.Load(*a, missing)
			b.Decode(s.Len(), &arcs, head)
			return 2 * s.Len() * width
		}})
	}
	first := transition.BestFirst{OneRoot: true, Limit: 1 << 20}
	var chart transition.Eisner
	return append(rows,
		row{name: "best first", decode: func(a *graph.Arcs, s *syntax.Sentence, head []int32) int {
			arcs.Load(*a, missing)
			first.Decode(s.Len(), &arcs, head)
			return first.Finished()
		}},
		row{name: "chart", decode: func(a *graph.Arcs, _ *syntax.Sentence, head []int32) int {
			chart.Tree(a, head)
			return 0
		}},
		row{name: "search, lifted", decode: func(_ *graph.Arcs, s *syntax.Sentence, head []int32) int { return parse(m, s, head, true) }},
		row{name: "search", decode: func(_ *graph.Arcs, s *syntax.Sentence, head []int32) int { return parse(m, s, head, false) }})
}

// parse is the default search. What it cannot parse keeps no heads.
func parse(m *model.Model, s *syntax.Sentence, head []int32, projective bool) int {
	if m.Decoder.Parse(s, search.Options{Seed: 1, Projective: projective}) == nil {
		for i := range s.Words {
			head[i+1] = s.Words[i].Head
		}
	}
	return 0
}

// worth is the sum of the scores of a tree's arcs; one that is no candidate costs
// as much as missing.
func worth(a *graph.Arcs, head []int32) (sum int64) {
	for m := 1; m <= a.N(); m++ {
		lo, hi := a.Span(m)
		score := int32(-missing)
		for i := lo; i < hi; i++ {
			if a.Heads[i] == head[m] {
				score = a.Score[i]
			}
		}
		sum += int64(score)
	}
	return sum
}
