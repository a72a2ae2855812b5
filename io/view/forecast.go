package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A forecast says how good trees are expected to be: in total, and in the
// documents where they are expected to be worst.
type forecast struct {
	words int64
	total [len(measures)]estimate
	worst []*parquet.Document // at most 2*maxWorst
}

// An estimate is a sum over documents.
type estimate struct{ right, variance float64 } // of the number of right words

// measures are the columns of documents/ that say what is expected.
var measures = [...]struct {
	name string
	of   func(*parquet.Document) (share, stderr float64)
}{
	{"UPOS", func(d *parquet.Document) (float64, float64) { return d.ExpectedUPOS, d.ExpectedUPOSStderr }},
	{"UAS", func(d *parquet.Document) (float64, float64) { return d.ExpectedUAS, d.ExpectedUASStderr }},
	{"LAS", func(d *parquet.Document) (float64, float64) { return d.ExpectedLAS, d.ExpectedLASStderr }},
}

// maxWorst is how many documents are named, and minForecast how many words one
// must have to be named before those that have not: in a few words chance alone
// makes bad ones.
const maxWorst, minForecast = 20, 50

func (f *forecast) add(d *parquet.Document) {
	if d.CalibratedWords <= 0 {
		return
	}
	f.words += d.CalibratedWords
	for i := range measures {
		share, stderr := measures[i].of(d)
		right, deviation := float64(d.CalibratedWords)*share, float64(d.CalibratedWords)*stderr
		f.total[i].right += right
		f.total[i].variance += float64(deviation * deviation)
	}
	kept := *d
	if f.worst = append(f.worst, &kept); len(f.worst) >= 2*maxWorst {
		f.cut()
	}
}

// cut leaves the documents with the lowest expected LAS, the lowest first.
func (f *forecast) cut() {
	few := func(d *parquet.Document) int {
		if d.CalibratedWords >= minForecast {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(f.worst, func(a, b *parquet.Document) int {
		return cmp.Or(cmp.Compare(few(a), few(b)), cmp.Compare(a.ExpectedLAS, b.ExpectedLAS))
	})
	f.worst = f.worst[:min(len(f.worst), maxWorst)]
}

// A forecastTable is a forecast as the template shows it.
type forecastTable struct {
	Words    string
	Names    []string // of the measures,
	Total    []string // and of all words
	Rows     []forecastRow
	MinWords int
}

type forecastRow struct {
	Name, Words string
	Shares      []string
}

// table is nil if nothing is calibrated.
func (f *forecast) table() *forecastTable {
	if f.words == 0 {
		return nil
	}
	f.cut()
	p := &forecastTable{Words: number(f.words), MinWords: minForecast}
	p.Rows = make([]forecastRow, len(f.worst))
	for k, d := range f.worst {
		p.Rows[k] = forecastRow{Name: Visible(d.DocID), Words: number(d.CalibratedWords)}
	}
	for i, m := range measures {
		total := f.total[i]
		if total.right == 0 {
			continue
		}
		p.Names = append(p.Names, m.name)
		p.Total = append(p.Total, shareOf(total.right/float64(f.words), math.Sqrt(total.variance)/float64(f.words)))
		for k, d := range f.worst {
			p.Rows[k].Shares = append(p.Rows[k].Shares, shareOf(m.of(d)))
		}
	}
	return p
}

// shareOf writes a share and its standard error, in percent.
func shareOf(share, stderr float64) string { return fmt.Sprintf("%.1f ± %.1f", 100*share, 100*stderr) }

// certificateNames explains the column certificate.
var certificateNames = map[string]string{
	syntax.All.String():       "every tree over the candidate heads was scored: none is better under the model",
	syntax.Bound.String():     "a bound proves that no better tree exists over the candidate heads",
	syntax.Uncertain.String(): "the best tree that the search has found; another one may score higher",
}
