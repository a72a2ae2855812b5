package eval

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// sentenceOf makes a sentence of "form/head/deprel/conf" words.
func sentenceOf(words ...string) syntax.Sentence {
	var s syntax.Sentence
	for _, w := range words {
		f := strings.Split(w, "/")
		conf := float32(f[3][0]-'0') / 4
		s.Words = append(s.Words, syntax.Word{Form: f[0], Head: int32(f[1][0] - '0'), Deprel: f[2]})
		s.Confidence.HeadConf = append(s.Confidence.HeadConf, conf)
		s.Confidence.DeprelConf = append(s.Confidence.DeprelConf, conf/2)
	}
	s.Confidence.TreeConf, s.Confidence.HasTreeConf = 0.25, true
	return s
}

func reliabilityOf(t *testing.T, list []Reliability, column, of string) Reliability {
	t.Helper()
	for _, r := range list {
		if r.Column == column && r.Of == of {
			return r
		}
	}
	t.Fatalf("no %s of %s in %+v", column, of, list)
	return Reliability{}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestReliabilities(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("a/2/x/0", "b/0/root/0", "c/2/y/0", "./2/punct/0"), sentenceOf("d/0/root/0")}
	// Right, right, wrong, and a right head with a wrong subtype; the second
	// sentence is right as a whole.
	system := []syntax.Sentence{sentenceOf("a/2/x/4", "b/0/root/3", "c/1/y/3", "./2/punct:z/1"), sentenceOf("d/0/root/4")}
	list, err := Reliabilities(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	// By value: 1 right, 1 right | 0.75 right, 0.75 wrong | 0.25 right.
	r := reliabilityOf(t, list, "head_conf", "head")
	ece := (0 + math.Abs(1.5-1) + math.Abs(0.25-1)) / 5
	aurc := (0 + 0 + 0.5/3 + 1.0/4 + 1.0/5) / 5
	if r.Cases != 5 || r.Right != 4 || !near(r.Mean, 3.75/5) || !near(r.ECE, ece) || !near(r.AURC, aurc) {
		t.Errorf("%+v, want ECE %v, AURC %v", r, ece, aurc)
	}
	if r := reliabilityOf(t, list, "head_conf", "head, no punct."); r.Cases != 4 || r.Right != 3 {
		t.Errorf("%+v", r)
	}
	if r := reliabilityOf(t, list, "deprel_conf", "head+deprel"); r.Cases != 5 || r.Right != 3 {
		t.Errorf("%+v", r)
	}
	if r := reliabilityOf(t, list, "tree_conf", "tree"); r.Cases != 2 || r.Right != 1 || !near(r.ECE, 0.25) ||
		!near(r.AURC, 0.5) {
		t.Errorf("%+v", r)
	}
	if len(list) != 4 {
		t.Errorf("columns that are null were measured: %+v", list)
	}

	result, err := Evaluate(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	result.Confidence = list
	for _, o := range []ReportOptions{{}, {JSON: true}} {
		var b bytes.Buffer
		if err := Report(&b, result, o); err != nil || !strings.Contains(b.String(), "head_conf") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

// Words that are cut in another way are wrong, and so are trees of sentences
// that gold has not.
func TestReliabilitiesOfOtherWords(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("ab/0/root/0", "c/1/x/0"), sentenceOf("d/0/root/0")}
	system := []syntax.Sentence{sentenceOf("a/0/root/1", "b/1/x/1", "c/1/x/1"), sentenceOf("d/0/root/1")}
	list, err := Reliabilities(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	if r := reliabilityOf(t, list, "head_conf", "head"); r.Cases != 4 || r.Right != 1 {
		t.Errorf("%+v", r)
	}
	if r := reliabilityOf(t, list, "tree_conf", "tree"); r.Cases != 2 || r.Right != 1 {
		t.Errorf("%+v", r)
	}
	joined := syntax.Sentence{Words: []syntax.Word{{Form: "ab", Deprel: "root"}, {Form: "c", Head: 1, Deprel: "x"},
		{Form: "d", Head: 1, Deprel: "y"}}}
	joined.Confidence.HasTreeConf = true
	if list, err = Reliabilities(gold, []syntax.Sentence{joined}); err != nil || len(list) != 1 || list[0].Right != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := Reliabilities(gold, gold[:1]); err == nil {
		t.Error("texts that differ")
	}
	if list, err := Reliabilities(nil, nil); err != nil || list != nil {
		t.Errorf("nothing: %+v, %v", list, err)
	}
}

// Figures of the order are what they are on average over all orders that the
// values allow, by trying them all; AUC counts pairs.
func TestRankAgainstAllOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(6)
		list := make([]judged, n)
		for i := range list {
			list[i] = judged{float64(rng.IntN(3)) / 4, rng.IntN(2) == 0}
		}
		var want Reliability
		orders := 0.0
		permute(slices.Clone(list), 0, func(order []judged) {
			if !slices.IsSortedFunc(order, func(a, b judged) int { return cmp.Compare(b.value, a.value) }) {
				return
			}
			orders++
			right := make([]float64, n+1) // among the first k
			for k := range order {
				right[k+1] = right[k]
				if order[k].right {
					right[k+1]++
				}
				want.AURC += (1 - right[k+1]/float64(k+1)) / float64(n)
			}
			k80, k50 := max(int(float64(n)*0.8+0.5), 1), max((n+1)/2, 1)
			want.Surest80 += right[k80] / float64(k80)
			want.Surest50 += right[k50] / float64(k50)
		})
		var got Reliability
		got.rank(slices.Clone(list))
		if !near(got.AURC, want.AURC/orders) || !near(got.Surest80, want.Surest80/orders) ||
			!near(got.Surest50, want.Surest50/orders) {
			t.Fatalf("%v: %+v, want %+v of %v orders", list, got, want, orders)
		}
		pairs, won := 0.0, 0.0
		for _, a := range list {
			for _, b := range list {
				if !a.right || b.right {
					continue
				}
				pairs++
				switch {
				case a.value > b.value:
					won++
				case a.value == b.value:
					won += 0.5
				}
			}
		}
		if (got.AUC == nil) != (pairs == 0) || pairs > 0 && !near(*got.AUC, won/pairs) {
			t.Fatalf("%v: AUC %v, want %v of %v pairs", list, got.AUC, won, pairs)
		}
	}
}

// permute gives all orders of list[k:] to do.
func permute(list []judged, k int, do func([]judged)) {
	if k == len(list) {
		do(list)
	}
	for i := k; i < len(list); i++ {
		list[k], list[i] = list[i], list[k]
		permute(list, k+1, do)
		list[k], list[i] = list[i], list[k]
	}
}

// Tags are right or wrong by themselves.
func TestReliabilityOfTags(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("a/2/x/0", "b/0/root/0"), sentenceOf("c/0/root/0")}
	system := []syntax.Sentence{sentenceOf("a/0/root/4", "b/1/x/3"), sentenceOf("c/0/root/4")}
	gold[0].Words[0].UPOS, system[0].Words[0].UPOS = "NOUN", "NOUN"
	gold[0].Words[1].UPOS, system[0].Words[1].UPOS = "VERB", "NOUN"
	system[0].Confidence.UPOSConf = []float32{0.75, 0.5}
	list, err := Reliabilities(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	if r := reliabilityOf(t, list, "upos_conf", "UPOS"); r.Cases != 2 || r.Right != 1 || !near(r.Mean, 0.625) ||
		*r.AUC != 1 || r.Surest50 != 1 || r.Surest80 != 0.5 {
		t.Errorf("%+v", r)
	}
}

// A value that is no probability is passed over.
func TestReliabilityOfNoProbability(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("a/2/x/0", "b/0/root/0", "c/2/y/0", "d/2/y/0")}
	system := syntax.Clone(gold)
	system[0].Confidence.HeadConf = []float32{float32(math.NaN()), 0.5, -1, 7}
	list, err := Reliabilities(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	if r := reliabilityOf(t, list, "head_conf", "head"); r.Cases != 1 || !near(r.Mean, 0.5) {
		t.Errorf("%+v", r)
	}
}

func TestForecasts(t *testing.T) {
	gold := []syntax.Sentence{sentenceOf("a/2/x/0", "b/0/root/0", "c/2/y/0", "./2/punct/0")}
	system := []syntax.Sentence{sentenceOf("a/2/x/0", "b/0/root/0", "c/2/z/0", "./3/punct/0")}
	result, err := Evaluate(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	if list := result.Forecasts(new(syntax.Expected)); list != nil {
		t.Errorf("nothing was expected: %+v", list)
	}
	const word = 4096
	result.Forecast = result.Forecasts(&syntax.Expected{Words: 4, UPOS: syntax.Estimate{Right: 4 * word},
		UAS: syntax.Estimate{Right: 2 * word, Variance: 4 * word}, LAS: syntax.Estimate{Right: 2 * word, Variance: word}})
	want := []Forecast{{UPOS, 1, 0, 1, 0}, {UAS, 0.5, 0.5, 0.75, 0.25}, {LAS, 0.5, 0.25, 0.5, 0}}
	if !slices.Equal(result.Forecast, want) {
		t.Errorf("%+v", result.Forecast)
	}
	for want, o := range map[string]ReportOptions{"UAS              |     50.00 |     50.00 |     75.00 |     25.00\n": {}, `"difference": 0.25`: {JSON: true}} {
		var b bytes.Buffer
		if err := Report(&b, result, o); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v, no %q in\n%s", err, want, b.String())
		}
	}
}
