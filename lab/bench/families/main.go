// Package families prints what models get right of everyday English, in the files of
// model/testdata: families of sentences, lemmas, texts that are hard to cut, and
// questions and sentences with two objects.
// Scores only: whoever reads the mistakes and mends them has no test any more.
//
//	families [-models embedded,embedded-accurate] [-names fast,accurate] [-data model/testdata] [-beside FILE]
//
// FILE holds the tables of an earlier program; columns are added to them.
package families

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/model"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	models := flag.String("models", "embedded,embedded-accurate", "model files, with commas between them")
	names := flag.String("names", "", "what the columns are called (the models' names)")
	data := flag.String("data", "model/testdata", "folder of the files")
	beside := flag.String("beside", "", "file with tables that columns are added to")
	flag.Parse()
	if *names == "" {
		*names = *models
	}
	return run(os.Stdout, strings.Split(*models, ","), strings.Split(*names, ","), *data, *beside)
}

func run(w io.Writer, models, names []string, data, beside string) error {
	if len(names) != len(models) {
		return errors.New("want as many names as models")
	}
	list := make([]measured, len(models))
	for i, path := range models {
		var err error
		if list[i], err = measure(path, data); err != nil {
			return err
		}
	}
	rows := tables(list, names)
	if beside != "" {
		earlier, err := os.ReadFile(beside)
		if err != nil {
			return err
		}
		if err := rows.extend(string(earlier)); err != nil {
			return err
		}
	}
	for _, r := range rows {
		fmt.Fprintln(w, r.text())
	}
	return nil
}

// A measured model.
type measured struct {
	families       []Family
	everyday, hard LemmaCount
	shapes         []Shape
	questions      []Shape
}

func measure(path, data string) (m measured, err error) {
	stages, err := model.Open(path)
	if err != nil {
		return m, err
	}
	if m.families, err = Families(stages, data); err != nil {
		return m, err
	}
	m.families = append(m.families, All(m.families))
	if m.everyday, m.hard, err = Lemmas(stages, data, nil); err != nil {
		return m, err
	}
	caller, err := treebeam.Open(path)
	if err != nil {
		return m, err
	}
	if m.shapes, err = Shapes(caller, data, nil); err != nil {
		return m, err
	}
	m.questions, err = Questions(caller, data, nil)
	m.shapes, m.questions = append(m.shapes, sumOf(m.shapes)), append(m.questions, sumOf(m.questions))
	return m, err
}

func sumOf(list []Shape) Shape {
	sum := Shape{Kind: "all"}
	for _, s := range list {
		sum.Right, sum.Cases = sum.Right+s.Right, sum.Cases+s.Cases
	}
	return sum
}

// A row of a table: what it is about, and a column for every model. One without
// anything ends a table.
type row struct{ about, columns []string }

func (r *row) text() string {
	if len(r.about) == 0 {
		return ""
	}
	return "| " + strings.Join(append(r.about[:len(r.about):len(r.about)], r.columns...), " | ") + " |"
}

type rows []row

// add adds a row with what column says of every model.
func (r *rows) add(list []measured, column func(m *measured) string, about ...string) {
	made := row{about: about}
	for i := range list {
		made.columns = append(made.columns, column(&list[i]))
	}
	*r = append(*r, made)
}

// head begins a table.
func (r *rows) head(names []string, what string, about ...string) {
	line := row{[]string{"---"}, nil}
	for range about[1:] {
		line.about = append(line.about, "---:")
	}
	named := row{about: about}
	for _, name := range names {
		named.columns, line.columns = append(named.columns, name+": "+what), append(line.columns, "---:")
	}
	*r = append(*r, named, line)
}

func tables(list []measured, names []string) (r rows) {
	first := &list[0]
	r.head(names, "UAS / LAS / UPOS", "family", "sentences", "words")
	for i, f := range first.families {
		r.add(list, func(m *measured) string {
			x := &m.families[i]
			return percent(x.UAS, x.Words) + " / " + percent(x.LAS, x.Words) + " / " + percent(x.UPOS, x.Words)
		}, f.Name, fmt.Sprint(f.Sentences), fmt.Sprint(f.Words))
	}
	r = append(r, row{})
	r.head(names, "right / nonsense", "lemmas", "words")
	all := first.everyday
	all.Add(first.hard)
	lemmas := func(c LemmaCount) string {
		return percent(c.Right, c.Words) + " / " + percent(c.Nonsense, c.Words)
	}
	r.add(list, func(m *measured) string { return lemmas(m.everyday) }, "everyday words", fmt.Sprint(first.everyday.Words))
	r.add(list, func(m *measured) string { return lemmas(m.hard) }, "hard words", fmt.Sprint(first.hard.Words))
	r.add(list, func(m *measured) string {
		sum := m.everyday
		sum.Add(m.hard)
		return lemmas(sum)
	}, "all", fmt.Sprint(all.Words))
	r = append(r, row{})
	r.head(names, "right", "texts to cut", "cases")
	for i, s := range first.shapes {
		r.add(list, func(m *measured) string { return fmt.Sprint(m.shapes[i].Right) }, s.Kind, fmt.Sprint(s.Cases))
	}
	r = append(r, row{})
	r.head(names, "right", "sentences to parse", "cases")
	for i, s := range first.questions {
		r.add(list, func(m *measured) string { return fmt.Sprint(m.questions[i].Right) }, s.Kind, fmt.Sprint(s.Cases))
	}
	return r
}

// extend puts the columns of earlier tables before those of the rows.
func (r rows) extend(text string) error {
	at := 0
	for line := range strings.Lines(text) {
		line = strings.Trim(line, "| \n")
		for at < len(r) && len(r[at].about) == 0 {
			at++
		}
		if at == len(r) {
			break
		}
		columns := strings.Split(line, " | ")
		if len(columns) < len(r[at].about) || columns[0] != r[at].about[0] {
			continue
		}
		r[at].columns = append(columns[len(r[at].about):], r[at].columns...)
		at++
	}
	if at < len(r) {
		return fmt.Errorf("the earlier tables have no row %q where it should be", strings.Join(r[at].about, " | "))
	}
	return nil
}

func percent(part, whole int) string {
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(max(whole, 1)))
}
