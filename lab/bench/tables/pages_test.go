package tables

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables of the pages are those that lab/results gives.
func TestPages(t *testing.T) {
	list, err := pages("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range list {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := fill(string(text), "../../results"); err != nil || want != string(text) {
			t.Errorf("%s is not what lab/results gives (%v): go run -C lab ./bench tables", page, err)
		}
	}
}

// The table of speed has the LAS that was measured.
func TestSpeedHasMeasuredLAS(t *testing.T) {
	m, err := read("../../results")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		want := m.english.Cell(m.english.Find("model", s[1], "effort", s[2], "set", "test", "input", "raw"), "las")
		if got := m.speed.Cell(m.speed.Find("series", "treebeam", "point", s[3]), "las"); got != want || want == "" {
			t.Errorf("%s: LAS %q in speed.tsv, %q in english.tsv", s[0], got, want)
		}
	}
}

// fixtures are small tables.
var fixtures = map[string]string{
	"english.tsv": "# command: measure it\n# date: 2026-11-26\nmodel\tdigest\teffort\tset\tinput\tupos\tuas\tlas\n" +
		"embedded\t0123456789abcdef0\t\ttest\traw\t95.00\t87.00\t84.00\n" +
		"embedded\t0123456789abcdef0\t\ttest\ttokens\t96.00\t88.00\t86.00\n" +
		"embedded-accurate\tfedcba9876543210f\t0.85\ttest\traw\t96.00\t89.00\t87.00\n" +
		"embedded-accurate\tfedcba9876543210f\t\ttest\traw\t97.00\t90.00\t88.00\n",
	"speed.tsv": "# text: a text\n# machine: a machine\n# date: 2026-11-22\nseries\tpoint\twords_per_second\tlas\tseconds\tpeak_mb\tcommand\n" +
		"treebeam\t--fast\t20000\t84.00\t3.6, 3.4\t186\ttreebeam parse --fast\n" +
		"UDPipe\tUDPipe 1.4\t2500\t77.69\t27.9\t143\tpeers.py\n",
	"published.tsv": "# by hand\nsystem\tversion\ttreebank\trelease\traw_las\ttokens_las\tgap\tsource\n" +
		"UDPipe\t2\ten_ewt\t2.17\t87.5\t92.4\tyes\thttps://example.com\n",
	"languages.tsv": "# command: bench world\n# date: 2026-11-26\n# digest: 00112233445566778899\n" +
		"code\tname\ttrain_words\twords\tsentences\tupos\tlemmas\tuas\tlas\tudpipe_las\tece_heads\n" +
		"de\tGerman\t263804\t99.50\t85.00\t94.00\t96.00\t85.00\t80.00\t72.0\t1.25\n" +
		"zh\tChinese\t98608\t88.00\t98.00\t84.00\t88.00\t65.00\t60.00\t61.0\t2.00\n" +
		"mt\tMaltese\t22880\t99.00\t80.00\t93.00\t99.00\t80.00\t70.00\t\t3.75\n",
}

func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range fixtures {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFill(t *testing.T) {
	dir := folder(t)
	for name, want := range map[string]string{
		"english": `| English EWT, test | LAS | UAS | UPOS | LAS, gold tokens | words/s | memory |
|---|---|---|---|---|---|---|
| treebeam | 88.00 | 90.00 | 97.00 | | | |
| treebeam ` + "`--effort 0.85`" + ` | 87.00 | 89.00 | 96.00 | | | |
| treebeam ` + "`--fast`" + ` | 84.00 | 87.00 | 95.00 | 86.00 | 20,000 | 186 MB |
| UDPipe 1.4, same treebank | 77.69 | | | | 2,500 | 143 MB |
| UDPipe 2 (UD 2.17), published | 87.5 | | | 92.4 | | |

Raw text unless the column says gold tokens. The default is the accurate model,
` + "`fedcba9876543210`" + `; ` + "`--fast`" + ` is ` + "`0123456789abcdef`" + `. Speed and memory are of one core, from
raw text to Parquet. The published LAS of UDPipe 2 is 0.5 below the default and 3.5 above
` + "`--fast`" + `.
`,
		"speed": `| command | seconds | words/s | times UDPipe | peak memory | LAS, raw text |
|---|---|---|---|---|---|
| ` + "`treebeam parse --fast`" + ` | 3.6, 3.4 | 20,000 | 8.0 | 186 MB | 84.00 |
| ` + "`peers.py`" + ` | 27.9 | 2,500 | 1.0 | 143 MB | 77.69 |

Text: a text. Machine: a machine. Measured 2026-11-22.
`,
		"published": `| parser | treebank | UD | LAS, raw text | LAS, gold tokens | source |
|---|---|---|---|---|---|
| UDPipe 2 | en_ewt | 2.17 | 87.5 | 92.4 | <https://example.com> |
`,
		"languages": `| language | words of train | words | sentences | UPOS | lemmas | LAS | LAS, UDPipe 1.2 |
|---|---|---|---|---|---|---|---|
| German de | 263,804 | 99.5 | 85.0 | 94.0 | 96.0 | 80.0 | 72.0 |
| Chinese zh | 98,608 | 88.0 | 98.0 | 84.0 | 88.0 | 60.0 | 61.0 |
| Maltese mt | 22,880 | 99.0 | 80.0 | 93.0 | 99.0 | 70.0 | |

The mean LAS of the 3 languages is 70.0. Of the 2 for which UDPipe 1.2 has published
figures, it is 70.0, and UDPipe's is 66.5; treebeam is level or better in 1. The ECE of
` + "`head_conf`" + ` is 2.3 on average and at most 3.8. Model 0011223344556677, measured 2026-11-26
by ` + "`bench world`" + `.
`,
	} {
		page := "before\n<!-- table: " + name + " -->\nold\n<!-- end of table -->\nafter\n"
		got, err := fill(page, dir)
		if err != nil {
			t.Fatal(err)
		}
		if page = strings.Replace(page, "old\n", want, 1); got != page {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, page)
		}
		if again, err := fill(got, dir); err != nil || again != got {
			t.Errorf("%s: other text the second time, %v", name, err)
		}
	}
	if text, err := accuracy(dir); err != nil || !strings.Contains(text, "| accurate, `--effort 0.85` | test | raw text | |") {
		t.Errorf("%s, %v", text, err)
	}
}

// Pages and tables with faults are refused, and the message says where.
func TestFaults(t *testing.T) {
	dir := folder(t)
	for page, want := range map[string]string{
		"<!-- table: speed -->\nopen\n":                                                  "no end",
		"text\n<!-- end of table -->\n":                                                  "no table",
		"<!-- table: speed -->\n<!-- table: speed -->\n<!-- end of table -->\n":          "no end",
		"<!-- table: spede -->\n<!-- end of table -->\n":                                 `"spede"`,
		"<!-- table: english -->\n<!-- end of table -->\n<!-- table: x -->\nno end here": "no end",
	} {
		if _, err := fill(page, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", page, err, want)
		}
	}
	for text, want := range map[string]string{
		"a\tb\n1\t2\n3\n": "line 3: 1 cells",
		"a\tb\n":          "no rows",
		"":                "no rows",
	} {
		path := filepath.Join(dir, "speed.tsv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		if _, err := english(dir); err == nil {
			t.Errorf("%q: tables were written", text)
		}
	}
}

// What is written is what was read.
func TestWrite(t *testing.T) {
	dir := folder(t)
	for name, want := range fixtures {
		path := filepath.Join(dir, name)
		table, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Write(path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, want %q, %v", name, got, want, err)
		}
	}
}

func TestDifference(t *testing.T) {
	for figures, want := range map[[2]string]string{
		{"86.77", "86.8"}: "level with", {"90.43", "86.8"}: "3.6 above", {"86.77", "89.9"}: "3.1 below", {"", "1"}: "not comparable with",
	} {
		if got := difference(figures[0], figures[1]); got != want {
			t.Errorf("%v: %s, want %s", figures, got, want)
		}
	}
}
