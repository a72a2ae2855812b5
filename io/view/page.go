package view

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"number":  number,
	"visible": Visible,
}).Parse(pageText))

// What page.html shows.
type pageData struct {
	Name     string
	Summary  string
	Run      []row
	Counts   []tile
	Reasons  []reasonRow
	More     string // about reasons left out
	Troubled []*parquet.Document
	Files    []fileTable
	Status   []row
	Forecast *forecastTable
	Proofs   []row
	Charts   []chart
	Lists    []wordTable // of words
	Words    []wordTable // by tag and label
	Lowest   []figure
	Examples []figure
	Limits   struct{ Drawn, MinExample, MaxExample int }
	Sure     string
}

type row struct {
	Name, Value, Note string
}

type tile struct {
	Value, Name string
	Bad         bool
}

type reasonRow struct {
	Severity, Stage, Kind, Reason, Place, Text string
	Count                                      string
}

type fileTable struct {
	Title, Column string
	Rows          [][]string
}

type wordTable struct {
	Title, Column string
	Means         []string // columns whose means are shown
	Rows          []wordRow
	More          string
}

type wordRow struct {
	Name, N, Share string
	Bar            float64 // percent of the widest
	Means          []string
}

type figure struct {
	ID, Place, Text, Note string
	Certainty             string
	Label                 string // for those who cannot see it
	Picture               *picture
	Rows                  [][8]string
}

// maxText is how much of a sentence or of a row's text the page shows, in
// columns.
const maxText = 600

// WriteHTML writes the page: one file without scripts that fetches nothing.
// Everything that comes from the input is escaped, and no control character is
// left in it.
func (r *Report) WriteHTML(w io.Writer) error {
	d := &pageData{
		Name: Visible(r.run.Name),
		Summary: fmt.Sprintf("%s in %s from %s; %s, %s.",
			many(r.words, "word"), many(r.trees, "tree"), many(r.files, "file"), many(r.errors, "error"), many(r.warnings, "warning")),
		Troubled: r.troubled,
		Sure:     fmt.Sprintf("%.1f", sure),
	}
	d.Limits.Drawn, d.Limits.MinExample, d.Limits.MaxExample = maxDrawn, minExample, maxExample
	d.Run = r.runRows()
	d.Counts = []tile{
		{number(r.files), "files", false}, {number(r.blocks), "blocks of text", false},
		{number(r.sentences), "sentences", false}, {number(r.trees), "trees", false}, {number(r.words), "words", false},
		{number(r.errors), "errors", r.errors > 0}, {number(r.warnings), "warnings", false},
	}
	r.addReasons(d)
	d.Files = []fileTable{
		fileRows("By format", "format", &r.formats, "not read"),
		fileRows("By encoding", "encoding", &r.encodings, "not text"),
		fileRows("By layout", "a line break means", &r.layouts, "no raw text"),
	}
	list, _, _ := r.status.top(20)
	for _, c := range list {
		d.Status = append(d.Status, row{Visible(c.Name), number(c.N), statusNames[c.Name]})
	}
	d.Forecast = r.forecast.table()
	if list, _, _ := r.certificates.top(20); len(list) > 1 || len(list) == 1 && list[0].Name != "" {
		for _, c := range list {
			d.Proofs = append(d.Proofs, row{cmp.Or(Visible(c.Name), "none"), number(c.N) + ", " + percent(c.N, r.trees), certificateNames[c.Name]})
		}
	}
	d.Charts = append(d.Charts, newChart("Words in a sentence", "", "sentences", r.lengths))
	for _, s := range r.signals {
		if s.N > 0 {
			d.Charts = append(d.Charts, newChart(s.Column, s.About, s.Unit, s.histogram))
		}
	}
	d.Lists = r.vocabulary.tables()
	d.Words = []wordTable{r.wordRows("Parts of speech", "UPOS", &r.upos), r.wordRows("Relations", "deprel", &r.deprel)}
	for _, t := range r.lowest.Trees() {
		d.Lowest = append(d.Lowest, newFigure(t))
	}
	for _, t := range r.examples.list() {
		d.Examples = append(d.Examples, newFigure(t))
	}
	return page.Execute(w, d)
}

func (r *Report) runRows() []row {
	where := r.folder
	if where == "." || where == "" {
		where = "files of several folders"
	}
	rows := []row{
		{"input", Visible(where), many(r.files, "file") + ", " + many(r.stored, "byte")},
		{"model", r.run.ModelID, "SHA-256 " + r.run.ModelDigest},
	}
	for _, fact := range r.run.ModelFacts {
		rows = append(rows, row{fact[0], Visible(fact[1]), ""})
	}
	if r.run.Snapshot != "" {
		rows = append(rows, row{"snapshot", Visible(r.run.Snapshot), ""})
	} else {
		rows = append(rows, row{"fingerprint of the run", r.run.FP, ""})
	}
	rows = append(rows, row{"format version", r.run.FormatVersion, ""})
	for _, option := range optionRows(r.run.Options) {
		rows = append(rows, row{"option " + option[0], Visible(option[1]), ""})
	}
	if r.unknown > 0 {
		rows = append(rows, row{"words new to the model", number(r.unknown), percent(r.unknown, r.words) + " of the words; over half is probably another language"})
	}
	if r.empty > 0 {
		rows = append(rows, row{"files without text", number(r.empty), ""})
	}
	if r.unreadable > 0 {
		rows = append(rows, row{"files that could not be read", number(r.unreadable), ""})
	}
	if r.repaired > 0 {
		rows = append(rows, row{"characters repaired", number(r.repaired), "invalid bytes that became U+FFFD"})
	}
	return rows
}

func (r *Report) addReasons(d *pageData) {
	all := r.sortedReasons()
	for _, k := range all[:min(len(all), 50)] {
		e := k.Example
		d.Reasons = append(d.Reasons, reasonRow{
			Severity: Visible(k.severity), Stage: Visible(k.stage), Kind: Visible(k.kind), Count: number(k.Count),
			Reason: Clip(Visible(e.Reason), maxText), Place: Visible(place(e.SourceURI, e.ByteOffset, e.Line)), Text: Clip(Visible(e.Text), 200),
		})
	}
	rest := r.moreReason
	for _, k := range all[min(len(all), 50):] {
		rest += k.Count
	}
	if rest > 0 {
		d.More = fmt.Sprintf("and %s rows of other kinds", number(rest))
	}
}

func fileRows(title, column string, t *tally, none string) fileTable {
	table := fileTable{Title: title, Column: column}
	list, more, rest := t.top(20)
	for _, c := range list {
		name := Visible(c.Name)
		if name == "" {
			name = none
		}
		table.Rows = append(table.Rows, []string{name, number(c.N), number(int64(c.Sums[0])), number(int64(c.Sums[1])), number(int64(c.Sums[2]))})
	}
	if more > 0 {
		table.Rows = append(table.Rows, []string{fmt.Sprintf("%d others", more), number(rest), "", "", ""})
	}
	return table
}

// wordRows is a table of tags or labels, with the means of the columns that say
// how sure their words are: of what is calibrated, or else of what is not.
func (r *Report) wordRows(title, column string, t *tally) wordTable {
	table := wordTable{Title: title, Column: column}
	list, more, rest := t.top(40)
	total := rest
	shown := func(i int) bool {
		return (wordColumns[i].name != pick.Raw || !r.calibrated) &&
			slices.ContainsFunc(list, func(c *count) bool { return c.Valued[i] > 0 })
	}
	for i := range wordColumns {
		if shown(i) {
			table.Means = append(table.Means, wordColumns[i].name)
		}
	}
	for _, c := range list {
		total += c.N
	}
	for _, c := range list {
		w := wordRow{Name: c.Name, N: number(c.N), Share: percent(c.N, total), Bar: float64(1000*c.N/list[0].N) / 10}
		for i := range wordColumns {
			mean := ""
			if c.Valued[i] > 0 {
				mean = fmt.Sprintf("%.3f", c.Sums[i]/float64(c.Valued[i]))
			}
			if shown(i) {
				w.Means = append(w.Means, mean)
			}
		}
		table.Rows = append(table.Rows, w)
	}
	if more > 0 {
		table.More = fmt.Sprintf("and %s others with %s words", number(int64(more)), number(rest))
	}
	return table
}

// newFigure is a tree with what stands around it.
func newFigure(t *parquet.Tree) figure {
	text := t.Text
	if text == "" {
		text = strings.Join(t.Tokens[:min(len(t.Tokens), 1000)], " ")
	}
	f := figure{ID: Clip(Visible(t.SentID), 120), Place: Visible(place(t.SourceURI, t.StartByte, nil)),
		Text: Clip(Visible(text), maxText), Certainty: certainty(t), Picture: drawWithin(t, pictureOptions{limit: maxDrawn, conf: LowConf}, maxPicture)}
	p := f.Picture
	if p.Last-p.First+1 < p.N {
		f.Note = fmt.Sprintf("Words %s to %s of %s, around the least certain arc.", number(int64(p.First)), number(int64(p.Last)), number(int64(p.N)))
	}
	f.Label = fmt.Sprintf("Dependency tree of %d words; the table below has the same", p.Last-p.First+1)
	for i := p.First - 1; i < p.Last; i++ {
		probability, tag := "", ""
		if v, ok := arcProbability(t, i); ok {
			probability = fmt.Sprintf("%.2f", v)
		}
		if i < len(t.UPOSConf) {
			tag = fmt.Sprintf("%.2f", t.UPOSConf[i])
		}
		head := ""
		if i < len(t.Head) {
			head = fmt.Sprint(t.Head[i])
		}
		f.Rows = append(f.Rows, [8]string{fmt.Sprint(i + 1), Clip(Visible(t.Tokens[i]), 60), at(t.Lemmas, i), at(t.UPOS, i), tag, head, at(t.Deprel, i), probability})
	}
	return f
}
