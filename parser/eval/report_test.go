package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

const wantTable = `Metric     | Precision |    Recall |  F1 Score | AligndAcc
-----------+-----------+-----------+-----------+-----------
Tokens     |    100.00 |    100.00 |    100.00 |
Sentences  |     50.00 |    100.00 |     66.67 |
Words      |    100.00 |    100.00 |    100.00 |
UPOS       |    100.00 |    100.00 |    100.00 |    100.00
XPOS       |    100.00 |    100.00 |    100.00 |    100.00
UFeats     |    100.00 |    100.00 |    100.00 |    100.00
AllTags    |    100.00 |    100.00 |    100.00 |    100.00
Lemmas     |    100.00 |    100.00 |    100.00 |    100.00
UAS        |     75.00 |     75.00 |     75.00 |     75.00
LAS        |     50.00 |     50.00 |     50.00 |     50.00
CLAS       |     33.33 |     33.33 |     33.33 |     33.33
MLAS       |     33.33 |     33.33 |     33.33 |     33.33
BLEX       |     33.33 |     33.33 |     33.33 |     33.33

Metric           | Precision |    Recall |  F1 Score | AligndAcc
-----------------+-----------+-----------+-----------+-----------
LAS-full         |     50.00 |     50.00 |     50.00 |     50.00
UAS-nopunct      |     66.67 |     66.67 |     66.67 |     66.67
LAS-nopunct      |     33.33 |     33.33 |     33.33 |     33.33
LAS-full-nopunct |     33.33 |     33.33 |     33.33 |     33.33
UAS-punct        |    100.00 |    100.00 |    100.00 |    100.00
LAS-punct        |    100.00 |    100.00 |    100.00 |    100.00

Sentence length  | Sentences |     Words |       UAS |       LAS
-----------------+-----------+-----------+-----------+-----------
1-5              |         1 |         2 |    100.00 |    100.00
6-10             |         1 |         6 |     66.67 |     33.33

Crossing arcs: 0 in gold, 0 found (recall 0.00); 0 predicted, 0 right (precision 0.00)
Sentences without exactly one root: 0 in gold, 0 predicted
`

func reportExample(t *testing.T) *Result {
	gold := sentences("a/0/root b/1/obj c/1/obj d/1/obj e/1/obj ./1/punct", "a/0/root ./1/punct")
	system := sentences("a/0/root b/1/nmod c/1/nmod", "d/0/root e/1/obj ./1/punct", "a/0/root ./1/punct")
	return evaluate(t, gold, system)
}

func TestReportTables(t *testing.T) {
	r := reportExample(t)
	// By hand: right heads are a, b, c of the first sentence (d is a root, e and
	// "." hang on d) and both words of the second, 5 of 8; b and c have a wrong
	// deprel.
	checkScores(t, r, map[Metric]Score{
		UAS: {8, 8, 5, 8}, LAS: {8, 8, 3, 8}, CLAS: {6, 6, 2, 6}, Sentences: {2, 3, 1, -1},
		UASNoPunct: {6, 6, 4, 6}, LASPunct: {2, 2, 1, 2},
	})
	var plain, counts bytes.Buffer
	if err := Report(&plain, r, ReportOptions{Plain: true}); err != nil {
		t.Fatal(err)
	}
	want := "LAS        |     37.50 |     37.50 |     37.50 |     37.50\n"
	if !bytes.Contains(plain.Bytes(), []byte(want)) {
		t.Errorf("got\n%s", plain.String())
	}
	if err := Report(&counts, r, ReportOptions{Plain: true, Counts: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Metric     | Correct   |      Gold | Predicted | Aligned\n",
		"Sentences  |         1 |         2 |         3 |          \n",
		"Words      |         8 |         8 |         8 |         8\n",
		"CLAS       |         2 |         6 |         6 |         6\n",
	} {
		if !bytes.Contains(counts.Bytes(), []byte(want)) {
			t.Errorf("no %q in\n%s", want, counts.String())
		}
	}
}

// TestReportLayout sets the counts itself, so that every column shows.
func TestReportLayout(t *testing.T) {
	gold := sentences("a/0/root b/1/obj c/1/obj d/1/obj ./1/punct ./1/punct", "a/0/root ./1/punct")
	r := evaluate(t, gold, gold)
	r.Scores[Sentences] = Score{1, 2, 1, -1}
	r.Scores[UAS], r.Scores[LAS] = Score{8, 8, 6, 8}, Score{8, 8, 4, 8}
	for _, m := range []Metric{CLAS, MLAS, BLEX, LASNoPunct, LASFullNoPunct} {
		r.Scores[m] = Score{6, 6, 2, 6}
	}
	r.Scores[UASNoPunct], r.Scores[LASFull] = Score{6, 6, 4, 6}, Score{8, 8, 4, 8}
	r.Lengths[1].UAS, r.Lengths[1].LAS = 4.0/6, 2.0/6
	var got bytes.Buffer
	if err := Report(&got, r, ReportOptions{}); err != nil {
		t.Fatal(err)
	}
	if got.String() != wantTable {
		t.Errorf("got\n%s", got.String())
	}
}

func TestReportJSON(t *testing.T) {
	r := reportExample(t)
	var b bytes.Buffer
	if err := Report(&b, r, ReportOptions{JSON: true}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Metrics map[string]struct {
			F1, Precision   float64
			Aligned         *int
			AlignedAccuracy *float64 `json:"aligned_accuracy"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	las, words := got.Metrics["LAS"], got.Metrics["Words"]
	if las.F1 != 3.0/8 || las.Aligned == nil || *las.Aligned != 8 || *las.AlignedAccuracy != 3.0/8 ||
		words.AlignedAccuracy != nil || words.Aligned != nil {
		t.Errorf("got %+v", got.Metrics)
	}
}

func TestBootstrap(t *testing.T) {
	var texts, better, worse []string
	for i := range 40 {
		texts = append(texts, "a/0/root b/1/obj c/1/obj")
		better = append(better, texts[i])
		worse = append(worse, []string{"a/0/root b/1/nmod c/1/obj", texts[i]}[i%2])
	}
	gold := sentences(texts...)
	a, b := evaluate(t, gold, sentences(worse...)), evaluate(t, gold, sentences(better...))
	c, err := Bootstrap(a, b, LAS, 1000, 7)
	if err != nil {
		t.Fatal(err)
	}
	// 20 of 120 words are wrong. A sample of 40 sentences has 20 +- 3.16 bad
	// ones, so the difference has a standard deviation of 0.0264.
	if c.A != 100.0/120 || c.B != 1 || math.Abs(c.Delta-1.0/6) > 1e-15 {
		t.Errorf("got %+v", c)
	}
	if math.Abs(c.Low-(c.Delta-1.96*0.0264)) > 0.012 || math.Abs(c.High-(c.Delta+1.96*0.0264)) > 0.012 || c.P != 1.0/1001 {
		t.Errorf("interval %v to %v, p %v", c.Low, c.High, c.P)
	}
	if again, _ := Bootstrap(a, b, LAS, 1000, 7); again != c {
		t.Error("not deterministic")
	}
	back, _ := Bootstrap(b, a, LAS, 1000, 7)
	if back.Delta != -c.Delta || back.P != c.P {
		t.Errorf("reversed: %+v", back)
	}
	if same, _ := Bootstrap(a, a, LAS, 100, 7); same.P != 1 || same.Low != 0 || same.High != 0 {
		t.Errorf("with itself: %+v", same)
	}
	if _, err := Bootstrap(a, b, Tokens, 100, 7); err == nil {
		t.Error("Tokens accepted")
	}
	if _, err := Bootstrap(a, evaluate(t, gold[:3], gold[:3]), LAS, 100, 7); err == nil {
		t.Error("different gold accepted")
	}
	var out bytes.Buffer
	if err := ReportComparison(&out, c); err != nil ||
		!bytes.HasPrefix(out.Bytes(), []byte("LAS: 83.33 against 100.00, difference +16.67, 95 % of 1000 samples in [")) {
		t.Errorf("%v %q", err, out.String())
	}
}
