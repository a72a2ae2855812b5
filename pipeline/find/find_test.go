package find_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/pattern"
	"github.com/treebeam/treebeam/pipeline/find"
)

const trees = `# newdoc id = d
# sent_id = a
# text = She didn't buy (old) books.
1	She	she	PRON	PRP	Number=Sing	4	nsubj	_	_
2-3	didn't	_	_	_	_	_	_	_	_
2	did	do	AUX	VBD	Tense=Past	4	aux	_	_
3	n't	not	PART	RB	_	4	advmod	_	_
4	buy	buy	VERB	VB	VerbForm=Inf	0	root	_	_
5	(	(	PUNCT	-LRB-	_	6	punct	_	SpaceAfter=No
6	old	old	ADJ	JJ	Degree=Pos	8	amod	_	SpaceAfter=No
7	)	)	PUNCT	-RRB-	_	6	punct	_	_
8	books	book	NOUN	NNS	Number=Plur	4	obj	_	SpaceAfter=No|Gloss=x	
9	.	.	PUNCT	.	_	4	punct	_	_

# sent_id = b
1	He	he	PRON	PRP	Number=Sing	2	nsubj	_	_
2	buys	buy	VERB	VBZ	Number=Sing	0	root	_	_
3	books	book	NOUN	NNS	Number=Plur	2	obj	_	_
4	and	and	CCONJ	CC	_	5	cc	_	_
5	pens	pen	NOUN	NNS	Number=Plur	3	conj	_	_

# sent_id = c
1	Bad` + "\x1b" + `[31m	bad	ADJ	JJ	_	2	amod	_	_
2	books	book	NOUN	NNS	Number=Plur	0	root	_	_

`

// rows are those of trees, with probabilities: of word i, from 1, 1 - i/16.
func rows(t *testing.T) []*parquet.Tree {
	t.Helper()
	return read(t, strings.ReplaceAll(trees, "Gloss=x	", "Gloss=x"), "kept")
}

// read makes rows of CoNLL-U, which have a value kept of the input under the key a.b.
func read(t *testing.T, text, meta string) (list []*parquet.Tree) {
	t.Helper()
	doc := parquet.Doc{DocID: "d", SourceURI: "in/d"}
	for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		for _, c := range b.Sentence.Comments {
			if key, value := conllu.Comment(c); key == "newdoc id" {
				doc.DocID = value
			}
		}
		row := parquet.ToRow(&b.Sentence, &doc)
		row.Meta = []parquet.KeyValue{{Key: "a.b", Value: meta}}
		for i := range row.Tokens {
			p := 1 - float32(i+1)/16
			row.HeadConf, row.DeprelConf, row.UPOSConf = append(row.HeadConf, p), append(row.DeprelConf, p), append(row.UPOSConf, 1)
		}
		list = append(list, &row)
	}
	return list
}

func all(list []*parquet.Tree) iter.Seq2[*parquet.Tree, error] {
	return func(yield func(*parquet.Tree, error) bool) {
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// only returns rows with some of their columns.
func only(list []*parquet.Tree, columns []string) (some []*parquet.Tree) {
	for _, t := range list {
		kept := new(parquet.Tree)
		from, to := reflect.ValueOf(t).Elem(), reflect.ValueOf(kept).Elem()
		for i := range from.NumField() {
			name, _, _ := strings.Cut(from.Type().Field(i).Tag.Get("parquet"), ",")
			if slices.Contains(columns, name) {
				to.Field(i).Set(from.Field(i))
			}
		}
		for _, kv := range t.Meta {
			if slices.Contains(columns, parquet.MetaColumn(kv.Key)) {
				kept.Meta = append(kept.Meta, kv)
			}
		}
		some = append(some, kept)
	}
	return some
}

// run searches the rows, and again with no more of their columns than are asked
// for, which must give the same.
func run(t *testing.T, text string, o find.Options) (string, find.Result, error) {
	t.Helper()
	return runOn(t, rows(t), text, o)
}

// searched is run on other rows, which must not end with an error.
func searched(t *testing.T, list []*parquet.Tree, text string, o find.Options) (string, find.Result) {
	t.Helper()
	got, sum, err := runOn(t, list, text, o)
	if err != nil {
		t.Fatal(err)
	}
	return got, sum
}

func runOn(t *testing.T, list []*parquet.Tree, text string, o find.Options) (string, find.Result, error) {
	t.Helper()
	p, err := pattern.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	o.Pattern = p
	var whole, some bytes.Buffer
	sum, err := find.Run(context.Background(), []find.Source{{Name: "x", Trees: all(list)}}, &o, &whole)
	projected := find.Source{Name: "x", Trees: all(list), TreesWith: func(columns ...string) iter.Seq2[*parquet.Tree, error] { return all(only(list, columns)) }}
	again, err2 := find.Run(context.Background(), []find.Source{projected}, &o, &some)
	if whole.String() != some.String() || sum != again || fmt.Sprint(err) != fmt.Sprint(err2) {
		t.Errorf("%s: with all columns\n%s%+v, %v; with those that are needed\n%s%+v, %v", text, &whole, sum, err, &some, again, err2)
	}
	return whole.String(), sum, err
}

func TestRun(t *testing.T) {
	for _, c := range [...]struct {
		pattern string
		options find.Options
		want    string
	}{
		{"VERB >obj NOUN", find.Options{}, "a\tShe didn't [buy] (old) [books].\nb\tHe [buys] [books] and pens\n"},
		{"PART|AUX", find.Options{}, "a\tShe [didn't] buy (old) books.\na\tShe [didn't] buy (old) books.\n"},
		{"AUX $ PART", find.Options{}, "a\tShe [didn't] buy (old) books.\n"}, // one token
		{"v:VERB >obj o:NOUN", find.Options{Color: true, Limit: 1}, "a\tShe didn't \x1b[1;31mbuy\x1b[0m (old) \x1b[1;34mbooks\x1b[0m.\n"},
		{"ADJ & id=1", find.Options{}, "c\t[Bad␛[31m] books\n"},
		{"NOUN", find.Options{Columns: 30}, "a\t…t buy (old) [books].\nb\t… buys [books] and p…\nb\t…uys books and [pens]\nc\tBad␛[31m [books]\n"},
		{"VERB >obj NOUN", find.Options{To: find.Count}, "hits\t2\nsentences\t2\nsearched\t3\nwords\t13\nper_million\t153846.15\n"},
		{"VERB >obj NOUN", find.Options{To: find.Table, Attributes: []string{"1.lemma", "2.Number", "2.misc.Gloss", "1.id", "2.head", "sent_id", "doc_id", "2.deprel_conf"}},
			"1.lemma\t2.Number\t2.misc.Gloss\t1.id\t2.head\tsent_id\tdoc_id\t2.deprel_conf\nbuy\tPlur\tx\t4\t4\ta\td\t0.5000\nbuy\tPlur\t_\t2\t2\tb\td\t0.8125\n"},
		{"AUX", find.Options{To: find.Groups, Attributes: []string{"form", "meta_a.b"}}, "hits\tper_million\tform\tmeta_a.b\n1\t76923.08\tdid\tkept\n"},
		{"PART", find.Options{To: find.Table, Attributes: []string{"deps", "start_char", "upos_conf", "status", "start_byte", "tree_conf"}},
			"deps\tstart_char\tupos_conf\tstatus\tstart_byte\ttree_conf\n_\t4\t1.0000\tok\t0\t_\n"},
		{"n:NOUN ?>amod a:_", find.Options{To: find.Table, Attributes: []string{"a.form", "n.form"}}, "a.form\tn.form\nold\tbooks\n_\tbooks\n_\tpens\nBad [31m\tbooks\n"},
		{"NOUN", find.Options{To: find.Groups, Attributes: []string{"lemma", "deprel"}}, "hits\tper_million\tlemma\tdeprel\n2\t153846.15\tbook\tobj\n1\t76923.08\tbook\troot\n1\t76923.08\tpen\tconj\n"},
		{"VERB >obj NOUN", find.Options{MinConf: 0.75, To: find.Table, Attributes: []string{"sent_id"}}, "sent_id\nb\n"},
		{"AUX . PART", find.Options{To: find.CoNLLU}, `# sent_id = a
# text = She didn't buy (old) books.
# hit = 1:2 2:3
` + strings.Join(strings.SplitAfter(strings.ReplaceAll(trees, "Gloss=x	", "Gloss=x"), "\n")[3:14], "")},
	} {
		if got, _, err := run(t, c.pattern, c.options); got != c.want || err != nil {
			t.Errorf("%s, %+v:\n%s%v, want\n%s", c.pattern, c.options, got, err, c.want)
		}
	}
	if got, sum, _ := run(t, "VERB", find.Options{To: find.Tree}); !strings.Contains(got, "buys") || sum != (find.Result{Hits: 2, Sentences: 2, Searched: 3}) {
		t.Errorf("%+v\n%s", sum, got)
	}
}

// A long id leaves room for the sentence on a terminal, and is whole elsewhere.
func TestLongIDs(t *testing.T) {
	row := rows(t)[1]
	row.SentID = strings.Repeat("weblog_", 12) + "0007"
	p, _ := pattern.Compile("VERB")
	for columns, want := range map[int]string{0: row.SentID + "\tHe [buys] books and pens\n", 80: "…_weblog_weblog_0007\tHe [buys] books and pens\n"} {
		var got bytes.Buffer
		if _, err := find.Run(context.Background(), []find.Source{{Name: "x", Trees: all([]*parquet.Tree{row})}}, &find.Options{Pattern: p, Columns: columns}, &got); err != nil || got.String() != want {
			t.Errorf("%d columns: %q, %v", columns, got.String(), err)
		}
	}
	if list, err := find.ParseAttributes(p, "misc.Gloss,form"); err != nil || len(list) != 2 {
		t.Error(list, err)
	}
	if _, err := find.ParseAttributes(p, "v.form"); err == nil || !strings.Contains(err.Error(), "v:VERB") {
		t.Error(err)
	}
}

// What cannot be done is refused, with the remedy.
func TestRefusals(t *testing.T) {
	p, _ := pattern.Compile("v:VERB > NOUN & > o:_")
	for list, says := range map[string]string{"lemma": "v, o", "x.lemma": "v, o", "v.size": "deprel", "v.": "deprel", "": "v.lemma"} {
		if _, err := find.ParseAttributes(p, list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", list, err)
		}
	}
	bare := rows(t)[:1]
	bare[0].HeadConf, bare[0].DeprelConf = nil, nil
	var refused *output.Refusal
	if _, err := find.Run(context.Background(), []find.Source{{Name: "x", Trees: all(bare)}}, &find.Options{Pattern: p, MinConf: 0.5}, new(bytes.Buffer)); !errors.As(err, &refused) {
		t.Error(err)
	}
	o := &find.Options{Pattern: p, To: find.Table, Attributes: []string{"meta_none"}}
	if _, err := find.Run(context.Background(), []find.Source{{Name: "x", Trees: all(rows(t))}}, o, new(bytes.Buffer)); !errors.As(err, &refused) || !strings.Contains(err.Error(), "--keep") {
		t.Error(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := find.Run(stopped, []find.Source{{Name: "x", Trees: all(rows(t))}}, &find.Options{Pattern: p}, new(bytes.Buffer)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is met is complete, or said to be unknown, and ends with the first hit.
func TestMet(t *testing.T) {
	row := func(i int) *parquet.Tree {
		return &parquet.Tree{Tokens: []string{"a"}, Head: []int32{0}, Deprel: []string{fmt.Sprint("r", i%2)}, Feats: []string{fmt.Sprintf("A=b,%d|C=d", i)}}
	}
	for _, n := range []int{2, 10_000, 10_001} {
		var list []*parquet.Tree
		for i := range n {
			list = append(list, row(i))
		}
		met := new(find.Met)
		searched(t, list, "deprel=x & A=x", find.Options{Met: met})
		features := met.Features()
		if got := met.Relations(); !slices.Equal(got, []string{"r0", "r1"}) || n > 10_000 != (features == nil) ||
			features != nil && (len(features) != 2 || len(features["A"]) != n+1 || !slices.Equal(features["C"], []string{"d"})) {
			t.Errorf("%d rows: %v, %d features", n, got, len(features))
		}
	}
	met := new(find.Met)
	if searched(t, []*parquet.Tree{row(0), row(1), row(2)}, "deprel=r1", find.Options{Met: met}); !slices.Equal(met.Relations(), []string{"r0"}) {
		t.Error(met.Relations())
	}
}
