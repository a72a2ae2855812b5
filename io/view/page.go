package view

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// What page.html shows.
type pageData struct {
	Name, Summary                                         string
	Counts                                                []tile
	Examples, Lowest                                      []figure
	Lists, Words, Quality, Shapes, Files, Failures, About []table
	Forecast                                              string
	Languages                                             bool // there are several
	Limits                                                struct{ MinExample, MaxExample int }
	Sure                                                  string
}

type tile struct {
	Value, Name string
	Bad         bool
}

// A table is one as the template shows it: a column has a name, and a kind that
// says how its cells are shown.
type table struct {
	Title, Class, Note, More string
	Columns                  []tableColumn
	Rows                     [][]string
}

type tableColumn struct{ Name, Kind string }

// Kinds of columns; others are classes of page.html.
const (
	rowHead = "head"  // what the row is about
	numbers = "n"     // numbers
	gauge   = "gauge" // bars, percent of the widest
	plain   = ""
	soft    = "soft"
)

func (t *table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

type figure struct {
	ID, Place, Text, Note string
	Certainty             string
	RightToLeft           bool
	Picture               template.HTML // escaped by SVG
	Words                 table
}

// maxText is how much of a sentence or of a row's text the page shows, in
// columns.
const maxText = 600

// WriteHTML writes the page: one file without scripts that fetches nothing.
// Everything that comes from the input is escaped, and no control character is
// left in it.
func (r *Report) WriteHTML(w io.Writer) error {
	s := &r.sum
	d := &pageData{
		Name: Visible(r.run.Name),
		Summary: fmt.Sprintf("%s in %s from %s; %s, %s.",
			Many(s.Words, "word"), Many(s.Trees, "tree"), Many(r.files, "file"), Many(s.Failures, "error"), Many(s.Warnings, "warning")),
		Sure: fmt.Sprintf("%.1f", sure),
		Counts: []tile{
			{Number(r.files), "files", false}, {Number(s.Blocks), "blocks of text", false},
			{Number(s.Sentences), "sentences", false}, {Number(s.Trees), "trees", false}, {Number(s.Words), "words", false},
			{Number(s.Failures), "errors", s.Failures > 0}, {Number(s.Warnings), "warnings", false},
		},
		Words:    []table{r.meansTable("Parts of speech", "UPOS", &r.upos), r.meansTable("Relations", "deprel", &r.deprel)},
		Failures: r.failureTables(),
		About:    []table{r.aboutTable()},
	}
	d.Limits.MinExample, d.Limits.MaxExample = minExample, maxExample
	d.Lists, d.Languages = r.wordTables(), len(r.words) > 1
	if r.expected.Words > 0 {
		d.Forecast = r.forecast()
		d.Quality = append(d.Quality, r.worstTable())
	}
	if _, none := r.certificates.byName[""]; len(r.certificates.byName) > 1 || len(r.certificates.byName) == 1 && !none {
		d.Quality = append(d.Quality, meanings("Trees by certificate", "certificate", &r.certificates, certificateNames))
	}
	d.Files = []table{
		fileTable("By format", "format", &r.formats, "not read"),
		fileTable("By encoding", "encoding", &r.encodings, "not text"),
		fileTable("By language", "language", &r.languages, "unknown"),
		fileTable("By layout", "a line break means", &r.layout, "no raw text"),
	}
	if len(r.status.byName) > 0 {
		d.Files = append(d.Files, meanings("Trees by status", "status", &r.status, statusNames))
	}
	d.Shapes = append(d.Shapes, histogramTable("Words in a sentence", "", "sentences", r.lengths))
	for i, h := range r.signals {
		if h.N > 0 {
			d.Shapes = append(d.Shapes, histogramTable(signals[i].column, signals[i].about+"; ", signals[i].unit, h))
		}
	}
	for _, t := range r.lowest.Trees() {
		d.Lowest = append(d.Lowest, newFigure(t))
	}
	for _, t := range r.exampleTrees() {
		d.Examples = append(d.Examples, newFigure(t))
	}
	return page.Execute(w, d)
}

// aboutTable says what was run.
func (r *Report) aboutTable() table {
	where := r.folder
	switch {
	case r.several:
		where = "files of several folders"
	case where == ".":
		where = "the working directory"
	}
	t := table{Title: "What was run", Class: "run", Columns: []tableColumn{{"what", rowHead}, {"value", plain}, {"", soft}}}
	t.add("input", Visible(where), Many(r.files, "file")+", "+Many(r.sum.StoredBytes, "byte"))
	t.add("model", r.run.ModelID, "SHA-256 "+r.run.ModelDigest)
	for _, fact := range r.run.ModelFacts {
		t.add(fact[0], Visible(fact[1]), "")
	}
	for _, code := range slices.Sorted(maps.Keys(r.languages.byName)) {
		if of := r.run.Treebanks[code]; of != "" {
			t.add("treebanks of the language "+Visible(code), Visible(of), "")
		}
	}
	if r.run.Snapshot != "" {
		t.add("snapshot", Visible(r.run.Snapshot), "")
	} else {
		t.add("fingerprint of the run", r.run.FP, "")
	}
	t.add("format version", r.run.FormatVersion, "")
	for _, name := range slices.Sorted(maps.Keys(r.run.Options)) {
		t.add("option "+Visible(name), Visible(r.run.Options[name]), "")
	}
	for _, c := range []struct {
		n          int64
		name, note string
	}{
		{r.sum.UnknownWords, "words new to the model", percent(r.sum.UnknownWords, r.sum.Words) + " of the words; if over half are new, the text is probably in another language"},
		{r.empty, "files without text", ""},
		{r.unreadable, "files that could not be read", ""},
		{r.sum.Repaired, "characters repaired", "invalid bytes that became U+FFFD"},
	} {
		if c.n > 0 {
			t.add(c.name, Number(c.n), c.note)
		}
	}
	return t
}

// failureTables are kinds of failures and warnings, and files with errors; none
// if there are none.
func (r *Report) failureTables() (list []table) {
	const most = 50
	kinds := table{Class: "reasons", Columns: []tableColumn{{"severity", "severity"}, {"stage", plain}, {"kind", plain}, {"rows", numbers},
		{"an example", plain}, {"where", plain}, {"text", plain}}}
	rest := r.moreReason
	for i, k := range r.sortedReasons() {
		if i >= most {
			rest += k.Count
			continue
		}
		e := k.Example
		kinds.add(Visible(k.severity), Visible(k.stage), Visible(k.kind), Number(k.Count), Clip(Visible(e.Reason), maxText),
			Visible(place(e.SourceURI, e.ByteOffset, e.Line)), Clip(Visible(e.Text), 200))
	}
	if rest > 0 {
		kinds.More = fmt.Sprintf("and %s of other kinds", Many(rest, "row"))
	}
	if len(kinds.Rows) > 0 {
		list = append(list, kinds)
	}
	files := table{Title: "Files with the most errors", Columns: []tableColumn{{"file", rowHead}, {"errors", numbers}, {"warnings", numbers}, {"trees", numbers}}}
	for _, d := range r.troubled.Sorted() {
		files.add(Visible(d.SourceURI), Number(d.Failures), Number(d.Warnings), Number(d.Trees))
	}
	if len(files.Rows) > 0 {
		list = append(list, files)
	}
	return list
}

// forecast says how many words are expected to be right.
func (r *Report) forecast() string {
	e := &r.expected
	return fmt.Sprintf("%s words expected to be right, with its standard error: UPOS %s, UAS %s, LAS %s", Number(e.Words),
		shareOf(e.UPOS.Share(e.Words)), shareOf(e.UAS.Share(e.Words)), shareOf(e.LAS.Share(e.Words)))
}

// worstTable has the files where the least is expected to be right.
func (r *Report) worstTable() table {
	t := table{Title: "Files with the lowest expected LAS", Note: fmt.Sprintf("Files of fewer than %d words come last.", minForecast),
		Columns: []tableColumn{{"file", rowHead}, {"words", numbers}, {"UPOS", numbers}, {"UAS", numbers}, {"LAS", numbers}}}
	for _, d := range r.worst.Sorted() {
		t.add(Visible(d.DocID), Number(d.CalibratedWords), shareOf(d.ExpectedUPOS, d.ExpectedUPOSStderr),
			shareOf(d.ExpectedUAS, d.ExpectedUASStderr), shareOf(d.ExpectedLAS, d.ExpectedLASStderr))
	}
	return t
}

// shareOf writes a share and its standard error, in percent.
func shareOf(share, stderr float64) string { return fmt.Sprintf("%.1f ± %.1f", 100*share, 100*stderr) }

// fileTable counts files.
func fileTable(title, column string, t *tally, none string) table {
	table := table{Title: title, Columns: []tableColumn{{column, rowHead}, {"files", numbers}, {"bytes", numbers}, {"trees", numbers}, {"words", numbers}}}
	list, more, total := t.top(20)
	for _, c := range list {
		table.add(cmp.Or(Visible(c.Name), none), Number(c.N), Number(int64(c.Sums[0])), Number(int64(c.Sums[1])), Number(int64(c.Sums[2])))
	}
	table.More = others(list, more, total, "file")
	return table
}

// meanings counts trees by a column, and explains its values.
func meanings(title, column string, t *tally, means map[string]string) table {
	table := table{Title: title, Columns: []tableColumn{{column, rowHead}, {"trees", numbers}, {"what it means", soft}}}
	list, _, total := t.top(20)
	for _, c := range list {
		table.add(cmp.Or(Visible(c.Name), "none"), Number(c.N)+", "+percent(c.N, total), means[c.Name])
	}
	return table
}

// listedLanguages is how many languages have lists of words: those with the most words.
const listedLanguages = 5

// wordTables are the commonest words of each language.
func (r *Report) wordTables() (list []table) {
	var sizes tally
	for language, v := range r.words {
		_, _, sizes.of(language).N = v.forms.top(0)
	}
	languages, _, _ := sizes.top(listedLanguages)
	for _, l := range languages {
		of := ""
		if len(r.words) > 1 {
			of = ", language " + cmp.Or(Visible(l.Name), "unknown")
		}
		v := r.words[l.Name]
		for _, t := range []table{frequencies("Forms"+of, "form, in lower case", &v.forms), frequencies("Lemmas"+of, "lemma", &v.lemmas),
			frequencies("Lemmas of content words"+of, "lemma", &v.content)} {
			if len(t.Rows) > 0 {
				list = append(list, t)
			}
		}
	}
	return list
}

// frequencies lists the commonest words.
func frequencies(title, column string, t *tally) table {
	table := table{Title: title, Class: "words list", Columns: []tableColumn{{column, rowHead}, {"words", numbers}, {"share", numbers}, {"", gauge}}}
	list, more, total := t.top(25)
	for _, c := range list {
		table.add(c.Name, Number(c.N), percent(c.N, total), width(c.N, list[0].N))
	}
	table.More = others(list, more, total, "word")
	return table
}

// meansTable counts words by tag or label, with the means of the columns that say how
// certain they are: the calibrated columns, or else the others.
func (r *Report) meansTable(title, column string, t *tally) table {
	table := table{Title: title, Class: "words", Columns: []tableColumn{{column, rowHead}, {"words", numbers}, {"share", numbers}, {"", gauge}}}
	var shown []int
	for i := range signals[:wordSignals] {
		if raw := i == wordSignals-1; r.signals[i].N > 0 && (!raw || r.signals[0].N == 0) {
			shown = append(shown, i)
			table.Columns = append(table.Columns, tableColumn{"mean " + signals[i].column, numbers})
		}
	}
	list, more, total := t.top(40)
	for _, c := range list {
		row := []string{c.Name, Number(c.N), percent(c.N, total), width(c.N, list[0].N)}
		for _, i := range shown {
			mean := ""
			if c.Valued[i] > 0 {
				mean = fmt.Sprintf("%.3f", c.Sums[i]/float64(c.Valued[i]))
			}
			row = append(row, mean)
		}
		table.Rows = append(table.Rows, row)
	}
	table.More = others(list, more, total, "word")
	return table
}

// histogramTable has a row for each bin, with a bar.
func histogramTable(title, about, unit string, h *histogram) table {
	table := table{Title: title, Note: about + "none", Class: "words", Columns: []tableColumn{{title, rowHead}, {unit, numbers}, {"share", numbers}, {"", gauge}}}
	if h.N > 0 {
		table.Note = fmt.Sprintf("%s%s %s, mean %.3g", about, Number(h.N), unit, h.Sum/float64(h.N))
	}
	for i, n := range h.Counts {
		table.add(h.Names[i], Number(n), percent(n, h.N), width(n, max(slices.Max(h.Counts), 1)))
	}
	return table
}

// width is the width of a bar.
func width(n, most int64) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(most)) }

// others says how many things a table leaves out.
func others(list []*count, more int, total int64, thing string) string {
	for _, c := range list {
		total -= c.N
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("and %s with %s", Many(more, "other"), Many(total, thing))
}

// newFigure is a tree with its surroundings on the page.
func newFigure(t *parquet.Tree) figure {
	p := drawWithin(t, pictureOptions{limit: maxDrawn, conf: LowConf}, maxPicture)
	f := figure{ID: Clip(Visible(t.SentID), 120), Place: Visible(place(t.SourceURI, t.StartByte, nil)), Text: Clip(Visible(textOf(t)), maxText),
		Certainty: certainty(t), RightToLeft: p.RightToLeft}
	if p.Last-p.First+1 < p.N {
		f.Note = fmt.Sprintf("Words %s to %s of %s, around the least certain arc.", Number(p.First), Number(p.Last), Number(p.N))
	}
	f.Picture = template.HTML(p.svg(nil, fmt.Sprintf("Dependency tree of %d words; the table below has the same", p.Last-p.First+1), "none"))
	f.Words = table{Columns: []tableColumn{{"id", numbers}, {"form", rowHead}, {"lemma", plain}, {"UPOS", plain}, {"probability of UPOS", numbers},
		{"head", numbers}, {"deprel", plain}, {"of head and deprel", numbers}}}
	for i := p.First - 1; i < p.Last; i++ {
		head := ""
		if i < len(t.Head) {
			head = fmt.Sprint(t.Head[i])
		}
		f.Words.add(fmt.Sprint(i+1), Clip(Visible(t.Tokens[i]), 60), at(t.Lemmas, i), at(t.UPOS, i), AllConf.tag(t, i), head, at(t.Deprel, i), AllConf.arc(t, i))
	}
	return f
}

// textOf is the text of a row, or its words.
func textOf(t *parquet.Tree) string {
	return cmp.Or(t.Text, strings.Join(t.Tokens[:min(len(t.Tokens), 1000)], " "))
}

// place describes a place in the input.
func place(uri string, offset int64, line *int64) string {
	if line != nil {
		return fmt.Sprintf("%s, line %s", uri, Number(*line))
	}
	return fmt.Sprintf("%s, byte %s", uri, Number(offset))
}

// percent writes a share, 0 for a share of nothing.
func percent(n, of int64) string {
	if of == 0 {
		return "0%"
	}
	share := 100 * float64(n) / float64(of)
	if share > 0 && share < 0.05 {
		return "<0.1%"
	}
	return fmt.Sprintf("%.1f%%", share)
}

// statusNames explains the column status.
var statusNames = map[string]string{
	syntax.OK.String():       "parsed as usual",
	syntax.Repaired.String(): "invalid bytes were replaced",
	syntax.Long.String():     "cut, or parsed in windows, for its length",
	syntax.Budget.String():   "a cheaper search was used",
}

// certificateNames explains the column certificate.
var certificateNames = map[string]string{
	syntax.All.String():       "every tree over the candidate heads was scored: none is better under the model",
	syntax.Bound.String():     "a bound proves that no better tree exists over the candidate heads",
	syntax.Uncertain.String(): "the best tree that the search has found; another one may score higher",
}
