package find_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/pipeline/find"
)

// What is compared are the hits and frequencies of the two corpora by themselves.
func TestAgainst(t *testing.T) {
	list := many(t)
	a, b := list[:50], list[50:]
	for _, row := range b[:40] {
		row.Deprel = append([]string{"vocative"}, row.Deprel[1:]...)
	}
	for _, attributes := range [][]string{{"d.deprel"}, {"d.deprel", "meta_a.b"}, {"folder"}, {"doc_id"}} {
		hits, million := map[string][2]int64{}, map[string][2]string{}
		for side, rows := range [][]*parquet.Tree{a, b} {
			got, _ := searched(t, rows, "v:VERB > d:_", find.Options{To: find.Groups, Attributes: attributes})
			for _, line := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
				cells := strings.SplitN(line, "\t", 3)
				n, _ := strconv.ParseInt(cells[0], 10, 64)
				h, m := hits[cells[2]], million[cells[2]]
				h[side], m[side] = n, cells[1]
				hits[cells[2]], million[cells[2]] = h, m
			}
		}
		o := find.Options{To: find.Groups, Attributes: attributes, Against: []find.Source{{Name: "b", Trees: all(b)}}}
		got, _ := searched(t, a, "v:VERB > d:_", o)
		lines := strings.Split(strings.TrimSpace(got), "\n")[1:]
		if len(lines) != len(hits) || len(lines) < 2 {
			t.Errorf("%v: %d groups, want %d\n%s", attributes, len(lines), len(hits), got)
		}
		last := math.Inf(1)
		for _, line := range lines {
			cells := strings.SplitN(line, "\t", 9)
			h, m := hits[cells[8]], million[cells[8]]
			if cells[0] != fmt.Sprint(h[0]) || cells[2] != fmt.Sprint(h[1]) || m[0] != "" && cells[1] != m[0] || m[1] != "" && cells[3] != m[1] {
				t.Errorf("%v: %q, want %v %v", attributes, line, h, m)
			}
			g2 := -1.0
			if cells[4] != "_" {
				g2, _ = strconv.ParseFloat(cells[4], 64)
			} else if attributes[0] != "doc_id" {
				t.Errorf("%v: %q is not compared", attributes, line)
			}
			if g2 > last {
				t.Errorf("%v: %q is not in order", attributes, line)
			}
			last = g2
		}
	}
}

// The sentences of the other corpus are counted, also those in which not all hits were found.
func TestAgainstIsPartial(t *testing.T) {
	row := func(words int) []*parquet.Tree {
		return []*parquet.Tree{{Tokens: make([]string, words), UPOS: make([]string, words), Head: make([]int32, words)}}
	}
	o := find.Options{To: find.Groups, Attributes: []string{"folder"}, Against: []find.Source{{Name: "b", Trees: all(row(200))}}}
	if _, sum := searched(t, row(3), "_ .. _", o); sum != (find.Result{Hits: 3, Sentences: 1, Searched: 1, Partial: 1, Against: 1}) {
		t.Errorf("%+v", sum)
	}
}

// The measures are those of a table of four cells, found here by its definition: 12 hits
// in 100 words against 5 in 200, where each word is a sentence.
func TestKeyness(t *testing.T) {
	rows := func(words, hits int) (list []*parquet.Tree) {
		for i := range words {
			list = append(list, read(t, "1\tx\t"+map[bool]string{true: "hit", false: "miss"}[i < hits]+"\tX\t_\t_\t0\troot\t_\t_\n\n", "")[0])
		}
		return list
	}
	o := find.Options{To: find.Groups, Attributes: []string{"lemma"}, Against: []find.Source{{Name: "b", Trees: all(rows(200, 5))}}}
	got, _ := searched(t, rows(100, 12), "L=hit", o)
	g2 := 2 * (12*math.Log(12/(17*100/300.0)) + 5*math.Log(5/(17*200/300.0)))
	ratio := math.Log(12.0/100/(5.0/200)) / math.Log(2)
	binomial := func(hits, words float64) float64 { return words / (words - 1) * (1 - hits/words) / hits }
	around := 1.96 * math.Sqrt(binomial(12, 100)+binomial(5, 200)) / math.Log(2)
	want := fmt.Sprintf("12\t120000.00\t5\t25000.00\t%.2f\t%.2f\t%.2f\t%.2f\thit\n", g2, ratio, ratio-around, ratio+around)
	if _, line, _ := strings.Cut(got, "\n"); line != want {
		t.Errorf("%q, want %q", line, want)
	}
}
