// Command classes measures how well classes of words agree with the tags of a
// treebank: every class counts as the UPOS that it has most often in train
// ("many to one"), and the share of the words of dev that have it is printed.
//
//	go run ./bench/classes -train xx-ud-train.conllu -dev xx-ud-dev.conllu FILE...
//
// FILE is what treebeam cluster writes. Words without a class count as one class.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func main() {
	trainFile := flag.String("train", "", "learn what classes mean from `FILE`")
	devFile := flag.String("dev", "", "measure on `FILE`")
	flag.Parse()
	train, err := conllu.ReadAll(*trainFile)
	if err != nil {
		log.Fatal(err)
	}
	dev, err := conllu.ReadAll(*devFile)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| classes | words of dev that have one (%) | many to one (%) |\n|---|---|---|")
	for _, name := range flag.Args() {
		f, err := os.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		table, err := cluster.Read(f)
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		f.Close()
		covered, right := measure(table.Map(), train, dev)
		fmt.Printf("| %s, %d | %.2f | %.2f |\n", name, table.Classes(), covered, right)
	}
}

// measure returns which percentage of the words of dev have a class, and that of those
// whose UPOS is that of their class.
func measure(classes map[string]string, train, dev []syntax.Sentence) (covered, right float64) {
	const none = "-"
	of := func(form string) string {
		if bits, ok := classes[word.Plain(form)]; ok {
			return bits
		}
		return none
	}
	counts := map[string]map[string]int{}
	for i := range train {
		for j := range train[i].Words {
			w := &train[i].Words[j]
			c := of(w.Form)
			if counts[c] == nil {
				counts[c] = map[string]int{}
			}
			counts[c][w.UPOS]++
		}
	}
	tag := map[string]string{}
	for c, tags := range counts {
		var names []string
		for t := range tags {
			names = append(names, t)
		}
		slices.Sort(names) // of equally frequent ones, the first
		for _, t := range names {
			if tag[c] == "" || tags[t] > tags[tag[c]] {
				tag[c] = t
			}
		}
	}
	words, with, same := 0, 0, 0
	for i := range dev {
		for j := range dev[i].Words {
			w := &dev[i].Words[j]
			c := of(w.Form)
			words++
			if c != none {
				with++
			}
			if tag[c] == w.UPOS {
				same++
			}
		}
	}
	return 100 * float64(with) / float64(max(words, 1)), 100 * float64(same) / float64(max(words, 1))
}
