package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ReportOptions choose how Report writes a result.
type ReportOptions struct {
	JSON     bool // instead of tables; figures are fractions, not percentages
	Counts   bool // counts instead of percentages, as udeval -c
	Enhanced bool // ELAS and EULAS too, as udeval without --no-enhanced
	Plain    bool // udeval's table only
}

// Report writes a result as tables for people, the first of which is laid out
// as udeval -v does, or as JSON for programs.
func Report(w io.Writer, r *Result, o ReportOptions) error {
	var b bytes.Buffer
	if o.JSON {
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		b.Write(append(data, '\n'))
	} else {
		metrics := shared
		if o.Enhanced {
			metrics = enhanced
		}
		r.writeScores(&b, narrow, metrics, o.Counts)
		if !o.Plain {
			b.WriteByte('\n')
			r.writeScores(&b, wide, ours, o.Counts)
			r.writeDetails(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Widths of the first column of a table.
const (
	narrow = 11 // udeval's
	wide   = 17
)

// writeHead writes the first column's name, the others, and a rule.
func writeHead(b *bytes.Buffer, width int, name, others string) {
	fmt.Fprintf(b, "%-*s|%s\n%s+-----------+-----------+-----------+-----------\n",
		width, name, others, strings.Repeat("-", width))
}

// writeRow writes the first column and the others: ints in 10 places, floats
// as percentages in 10 places, strings as they are.
func writeRow(b *bytes.Buffer, width int, name any, others ...any) {
	fmt.Fprintf(b, "%-*v", width, name)
	separator := "|"
	for _, x := range others {
		b.WriteString(separator)
		switch x := x.(type) {
		case int:
			fmt.Fprintf(b, "%10d", x)
		case float64:
			fmt.Fprintf(b, "%10.2f", 100*x)
		case string:
			b.WriteString(x)
		}
		separator = " |"
	}
	b.WriteByte('\n')
}

// writeScores writes a table of metrics. As in udeval, the last column is
// blank where nothing is aligned.
func (r *Result) writeScores(b *bytes.Buffer, width int, metrics []Metric, counts bool) {
	if counts {
		writeHead(b, width, "Metric", " Correct   |      Gold | Predicted | Aligned")
	} else {
		writeHead(b, width, "Metric", " Precision |    Recall |  F1 Score | AligndAcc")
	}
	for _, m := range metrics {
		s := r.Scores[m]
		if !counts {
			var aligned any = ""
			if a, ok := s.AlignedAccuracy(); ok {
				aligned = a
			}
			writeRow(b, width, m, s.Precision(), s.Recall(), s.F1(), aligned)
			continue
		}
		var aligned any = "          "
		if m == Words {
			aligned = s.Correct
		} else if s.Aligned > 0 {
			aligned = s.Aligned
		}
		writeRow(b, width, m, s.Correct, s.Gold, s.System, aligned)
	}
}

// writeDetails writes what there is beside the scores.
func (r *Result) writeDetails(b *bytes.Buffer) {
	b.WriteByte('\n')
	writeHead(b, wide, "Sentence length", " Sentences |     Words |       UAS |       LAS")
	for _, bin := range r.Lengths {
		name := fmt.Sprintf("%d+", bin.Min)
		if bin.Max != nil {
			name = fmt.Sprintf("%d-%d", bin.Min, *bin.Max)
		}
		if bin.Sentences > 0 {
			writeRow(b, wide, name, bin.Sentences, bin.Words, bin.UAS, bin.LAS)
		}
	}
	c := r.Crossing
	fmt.Fprintf(b, "\nCrossing arcs: %d in gold, %d found (recall %.2f); %d predicted, %d right (precision %.2f)\n",
		c.Gold, c.GoldFound, 100*ratio(c.GoldFound, c.Gold), c.System, c.SystemRight, 100*ratio(c.SystemRight, c.System))
	fmt.Fprintf(b, "Sentences without exactly one root: %d in gold, %d predicted\n", r.GoldMultiRoot, r.SystemMultiRoot)
	if r.TreeErrors != nil {
		r.writeCauses(b)
	}
	if r.Losses != nil {
		r.Losses.write(b)
	}
	if len(r.Forecast) > 0 {
		r.writeForecast(b)
	}
	if len(r.Confidence) > 0 {
		r.writeConfidence(b)
	}
}

func (t *TreeErrors) writeCauses(b *bytes.Buffer) {
	sentences, words := 0, 0
	for _, c := range t.Causes {
		sentences += c.Sentences
		words += c.Words
	}
	b.WriteByte('\n')
	writeHead(b, wide, "Cause of errors", " Sentences |  % of all | Wrong hd. |  % of all")
	for _, cause := range causes {
		c := t.Causes[cause]
		writeRow(b, wide, cause, c.Sentences, ratio(c.Sentences, sentences), c.WrongHeads, ratio(c.WrongHeads, words))
	}
	fmt.Fprintf(b, "Words whose gold head was pruned: %d (%.2f %%)\n", t.Pruned, 100*ratio(t.Pruned, words))
}

func (r *Result) writeForecast(b *bytes.Buffer) {
	b.WriteByte('\n')
	writeHead(b, wide, "Expected", " Expected  | Std. err. |  F1 Score | F1 - exp. ")
	for _, f := range r.Forecast {
		writeRow(b, wide, f.Metric, f.Expected, f.Stderr, f.F1, f.Difference)
	}
}

func (r *Result) writeConfidence(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%-28s | %-15s |  Cases |  Right |   Mean |    ECE |   AURC |    AUC | Surest 80%% |    50%%\n", "Confidence", "of")
	fmt.Fprintf(b, "-----------------------------+-----------------+--------+--------+--------+--------+--------+--------+------------+-------\n")
	for _, c := range r.Confidence {
		auc := "      -"
		if c.AUC != nil {
			auc = fmt.Sprintf("%7.2f", 100**c.AUC)
		}
		fmt.Fprintf(b, "%-28s | %-15s |%7d |%7.2f |%7.2f |%7.2f |%7.2f |%s |%11.2f |%7.2f\n", c.Column, c.Of, c.Cases,
			100*ratio(c.Right, c.Cases), 100*c.Mean, 100*c.ECE, 100*c.AURC, auc, 100*c.Surest80, 100*c.Surest50)
	}
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
