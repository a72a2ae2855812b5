// Command long measures what becomes of very long sentences, made by joining
// those of a treebank: as treebeam parses them, in windows of 300 words each by
// itself, as it once did, and split at sentence-ending punctuation as Zhang,
// Barzilay and Jaakkola (2014) do, the roots of all pieces but the first hanging
// on that of the first.
//
//	long -model M.tbm -gold F.conllu [-words N] [-commas]
//
// A row is a way. UAS is that of the words whose gold head is in their own
// sentence. Broken are gold arcs with ends in two pieces. Tags are the model's
// own, of the joined sentence. The time is that of pruner and search, the least
// of three.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/prune"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

func main() {
	path := flag.String("model", "embedded", "model `FILE`")
	gold := flag.String("gold", "", "gold trees to join, a CoNLL-U `FILE`")
	words := flag.Int("words", 900, "join sentences while they have at most `N` words")
	commas := flag.Bool("commas", false, "turn every mark that may end a sentence into a comma")
	flag.Parse()
	if err := run(*path, *gold, *words, *commas); err != nil {
		fmt.Fprintln(os.Stderr, "long:", err)
		os.Exit(1)
	}
}

// A joined sentence, of which heads[m-1] is that of word m in its own sentence,
// or 0.
type joined struct {
	syntax.Sentence
	heads []int32
}

// A way finds the bounds of pieces that are parsed by themselves.
type way struct {
	name string
	cut  func(s *syntax.Sentence) []int
	// projective lets no arcs cross.
	projective bool
}

func run(path, file string, most int, commas bool) error {
	m, err := model.Open(path)
	if err != nil {
		return err
	}
	trees, err := conllu.ReadAllWith(file, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	list := join(trees, most, commas)
	whole := func(s *syntax.Sentence) []int { return []int{0, len(s.Words)} }
	ways := []way{
		{"the sentence", whole, false},
		{"the sentence, projective", whole, true},
		{"windows", windows, false},
		{"split at every mark", func(s *syntax.Sentence) []int { return pieces(s, 1) }, false},
	}
	for i := range list {
		m.Tag(&list[i].Sentence, true)
	}
	fmt.Println("| way | sentences | words | pieces | UAS inside sentences | across borders | broken arcs | us per word |\n|---|---|---|---|---|---|---|---|")
	for _, w := range ways {
		var sum tally
		for i := range list {
			if err := sum.add(m, &list[i], w); err != nil {
				return err
			}
		}
		fmt.Printf("| %s | %d | %d | %d | %.2f | %.1f | %d | %.1f |\n", w.name, len(list), sum.words, sum.pieces,
			100*float64(sum.right)/float64(sum.inside), 100*float64(sum.rightAcross)/float64(max(sum.across, 1)), sum.broken, float64(sum.elapsed.Nanoseconds())/1000/float64(sum.words))
	}
	return nil
}

type tally struct {
	words, pieces, inside, right, broken, across, rightAcross int
	elapsed                                                   time.Duration
}

// add parses a sentence piece by piece.
func (t *tally) add(m *model.Model, s *joined, w way) error {
	b, borders := w.cut(&s.Sentence), windows(&s.Sentence)
	t.words += len(s.Words)
	t.pieces += len(b) - 1
	for k := range len(b) - 1 {
		lo, hi := b[k], b[k+1]
		var piece syntax.Sentence
		least := time.Duration(0)
		for round := range 3 {
			piece = syntax.Sentence{Words: slices.Clone(s.Words[lo:hi])}
			begin := time.Now()
			m.Prune(&piece)
			if w.projective {
				if err := prune.Project(&piece, nil); err != nil {
					return err
				}
			}
			if err := m.Decoder.Parse(&piece, search.Options{Seed: 1, Projective: w.projective}); err != nil {
				return err
			}
			if took := time.Since(begin); round == 0 || took < least {
				least = took
			}
		}
		t.elapsed += least
		for i := range piece.Words {
			gold := int(s.heads[lo+i])
			if gold == 0 {
				continue
			}
			t.inside++
			right := int(piece.Words[i].Head)+lo == gold && piece.Words[i].Head != 0
			if pieceOf(borders, lo+i+1) != pieceOf(borders, gold) {
				t.across++
				if right {
					t.rightAcross++
				}
			}
			switch {
			case gold <= lo || gold > hi:
				t.broken++
			case right:
				t.right++
			}
		}
	}
	return nil
}

// join makes sentences of at most so many words, if one alone has no more.
func join(trees []syntax.Sentence, most int, commas bool) (list []joined) {
	for _, s := range trees {
		if len(list) == 0 || len(list[len(list)-1].Words)+len(s.Words) > most {
			list = append(list, joined{})
		}
		to := &list[len(list)-1]
		offset := int32(len(to.Words))
		for _, w := range s.Words {
			h := w.Head
			if h != 0 {
				h += offset
			}
			if commas && ends(w.Form) {
				w.Form = ","
			}
			to.heads = append(to.heads, h)
			to.Words = append(to.Words, syntax.Word{Form: w.Form, Head: syntax.NoHead})
		}
	}
	return list
}

// windows are the pieces of 300 words.
func windows(s *syntax.Sentence) []int { return pieces(s, 300) }

// pieceOf returns the number of the piece that a word is in.
func pieceOf(borders []int, word int) int {
	k, _ := slices.BinarySearch(borders, word)
	return k
}

// ends reports whether a form is a mark that may end a sentence.
func ends(form string) bool {
	return slices.Contains([]string{".", "!", "?", ";", "…", "。"}, form)
}

// pieces cuts a sentence behind the last mark that may end a sentence in the
// second half of every so many words, else behind other punctuation there, else
// at their end. With 1 it cuts behind every such mark.
func pieces(s *syntax.Sentence, size int) []int {
	b, n := []int{0}, len(s.Words)
	if size == 1 {
		for i := range s.Words {
			if ends(s.Words[i].Form) && i+1 < n {
				b = append(b, i+1)
			}
		}
		return append(b, n)
	}
	for at := 0; at < n; {
		end := min(at+size, n)
		if end < n {
			end = lastMark(s, at+size/2, end)
		}
		b, at = append(b, end), end
	}
	return b
}

func lastMark(s *syntax.Sentence, from, to int) int {
	soft := to
	for i := to; i > from; i-- {
		form := s.Words[i-1].Form
		if ends(form) {
			return i
		}
		if soft == to && slices.Contains([]string{",", ":", "-", "–", "—", ")"}, form) {
			soft = i
		}
	}
	return soft
}
