package pick

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
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
	words := strings.Fields("They saw , ” boats")
	marginals, heads, deprels := []float32{0.5, 0.75, 0.125, 0.25, 1}, []float32{1, 1, 0.125, 0.25, 0.75}, []float32{1, 0.5, 0.125, 0.25, 0.75}
	amp, number := append(slices.Clone(words[:4]), "&"), append(slices.Clone(words[:4]), "+3,5") // signs, and a sign and a number
	for name, c := range map[string]struct {
		row  parquet.Tree
		want Doubt
	}{
		"without probabilities":            {parquet.Tree{Tokens: words}, Doubt{}},
		"by marginals":                     {parquet.Tree{Tokens: words, HeadMarginal: marginals}, Doubt{3 * 1024, 3, "head_marginal"}},
		"by head_conf":                     {parquet.Tree{Tokens: words, HeadMarginal: marginals, HeadConf: heads}, Doubt{1024, 3, "head_conf"}},
		"by deprel_conf":                   {parquet.Tree{Tokens: words, HeadConf: heads, DeprelConf: deprels}, Doubt{3072, 3, "deprel_conf"}},
		"what is tagged as punctuation":    {parquet.Tree{Tokens: words, UPOS: strings.Fields("PRON VERB PUNCT PUNCT PUNCT"), DeprelConf: deprels}, Doubt{2048, 2, "deprel_conf"}},
		"a sign that is tagged as a word":  {parquet.Tree{Tokens: amp, UPOS: strings.Fields("PRON VERB PUNCT PUNCT CCONJ"), DeprelConf: deprels}, Doubt{3072, 3, "deprel_conf"}},
		"a number without a tag":           {parquet.Tree{Tokens: number, DeprelConf: deprels}, Doubt{3072, 3, "deprel_conf"}},
		"punctuation alone":                {parquet.Tree{Tokens: strings.Fields("! ? ."), DeprelConf: deprels}, Doubt{}},
		"no number, and none from 0 to 1":  {*tree(float32(math.NaN()), 7, float32(math.Inf(1))), Doubt{4096, 3, "deprel_conf"}},
		"numbers below 0 of all the sizes": {*tree(-3, float32(math.Inf(-1))), Doubt{8192, 2, "deprel_conf"}},
	} {
		if got := Of(&c.row); got != c.want {
			t.Errorf("%s: %+v", name, got)
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
	ids := func(n int, rows []*parquet.Tree) (ids []string) {
		lowest := NewLowest(n)
		for i, row := range rows {
			row.SentID = fmt.Sprint(i)
			lowest.Add(row)
			if len(lowest.best.list) > 2*n {
				t.Fatalf("%d are kept", len(lowest.best.list))
			}
		}
		for _, row := range lowest.Trees() {
			ids = append(ids, row.SentID)
		}
		return ids
	}
	var rows []*parquet.Tree
	for i := range 100 {
		rows = append(rows, tree(float32((i*37)%10)/16))
	}
	rows[30] = tree()
	if got := fmt.Sprint(ids(3, rows)); got != "[0 10 20]" {
		t.Error(got)
	}
	// Those of which nothing is known come last, and are there.
	if got := fmt.Sprint(ids(9, []*parquet.Tree{tree(), tree(1), tree(0.5)})); got != "[2 1 0]" {
		t.Error(got)
	}
	if got := ids(0, rows); got != nil {
		t.Error(got)
	}
}
