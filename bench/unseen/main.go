// Command unseen says what a model makes of words that its treebank lacks: it tags
// the gold words of dev, and prints how many of these words get the right UPOS and how
// many of their verbs are found. No parser takes part.
//
//	forms          words whose form is not in train, in no case: all of them
//	verb forms     those that are VERB
//	no verb forms  those that are not; right means not tagged VERB
//	verbs          VERB whose lemma is that of no VERB in train: gulls circle
//	               overhead, where train has the circle
//	new verbs      those of them whose form train has not either
//
// Forms are compared in small letters and plain (word.Plain).
//
//	unseen [-model FILE] -train en_ewt-ud-train.conllu -gold en_ewt-ud-dev.conllu
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

func main() {
	path := flag.String("model", "embedded", "model file, or embedded")
	train := flag.String("train", "", "treebank that the model has learned from")
	gold := flag.String("gold", "", "treebank to tag")
	flag.Parse()
	if err := run(os.Stdout, *path, *train, *gold); err != nil {
		fmt.Fprintln(os.Stderr, "unseen:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, path, train, gold string) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	known, err := conllu.ReadAll(train)
	if err != nil {
		return err
	}
	sents, err := conllu.ReadAll(gold)
	if err != nil {
		return err
	}
	tagged := syntax.Clone(sents)
	for i := range tagged {
		m.Tagger.Tag(&tagged[i], true)
	}
	for i, n := range count(known, sents, tagged) {
		fmt.Fprintf(w, "%-14s %5d words, %5d right, %6.2f %%\n", groups[i], n.words, n.right, 100*float64(n.right)/float64(max(n.words, 1)))
	}
	return nil
}

var groups = [...]string{"all", "forms", "verb forms", "no verb forms", "verbs", "new verbs"}

// A tally counts the words of a group, and those that are right.
type tally struct{ words, right int }

// count compares the UPOS of tagged sentences with gold, by groups.
func count(train, gold, tagged []syntax.Sentence) (list [len(groups)]tally) {
	forms, verbs := map[string]bool{}, map[string]bool{}
	for i := range train {
		for j := range train[i].Words {
			w := &train[i].Words[j]
			forms[key(w)] = true
			if w.UPOS == "VERB" {
				verbs[w.Lemma] = true
			}
		}
	}
	for i := range gold {
		for j := range gold[i].Words {
			g := &gold[i].Words[j]
			verb, found, upos := g.UPOS == "VERB", tagged[i].Words[j].UPOS == "VERB", tagged[i].Words[j].UPOS == g.UPOS
			form, lemma := !forms[key(g)], verb && !verbs[g.Lemma]
			for k, x := range [...]struct{ in, right bool }{
				{true, upos}, {form, upos}, {form && verb, found}, {form && !verb, !found}, {lemma, found}, {form && lemma, found},
			} {
				if x.in {
					list[k].words++
				}
				if x.in && x.right {
					list[k].right++
				}
			}
		}
	}
	return list
}

func key(w *syntax.Word) string { return strings.ToLower(word.Plain(w.Form)) }
