package find_test

import (
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/pipeline/find"
)

const withHits = `# newdoc id = letters/a
# sent_id = a1
# text = "Hi", he <b>said</b>.
1	"	"	PUNCT	_	_	5	punct	_	SpaceAfter=No
2	Hi	hi	INTJ	_	_	5	ccomp	_	SpaceAfter=No
3	",	",	PUNCT	_	_	5	punct	_	_
4	he	he	PRON	_	_	5	nsubj	_	_
5	<b>said</b>	say	VERB	_	_	0	root	_	SpaceAfter=No
6	.	.	PUNCT	_	_	5	punct	_	_

# sent_id = a2
1	She	she	PRON	_	_	2	nsubj	_	_
2	left	leave	VERB	_	_	0	root	_	_

# newdoc id = b
# sent_id = b1
# text = They left.
1	They	they	PRON	_	_	2	nsubj	_	_
2	left	leave	VERB	_	_	0	root	_	SpaceAfter=No
3	.	.	PUNCT	_	_	2	punct	_	_

`

// A concordance has the text around hits, and the sentences around theirs in the same
// document, also when the last hit is the last one that is wanted.
func TestConcordance(t *testing.T) {
	list := read(t, withHits, "")
	text := map[string]string{"a1": `"Hi", he <b>said</b>.`, "a2": "She left", "b1": "They left."}
	for _, limit := range []int64{0, 1} {
		got, _ := searched(t, list, "s:PRON <nsubj VERB", find.Options{To: find.Table, As: find.CSV, Attributes: find.Concordance(true), Limit: limit})
		want := `before,left,hit,right,after,doc_id,start_byte,sent_id,position
,"""Hi"", ",he," <b>said</b>.",She left,letters/a,0,a1,4
"""Hi"", he <b>said</b>.",,She," left",,letters/a,289,a2,1
,,They," left.",,b,369,b1,1
`
		if limit == 1 {
			want = strings.Join(strings.SplitAfter(want, "\n")[:2], "")
		}
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	for _, query := range []string{"VERB >nsubj _", "_", "_ > _", "_ .. _", "PRON ?>nsubj s:_"} {
		got, _ := searched(t, list, query, find.Options{To: find.Table, As: find.CSV, Attributes: []string{"left", "hit", "right", "sent_id", "folder"}})
		rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatal(err, got)
		}
		for _, r := range rows[1:] {
			if r[0]+r[1]+r[2] != text[r[3]] || (r[1] == "") != strings.Contains(query, "?") || r[4] != map[bool]string{true: "letters"}[r[3] < "b"] {
				t.Errorf("%s: %q", query, r)
			}
		}
	}
}

// Characters that a line on a terminal would not show are in a concordance as in the text;
// a control character is a space.
func TestConcordanceKeepsText(t *testing.T) {
	text := "She\u202c saw\tthe\u0085\u202dsea\u202c."
	row := read(t, "1\tx\tx\tX\t_\t_\t0\troot\t_\t_\n\n", "")[0]
	row.Text, row.StartChar, row.EndChar = text, []int32{5}, []int32{8}
	row.DocID = "https://x.org//a/b"
	o := find.Options{To: find.Table, Attributes: []string{"left", "hit", "right", "text", "folder"}}
	got, _ := searched(t, []*parquet.Tree{row}, "X", o)
	want := "She\u202c \tsaw\t the \u202dsea\u202c.\tShe\u202c saw the \u202dsea\u202c.\thttps://x.org//a\n"
	if _, line, _ := strings.Cut(got, "\n"); line != want {
		t.Errorf("%q, want %q", line, want)
	}
}

// A row with one empty cell is no empty line, which readers of CSV skip.
func TestCSVOfOneColumn(t *testing.T) {
	rows := read(t, "1\tx\tx\tX\t_\t_\t0\troot\t_\t_\n\n", "")
	got, sum := searched(t, rows, "X", find.Options{To: find.Table, As: find.CSV, Attributes: []string{"xpos"}})
	list, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	if err != nil || len(list) != 1+int(sum.Hits) {
		t.Errorf("%d hits: %q, %v", sum.Hits, got, err)
	}
}

// Nothing of a text acts on the page.
func TestHTML(t *testing.T) {
	got, _ := searched(t, read(t, withHits, ""), "L=say", find.Options{To: find.Table, As: find.HTML, Title: `_ > "<i>"`, Attributes: find.Concordance(false)})
	for _, want := range []string{"<code>_ &gt; &#34;&lt;i&gt;&#34;</code>", `<th class="left" dir="auto">left</th>`, `<td class="hit" dir="auto">&lt;b&gt;said&lt;/b&gt;</td>`, `<td class="position" dir="auto">5</td>`, "</table>\n</body>\n</html>\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if got, _ := searched(t, nil, "L=say", find.Options{To: find.Count, As: find.HTML}); !strings.HasPrefix(got, "<!DOCTYPE") || !strings.Contains(got, `<td dir="auto">hits</td><td dir="auto">0</td>`) {
		t.Error(got)
	}
}

// many are rows of several documents with some hits each.
func many(t *testing.T) (list []*parquet.Tree) {
	for i := range 60 {
		for _, row := range read(t, withHits, fmt.Sprint("genre ", i%3)) {
			row.DocID = fmt.Sprintf("%s/%02d", []string{"letters", "news"}[i%2], i/2)
			row.SentID = fmt.Sprintf("%s-%d", row.SentID, i)
			list = append(list, row)
		}
	}
	return list
}

// The sample is the hits with the smallest hashes of seed and place, found here by
// sorting all of them, in the order of the input, whatever that is.
func TestRandom(t *testing.T) {
	const query = "v:VERB > d:_"
	hash := func(seed uint64, r []string) uint64 {
		place := append(binary.LittleEndian.AppendUint64(nil, seed), r[0]+"\x00"+r[1]+"\x00"...)
		for _, id := range r[2:4] {
			n, _ := strconv.Atoi(id)
			place = binary.LittleEndian.AppendUint32(place, uint32(n))
		}
		return xxhash.Sum64(place)
	}
	o := find.Options{To: find.Table, Attributes: []string{"doc_id", "sent_id", "v.id", "d.id", "before", "left", "after"}}
	list := many(t)
	for _, mixed := range []bool{false, true} {
		if mixed {
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		o.Random = 0
		all, sum := searched(t, list, query, o)
		lines := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
		for _, c := range []struct {
			n    int
			seed uint64
		}{{1, 0}, {7, 0}, {7, 1}, {100, 5}, {len(lines) - 1, 3}, {len(lines) + 5, 3}} {
			order := make([]int, len(lines)-1)
			for i := range order {
				order[i] = i + 1
			}
			slices.SortFunc(order, func(a, b int) int {
				return cmp.Compare(hash(c.seed, strings.Split(lines[a], "\t")), hash(c.seed, strings.Split(lines[b], "\t")))
			})
			order = order[:min(c.n, len(order))]
			slices.Sort(order)
			want := lines[0] + "\n"
			for _, i := range order {
				want += lines[i] + "\n"
			}
			o.Random, o.Seed = c.n, c.seed
			if got, again := searched(t, list, query, o); got != want || again != sum {
				t.Errorf("%+v, mixed %v: %+v\n%s\nwant %+v\n%s", c, mixed, again, got, sum, want)
			}
		}
	}
}

// Every hit is as likely as any other.
func TestRandomIsFair(t *testing.T) {
	list := many(t)[:12] // 32 hits
	times := map[string]int{}
	const draws, n = 400, 8
	hits := 0
	for seed := range uint64(draws) {
		got, sum := searched(t, list, "v:VERB > d:_", find.Options{To: find.Table, Attributes: []string{"sent_id", "d.id"}, Random: n, Seed: seed})
		for _, line := range strings.Split(strings.TrimSpace(got), "\n")[1:] {
			times[line]++
		}
		hits = int(sum.Hits)
	}
	if len(times) != hits {
		t.Errorf("%d of %d hits were drawn", len(times), hits)
	}
	p := float64(n) / float64(hits)
	for line, k := range times {
		if off := math.Abs(float64(k) - draws*p); off > 4*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("%q was drawn %d times in %d, not %.0f", line, k, draws, draws*p)
		}
	}
}

// Frequencies are those of the words of the part of the corpus that the attributes name.
func TestPerMillion(t *testing.T) {
	list := many(t)
	list = list[:len(list)-7] // parts of different sizes
	part := map[string]func(*parquet.Tree) string{
		"meta_a.b": func(t *parquet.Tree) string { return t.Meta[0].Value },
		"folder":   func(t *parquet.Tree) string { folder, _, _ := strings.Cut(t.DocID, "/"); return folder },
		"doc_id":   func(t *parquet.Tree) string { return t.DocID },
		"d.deprel": nil, // divides hits, but not the corpus
		"sent_id":  nil,
	}
	for _, attributes := range [][]string{{"meta_a.b"}, {"folder"}, {"doc_id"}, {"d.deprel"}, {"meta_a.b", "d.deprel"}, {"d.deprel", "folder", "meta_a.b"}, {"sent_id"}} {
		words := map[string]int{}
		key := func(t *parquet.Tree) (key string) {
			for _, a := range attributes {
				if part[a] != nil {
					key += part[a](t) + "\t"
				}
			}
			return key
		}
		byID := map[string]*parquet.Tree{}
		for _, row := range list {
			byID[row.SentID] = row
			for _, tag := range row.UPOS {
				if tag != "PUNCT" {
					words[key(row)]++
				}
			}
		}
		table, _ := searched(t, list, "v:VERB > d:_", find.Options{To: find.Table, Attributes: append(slices.Clone(attributes), "sent_id")})
		hits, of := map[string]int{}, map[string]int{}
		for _, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
			at := strings.LastIndex(line, "\t")
			hits[line[:at]]++
			of[line[:at]] = words[key(byID[line[at+1:]])]
		}
		groups, _ := searched(t, list, "v:VERB > d:_", find.Options{To: find.Groups, Attributes: attributes})
		lines := strings.Split(strings.TrimSpace(groups), "\n")[1:]
		if len(lines) != len(hits) || len(hits) == 0 {
			t.Errorf("%v: %d groups, want %d", attributes, len(lines), len(hits))
		}
		for _, line := range lines {
			cells := strings.SplitN(line, "\t", 3)
			n := hits[cells[2]]
			if want := fmt.Sprintf("%d %.2f", n, float64(n)*1e6/float64(of[cells[2]])); cells[0]+" "+cells[1] != want {
				t.Errorf("%v: %q, want %s", attributes, line, want)
			}
		}
	}
}
