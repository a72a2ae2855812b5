package train

import (
	"fmt"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
)

func TestCheckNamesFaultAndLine(t *testing.T) {
	// Sentence 1 of the toy treebank: comments on lines 11 and 12 after the
	// 10 lines of sentence 0, words from line 13.
	cases := []struct {
		name  string
		spoil func(s *syntax.Sentence)
		fatal bool
		want  string
	}{
		{"cycle", func(s *syntax.Sentence) { s.Words[1].Head = 3 }, true, "cycle: 1, train.conllu:14"},
		{"own head", func(s *syntax.Sentence) { s.Words[3].Head = 4 }, true, "own head: 1, train.conllu:16"},
		{"outside", func(s *syntax.Sentence) { s.Words[6].Head = 8 }, true, "outside the sentence: 1, train.conllu:19"},
		{"no head", func(s *syntax.Sentence) { s.Words[1].Head, s.Words[1].Deprel = syntax.NoHead, "" }, false,
			"words without a head, which are left open: 1, train.conllu:14"},
		{"open", func(s *syntax.Sentence) { s.Words[1].Head = syntax.NoHead }, false,
			"train.conllu: partial trees: 1; open heads: 1, relations: 1, of words: 28"},
		{"bare", func(s *syntax.Sentence) { takeHeads(s); takeRelations(s, 0) }, false, "only segmenter and tagger learn: 1"},
		{"two open roots", func(s *syntax.Sentence) { takeHeads(s); takeRelations(s, 2) }, false,
			"relation root on a word without a head, next to another root: the head is left open: 2, train.conllu:13, train.conllu:14"},
		{"open cycle", func(s *syntax.Sentence) {
			s.Words[0].Head, s.Words[1].Head, s.Words[3].Head = syntax.NoHead, 3,
				1
		}, true, "cycle: 1, train.conllu:14"},
		{"no relation", func(s *syntax.Sentence) { s.Words[2].Deprel = "" }, false,
			"without a relation, which is left open: 1, train.conllu:15"},
		{"root", func(s *syntax.Sentence) { s.Words[2].Deprel = "root" }, false, "relation root"},
		{"text", func(s *syntax.Sentence) { s.Comments = s.Comments[:1] }, false,
			"without # text, whose text is made of forms and SpaceAfter: 1, train.conllu:11"},
		{"other text", func(s *syntax.Sentence) { s.Text = s.Words[0].Form + "." }, false,
			"# text differs from forms and SpaceAfter, which the segmenter learns from: 1, train.conllu:11"},
		{"roots", func(s *syntax.Sentence) {}, false,
			"several roots, left out when pruner, parser and labels are trained: 2, train.conllu:21, dev.conllu:21"},
		{"multiword", func(s *syntax.Sentence) {
			s.MWTs = []syntax.MultiwordToken{{First: 1, Last: 2}}
			s.Empty = []syntax.EmptyNode{{After: 0, Index: 1}, {After: 2, Index: 1}}
			s.Words[2].Deprel = ""
		}, false, "train.conllu:18"},
	}
	for _, c := range cases {
		train := toyTreebank("train", 4)
		c.spoil(&train.Sentences[1])
		r := Check(train, toyTreebank("dev", 4))
		var b strings.Builder
		r.WriteTo(&b)
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: report lacks %q:\n%s", c.name, c.want, b.String())
		}
		if err := r.Fatal(); (err != nil) != c.fatal || c.fatal && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: fatal = %v", c.name, err)
		}
	}
}

// takeRelations gives the first words of a sentence relation root, and the others none.
func takeRelations(s *syntax.Sentence, roots int) {
	for i := range s.Words {
		if s.Words[i].Deprel = ""; i < roots {
			s.Words[i].Deprel = "root"
		}
	}
}

// takeHeads leaves all heads of a sentence open.
func takeHeads(s *syntax.Sentence) {
	for i := range s.Words {
		s.Words[i].Head = syntax.NoHead
	}
}

// The development treebank must be complete, and some of train's trees.
func TestCheckRefusesWhatCannotBeOpen(t *testing.T) {
	for want, spoil := range map[string]func(train, dev *Treebank){
		"head in the development treebank: complete the tree or leave the sentence out: 1, dev.conllu:13": func(_, dev *Treebank) { dev.Sentences[1].Words[0].Head = syntax.NoHead },
		"relation in the development treebank: complete the DEPREL column: 1, dev.conllu:14":              func(_, dev *Treebank) { dev.Sentences[1].Words[1].Deprel = "" },
		"no sentence has exactly one root": func(train, _ *Treebank) {
			for i := range train.Sentences {
				takeHeads(&train.Sentences[i])
				takeRelations(&train.Sentences[i], 0)
			}
		},
		"no word has both a head and a relation": func(train, _ *Treebank) {
			for i := range train.Sentences {
				for j := range train.Sentences[i].Words {
					train.Sentences[i].Words[j].Deprel = ""
				}
			}
		},
	} {
		train, dev := toyTreebank("train", 4), toyTreebank("dev", 4)
		spoil(&train, &dev)
		if err := Check(train, dev).Fatal(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestCheckColumnsAndPairs(t *testing.T) {
	train, dev := toyTreebank("train", 4), toyTreebank("dev", 4)
	report := func() string {
		var b strings.Builder
		Check(train, dev).WriteTo(&b)
		return b.String()
	}
	if r := report(); !strings.Contains(r, "dev: 14.3 % of the words") || !strings.Contains(r, "in train too: 0 of 4") {
		t.Errorf("report:\n%s", r)
	}
	dev.Sentences[1] = train.Sentences[1]
	for i := range train.Sentences {
		for j := range train.Sentences[i].Words {
			train.Sentences[i].Words[j].XPOS = ""
		}
	}
	if r := report(); !strings.Contains(r, "in both treebanks") || !strings.Contains(r, "in train too: 1 of 4") ||
		!strings.Contains(r, "train.conllu: the XPOS column is empty") {
		t.Errorf("report:\n%s", r)
	}
	for i := range train.Sentences {
		for j := range train.Sentences[i].Words {
			train.Sentences[i].Words[j].UPOS = ""
			train.Sentences[i].Words[j].Form += "!"
		}
	}
	if r := report(); !strings.Contains(r, "error: train.conllu: the UPOS column is empty") ||
		!strings.Contains(r, "of one language") {
		t.Errorf("report:\n%s", r)
	}
	if err := Check(Treebank{Name: "none.conllu"}, dev).Fatal(); err == nil ||
		!strings.Contains(err.Error(), "none.conllu has no words") {
		t.Errorf("an empty treebank: %v", err)
	}
}

// A root is known by its relation, and nothing is learned from other relations alone.
func TestCheckOfRelationsAlone(t *testing.T) {
	train, dev := toyTreebank("train", 2), toyTreebank("dev", 2)
	takeHeads(&train.Sentences[0])
	n := len(train.Sentences[0].Words)
	var b strings.Builder
	Check(train, dev).WriteTo(&b)
	if want := fmt.Sprintf("words without a head, which are left open: %d", n-1); !strings.Contains(b.String(),
		want) || strings.Contains(b.String(), "only segmenter and tagger") {
		t.Errorf("report lacks %q, or says that a sentence with a root teaches no tree:\n%s", want, &b)
	}
	takeHeads(&train.Sentences[1])
	if err := Check(train, dev).Fatal(); err == nil ||
		!strings.Contains(err.Error(), "no word has both a head and a relation") {
		t.Errorf("relations alone: %v", err)
	}
}

// What passes Check can be trained on: the numbers of UPOS, of relations and of sentences
// with one root are part of it.
func TestCheckFindsWhatTrainingRefuses(t *testing.T) {
	dev := toyTreebank("dev", 4)
	many := toyTreebank("train", 80)
	for i := range many.Sentences {
		for j := 1; j < 5; j++ {
			many.Sentences[i].Words[j].Deprel = fmt.Sprint("dep:", (4*i+j)%254)
		}
	}
	const want = "256 different relations"
	if err := Check(many, dev).Fatal(); err == nil || !strings.Contains(err.Error(), want+", a model holds 255") {
		t.Errorf("%s: %v", want, err)
	}
	train := toyTreebank("train", 40)
	for i := range train.Sentences {
		for j := range train.Sentences[i].Words {
			train.Sentences[i].Words[j].UPOS = fmt.Sprint("T", (i*7+j)%(tag.MaxUPOS+1))
		}
	}
	if err := Check(train, dev).Fatal(); err == nil ||
		!strings.Contains(err.Error(), "train.conllu: 101 different UPOS, a model holds 100") {
		t.Errorf("101 UPOS: %v", err)
	}
	if _, err := tag.Train(train.Sentences, nil, tag.Options{}); err == nil ||
		!strings.Contains(err.Error(), "101 different UPOS") {
		t.Errorf("the tagger: %v", err)
	}
	train.Sentences[0].Words[0].UPOS = "" // no value
	for i := range train.Sentences {
		for j := range train.Sentences[i].Words {
			if w := &train.Sentences[i].Words[j]; w.UPOS == "T100" {
				w.UPOS = "T1"
			}
		}
	}
	if err := Check(train, dev).Fatal(); err != nil {
		t.Errorf("100 UPOS: %v", err)
	}
	train.Sentences = train.Sentences[2:3] // has two roots
	if err := Check(train, dev).Fatal(); err == nil ||
		!strings.Contains(err.Error(), "train.conllu: no sentence has exactly one root") {
		t.Errorf("no tree: %v", err)
	}
}
