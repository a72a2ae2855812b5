package confidence

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// unclear is a treebank whose raw text does not show where its sentences end.
const unclear = `1	go	go	VERB	_	_	0	root	_	_
2	home	home	ADV	_	_	1	advmod	_	_

1	the	the	DET	_	_	2	det	_	_
2	boat	boat	NOUN	_	_	3	nsubj	_	_
3	sank	sink	VERB	_	_	0	root	_	_

`

// The figures in the documentation are those of the tables beside them.
func TestDocumented(t *testing.T) {
	for _, name := range []string{"confidence", "confidence-raw"} {
		documented := filepath.Join("..", "..", "notes", name)
		prefix := filepath.Join(t.TempDir(), name)
		for _, table := range newReport().long() {
			text, err := os.ReadFile(file(documented, table.name, "tsv"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file(prefix, table.name, "tsv"), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := drawAll(prefix); err != nil {
			t.Fatal(err)
		}
		for _, figure := range append(slices.Clone(drawn), "coverage") {
			got, err := os.ReadFile(file(prefix, figure, "svg"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(file(documented, figure, "svg"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s-%s.svg is not what its table gives: go run -C lab ./bench confidence -draw -output lab/notes/%s", name, figure, name)
			}
		}
	}
}

// parsed makes 40 sentences of four words, of which the third has a wrong head, so
// that no tree is right, and what the columns say of them.
func parsed() (gold, system []syntax.Sentence) {
	for range 40 {
		var g, s syntax.Sentence
		for i, head := range []int32{0, 1, 2, 3} {
			w := syntax.Word{Form: "w", UPOS: "X", Head: head, Deprel: "x"}
			g.Words = append(g.Words, w)
			if i == 2 {
				w.Head = 1
			}
			s.Words = append(s.Words, w)
		}
		c := &s.Confidence
		c.HeadConf, c.DeprelConf = []float32{1, .5, .5, .75}, []float32{.5, .5, .5, .5}
		c.TreeConf, c.HasTreeConf, c.Certificate = .25, true, syntax.Bound
		// 3 of 4 heads, with a standard deviation of half a word.
		c.Expected = syntax.Expected{Words: 4, UAS: syntax.Estimate{Right: 3 * 4096, Variance: 4096 / 4}}
		gold, system = append(gold, g), append(system, s)
	}
	return gold, system
}

// Tables and figures of two small treebanks: the text of the tables, and that the
// figures are drawn from them.
func TestTables(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "c")
	r := newReport()
	for _, name := range []string{"aa", "b<b"} {
		gold, system := parsed()
		for _, model := range []string{"fast", "accurate"} {
			if err := r.add(pair{treebank: name, name: model}, eval.GoldTokens, gold, system); err != nil {
				t.Fatal(err)
			}
		}
	}
	for table, want := range map[*table]string{
		r.figures:      "aa\tfast\thead_conf\t160\t75.00\t68.75\t6.25\t3.58\t7.75\t3.50\t0.833\t81.25\t100.00",
		r.expected:     "aa\tfast\tUAS\t160\t75.00\t1.98\t75.00\t0.00", // the error of a mean: 0.5 * sqrt(40) / 160
		r.certificates: "aa\tfast\tbound\t40\t100.00\t4.0\t0.00\t25.00",
		// 40 sentences are two pieces.
		r.documents:  "aa\tfast\tUAS\t2\t0.00\t2.80\t100.00\t100.00",
		r.bins:       "aa\tfast\thead_conf\t8\t80\t0.5000\t0.5000",
		r.coverage:   "aa\tfast\t1.0000\t0.2500",
		r.thresholds: "aa\tfast\thead_conf\t0.8\t25.00\t100.00",
	} {
		if !strings.Contains(string(table.tsv()), "\n"+want+"\n") {
			t.Errorf("%s: no row %q in\n%s", table.name, want, table.tsv())
		}
		if err := table.write(prefix); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(string(r.coverage.markdown()), "\n"); got != 2+4*curveSteps {
		t.Errorf("%d lines of Markdown", got)
	}
	if err := run(io.Discard, prefix, eval.GoldTokens, search.Options{}, true, 1, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"head_conf": {"aa", "b&lt;b", "fast", "accurate", "share that is right", "cases", "head_conf"},
		"tree_conf": {"tree_conf"},
		"coverage":  {"aa", "b&lt;b", "words kept", "wrong heads"},
	} {
		svg, err := os.ReadFile(file(prefix, name, "svg"))
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, name, svg)
		for _, w := range want {
			if !strings.Contains(string(svg), w) {
				t.Errorf("%s: no %q", name, w)
			}
		}
	}
	if _, err := os.Stat(file(prefix, "upos_conf", "svg")); err == nil {
		t.Error("a figure of a column that nobody has")
	}
}

// Documents are those of the treebank, or pieces of it.
func TestDocuments(t *testing.T) {
	gold, system := parsed()
	judgements, err := eval.Judge(gold, system)
	if err != nil {
		t.Fatal(err)
	}
	gold[0].Comments, gold[30].Comments, gold[31].Comments = []string{"# newdoc"}, []string{"# text = x", "# newdoc id = 2"}, []string{"# newdocument"}
	r := newReport()
	system[39].Confidence.Expected.UAS = syntax.Estimate{Right: 0, Variance: 4096 * 9} // 3 words less than there are
	r.addDocuments(pair{"t", "m", "", ""}, gold, system, judgements)
	// 30 and 10 sentences; the second is 3 words off, in 40, with an error of
	// sqrt(9 / 4 + 9).
	want := "t m UPOS 2 100.00 0.00 0.00 0.00\nt m UAS 2 3.75 5.33 100.00 100.00\nt m LAS 2 75.00 0.00 0.00 0.00\n"
	var got strings.Builder
	for _, row := range r.documents.rows {
		got.WriteString(strings.Join(row, " ") + "\n")
	}
	if got.String() != want {
		t.Errorf("%s, want\n%s", got.String(), want)
	}
}

// A model's parses of a treebank's words and of its raw text.
func TestRun(t *testing.T) {
	gold := filepath.Join(t.TempDir(), "gold.conllu")
	if err := os.WriteFile(gold, []byte(unclear), 0o666); err != nil {
		t.Fatal(err)
	}
	var outputs [2]string
	for i, setting := range []eval.Setting{eval.GoldTokens, eval.Raw} {
		prefix := filepath.Join(t.TempDir(), "c")
		var out bytes.Buffer
		if err := run(&out, prefix, setting, search.Options{}, false, 2, []string{"xx/fast=embedded:" + gold}); err != nil {
			t.Fatal(err)
		}
		outputs[i] = out.String()
		for _, name := range []string{"figures.tsv", "expected.tsv", "certificates.tsv", "thresholds.tsv", "bins.tsv", "coverage.tsv", "coverage.svg", "head_conf.svg"} {
			if _, err := os.Stat(prefix + "-" + name); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(outputs[i], "| xx | fast | head_conf | ") {
			t.Errorf("no figures of head_conf in\n%s", outputs[i])
		}
		again := filepath.Join(t.TempDir(), "c")
		if err := run(io.Discard, again, setting, search.Options{}, false, 1, []string{"xx/fast=embedded:" + gold}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"bins.tsv", "head_conf.svg"} {
			a, err := os.ReadFile(prefix + "-" + name)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(again + "-" + name); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s of one worker differs, or there is none: %v", name, err)
			}
		}
	}
	if outputs[0] == outputs[1] {
		t.Error("raw text is parsed as the gold words are")
	}
}

func TestWrongArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		draw bool
		want string
	}{
		{nil, false, "want -output"},
		{[]string{"x/y=m:g"}, true, "want -output"},
		{[]string{"x=m:g"}, false, "TREEBANK/NAME=MODEL:GOLD"},
		{[]string{"x/y=m"}, false, "TREEBANK/NAME=MODEL:GOLD"},
		{[]string{"x/y=m:"}, false, "gold file"},
		{[]string{"x/y|z=m:g"}, false, "bars"},
		{[]string{"x/y=embedded:nowhere.conllu"}, false, "x/y: "},
		{nil, true, "-bins.tsv"},
	} {
		err := run(io.Discard, filepath.Join(t.TempDir(), "c"), eval.GoldTokens, search.Options{}, c.draw, 1, c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want an error that says %q", c.args, err, c.want)
		}
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"treebank\tmodel\n":                    "columns",
		"treebank\tmodel\tkept\twrong\na\tb\n": "line 2: 2 columns",
	} {
		prefix := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(file(prefix, "coverage", "tsv"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readTable(prefix, newReport().coverage); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"x", "-1", "NaN", "Inf"} {
		c := newReport().coverage
		c.add("a", "b", text, "1")
		if _, err := c.curves("kept", "wrong", "", func(func(string) string) bool { return true }); err == nil {
			t.Errorf("%q is a number", text)
		}
	}
}

func wellFormed(t *testing.T, name string, data []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) {
		t.Errorf("%s has a coordinate that is no number", name)
	}
}
