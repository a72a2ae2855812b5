package pick

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

// corpus is rows of some documents, with texts that come again, ties, and
// sentences that cannot be chosen.
func corpus(chance *rand.Rand, documents, most int) (rows []*parquet.Tree) {
	for d := range documents {
		first := len(rows)
		for range 1 + chance.IntN(most) {
			n := 1 + chance.IntN(40)
			confs := make([]float32, n)
			for i := range confs {
				confs[i] = float32(4-chance.IntN(3)) / 4
			}
			row := tree(confs...)
			for i := range row.Tokens {
				row.Tokens[i] = fmt.Sprintf("%c%d", 'a'+chance.IntN(20), chance.IntN(9))
			}
			switch old := chance.IntN(8); {
			case old == 0 && len(rows) > first:
				row.Tokens = rows[first+chance.IntN(len(rows)-first)].Tokens // said before
				row.UPOS, row.DeprelConf = make([]string, len(row.Tokens)), make([]float32, len(row.Tokens))
			case old == 1:
				row.DeprelConf = nil
			}
			row.DocID, row.SourceURI, row.StartByte = fmt.Sprint("d", d), fmt.Sprint("in/", d/3), int64(len(rows))
			rows = append(rows, row)
		}
	}
	return rows
}

// chooseAll is uncertain with all sentences in memory, where no text is in two
// documents.
func chooseAll(rows []*parquet.Tree, n, least, most int) (chosen []int) {
	type one struct{ at, round int }
	wrong := func(a, b int) int { // the share of a is larger
		x, y := Of(rows[a]), Of(rows[b])
		return cmp.Or(cmp.Compare(y.Wrong*int64(x.Words+sureWords), x.Wrong*int64(y.Words+sureWords)), cmp.Compare(a, b))
	}
	count, classes := [4]int{}, [4][]one{}
	for class, ends := range [4][2]int{{1, 9}, {10, 17}, {18, 27}, {28, 1000}} {
		var list []int
		for i, row := range rows {
			if d := Of(row); d.Words >= max(least, ends[0]) && d.Words <= min(most, ends[1]) && d.Wrong > 0 {
				list = append(list, i)
			}
		}
		count[class] = len(list)
		slices.SortFunc(list, wrong)
		given, seen := map[string]int{}, map[string]bool{}
		for _, i := range list {
			var letters strings.Builder
			for _, token := range rows[i].Tokens {
				letters.WriteString(token[:1]) // digits are all alike
			}
			if text := rows[i].DocID + " " + letters.String(); !seen[text] {
				seen[text] = true
				classes[class] = append(classes[class], one{i, given[rows[i].DocID] / max(n/40, 1)})
				given[rows[i].DocID]++
			}
		}
		slices.SortFunc(classes[class], func(a, b one) int { return cmp.Or(cmp.Compare(a.round, b.round), wrong(a.at, b.at)) })
	}
	var given [4]int
	for len(chosen) < n {
		best, quotient := -1, 0.0
		for class := range classes {
			if q := float64(count[class]) / float64(2*given[class]+1); given[class] < len(classes[class]) && q > quotient {
				best, quotient = class, q
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, classes[best][given[best]].at)
		given[best]++
	}
	slices.Sort(chosen)
	return chosen
}

func TestUncertainEqualsSearchOfAll(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	for try := range 400 {
		rows := corpus(chance, 1+chance.IntN(30), 1+chance.IntN(60))
		n := 1 + chance.IntN(100)
		least, most := 1+chance.IntN(6), 25+chance.IntN(20)
		u := uncertain{N: n}
		for _, row := range rows {
			if w := Words(row); w < least || w > most {
				u.skip(row)
				continue
			}
			u.add(row, func() []byte { return []byte(fmt.Sprint(row.StartByte)) })
			for i := range u.classes {
				if kept := len(u.classes[i].list); kept > 2*n {
					t.Fatalf("%d sentences are kept for %d", kept, n)
				}
			}
		}
		var got []int
		ranks := map[int]bool{}
		for _, c := range u.chosen() {
			row := rows[c.at-1]
			if string(c.Text) != fmt.Sprint(row.StartByte) || c.Document != row.DocID || c.Doubt != Of(row) {
				t.Fatalf("row %d: %+v", c.at, c)
			}
			got = append(got, c.at-1)
			ranks[c.Rank] = true
		}
		if want := chooseAll(rows, n, least, most); !slices.Equal(got, want) {
			t.Fatalf("try %d, %d of %d: %v, want %v", try, n, len(rows), got, want)
		}
		if len(ranks) != len(got) || len(got) > 0 && !ranks[1] {
			t.Errorf("ranks %v", ranks)
		}
	}
}

// What the sample promises, where there is enough of everything: no document
// has more than a tenth, lengths are those of the output, no text comes twice.
func TestUncertainIsSpread(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	const n = 80
	rows := corpus(chance, 60, 60)
	count, worst := map[string]int{}, "d0"
	for _, row := range rows {
		if count[row.DocID]++; count[row.DocID] > count[worst] {
			worst = row.DocID
		}
	}
	for _, row := range rows {
		for i := range row.DeprelConf {
			if row.DeprelConf[i] = max(row.DeprelConf[i], 0.5); row.DocID == worst {
				row.DeprelConf[i] = 0.0625
			}
		}
	}
	for i, row := range rows { // some documents say what others say
		if row.DocID != worst && i%5 == 0 {
			row.Tokens, row.UPOS, row.DeprelConf = rows[i/2].Tokens, rows[i/2].UPOS, rows[i/2].DeprelConf
		}
	}
	u := uncertain{N: n}
	for _, row := range rows {
		u.add(row, func() []byte { return nil })
	}
	documents, texts, lengths, all, total := map[string]int{}, map[uint64]bool{}, [4]int{}, [4]int{}, 0
	class := func(d Doubt) int { i, _ := slices.BinarySearch(classEnds[:], d.Words); return i }
	chosen := u.chosen()
	for _, c := range chosen {
		documents[c.Document]++
		texts[textKey(rows[c.at-1].Tokens)] = true
		lengths[class(c.Doubt)]++
	}
	for _, row := range rows {
		if d := Of(row); d.Wrong > 0 {
			all[class(d)]++
			total++
		}
	}
	if len(chosen) != n || len(texts) != n || documents[worst] != n/10 {
		t.Errorf("%d sentences, %d texts, %v", len(chosen), len(texts), documents)
	}
	for document, k := range documents {
		if k > n/10 {
			t.Errorf("%d of %s", k, document)
		}
	}
	for i := range lengths {
		if share := float64(all[i]) / float64(total) * n; float64(lengths[i]) < share-1 || float64(lengths[i]) > share+1 {
			t.Errorf("class %d has %d, its share is %.1f", i, lengths[i], share)
		}
	}
}

// A text comes once, though a sign in it is a word in one sentence and punctuation in the
// next, so that they are of different classes.
func TestUncertainOverClasses(t *testing.T) {
	word, mark := tree(slices.Repeat([]float32{0.5}, classEnds[0]+1)...), tree(slices.Repeat([]float32{0.5}, classEnds[0]+1)...)
	word.Tokens[3], mark.Tokens[3], mark.UPOS[3] = "&", "&", "PUNCT"
	u := uncertain{N: 2}
	u.add(word, func() []byte { return nil })
	u.add(mark, func() []byte { return nil })
	if got := u.chosen(); len(got) != 1 {
		t.Errorf("%d sentences of the same text: %+v", len(got), got)
	}
}

// Every sentence is drawn equally often, alone and with each other one, and a
// seed draws the same from a copy elsewhere.
func TestLot(t *testing.T) {
	rows := corpus(rand.New(rand.NewPCG(7, 8)), 12, 3)
	const n, seeds = 5, 4000
	draw := func(seed uint64, rows []*parquet.Tree) (at []int) {
		l := newLot(n)
		l.Seed = seed
		for _, row := range rows {
			l.add(row, func() []byte { return []byte(row.SentID) })
			if len(l.best.list) > 2*n {
				t.Fatalf("%d are kept", len(l.best.list))
			}
		}
		for _, c := range l.chosen() {
			at = append(at, c.at-1)
		}
		return at
	}
	times := make([]int, len(rows))
	pair := 0
	for seed := range uint64(seeds) {
		got := draw(seed, rows)
		if len(got) != n || !slices.IsSorted(got) {
			t.Fatalf("%v", got)
		}
		for _, i := range got {
			times[i]++
		}
		if slices.Contains(got, 0) && slices.Contains(got, 1) { // neighbours in a document
			pair++
		}
	}
	m := float64(len(rows))
	for i, k := range times {
		p := n / m
		if off := float64(k) - seeds*p; off*off > 25*seeds*p*(1-p) { // five deviations
			t.Errorf("row %d is drawn %d times of %d, want about %.0f", i, k, seeds, seeds*p)
		}
	}
	p := n * (n - 1) / (m * (m - 1))
	if off := float64(pair) - seeds*p; off*off > 25*seeds*p {
		t.Errorf("a pair is drawn %d times, want about %.0f", pair, seeds*p)
	}
	var moved []*parquet.Tree
	for _, row := range rows {
		copied := *row
		copied.SourceURI = "/elsewhere/" + row.SourceURI
		moved = append(moved, &copied)
	}
	if a, b := draw(1, rows), draw(1, moved); !reflect.DeepEqual(a, b) || reflect.DeepEqual(a, draw(2, rows)) {
		t.Errorf("%v, elsewhere %v", a, b)
	}
	if got := draw(1, rows[:3]); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("of three: %v", got)
	}
}

// Stretches are whole paragraphs, or parts of long ones, as many as are needed,
// and each is drawn equally often.
func TestLotOfParagraphs(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 10))
	rows := corpus(chance, 9, 12)
	const n, most, seeds = 12, 4, 3000
	var stretches [][]int
	for i, row := range rows {
		if row.Comments = nil; chance.IntN(3) == 0 {
			row.Comments = []string{"# newpar"}
		}
		last := len(stretches) - 1
		if i == 0 || row.Comments != nil || row.DocID != rows[i-1].DocID || len(stretches[last]) == most {
			stretches = append(stretches, nil)
			last++
		}
		stretches[last] = append(stretches[last], i)
	}
	times := make([]int, len(stretches))
	total := 0
	for seed := range uint64(seeds) {
		l := newLot(n)
		l.Seed, l.Stretch = seed, most
		for i, row := range rows {
			l.add(row, func() []byte { return []byte(fmt.Sprint(i)) })
			if l.best.size > 2*n+most {
				t.Fatalf("%d are kept", l.best.size)
			}
		}
		chosen := l.chosen()
		if len(chosen) < n || len(chosen) >= n+most {
			t.Fatalf("%d sentences", len(chosen))
		}
		for k := 0; k < len(chosen); {
			which := slices.IndexFunc(stretches, func(s []int) bool { return s[0] == chosen[k].at-1 })
			if which < 0 {
				t.Fatalf("row %d begins no stretch", chosen[k].at)
			}
			for _, i := range stretches[which] {
				if k >= len(chosen) || chosen[k].at-1 != i || string(chosen[k].Text) != fmt.Sprint(i) || chosen[k].Opens != (i == stretches[which][0]) {
					t.Fatalf("stretch %v is not whole: %+v", stretches[which], chosen)
				}
				k++
			}
			times[which]++
			total++
		}
	}
	for which, k := range times {
		p := float64(total) / seeds / float64(len(stretches))
		if off := float64(k) - seeds*p; off*off > 25*seeds*p*(1-p) {
			t.Errorf("stretch %d is drawn %d times, want about %.0f", which, k, seeds*p)
		}
	}
	l := newLot(100)
	l.Stretch = 100
	for i, row := range rows[:9] {
		row.DocID, row.SourceURI, row.Comments = "one", "one", nil
		if i == 4 {
			l.skip(row)
			continue
		}
		l.add(row, func() []byte { return nil })
	}
	var opens []int
	for _, c := range l.chosen() {
		if c.Opens {
			opens = append(opens, c.at)
		}
	}
	if !slices.Equal(opens, []int{1, 6}) {
		t.Errorf("stretches begin at %v", opens)
	}
}

// Documents are what stands together, and in CoNLL what begins at "# newdoc".
func TestDocuments(t *testing.T) {
	var d documents
	var got []string
	for _, row := range []parquet.Tree{
		{SourceURI: "a", DocID: "a"}, {SourceURI: "a", DocID: "a"}, {SourceURI: "a", DocID: "a", Comments: []string{"# newdoc id = x", "# newpar"}},
		{SourceURI: "a", DocID: "a"}, {SourceURI: "a", DocID: "a", Comments: []string{"# newdoc"}}, {SourceURI: "b", DocID: "a"},
		{SourceURI: "b", DocID: "b", Comments: []string{"# newdocument = y"}},
	} {
		n, name := d.of(&row)
		got = append(got, fmt.Sprintf("%d %d %s", n, d.n, name))
	}
	if want := "1 1 a,2 1 a,3 2 x,4 2 x,5 3 a,6 4 a,7 5 b"; strings.Join(got, ",") != want {
		t.Errorf("%v", got)
	}
}

// Documents of the same name are two: in CoNLL "# newdoc" need not have an id.
func TestDocumentsOfOneName(t *testing.T) {
	l, u := newLot(9), &uncertain{N: 9}
	for i := range 3 {
		row := tree(0.5, 0.5)
		if row.Tokens[0] = string(rune('a' + i)); i == 1 {
			row.Comments = []string{"# newdoc"}
		}
		l.add(row, func() []byte { return []byte("x") })
		u.add(row, func() []byte { return []byte("x") })
	}
	for name, d := range map[string]*Drawn{"lot": {Chosen: l.chosen(), sample: &Sample{Random: 9}}, "uncertain": {Chosen: u.chosen(), sample: &Sample{Uncertain: 9}}} {
		var b strings.Builder
		if err := d.Write(&b); err != nil || strings.Count(b.String(), "# newdoc id = d\n") != 2 || len(d.Chosen) != 3 {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
		if n := d.Totals().Documents; n != 2 {
			t.Errorf("%s: %d documents", name, n)
		}
	}
}

func TestTextKey(t *testing.T) {
	key := func(s string) uint64 { return textKey(strings.Fields(s)) }
	if a := key("On 12 May , they met ."); a != key("on 31 may they MET !") || a == key("on 3 may they met") || a == key("on 12 may they") {
		t.Error("case, digits or punctuation")
	}
	if key("ab c") == key("a bc") || key(", .") != key("") {
		t.Error("words")
	}
}
