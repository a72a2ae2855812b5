package view

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Few words are counted exactly. Of many, the common ones are there, and no count
// is too high, or lower than said.
func TestFrequency(t *testing.T) {
	var few frequency
	for i := range 1000 {
		few.add(fmt.Sprint("w", i%10*(i%3)))
	}
	if top := few.top(1); few.low != 0 || few.total != 1000 || top[0].Name != "w0" || top[0].N != 400 {
		t.Errorf("%+v of %d", top[0], few.total)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var many frequency
	exact := map[string]int64{}
	for i := range 6 * maxFrequent {
		word := fmt.Sprint("rare", i)
		if i%2 == 0 {
			word = fmt.Sprint("common", min(r.IntN(100), r.IntN(100)))
		}
		many.add(word)
		exact[word]++
		if len(many.counts) > maxFrequent {
			t.Fatal("it grows")
		}
	}
	if many.low == 0 || many.low > many.total/maxFrequent {
		t.Errorf("counts are said to be %d too low", many.low)
	}
	top := many.top(80)
	for _, c := range top {
		if c.N > exact[c.Name] || c.N < exact[c.Name]-many.low || c.Name[0] != 'c' {
			t.Errorf("%s is counted %d times, not %d", c.Name, c.N, exact[c.Name])
		}
	}
	if top[0].Name != "common0" && top[0].Name != "common1" && top[0].Name != "common2" {
		t.Error(top[0].Name)
	}
}

// Forms are counted in any case; punctuation is not, and names are content words.
func TestVocabulary(t *testing.T) {
	row := tree("The/2", "THE/0", ",/2", "Oslo/2")
	row.UPOS, row.Lemmas = []string{"DET", "DET", "PUNCT", "PROPN"}, []string{"the", "the", ",", "Oslo"}
	var v vocabulary
	v.add(row)
	tables := v.tables()
	got := fmt.Sprint(tables[0].Rows, tables[1].Rows, tables[2].Rows)
	if want := "[{the 2 66.7% 100 []} {oslo 1 33.3% 50 []}] [{the 2 66.7% 100 []} {Oslo 1 33.3% 50 []}] [{Oslo 1 100.0% 100 []}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A picture of the report is no wider than the page, whatever the words are.
func TestDrawWithin(t *testing.T) {
	for _, row := range nasty() {
		p := drawWithin(row, pictureOptions{limit: maxDrawn, conf: LowConf}, maxPicture)
		if p.Width > maxPicture || len(row.Tokens) > 0 && p.Last < p.First {
			t.Errorf("%s: %d pixels for the words %d to %d", row.SentID, p.Width, p.First, p.Last)
		}
	}
}
