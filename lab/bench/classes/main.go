// Package classes learns classes of words from text without trees, and writes them to
// standard output: a line for each word, with the bits of its class, the word and its
// count, and tabs between them. All of the text is in memory.
//
//	classes [-method brown] [-classes N] [-min 2] [-words 200000] [-passes N] [-seed 1] [-model FILE] FILE... > classes.tsv
//
// Words of .conllu files are taken as they are; other files are text, whose paragraphs
// have blank lines between them, and are cut by the model.
package classes

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/lab/family/cluster"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

const maxWords = 1000 // of a sentence of raw text, as in treebeam parse

// Main runs the measurement with the arguments of the command line.
func Main() error {
	method := flag.String("method", "brown", "make classes by merging (brown), stepwise EM (hmm) or sampling (type)")
	classes := flag.Int("classes", 0, "make at most `N` classes (brown 500, others 64)")
	least := flag.Int64("min", 2, "leave out words that occur less than `N` times")
	most := flag.Int("words", 200_000, "leave out all but the `N` most frequent words")
	passes := flag.Int("passes", 0, "with hmm or type: pass over the text `N` times (hmm 6, type 12)")
	seed := flag.Uint64("seed", 1, "with hmm or type: seed of the random choices")
	path := flag.String("model", "embedded", "model file that cuts text")
	flag.Parse()
	sentences, err := read(*path, flag.Args())
	if err != nil {
		return err
	}
	var table *cluster.Table
	switch *method {
	case "brown":
		table, err = cluster.Brown(cluster.CountSentences(sentences, *least, *most), cmp.Or(*classes, 500), nil)
	case "hmm":
		table, err = learn(cluster.HMM, sentences, *least, *most, cmp.Or(*classes, 64), cmp.Or(*passes, 6), *seed)
	case "type":
		table, err = learn(cluster.Type, sentences, *least, *most, cmp.Or(*classes, 64), cmp.Or(*passes, 12), *seed)
	default:
		err = fmt.Errorf("-method %s: want brown, hmm or type", *method)
	}
	if err != nil {
		return err
	}
	return table.Write(os.Stdout)
}

type method func(t *cluster.Text, classes, passes int, seed uint64, progress func(done, all int)) (*cluster.Table, error)

func learn(by method, sentences [][]string, least int64, most, classes, passes int, seed uint64) (*cluster.Table, error) {
	var text cluster.Collector
	for _, s := range sentences {
		if err := text.Add(s); err != nil {
			return nil, err
		}
	}
	return by(text.Text(least, most), classes, passes, seed, nil)
}

// read returns the forms of every sentence as all features see them.
func read(path string, files []string) (sentences [][]string, err error) {
	if len(files) == 0 {
		return nil, errors.New("name files of text, or of CoNLL-U")
	}
	m, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	add := func(list []syntax.Sentence) {
		for i := range list {
			forms := make([]string, len(list[i].Words))
			for k := range list[i].Words {
				forms[k] = word.Plain(list[i].Words[k].Form)
			}
			sentences = append(sentences, forms)
		}
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".conllu") {
			trees, err := conllu.ReadAllWith(name, conllu.Options{MultipleRoots: true, NoHeads: true})
			if err != nil {
				return nil, err
			}
			add(trees)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for block := range strings.SplitSeq(strings.ToValidUTF8(string(text), "\uFFFD"), "\n\n") {
			add(m.Segment(block, maxWords))
		}
	}
	return sentences, nil
}
