package treebeam_test

import (
	"fmt"
	"log"

	"github.com/treebeam/treebeam"
)

func Example() {
	m, err := treebeam.Open("") // the built-in English
	if err != nil {
		log.Fatal(err)
	}
	sentences, err := m.Parse("The old boat wasn't theirs to sell. Nobody said so.")
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sentences {
		fmt.Println(s.Text)
		for i, w := range s.Words {
			fmt.Println(i+1, w.Form, w.Lemma, w.UPOS, w.Head, w.Deprel)
		}
	}
	// Output:
	// The old boat wasn't theirs to sell.
	// 1 The the DET 3 det
	// 2 old old ADJ 3 amod
	// 3 boat boat NOUN 6 nsubj
	// 4 was be AUX 6 cop
	// 5 n't not PART 6 advmod
	// 6 theirs their PRON 0 root
	// 7 to to PART 8 mark
	// 8 sell sell VERB 6 advcl
	// 9 . . PUNCT 6 punct
	// Nobody said so.
	// 1 Nobody nobody PRON 2 nsubj
	// 2 said say VERB 0 root
	// 3 so so ADV 2 advmod
	// 4 . . PUNCT 2 punct
}

// Each word has its bytes in the text and the probability of its head. The words of a
// multiword token have the same bytes.
func ExampleModel_Parse() {
	m, err := treebeam.Open("")
	if err != nil {
		log.Fatal(err)
	}
	text := "We don't eat pizza with forks."
	sentences, err := m.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range sentences[0].Words {
		fmt.Printf("%-5s %-7q %.2f\n", w.Form, text[w.Start:w.End], w.HeadConf)
	}
	// Output:
	// We    "We"    0.99
	// do    "don't" 0.99
	// n't   "don't" 0.99
	// eat   "eat"   0.98
	// pizza "pizza" 1.00
	// with  "with"  0.99
	// forks "forks" 0.77
	// .     "."     0.99
}

func ExampleModel_ParseWords() {
	m, err := treebeam.Open("")
	if err != nil {
		log.Fatal(err)
	}
	s, err := m.ParseWords([]string{"Nobody", "said", "so", "."})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range s.Words {
		fmt.Println(w.Form, w.Head, w.Deprel)
	}
	// Output:
	// Nobody 2 nsubj
	// said 0 root
	// so 2 advmod
	// . 2 punct
}

func ExampleAppendCoNLLU() {
	m, err := treebeam.Open("")
	if err != nil {
		log.Fatal(err)
	}
	sentences, err := m.Parse("It rained.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", treebeam.AppendCoNLLU(nil, "weather", sentences))
	// Output:
	// # newdoc id = weather
	// # newpar
	// # sent_id = weather@0
	// # text = It rained.
	// 1	It	it	PRON	PRP	Case=Nom|Gender=Neut|Number=Sing|Person=3|PronType=Prs	2	nsubj	_	_
	// 2	rained	rain	VERB	VBD	Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin	0	root	_	SpaceAfter=No
	// 3	.	.	PUNCT	.	_	2	punct	_	_
}
