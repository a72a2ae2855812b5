package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/hash"
)

// naive clusters as Brown does, with the full sum over all classes for every pair
// of every step.
func naive(c *Counts, classes int) (merges []pair, flat int) {
	member := make([]int32, len(c.Words)) // class of a word, -1 for one to come
	for i := range member {
		member[i] = -1
	}
	of := func(w int32, p pair) int32 {
		switch {
		case w == Edge:
			return Edge
		case member[w] == p.b:
			return p.a
		}
		return member[w]
	}
	quality := func(p pair) (sum int64) {
		pairs, totals := map[[2]int32]int64{}, map[int32]int64{}
		for _, b := range c.Bigrams {
			if b.A >= 0 && member[b.A] < 0 || b.B >= 0 && member[b.B] < 0 {
				continue
			}
			pairs[[2]int32{of(b.A, p), of(b.B, p)}] += b.Count
		}
		for w, n := range c.Count {
			if member[w] >= 0 {
				totals[of(int32(w), p)] += n
			}
		}
		for _, n := range pairs {
			sum += entropy(n)
		}
		for _, n := range totals {
			sum -= 2 * entropy(n)
		}
		return sum
	}
	live := 0
	step := func() {
		var best pair
		most, found := int64(0), false
		for a := range int32(len(member)) {
			for b := a + 1; b < int32(len(member)); b++ {
				if member[a] != a || member[b] != b {
					continue
				}
				if q := quality(pair{a, b}); !found || q > most {
					best, most, found = pair{a, b}, q, true
				}
			}
		}
		for w := range member {
			if member[w] == best.b {
				member[w] = best.a
			}
		}
		merges = append(merges, best)
		live--
	}
	for w := range member {
		member[w] = int32(w)
		if live++; w >= classes {
			step()
		}
	}
	flat = len(merges)
	for live > 1 {
		step()
	}
	return merges, flat
}

// toy is text of a few words, some of which stand in the same places.
func toy(seed uint64, words, sentences int) [][]string {
	r := hash.Rand(seed)
	var list [][]string
	for range sentences {
		var s []string
		for range 1 + r.Below(6) {
			w := r.Below(1 + r.Below(uint32(words)))
			s = append(s, fmt.Sprintf("w%d", w))
			if r.Below(8) == 0 {
				s = append(s, s[len(s)-1])
			}
		}
		list = append(list, s)
	}
	return list
}

func TestBrownMergesWhatTheFullSumSays(t *testing.T) {
	ties := 0
	for seed := range uint64(60) {
		c := CountSentences(toy(seed, 4+int(seed%9), 3+int(seed)), 1+int64(seed%2), 14)
		if len(c.Words) == 0 {
			continue
		}
		for _, classes := range []int{1, 2, 3, 5, 20} {
			want, flat := naive(c, classes)
			got, err := Brown(c, classes, nil)
			if err != nil {
				t.Fatal(err)
			}
			if whole := brownTable(c, want, flat); !slices.Equal(got.Rows, whole.Rows) {
				t.Fatalf("seed %d, %d classes: %v, the full sum says %v", seed, classes, got.Rows, whole.Rows)
			}
			if merges := mergesOf(t, c, classes); !slices.Equal(merges, want) {
				t.Fatalf("seed %d, %d classes: merged %v, the full sum says %v", seed, classes, merges, want)
			}
			ties += len(want)
		}
	}
	if ties < 1000 {
		t.Fatalf("only %d merges were compared", ties)
	}
}

// mergesOf returns the merges of Brown.
func mergesOf(t *testing.T, c *Counts, classes int) []pair {
	t.Helper()
	m := newMerger(c, min(classes, len(c.Words)))
	for w := range c.Words {
		m.add(int32(w))
		if w >= classes {
			m.merge(m.best())
		}
	}
	for m.live > 1 {
		m.merge(m.best())
	}
	return m.merges
}

func TestBrownLosesNothingByChance(t *testing.T) {
	c := CountSentences(toy(7, 40, 400), 1, 1000)
	m := newMerger(c, len(c.Words))
	for w := range c.Words {
		m.add(int32(w))
	}
	for m.live > 1 {
		p := m.best()
		if loss := m.loss[m.at(m.slot[p.a], m.slot[p.b])]; loss < -int64(len(c.Words))<<8 {
			t.Fatalf("merging %v gains %d", p, -loss)
		}
		m.merge(p)
	}
}

// kinds is text of four kinds of words.
func kinds(seed uint64) (text [][]string) {
	r := hash.Rand(seed)
	pick := func(list string) string {
		words := strings.Fields(list)
		return words[r.Below(uint32(len(words)))]
	}
	for range 400 {
		s := []string{pick("the a"), pick("dog cat cow"), pick("sees bites")}
		if r.Below(2) == 0 {
			s = append(s, pick("in on under"))
		}
		text = append(text, append(s, pick("the a"), pick("dog cat cow")))
	}
	return text
}

// checkKinds wants one class for each kind.
func checkKinds(t *testing.T, table *Table) {
	t.Helper()
	if table.Classes() != 4 {
		t.Fatalf("%d classes", table.Classes())
	}
	m := table.Map()
	for _, kind := range []string{"the a", "dog cat cow", "sees bites", "in on under"} {
		words := strings.Fields(kind)
		for _, w := range words {
			if m[w] != m[words[0]] {
				t.Errorf("%s is %s, %s is %s", w, m[w], words[0], m[words[0]])
			}
		}
	}
	for i, a := range table.Rows {
		for _, b := range table.Rows[i+1:] {
			if a.Bits != b.Bits && strings.HasPrefix(b.Bits, a.Bits) {
				t.Errorf("%s is a prefix of %s", a.Bits, b.Bits)
			}
		}
	}
}

func TestBrownTellsKindsOfWordsApart(t *testing.T) {
	table, err := Brown(CountSentences(kinds(3), 1, 100), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkKinds(t, table)
}

func TestBrownRefusesWrongCounts(t *testing.T) {
	good := func() *Counts {
		return &Counts{Words: []string{"a", "b"}, Count: []int64{2, 1}, Bigrams: []Bigram{{0, 1, 1}}}
	}
	for name, wrong := range map[string]func(c *Counts){
		"order":     func(c *Counts) { c.Count[1] = 3 },
		"none":      func(c *Counts) { c.Words = nil },
		"lengths":   func(c *Counts) { c.Count = c.Count[:1] },
		"total":     func(c *Counts) { c.Count[0] = MaxTokens },
		"place":     func(c *Counts) { c.Bigrams[0].A = 2 },
		"edges":     func(c *Counts) { c.Bigrams[0] = Bigram{Edge, Edge, 1} },
		"zero":      func(c *Counts) { c.Bigrams[0].Count = 0 },
		"too often": func(c *Counts) { c.Bigrams[0].Count = MaxTokens + 1 },
	} {
		c := good()
		wrong(c)
		if _, err := Brown(c, 2, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, classes := range []int{-1, 0, MaxClasses + 1} {
		if _, err := Brown(good(), classes, nil); err == nil {
			t.Errorf("%d classes: no error", classes)
		}
	}
	if _, err := Brown(good(), MaxClasses, nil); err != nil {
		t.Error(err)
	}
}

func TestLog2(t *testing.T) {
	if got := []int64{log2(0), log2(1), log2(2), log2(1 << 40)}; !slices.Equal(got, []int64{0, 0, 1 << 24, 40 << 24}) {
		t.Fatal(got)
	}
	if got := log2(3); got != 26591258 { // 1.58496250072 * 2^24 = 26591258.2
		t.Fatal(got)
	}
	for n := uint64(1); n < 100000; n++ {
		if log2(n+1) < log2(n) {
			t.Fatalf("the logarithm falls at %d", n)
		}
	}
	if entropy(tabled) != tabled*(18<<24) {
		t.Fatal(entropy(tabled))
	}
}

// atStart is how much of the table there is before anything is merged.
var atStart = len(table)

// No command waits for the table that does not merge, and it changes nothing.
func TestTableIsFilledWhenItIsNeeded(t *testing.T) {
	fillTable()
	if atStart != 0 || len(table) != tabled {
		t.Errorf("the table has %d numbers at the start, then %d", atStart, len(table))
	}
	for n := range int64(tabled) {
		if entropy(n) != n*log2(uint64(n)) {
			t.Fatalf("entropy of %d is %d", n, entropy(n))
		}
	}
}
