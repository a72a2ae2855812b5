package families

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Log is told of every mistake. It may be nil.
type Log func(format string, a ...any)

func (l Log) note(format string, a ...any) {
	if l != nil {
		l(format, a...)
	}
}

// A Family is how many words of a file of sentences have the right head (UAS), the
// right head and relation without its subtype (LAS) and the right UPOS.
type Family struct {
	Name             string
	Sentences, Words int
	UAS, LAS, UPOS   int
}

// Families parses the sentences of families/*.conllu in a folder as they are cut
// there, with tags of the model's own, and with its encoder if it has one.
func Families(m *model.Model, folder string) (list []Family, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "families", "*.conllu"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no families/*.conllu: %w", folder, err)
	}
	for _, path := range files {
		gold, err := conllu.ReadAll(path)
		if err != nil {
			return nil, err
		}
		f := Family{Name: strings.TrimSuffix(filepath.Base(path), ".conllu")}
		for i := range gold {
			if err := f.count(m, &gold[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// count parses a sentence without its tags, and counts the words that are as in the
// gold tree.
func (f *Family) count(m *model.Model, gold *syntax.Sentence) error {
	s := withoutTags(gold)
	m.Encode([]*syntax.Sentence{&s})
	m.Tag(&s, true)
	m.Prune(&s)
	if err := m.Parse(&s, search.Options{Seed: 1}); err != nil {
		return err
	}
	f.Sentences++
	f.Words += len(s.Words)
	for i := range s.Words {
		w, g := &s.Words[i], &gold.Words[i]
		if w.UPOS == g.UPOS {
			f.UPOS++
		}
		if w.Head == g.Head {
			f.UAS++
			if syntax.Universal(w.Deprel) == syntax.Universal(g.Deprel) {
				f.LAS++
			}
		}
	}
	return nil
}

// All returns the sums of families.
func All(list []Family) Family {
	sum := Family{Name: "all"}
	for _, f := range list {
		sum.Sentences += f.Sentences
		sum.Words += f.Words
		sum.UAS += f.UAS
		sum.LAS += f.LAS
		sum.UPOS += f.UPOS
	}
	return sum
}

// A LemmaCount counts words by their lemmas.
type LemmaCount struct{ Words, Right, Nonsense int }

// Add adds o to c.
func (c *LemmaCount) Add(o LemmaCount) {
	c.Words += o.Words
	c.Right += o.Right
	c.Nonsense += o.Nonsense
}

// Lemmas counts lemmas of lemmas2000.tsv in a folder: those of everyday words, and
// of words that are hard. A wrong lemma is nonsense unless it is the form itself or
// a word that we know: a form or lemma of that file, or one of words.txt beside it.
func Lemmas(m *model.Model, folder string, log Log) (everyday, hard LemmaCount, err error) {
	rows, err := linesOf(filepath.Join(folder, "lemmas2000.tsv"))
	if err != nil {
		return everyday, hard, err
	}
	words, err := linesOf(filepath.Join(folder, "words.txt"))
	if err != nil {
		return everyday, hard, err
	}
	known := map[string]bool{}
	for _, word := range words {
		known[word] = true
	}
	for _, row := range rows {
		f := strings.Split(row, "\t")
		if len(f) < 4 {
			return everyday, hard, fmt.Errorf("%q has %d columns, want 4 or 5", row, len(f))
		}
		for _, word := range append(strings.Fields(f[0]), strings.Fields(f[2])...) {
			known[strings.ToLower(word)] = true
		}
	}
	for _, row := range rows {
		f := strings.Split(row, "\t")
		count := &everyday
		if len(f) == 5 && f[4] == "hard" {
			count = &hard
		}
		if err := count.row(m, f, known, log); err != nil {
			return everyday, hard, err
		}
	}
	return everyday, hard, nil
}

// row counts the words of a row: forms, their UPOS, their lemmas, and a sentence of
// words apart by spaces.
func (c *LemmaCount) row(m *model.Model, row []string, known map[string]bool, log Log) error {
	s := syntax.Sentence{}
	for _, form := range strings.Fields(row[3]) {
		s.Words = append(s.Words, syntax.Word{Form: form})
	}
	forms, upos, lemmas := strings.Fields(row[0]), strings.Fields(row[1]), strings.Fields(row[2])
	if len(upos) != len(forms) || len(lemmas) != len(forms) {
		return fmt.Errorf("columns of different length: %q", row)
	}
	m.Encode([]*syntax.Sentence{&s})
	m.Tag(&s, false)
	next := 0
	for i, form := range forms { // each is the first such word behind the one before
		at := slices.IndexFunc(s.Words[next:], func(w syntax.Word) bool { return w.Form == form })
		if at < 0 {
			return fmt.Errorf("%q has no word %s behind word %d", row[3], form, next)
		}
		w := &s.Words[next+at]
		next += at + 1
		c.Words++
		if w.Lemma == lemmas[i] {
			c.Right++
			continue
		}
		what := "wrong"
		if lower := strings.ToLower(w.Lemma); lower != strings.ToLower(w.Form) && !known[lower] {
			what = "nonsense"
			c.Nonsense++
		}
		log.note("%s: %s %s has the lemma %q, want %s %q", what, w.Form, w.UPOS, w.Lemma, upos[i], lemmas[i])
	}
	return nil
}

// A Shape is a kind of text that is hard to cut.
type Shape struct {
	Kind         string
	Right, Cases int
}

// Shapes cuts the texts of shapes.tsv in a folder into sentences, tokens and words.
// A case is right if all of them are.
func Shapes(m *treebeam.Model, folder string, log Log) ([]Shape, error) {
	return rightRows(filepath.Join(folder, "shapes.tsv"), func(f []string) (bool, error) {
		sentences, err := m.Parse(unescape.Replace(f[1]))
		if err != nil {
			return false, err
		}
		got := shapeOf(sentences)
		right := slices.Contains(f[2:], got)
		if !right {
			log.note("%s: %s\n     %s\nwant %s", f[0], f[1], got, strings.Join(f[2:], "\n  or "))
		}
		return right, nil
	})
}

// rightRows counts by kind, the first column of a table, the rows that are right. Kinds are in
// the order of the file.
func rightRows(path string, right func(row []string) (bool, error)) (list []Shape, err error) {
	rows, err := linesOf(path)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		f := strings.Split(row, "\t")
		if len(f) < 3 {
			return nil, fmt.Errorf("%q has %d columns, want 3 or more", row, len(f))
		}
		at := slices.IndexFunc(list, func(s Shape) bool { return s.Kind == f[0] })
		if at < 0 {
			at = len(list)
			list = append(list, Shape{Kind: f[0]})
		}
		list[at].Cases++
		ok, err := right(f)
		if err != nil {
			return nil, err
		}
		if ok {
			list[at].Right++
		}
	}
	return list, nil
}

// What shapes.tsv writes for characters that would end a column or a token.
var (
	unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`)
	escape   = strings.NewReplacer("\n", `\n`, "\t", `\t`, `\`, `\\`)
)

// shapeOf writes sentences as shapes.tsv does: \n between sentences, a space
// between tokens, \+ between the words of one token.
func shapeOf(sentences []treebeam.Sentence) string {
	var b strings.Builder
	for i := range sentences {
		if i > 0 {
			b.WriteString(`\n`)
		}
		s := &sentences[i]
		inside := map[int]bool{} // words that follow another one of their token
		for _, token := range s.Multiword {
			for j := token.First; j < token.Last; j++ {
				inside[j] = true
			}
		}
		for j := range s.Words {
			switch {
			case inside[j]:
				b.WriteString(`\+`)
			case j > 0:
				b.WriteByte(' ')
			}
			b.WriteString(escape.Replace(s.Words[j].Form))
		}
	}
	return b.String()
}

func linesOf(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), err
}

// withoutTags returns a copy of s whose words have neither tags nor lemmas.
func withoutTags(s *syntax.Sentence) syntax.Sentence {
	c := *s
	c.Words = slices.Clone(s.Words)
	for i := range c.Words {
		w := &c.Words[i]
		w.UPOS, w.XPOS, w.Feats, w.Lemma = "", "", "", ""
	}
	return c
}
