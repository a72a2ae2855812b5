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
	JSON     bool // instead of tables
	Counts   bool // counts instead of percentages, as udeval -c
	Enhanced bool // ELAS and EULAS too, as udeval without --no-enhanced
	Plain    bool // udeval's table only
}

// Report writes a result as tables for people, the first of which is laid out
// as udeval -v does, or as JSON for programs.
func Report(w io.Writer, r *Result, o ReportOptions) error {
	var b bytes.Buffer
	if o.JSON {
		data, err := json.MarshalIndent(r.forJSON(), "", "  ")
		if err != nil {
			return err
		}
		b.Write(append(data, '\n'))
	} else {
		last := BLEX
		if o.Enhanced {
			last = EULAS
		}
		r.writeTable(&b, narrow, Tokens, last, o.Counts)
		if !o.Plain {
			b.WriteByte('\n')
			r.writeTable(&b, wide, LASFull, LASPunct, o.Counts)
			b.WriteByte('\n')
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

// writeTable writes the metrics first..last.
func (r *Result) writeTable(b *bytes.Buffer, width int, first, last Metric, counts bool) {
	if counts {
		writeHead(b, width, "Metric", " Correct   |      Gold | Predicted | Aligned")
	} else {
		writeHead(b, width, "Metric", " Precision |    Recall |  F1 Score | AligndAcc")
	}
	for m := first; m <= last; m++ {
		s := r.Scores[m]
		if counts {
			fmt.Fprintf(b, "%-*s|%10d |%10d |%10d |%s\n", width, m, s.Correct, s.Gold, s.System, s.alignedCell(m))
			continue
		}
		fmt.Fprintf(b, "%-*s|%10.2f |%10.2f |%10.2f |", width, m, 100*s.Precision(), 100*s.Recall(), 100*s.F1())
		if a, ok := s.AlignedAccuracy(); ok {
			fmt.Fprintf(b, "%10.2f", 100*a)
		}
		b.WriteByte('\n')
	}
}

// alignedCell is the last column of the table of counts. As udeval, it is
// blank where there is nothing aligned.
func (s Score) alignedCell(m Metric) string {
	n := s.Aligned
	if m == Words {
		n = s.Correct
	}
	if n <= 0 && (m != Words || n < 0) {
		return fmt.Sprintf("%10s", "")
	}
	return fmt.Sprintf("%10d", n)
}

func (r *Result) writeDetails(b *bytes.Buffer) {
	writeHead(b, wide, "Sentence length", " Sentences |     Words |       UAS |       LAS")
	for _, bin := range r.Lengths {
		if bin.Sentences > 0 {
			fmt.Fprintf(b, "%-*s|%10d |%10d |%10.2f |%10.2f\n", wide, bin.name(), bin.Sentences, bin.Words,
				100*ratio(bin.UAS, bin.Words), 100*ratio(bin.LAS, bin.Words))
		}
	}
	c := r.Crossing
	fmt.Fprintf(b, "\nCrossing arcs: %d in gold, %d found (recall %.2f); %d predicted, %d right (precision %.2f)\n",
		c.Gold, c.GoldFound, 100*ratio(c.GoldFound, c.Gold), c.System, c.SystemRight, 100*ratio(c.SystemRight, c.System))
	fmt.Fprintf(b, "Sentences without exactly one root: %d in gold, %d predicted\n", r.GoldMultiRoot, r.SystemMultiRoot)
	if r.Errors != nil {
		r.Errors.write(b)
	}
	if len(r.Confidence) > 0 {
		writeReliabilities(b, r.Confidence)
	}
}

func (l LengthBin) name() string {
	if l.Max == 0 {
		return fmt.Sprintf("%d+", l.Min)
	}
	return fmt.Sprintf("%d-%d", l.Min, l.Max)
}

// The JSON form. Figures are fractions, not percentages.
type jsonScore struct {
	Gold            int      `json:"gold"`
	System          int      `json:"system"`
	Correct         int      `json:"correct"`
	Aligned         *int     `json:"aligned"`
	Precision       float64  `json:"precision"`
	Recall          float64  `json:"recall"`
	F1              float64  `json:"f1"`
	AlignedAccuracy *float64 `json:"aligned_accuracy"`
}

type jsonLength struct {
	Min       int     `json:"min"`
	Max       *int    `json:"max"`
	Sentences int     `json:"sentences"`
	Words     int     `json:"words"`
	UAS       float64 `json:"uas"`
	LAS       float64 `json:"las"`
}

type jsonResult struct {
	Metrics         map[string]jsonScore  `json:"metrics"`
	Lengths         []jsonLength          `json:"by_length"`
	Crossing        Crossing              `json:"crossing_arcs"`
	GoldMultiRoot   int                   `json:"gold_sentences_without_one_root"`
	SystemMultiRoot int                   `json:"system_sentences_without_one_root"`
	Causes          map[string]CauseCount `json:"causes_of_errors,omitempty"`
	Pruned          *int                  `json:"pruned_gold_heads,omitempty"`
	Confidence      []Reliability         `json:"confidence,omitempty"`
}

func (r *Result) forJSON() jsonResult {
	out := jsonResult{
		Metrics:         map[string]jsonScore{},
		Crossing:        r.Crossing,
		Confidence:      r.Confidence,
		GoldMultiRoot:   r.GoldMultiRoot,
		SystemMultiRoot: r.SystemMultiRoot,
	}
	for m := Metric(0); m < numMetrics; m++ {
		s := r.Scores[m]
		js := jsonScore{Gold: s.Gold, System: s.System, Correct: s.Correct,
			Precision: s.Precision(), Recall: s.Recall(), F1: s.F1()}
		if a, ok := s.AlignedAccuracy(); ok {
			js.Aligned, js.AlignedAccuracy = &s.Aligned, &a
		}
		out.Metrics[m.String()] = js
	}
	for _, bin := range r.Lengths {
		l := jsonLength{Min: bin.Min, Sentences: bin.Sentences, Words: bin.Words,
			UAS: ratio(bin.UAS, bin.Words), LAS: ratio(bin.LAS, bin.Words)}
		if bin.Max > 0 {
			l.Max = &bin.Max
		}
		out.Lengths = append(out.Lengths, l)
	}
	if r.Errors != nil {
		out.Causes, out.Pruned = map[string]CauseCount{}, &r.Errors.Pruned
		for i, c := range r.Errors.Causes {
			out.Causes[Cause(i).String()] = c
		}
	}
	return out
}

// ReportComparison writes the outcome of Bootstrap in one line.
func ReportComparison(w io.Writer, c Comparison) error {
	_, err := fmt.Fprintf(w, "%s: %.2f against %.2f, difference %+.2f, 95 %% of %d samples in [%+.2f, %+.2f], p = %.4f\n",
		c.Metric, 100*c.A, 100*c.B, 100*c.Delta, c.Samples, 100*c.Low, 100*c.High, c.P)
	return err
}
