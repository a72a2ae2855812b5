// Command spine measures what it brings to prune labelled arcs beforehand, as
// Carreras, Collins and Koo (2008) do: relations that are rare between the tags
// of two words are not considered. A row is a threshold, relative to the
// commonest relation: gold relations kept, relations a word, words that are
// left with one, accuracy of labels with gold heads and LAS with the parser's,
// and the time of the label model, the least of seven for every
// sentence.
//
//	spine -model M.tbm -train TRAIN.conllu -dev DEV.conllu
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/label"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

func main() {
	path := flag.String("model", "", "model `FILE`")
	train := flag.String("train", "", "gold trees to count relations in, a CoNLL-U `FILE`")
	dev := flag.String("dev", "", "gold trees to label, a CoNLL-U `FILE`")
	flag.Parse()
	if err := run(*path, *train, *dev); err != nil {
		fmt.Fprintln(os.Stderr, "spine:", err)
		os.Exit(1)
	}
}

func run(path, trainPath, devPath string) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	train, err := conllu.ReadAllWith(trainPath, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	dev, err := conllu.ReadAllWith(devPath, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	for i := range train { // relations between the tags that the model gives
		m.Tag(&train[i], true)
	}
	parsed, gold := make([]syntax.Sentence, len(dev)), make([]syntax.Sentence, len(dev))
	for i := range dev {
		s := dev[i]
		s.Words = slices.Clone(s.Words)
		m.Tag(&s, true)
		m.Prune(&s)
		gold[i] = s
		gold[i].Words = slices.Clone(s.Words) // own tags, gold heads
		if err := m.Decoder.Parse(&s, search.Options{Seed: 1}); err != nil {
			return err
		}
		parsed[i] = s
	}
	fmt.Println("| threshold | gold relations kept | relations a word | words with one | labels changed | label accuracy, gold heads | LAS | us per word |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	var before []string
	for _, least := range []float64{0, 1e-6, 1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3} {
		l := m.Labeler
		if least > 0 {
			l = l.Narrowed(train, least)
		}
		words, kept, single, relations := l.Coverage(gold)
		onGold, _, _ := labelAll(l, gold, dev)
		las, names, times := labelAll(l, parsed, dev)
		for range 6 {
			_, _, again := labelAll(l, parsed, dev)
			for i := range times {
				times[i] = min(times[i], again[i])
			}
		}
		elapsed := time.Duration(0)
		for _, t := range times {
			elapsed += t
		}
		if before == nil {
			before = names
		}
		changed := 0
		for i := range names {
			if names[i] != before[i] {
				changed++
			}
		}
		fmt.Printf("| %g | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", least, percent(kept, words), float64(relations)/float64(words), percent(single, words),
			percent(changed, words), percent(onGold, words), percent(las, words), float64(elapsed.Nanoseconds())/1000/float64(words))
	}
	return nil
}

// labelAll labels copies of the sentences. It returns how many words have the
// right head and relation, all relations, and the time of every sentence.
func labelAll(l *label.Model, list, gold []syntax.Sentence) (right int, names []string, times []time.Duration) {
	for i := range list {
		s := list[i]
		s.Words = slices.Clone(s.Words)
		begin := time.Now()
		l.Label(&s)
		times = append(times, time.Since(begin))
		for k := range s.Words {
			names = append(names, s.Words[k].Deprel)
			if g := &gold[i].Words[k]; g.Head == s.Words[k].Head && g.Deprel == s.Words[k].Deprel {
				right++
			}
		}
	}
	return right, names, times
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
