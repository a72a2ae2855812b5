// Command clusters measures what files of classes of words (treebeam cluster) bring
// to the stages that see them: it trains the tagger of a treebank, and the pruner
// and parser on gold tags, with each file, and prints a line of figures on dev for
// each; "-" stands for no file. Trees have neither tensor nor relations. -least
// leaves out the words of a file that are too rare.
//
//	go run ./bench/clusters -train T.conllu -dev D.conllu [-least N] [-stages tagger,trees] - FILE...
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"

	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/parser/word"
)

var (
	trainFile = flag.String("train", "", "treebank to learn from")
	devFile   = flag.String("dev", "", "treebank to measure on")
	least     = flag.Int64("least", 0, "leave out words that occur less often in a file")
	stages    = flag.String("stages", "tagger,trees", "what is trained")
	folds     = flag.Int("folds", 3, "of jackknifed candidates")
	seed      = flag.Uint64("seed", 1, "of all training")
)

func main() {
	flag.Parse()
	log.SetFlags(0)
	train, dev := read(*trainFile), read(*devFile)
	casing := word.LearnCasing(train)
	for _, path := range flag.Args() {
		name, clusters := "none", (*word.Clusters)(nil)
		if path != "-" {
			clusters = open(path, casing)
			name = fmt.Sprintf("%s (%.1f %% of train, %.1f %% of dev)", path, 100*clusters.Share(train, casing), 100*clusters.Share(dev, casing))
		}
		fmt.Print(name)
		if strings.Contains(*stages, "tagger") {
			m, err := tag.Train(train, nil, tag.Options{Seed: *seed, Workers: runtime.GOMAXPROCS(0), Clusters: clusters})
			check(err)
			fmt.Printf(": %v", m.Measure(dev))
		}
		if strings.Contains(*stages, "trees") {
			recall, uas := trees(train, dev, clusters)
			fmt.Printf("; trees of gold tags: recall of the pruner %.2f, UAS %.2f", recall, uas)
		}
		fmt.Println()
	}
}

// read returns the sentences of a treebank.
func read(path string) []syntax.Sentence {
	bank, err := treebank.Read(path)
	check(err)
	return bank.Sentences
}

// open reads a file of classes.
func open(path string, casing word.Casing) *word.Clusters {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	table, err := cluster.Read(file)
	check(err)
	var list []word.ClusterWord
	for _, r := range table.Rows {
		if r.Count >= *least {
			list = append(list, word.ClusterWord{Bits: r.Bits, Form: r.Word, Count: r.Count})
		}
	}
	c, err := word.NewClusters(list, casing)
	check(err)
	return c
}

// trees trains a pruner and a parser on gold tags, and returns the recall of the
// pruner and the unlabeled attachment score on dev, in percent.
func trees(train, dev []syntax.Sentence, clusters *word.Clusters) (recall, uas float64) {
	train, dev = oneRoot(train), oneRoot(dev)
	words := word.Learn(train).WithClusters(clusters)
	o := prune.Options{Seed: *seed, Workers: runtime.GOMAXPROCS(0)}
	p, err := prune.Train(words, train, dev, o)
	check(err)
	_, err = prune.Jackknife(train, *folds, p, o)
	check(err)
	gold, right, kept := 0, 0, 0
	for i := range dev {
		p.Prune(&dev[i])
	}
	m, err := search.Train(words, train, dev, search.TrainOptions{Seed: *seed, Workers: runtime.GOMAXPROCS(0)})
	check(err)
	for i := range dev {
		s := syntax.Clone(dev[i : i+1])[0]
		check(m.Parse(&s, search.Options{}))
		for j := range s.Words {
			head := dev[i].Words[j].Head
			gold++
			if s.Words[j].Head == head {
				right++
			}
			for _, h := range dev[i].Candidates.Of(j + 1) {
				if h == head {
					kept++
				}
			}
		}
	}
	percent := func(n int) float64 { return 100 * float64(n) / float64(gold) }
	return percent(kept), percent(right)
}

// oneRoot returns copies of the sentences whose trees have one root.
func oneRoot(list []syntax.Sentence) (out []syntax.Sentence) {
	for _, s := range syntax.Clone(list) {
		roots := 0
		for j := range s.Words {
			if s.Words[j].Head == syntax.Root {
				roots++
			}
		}
		if roots == 1 {
			out = append(out, s)
		}
	}
	return out
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
