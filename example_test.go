package treebeam_test

import (
	"fmt"
	"log"

	"github.com/treebeam/treebeam"
)

func Example() {
	m, err := treebeam.Open("") // the accurate English model
	if err != nil {
		log.Fatal(err)
	}
	sentences, err := m.Parse("I can't remember who gave me this book. Nobody knows.")
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
	// I can't remember who gave me this book.
	// 1 I I PRON 4 nsubj
	// 2 ca can AUX 4 aux
	// 3 n't not PART 4 advmod
	// 4 remember remember VERB 0 root
	// 5 who who PRON 6 nsubj
	// 6 gave give VERB 4 ccomp
	// 7 me I PRON 6 iobj
	// 8 this this DET 9 det
	// 9 book book NOUN 6 obj
	// 10 . . PUNCT 4 punct
	// Nobody knows.
	// 1 Nobody nobody PRON 2 nsubj
	// 2 knows know VERB 0 root
	// 3 . . PUNCT 2 punct
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
	// do    "don't" 0.98
	// n't   "don't" 0.99
	// eat   "eat"   0.98
	// pizza "pizza" 0.99
	// with  "with"  0.99
	// forks "forks" 0.81
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
