package pick

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// tree is a row of words with their deprel_conf.
func tree(confs ...float32) *parquet.Tree {
	t := &parquet.Tree{DocID: "d", SourceURI: "in/d", DeprelConf: confs}
	for i := range confs {
		t.Tokens, t.UPOS = append(t.Tokens, fmt.Sprintf("w%d", i)), append(t.UPOS, "NOUN")
	}
	return t
}

// The doubt goes by the best column that there is; a comma does not count, but a
// number with one does.
func TestOf(t *testing.T) {
	row := tree()
	row.Tokens = strings.Fields("They saw , ” boats")
	if got := Of(row); got != (Doubt{}) {
		t.Errorf("without probabilities: %+v", got)
	}
	row.HeadMarginal = []float32{0.5, 0.75, 0.125, 0.25, 1}
	if got := Of(row); got != (Doubt{3 * 1024, 3, "head_marginal"}) || got.Expected() != 0.75 {
		t.Errorf("by marginals: %+v", got)
	}
	row.HeadConf = []float32{1, 1, 0.125, 0.25, 0.75}
	if got := Of(row); got != (Doubt{1024, 3, "head_conf"}) {
		t.Errorf("by head_conf: %+v", got)
	}
	row.DeprelConf = []float32{1, 0.5, 0.125, 0.25, 0.75}
	if got := Of(row); got != (Doubt{3072, 3, "deprel_conf"}) {
		t.Errorf("by deprel_conf: %+v", got)
	}
	row.UPOS = []string{"PRON", "VERB", "PUNCT", "PUNCT", "PUNCT"}
	if got := Of(row); got != (Doubt{2048, 2, "deprel_conf"}) {
		t.Errorf("what is tagged as punctuation counts: %+v", got)
	}
	row.Tokens[4], row.UPOS[4] = "&", "CCONJ"
	if got := Of(row); got != (Doubt{3072, 3, "deprel_conf"}) {
		t.Errorf("a sign that is tagged as a word: %+v", got)
	}
	row.UPOS, row.Tokens[4] = nil, "+3,5" // a sign and a number
	if got := Of(row); got.Words != 3 {
		t.Errorf("without tags: %+v", got)
	}
	row.Tokens = strings.Fields("! ? .")
	if got := Of(row); got != (Doubt{}) {
		t.Errorf("punctuation alone: %+v", got)
	}
	for _, odd := range []float32{float32(math.NaN()), -3, float32(math.Inf(-1))} {
		if got := Of(tree(odd, 7, float32(math.Inf(1)))); got.Wrong != 4096 {
			t.Errorf("%v: %+v", odd, got)
		}
	}
}

// The comparison is that of the shares, without rounding.
func TestCompare(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	share := func(d Doubt) *big.Rat { return big.NewRat(d.Wrong, int64(d.Words+sureWords)) }
	for range 2000 {
		a := Doubt{Wrong: chance.Int64N(1 << 28), Words: 1 + chance.IntN(65535)}
		b := Doubt{Wrong: chance.Int64N(1 << 28), Words: 1 + chance.IntN(65535)}
		if chance.IntN(4) == 0 {
			k := 1 + chance.IntN(3)
			b = Doubt{Wrong: a.Wrong * int64(k), Words: (a.Words+sureWords)*k - sureWords}
		}
		if got, want := a.Compare(b), -share(a).Cmp(share(b)); got != want {
			t.Fatalf("%+v and %+v: %d, want %d", a, b, got, want)
		}
	}
	// A sentence of doubts is less certain than a doubtful fragment.
	if Of(tree(0.5)).Compare(Of(tree(0.5, 0.5, 0.5, 0.5))) != 1 {
		t.Error("a fragment goes first")
	}
}

func TestLowest(t *testing.T) {
	lowest := Lowest{N: 3}
	for i := range 100 {
		row := tree(float32((i*37)%10) / 16)
		row.SentID = fmt.Sprint(i)
		if i == 30 {
			row.DeprelConf = nil
		}
		lowest.Add(row)
		if len(lowest.list) > 2*lowest.N {
			t.Fatalf("%d are kept", len(lowest.list))
		}
	}
	ids := func(l *Lowest) (ids []string) {
		for _, row := range l.Trees() {
			ids = append(ids, row.SentID)
		}
		return ids
	}
	if got := fmt.Sprint(ids(&lowest)); got != "[0 10 20]" {
		t.Error(got)
	}
	// Those of which nothing is known come last, and are there.
	all := Lowest{N: 9}
	for i, row := range []*parquet.Tree{tree(), tree(1), tree(0.5)} {
		row.SentID = fmt.Sprint(i)
		all.Add(row)
	}
	if got := fmt.Sprint(ids(&all)); got != "[2 1 0]" {
		t.Error(got)
	}
}
