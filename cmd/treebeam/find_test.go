package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The same hits come from an output, a state, and their trees as CoNLL-U, plain,
// compressed and on standard input; and what cannot be searched is refused.
func TestFind(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.txt": "Cats chase mice .\n\nCats sleep .\n", "b.txt": "Dogs chase cats .\n"})
	dir := t.TempDir()
	out, state := filepath.Join(dir, "out"), filepath.Join(dir, "state")
	for _, args := range [][]string{{"--quiet", "--input", in, "--output", out}, {"--quiet", "--input", in, "--state", state}} {
		ends(t, exitOK, "", toyCommand(args...)...)
	}
	_, text, _ := treebeam(t, "", "convert", out, "--conf")
	plain, packed, treebank := filepath.Join(dir, "x.conllu"), filepath.Join(dir, "y.conllu.gz"), t.TempDir()
	for name, data := range map[string]string{plain: text, packed: zipped(text),
		filepath.Join(treebank, "[a].conllu"): text, filepath.Join(treebank, "README"): "A treebank ."} {
		must(t, os.WriteFile(name, []byte(data), 0o666))
	}
	for _, query := range [][]string{
		{"_ . _"}, {"a:_ < _", "--tsv", "a.form,a.deprel,a.head"}, {"_ > _", "--group", "1.upos,2.deprel"}, {"_", "--group", "folder,doc_id"}, {"_", "--group", "form", "--against", state}, {"_ > _", "--random", "3", "--seed", "7"}, {"_ > _", "--random", "2", "--to", "tree"}, {"_ .. _", "-c"}, {"id=2", "--to", "conllu", "-n", "2"}, {"_ > _", "--to", "tree"},
		{"a:_ < _", "--tsv", "before,left,hit,right,after,doc_id,position"}, {"a:_ < _", "--tsv", "folder,left,a.form", "-n", "2"},
	} {
		want := ""
		for _, from := range []string{out, state, plain, packed, treebank, "-", filepath.Join(dir, "{x,none}.conllu")} {
			stdin := ""
			if from == "-" {
				stdin = text
			}
			status, got, stderr := treebeam(t, stdin, append([]string{"find", from}, query...)...)
			if from == out {
				want = got
			}
			// The output lacks what --conf has put into MISC and comments.
			if query[0] == "id=2" && from != state && from != out {
				want, got = "", strings.Join(strings.Fields(got), " ")
				if !strings.Contains(got, "# hit = 1:2 1 ") || !strings.Contains(got, "HeadConf=") {
					t.Errorf("%s: %s", from, got)
				}
				continue
			}
			if status != exitOK || got == "" || got != want {
				t.Errorf("%v of %s: status %d, %s\n%s\nwant\n%s", query, from, status, stderr, got, want)
			}
		}
	}
	ends(t, exitRefused, "would be lost", "show", plain, "--to", "tree", "-o", plain)
	if status, got, stderr := treebeam(t, "", "show", treebank, "-n", "1"); status != exitOK || !strings.Contains(got, "Cats chase mice .") {
		t.Errorf("show of a folder of files: status %d, %s%s", status, got, stderr)
	}
	for _, c := range [][]string{
		{"name what to search", out}, {"has no ]", out, "[>obj"}, {"the pattern comes last", "VERB", plain}, {"from 0 to 1", out, "_", "--conf", "7"},
		{"exclude each other", out, "_", "-c", "--tsv", "id"}, {"--to text and --count exclude each other", out, "_", "-c", "--to", "text"}, {"--to text does not write .tsv", out, "_", "--to", "text", "-o", filepath.Join(dir, "x.tsv")}, {"must be text", out, "_", "--to", "svg"}, {"no attribute", out, "_", "--tsv", "size"},
		{"--against needs --group", out, "_", "--against", state}, {"cannot be both", "-", "_", "--group", "form", "--against", "-"}, {"check the spelling", out, "_", "--group", "form", "--against", filepath.Join(dir, "none")}, {"must be from 1", out, "_", "--random", "-1"}, {"exclude each other", out, "_", "--random", "2", "-n", "2"}, {"--seed needs", out, "_", "--seed", "2"}, {"--count counts all", out, "_", "-c", "--random", "2"},
		{"would be lost", plain, "_", "-o", plain}, {"treebeam parse", filepath.Join(in, "a.txt"), "_"}, {"no manifest.json", in, "_"},
		{"check the spelling", filepath.Join(dir, "none"), "_"}, {"put the whole pattern", plain, "VERB", "NOUN"}, {"is not a part of speech", out, "dog"},
	} {
		ends(t, exitRefused, c[0], append([]string{"find"}, c[1:]...)...)
	}
}

// The name of the output says what is written, as with convert.
func TestFindOutput(t *testing.T) {
	block := "# sent_id = s\n# text = a\n# hit = 1:1\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
	dir := writeFiles(t, map[string]string{"a.conllu": block})
	for name, want := range map[string]string{"h.conllu": block, "h.conllu.gz": block, "h.tree": "s\na\n─╼ *a  X  root\n\n", "h.txt": "s\t[a]\n", "h": "s\t[a]\n",
		"h.tsv": "left\thit\tright\tdoc_id\tstart_byte\tsent_id\tposition\n_\ta\t_\ta.conllu\t0\ts\t1\n", "h.csv.gz": "left,hit,right,doc_id,start_byte,sent_id,position\n,a,,a.conllu,0,s,1\n"} {
		out := filepath.Join(dir, name)
		ends(t, exitOK, "", "find", filepath.Join(dir, "a.conllu"), "X", "-o", out)
		f, err := os.Open(out)
		must(t, err)
		defer f.Close()
		r := io.Reader(f)
		if strings.HasSuffix(name, ".gz") {
			r, err = gzip.NewReader(f)
			must(t, err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, c := range []struct {
		name string
		args []string
		want string // of the file, or of the refusal
	}{
		{"n.txt", []string{"--count"}, "hits\t1\n"}, {"n.csv", []string{"--count"}, "hits,1\n"}, {"g.csv", []string{"--group", "form"}, "hits,"},
		{"t.csv", []string{"--tsv", "sent_id,form"}, "sent_id,form\ns,a\n"}, {"t.html", []string{"--tsv", "form"}, "<!DOCTYPE html>"}, {"k.htm", []string{"--kwic"}, "<!DOCTYPE html>"},
		{"k", []string{"--kwic", "--context"}, "before\tleft\thit"}, {"k.csv", []string{"--context"}, "before,left,hit"},
		{"n.conllu", []string{"--count"}, "--count does not write .conllu"}, {"t.csv", []string{"--to", "tree"}, "--to tree does not write .csv"},
		{"k.tree", []string{"--kwic"}, "--kwic does not write"}, {"x.ods", nil, "it writes .tsv, .csv, .xlsx, .html"}, {"x.bz2", nil, "does not write .bz2"}, {"x", []string{"--context"}, "--context needs --kwic"},
		{"x", []string{"--kwic", "--tsv", "form"}, "--tsv and --kwic exclude"},
	} {
		out := filepath.Join(dir, c.name)
		status, _, stderr := treebeam(t, "", append([]string{"find", filepath.Join(dir, "a.conllu"), "X", "-o", out}, c.args...)...)
		got, err := os.ReadFile(out)
		if status != exitOK {
			got = []byte(stderr)
		}
		if err == nil && !strings.HasPrefix(string(got), c.want) || err != nil && !strings.Contains(string(got), c.want) {
			t.Errorf("%s %v: status %d, %s, want %q", c.name, c.args, status, got, c.want)
		}
		os.Remove(out)
	}
}

// show, too, draws into a file what its name says.
func TestShowOutput(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.conllu": "# sent_id = s\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"})
	for name, want := range map[string]string{"a.svg": "<svg ", "a.html": "<!DOCTYPE html>", "a.tree": "s\na\n─╼ a  X  root\n", "other": "s\na\n"} {
		out := filepath.Join(dir, name)
		if status, stdout, stderr := treebeam(t, "", "show", filepath.Join(dir, "a.conllu"), "-o", out); status != exitOK || stdout != "" {
			t.Fatal(stdout, stderr)
		}
		if got, err := os.ReadFile(out); err != nil || !strings.HasPrefix(strings.ToLower(string(got)), strings.ToLower(want)) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	ends(t, exitRefused, "must be tree", "show", filepath.Join(dir, "a.conllu"), "-o", filepath.Join(dir, "a.conllu"))
}

// What is for print has its own flags and endings.
func TestShowForPrint(t *testing.T) {
	two := "# sent_id = s\n1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2\tb\t_\tX\tX\t_\t1\tdep\t_\t_\n3\t.\t_\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
	dir := writeFiles(t, map[string]string{"a.conllu": two, "b.conllu": two + "# sent_id = t" + two[13:]})
	show := func(file string, args ...string) []string {
		return append([]string{"show", filepath.Join(dir, file)}, args...)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--to", "tree", "--no-punctuation"}, "s\na b .\n─┬─╼ a  X  root\n ╰─╼ b  X  dep\n\n"},
		{[]string{"--to", "tree", "--words", "2,3"}, "s\na b .\n · b  X      dep\n"},
		{[]string{"--to", "tikz", "--words", "1-2"}, "% \\usepackage{tikz-dependency}"},
		{[]string{"--to", "svg", "--style", "paper"}, "<svg "},
	} {
		status, got, stderr := treebeam(t, "", show("a.conllu", c.args...)...)
		if status != exitOK || !strings.HasPrefix(got, c.want) || strings.Contains(got, "#4a6a8a") {
			t.Errorf("%v: status %d, %s%s, want %s", c.args, status, got, stderr, c.want)
		}
	}
	file := filepath.Join(dir, "x.tex")
	ends(t, exitOK, "", show("b.conllu", "-o", file)...)
	if got, err := os.ReadFile(file); err != nil || strings.Count(string(got), "\\end{dependency}") != 2 {
		t.Errorf("%s, %v", got, err)
	}
	ends(t, exitRefused, "--style paper is for", show("a.conllu", "--style", "paper")...)
	ends(t, exitRefused, "screen or paper", show("a.conllu", "--style", "print", "--to", "svg")...)
	ends(t, exitRefused, "is for one sentence", show("b.conllu", "--words", "1")...)
	for _, words := range []string{"0", "3-2", "a", "1-", "1,,2"} {
		ends(t, exitRefused, "must be numbers of words", show("a.conllu", "--words", words)...)
	}
	ends(t, exitRefused, "the sentence has 3 words", show("a.conllu", "--words", "4-9")...)
}

// A search may be of one document or of one language.
func TestFindSelects(t *testing.T) {
	block := func(doc, language, form string) string {
		return "# newdoc id = " + doc + "\n# language = " + language + "\n1\t" + form + "\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
	}
	dir := writeFiles(t, map[string]string{"a.conllu": block("x", "en", "a") + block("y", "de", "b") + block("z", "en", "c")})
	for _, c := range []struct{ doc, language, want string }{{"y", "", "b"}, {"", "en", "a c"}, {"z", "en", "c"}, {"x", "de", ""}} {
		args := []string{"find", filepath.Join(dir, "a.conllu"), "X", "--tsv", "form"}
		if c.doc != "" {
			args = append(args, "--doc", c.doc)
		}
		if c.language != "" {
			args = append(args, "--language", c.language)
		}
		status, got, stderr := treebeam(t, "", args...)
		got = strings.Join(strings.Fields(strings.TrimPrefix(got, "form\n")), " ")
		if status != exitOK || got != c.want || (c.want == "") != strings.Contains(stderr, "a.conllu: no sentences of a document with the id") {
			t.Errorf("%+v: status %d, %q, %s", c, status, got, stderr)
		}
	}
}

// A search in nothing says so, whatever it writes.
func TestFindInNothing(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.conllu": "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n", "empty.conllu": ""})
	a, empty := filepath.Join(dir, "a.conllu"), filepath.Join(dir, "empty.conllu")
	for _, args := range [][]string{{empty, "X"}, {empty, "X", "--count"}, {empty, "X", "--kwic"}, {a, "X", "--group", "upos", "--against", empty}} {
		ends(t, exitOK, "empty.conllu: no sentences\n", append([]string{"find"}, args...)...)
	}
	if _, _, said := treebeam(t, "", "find", a, "X", "--group", "upos", "--against", a); strings.Contains(said, "no sentences") {
		t.Error(said)
	}
}

// Two corpora are compared in a text to read or in a table; docs/find.md has the rest.
func TestCompareCommand(t *testing.T) {
	row := func(id int, lemma, upos string, head int, deprel string) string {
		return fmt.Sprintf("%d\t%s\t%s\t%s\t_\t_\t%d\t%s\t_\t_\n", id, lemma, lemma, upos, head, deprel)
	}
	dir := writeFiles(t, map[string]string{
		"a.conllu": strings.Repeat("# language = en\n"+row(1, "cat", "NOUN", 2, "nsubj")+row(2, "sleep", "VERB", 0, "root")+row(3, ".", "PUNCT", 2, "punct")+"\n", 8),
		"b.conllu": strings.Repeat("# language = en\n"+row(1, "dog", "NOUN", 2, "nsubj")+row(2, "sleep", "VERB", 0, "root")+"\n"+row(1, "sleep", "VERB", 0, "root")+"\n", 4),
	})
	a, b := filepath.Join(dir, "a.conllu"), filepath.Join(dir, "b.conllu")
	const want = `           A         B
corpus     a.conllu  b.conllu
documents  1         1
sentences  8         8
words      16        12

mean                A     95% interval  B     95% interval  A - B  95% interval
words per sentence  2.00  2.00 to 2.00  1.50  1.13 to 1.87  0.50   0.13 to 0.87
depth of trees      1.00  1.00 to 1.00  0.50  0.13 to 0.87  0.50   0.13 to 0.87
length of arcs      1.00  1.00 to 1.00  1.00  1.00 to 1.00  0.00   0.00 to 0.00

lemma  A  per million  B  per million  log-likelihood  log ratio  95% interval
cat    8  500000.00    0  0.00         8.95            3.58       -0.41 to 7.58
`
	status, got, stderr := treebeam(t, "", "compare", a, b, "--of", "lemma", "--top", "1")
	if got = strings.ReplaceAll(got, dir+string(filepath.Separator), ""); status != exitOK {
		t.Fatal(got, stderr)
	}
	if squeezed := func(s string) string { return strings.Join(strings.Fields(s), " ") }; squeezed(got) != squeezed(want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for name, want := range map[string]string{"k.tsv": "kind\tvalue\tcount_a\t", "k.csv": "kind,value,count_a,", "k.html": "<!DOCTYPE html>", "k.txt": "           A"} {
		out := filepath.Join(dir, name)
		ends(t, exitOK, "", "compare", a, b, "-o", out)
		if got, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	empty, none := filepath.Join(dir, "empty.conllu"), filepath.Join(dir, "none.tsv")
	must(t, os.WriteFile(empty, nil, 0o644))
	ends(t, exitRefused, "a.conllu has no sentences in the language", "compare", a, b, "--language", "de")
	ends(t, exitRefused, "empty.conllu has no sentences", "compare", a, empty, "-o", none)
	if _, err := os.Stat(none); err == nil {
		t.Error("a table of nothing was written")
	}
	for _, c := range [][]string{{"name two corpora", a}, {"cannot be both", "-", "-"}, {"no list \"xpos\"", a, b, "--of", "lemma,xpos"}, {"is there twice", a, b, "--of", "upos,upos"},
		{"must not be negative", a, b, "--top", "-1"}, {"does not write .conllu", a, b, "-o", "x.conllu"}} {
		ends(t, exitRefused, c[0], append([]string{"compare"}, c[1:]...)...)
	}
}

// A slip in a relation or a feature is pointed out if nothing is found.
func TestFindSlip(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.conllu": "1\ta\t_\tX\tX\tCase=Acc,Dat|Number=Plur\t2\tnsubj:pass\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_\n\n"})
	for pattern, want := range map[string]string{
		"_ >sunbj _":            "sunbj is not a relation of Universal Dependencies; did you mean nsubj?\n",
		"_ >nsubj:pas _":        "no word here is nsubj:pas; did you mean nsubj:pass?\n",
		"_ >obj _":              "no word here is obj\n",
		"_ >root|nsubj:* VERB":  "",
		"_ !>sunbj":             "",
		"Case=Nom":              "no word here has Case=Nom; Case is Acc, Dat\n",
		"Case=Dat & Nmber=Plur": "no word here has Nmber; did you mean Number?\n",
		"Case=Acc & id=2":       "",
		"Case=Acc,Dat & id=2":   "",
	} {
		status, _, stderr := treebeam(t, "", "find", filepath.Join(dir, "a.conllu"), pattern)
		if _, note, _ := strings.Cut(stderr, "\n"); status != exitOK || note != want {
			t.Errorf("%s: status %d, %s", pattern, status, stderr)
		}
	}
}

// Broken blocks are named and left out; if nothing else is there, the status says so.
func TestBrokenBlocks(t *testing.T) {
	good := "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
	dir := writeFiles(t, map[string]string{"a.conllu": good + strings.Repeat("1\tshort\n\n", namedBlocks+2) + good, "b.conllu": "1\ta\t_\tX\tX\t_\t0\troot\t_\n\n"})
	for _, c := range []struct {
		args   []string
		status int
		stdout string
		stderr []string
	}{
		{[]string{"find", filepath.Join(dir, "a.conllu"), "_", "-c"}, exitOK, "hits\t2\nsentences\t2\nsearched\t2\nwords\t2\nper_million\t1000000.00\n", []string{"a.conllu:3: 2 columns", "2 more broken blocks"}},
		{[]string{"show", filepath.Join(dir, "a.conllu")}, exitOK, "─╼ a  X  root", []string{"a.conllu:3: 2 columns"}},
		{[]string{"find", filepath.Join(dir, "b.conllu"), "_", "-c"}, exitFailures, "searched\t0", []string{"b.conllu:1: 9 columns"}},
		{[]string{"show", filepath.Join(dir, "b.conllu")}, exitFailures, "", []string{"b.conllu:1: 9 columns"}},
	} {
		status, stdout, stderr := treebeam(t, "", c.args...)
		if status != c.status || !strings.Contains(stdout, c.stdout) {
			t.Errorf("%v: status %d, %s", c.args, status, stdout)
		}
		for _, want := range c.stderr {
			if strings.Count(stderr, want) != 1 {
				t.Errorf("%v: %s", c.args, stderr)
			}
		}
	}
}

// Without probabilities there are no least certain sentences, and --conf shows none.
func TestLowestNeedsProbabilities(t *testing.T) {
	in := writeFiles(t, map[string]string{"a.conllu": "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"})
	if status, stdout, stderr := treebeam(t, "", "show", filepath.Join(in, "a.conllu"), "--lowest", "2"); status != exitRefused || stdout != "" || !strings.Contains(stderr, "--conf wrote it") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if status, stdout, stderr := treebeam(t, "", "show", filepath.Join(in, "a.conllu"), "--conf"); status != exitOK || !strings.Contains(stdout, "root") || !strings.Contains(stderr, "--conf wrote it") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	if status, _, stderr := treebeam(t, "", "show", filepath.Join(in, "a.conllu"), "--conf", "--to", "tikz"); status != exitRefused || !strings.Contains(stderr, "--conf") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
