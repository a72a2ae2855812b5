package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ReportOptions choose how Report writes a result.
type ReportOptions struct {
	JSON   bool // instead of tables; figures are fractions, not percentages
	Counts bool // counts instead of percentages, as udeval -c
	Plain  bool // udeval's table only
}

// Report writes a result as tables for people or as JSON for programs. The first table has the
// layout of udeval -v --no-enhanced.
func Report(w io.Writer, r *Result, o ReportOptions) error {
	var b bytes.Buffer
	if o.JSON {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		b.Write(append(data, '\n'))
	} else {
		r.writeTables(&b, o)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Result) writeTables(b *bytes.Buffer, o ReportOptions) {
	r.writeScores(b, narrow, shared, o.Counts)
	if o.Plain {
		return
	}
	r.writeScores(b, wide, ours, o.Counts)
	r.writeLengths(b)
	c := r.Crossing
	fmt.Fprintf(b, "\nCrossing arcs: %d in gold, %d found (recall %.2f); %d predicted, %d right (precision %.2f)\n",
		c.Gold, c.GoldFound, 100*ratio(c.GoldFound, c.Gold), c.System, c.SystemRight, 100*ratio(c.SystemRight, c.System))
	fmt.Fprintf(b, "Sentences without exactly one root: %d in gold, %d predicted\n", r.GoldMultiRoot, r.SystemMultiRoot)
	if r.Losses != nil {
		r.Losses.write(b)
	}
	if len(r.Forecast) > 0 {
		rows := [][]any{{"Expected", "Expected", "Std. err.", "F1 Score", "F1 - exp."}}
		for _, f := range r.Forecast {
			rows = append(rows, []any{f.Metric, f.Expected, f.Stderr, f.F1, f.Difference})
		}
		writeTable(b, wide, rows...)
	}
	if len(r.Confidence) > 0 {
		r.writeConfidence(b)
	}
}

// Widths of the first column of a table, at least.
const (
	narrow = 11 // udeval's
	wide   = 17
)

// plain is the text of a last cell that is not aligned.
type plain string

// writeTable writes a table, after an empty line if it is not the first. The first row is
// the head. The first column is aligned to the left, the others to the right in 10 places
// or more, as in udeval: ints, floats as percentages, and strings.
func writeTable(b *bytes.Buffer, first int, rows ...[]any) {
	text := func(cell any) string {
		if share, ok := cell.(float64); ok {
			return fmt.Sprintf("%.2f", 100*share)
		}
		return fmt.Sprint(cell)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			least := 10
			if k == 0 {
				least = first - 1
			}
			widths[k] = max(widths[k], least, utf8.RuneCountInString(text(cell)))
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	for i, row := range rows {
		separator := "|"
		for k, cell := range row {
			switch _, unaligned := cell.(plain); {
			case k == 0:
				fmt.Fprintf(b, "%-*s", widths[0]+1, text(cell))
				continue
			case unaligned:
				fmt.Fprint(b, separator, cell)
			default:
				fmt.Fprintf(b, "%s%*s", separator, widths[k], text(cell))
			}
			separator = " |"
		}
		b.WriteByte('\n')
		if i == 0 {
			for k, width := range widths {
				if k > 0 {
					b.WriteByte('+')
				}
				b.WriteString(strings.Repeat("-", width+1))
			}
			b.WriteByte('\n')
		}
	}
}

// writeScores writes a table of metrics. As in udeval, the last column is
// blank where nothing is aligned.
func (r *Result) writeScores(b *bytes.Buffer, width int, metrics []Metric, counts bool) {
	rows := [][]any{{"Metric", "Precision", "Recall", "F1 Score", "AligndAcc"}}
	if counts {
		rows[0] = []any{"Metric", "Correct  ", "Gold", "Predicted", plain(" Aligned")}
	}
	for _, m := range metrics {
		s := r.Scores[m]
		row := []any{m, s.Precision(), s.Recall(), s.F1(), plain("")}
		if accuracy, ok := s.AlignedAccuracy(); ok {
			row[4] = accuracy
		}
		if counts {
			row = []any{m, s.Correct, s.Gold, s.System, ""}
			if m == Words {
				row[4] = s.Correct
			} else if s.Aligned > 0 {
				row[4] = s.Aligned
			}
		}
		rows = append(rows, row)
	}
	writeTable(b, width, rows...)
}

func (r *Result) writeLengths(b *bytes.Buffer) {
	rows := [][]any{{"Sentence length", "Sentences", "Words", "UAS", "LAS"}}
	for _, bin := range r.Lengths {
		name := fmt.Sprintf("%d+", bin.Min)
		if bin.Max != nil {
			name = fmt.Sprintf("%d-%d", bin.Min, *bin.Max)
		}
		if bin.Sentences > 0 {
			rows = append(rows, []any{name, bin.Sentences, bin.Words, bin.UAS, bin.LAS})
		}
	}
	writeTable(b, wide, rows...)
}

func (r *Result) writeConfidence(b *bytes.Buffer) {
	rows := [][]any{{"Confidence", "of", "Cases", "Right", "Mean", "ECE", "AURC", "AUC", "Surest 80%", "50%"}}
	for _, c := range r.Confidence {
		var auc any = "-"
		if c.AUC != nil {
			auc = *c.AUC
		}
		rows = append(rows, []any{c.Column, c.Of, c.Cases, ratio(c.Right, c.Cases), c.Mean, c.ECE, c.AURC, auc,
			c.Surest80, c.Surest50})
	}
	writeTable(b, wide, rows...)
}

// MarshalJSON adds the figures, null where nothing can be aligned.
func (s Score) MarshalJSON() ([]byte, error) {
	type counts Score // without this method
	out := struct {
		counts
		Aligned         *int     `json:"aligned"`
		Precision       float64  `json:"precision"`
		Recall          float64  `json:"recall"`
		F1              float64  `json:"f1"`
		AlignedAccuracy *float64 `json:"aligned_accuracy"`
	}{counts: counts(s), Precision: s.Precision(), Recall: s.Recall(), F1: s.F1()}
	if a, ok := s.AlignedAccuracy(); ok {
		out.Aligned, out.AlignedAccuracy = &s.Aligned, &a
	}
	return json.Marshal(out)
}

// ReportComparison writes the outcome of Bootstrap in one line.
func ReportComparison(w io.Writer, c Comparison) error {
	_, err := fmt.Fprintf(w, "%s: %.2f against %.2f, difference %+.2f, 95 %% of %d samples in [%+.2f, %+.2f], p = %.4f\n",
		c.Metric, 100*c.A, 100*c.B, 100*c.Delta, c.Samples, 100*c.Low, 100*c.High, c.P)
	return err
}
