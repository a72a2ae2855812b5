package view

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/parquet"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata/report.html, after looking at the difference")

const attack = `<script>alert(1)</script><img src=x onerror=alert(2)>"'</title></style>{{.Name}}` + "\x00\x1b[31m\u202e"

// report is the page of a run that holds what is nasty: text that wants to be
// markup, long words and sentences, many scripts, crossing arcs, heads that are
// none.
func report(t *testing.T) []byte {
	t.Helper()
	r := NewReport(Run{Name: "out " + attack, FP: "0123abcd", FormatVersion: "1", ModelID: "m", ModelDigest: "mm",
		ModelFacts: [][2]string{{"treebank", attack}}, Options: map[string]string{"--lines": "auto", "--seed": "<b>"}}, 6, 3)
	for i, name := range []string{"in/a.txt", "in/sub/b.txt", "in/sub/" + attack} {
		r.Document(&parquet.Document{DocID: name, SourceURI: name, SourceVersion: "v", StoredBytes: 100, Format: "text", Encoding: "utf-8",
			Lines: "wrapped", Blocks: 5, Sentences: 6, Trees: 5, Words: 1234, UnknownWords: 100, Failures: int64(i), Warnings: 1,
			CalibratedWords: int64(40 + 500*i), ExpectedUPOS: 0.9375, ExpectedUPOSStderr: 0.03125, ExpectedUAS: 0.75 + 0.0625*float64(i), ExpectedUASStderr: 0.0625,
			ExpectedLAS: 0.5 + 0.125*float64(i), ExpectedLASStderr: 0.125})
	}
	r.Document(&parquet.Document{SourceURI: "in/c.pdf", StoredBytes: 9, Failures: 1, Blocks: 0})
	line := int64(12345)
	for range 3 {
		r.Failure(&parquet.Failure{SourceURI: "in/" + attack, ByteOffset: 5, Line: &line, Stage: "read", Severity: "warning", Kind: "invalid_bytes", Reason: "invalid bytes: " + attack, Text: attack})
	}
	r.Failure(&parquet.Failure{SourceURI: "in/c.pdf", Stage: "read", Severity: "error", Kind: "not_text", Reason: "not text: a PDF"})
	for i, row := range nasty() {
		row.StartByte = int64(1000 * i)
		r.Tree(row)
	}
	var b bytes.Buffer
	must(t, r.WriteHTML(&b))
	return b.Bytes()
}

func nasty() []*parquet.Tree {
	crossing := tree("A/2", "hearing/3", "is/0", "scheduled/3", "on/7", "the/7", "issue/2", "today/4", "./3")
	copy(crossing.Deprel, []string{"det", "nsubj:pass", "root", "xcomp", "case", "det", "nmod", "obl:unmarked", "punct"})
	crossing.HeadMarginal[6] = 0.25
	conf := float32(0.0625)
	crossing.HeadConf, crossing.TreeConf = []float32{1, 1, 1, 1, 0.75, 1, 0.375, 0.875, 0.5}, &conf
	crossing.UPOSConf, crossing.Certificate = []float32{0.5, 1, 1, 1, 1, 1, 1, 1, 1}, "bound"
	crossing.DeprelConf = []float32{1, 0.75, 1, 1, 0.75, 1, 0.25, 0.5, 0.25}
	hebrew := tree("הספינה/2", "הפליגה/0", "אל/4", "הנמל/2", "./2")
	chinese := tree("我們/2", "看見/0", "了/2", "一/5", "艘船/2", "。/2")
	scripts := tree("ในน้ำมีปลา/2", "नमस्ते/0", "👩\u200d👩\u200d👧/2", "e\u0301\u0323/2", "தமிழ்நாடு/2", strings.Repeat("W", 80)+"/2", "﷽/2")
	hostile := tree(attack+"/0", "b/1", "c/2", "d/3")
	hostile.UPOS[1], hostile.Deprel[1], hostile.SentID, hostile.Text, hostile.SourceURI = attack, attack, attack, attack, attack
	var words []string
	for i := range 120 {
		words = append(words, fmt.Sprintf("w%d/%d", i+1, (i*i*7)%120+1))
	}
	long := tree(words...)
	long.Head[5], long.HeadMarginal[60] = 0, 0.125
	bad := tree("a/0", "b/77", "c/-1", "d/4")
	bad.UPOS, bad.Deprel, bad.HeadMarginal, bad.HeadConf = bad.UPOS[:1], nil, nil, []float32{1}
	return []*parquet.Tree{crossing, hebrew, chinese, scripts, hostile, long, bad, tree("One/0"), {SentID: "empty"}}
}

func TestGolden(t *testing.T) {
	got := report(t)
	if !bytes.Equal(got, report(t)) {
		t.Fatal("the same rows give other bytes")
	}
	golden := filepath.Join("testdata", "report.html")
	if *rewrite {
		must(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(got, want) {
		a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d is\n%s\nwhere it was\n%s\nlook at it in a browser, then: go test ./io/view -run Golden -rewrite", i+1, a[i], b[i])
			}
		}
		t.Fatal("the length differs")
	}
}

// Each language has its own lists of words, the one with the most words first; a sixth has
// none.
func TestWordsByLanguage(t *testing.T) {
	r := NewReport(Run{}, 0, 0)
	for i, language := range []string{"fr", "de", "", "nl", "it", "es", "de"} {
		row := tree("die/2", "See/0", "die/2")
		if row.Language = language; i > 2 {
			row = tree("die/2", "See/0")
			row.Language = language
		}
		r.Tree(row)
	}
	var b bytes.Buffer
	must(t, r.WriteHTML(&b))
	text := b.String()
	at := 0
	for _, want := range []string{"Languages have lists of their own", "<h3>Forms, language de</h3>", "<td class=\"n\"><bdi>3</bdi></td><td class=\"n\"><bdi>60.0%</bdi></td>", "<h3>Lemmas, language de</h3>",
		"<h3>Forms, language unknown</h3>", "<h3>Forms, language fr</h3>", "<h3>Forms, language es</h3>", "<h3>Forms, language it</h3>"} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%s is not after the ones before it", want)
		}
		at += next
	}
	if strings.Contains(text, "language nl") || strings.Contains(text, "<h3>Forms</h3>") {
		t.Error("there are other lists")
	}
}

// No text becomes markup, and the page needs nothing from elsewhere.
func TestPageIsHarmless(t *testing.T) {
	text := string(report(t))
	for _, bad := range []string{"<script", "<img", "onerror=alert(2)>", "ZgotmplZ", "\x00", "\x1b", "\u202e", "https://", "@import", "url("} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if strings.Count(text, "http:") != strings.Count(text, `<svg xmlns="http://www.w3.org/2000/svg"`) {
		t.Error("the page names something elsewhere")
	}
	if n := strings.Count(text, "&lt;script&gt;alert(1)&lt;/script&gt;"); n < 7 {
		t.Errorf("the text of the attack is shown %d times", n)
	}
	seen := elements(t, text, func(xml.StartElement) {})
	// Trees and words come first, provenance last.
	at := -1
	for _, id := range []string{"counts", "examples", "vocabulary", "words", "lowest", "quality", "charts", "files", "trouble", "run"} {
		next := strings.Index(text, `<h2 id="`+id+`"`)
		if next <= at {
			t.Errorf("the section %s is not in its place", id)
		}
		at = next
	}
	if seen["h1"] != 1 || seen["main"] != 1 || seen["svg"] != 6+3 || seen["title"] != 1+6+3 || seen["script"] != 0 {
		t.Errorf("%v", seen)
	}
}

// The page credits the treebanks of the languages that were met, and no others.
func TestReportTreebanks(t *testing.T) {
	r := NewReport(Run{Treebanks: map[string]string{"de": "German-A (X)", "fr": "French-B (Y); French-C (Z)"}}, 1, 1)
	r.Document(&parquet.Document{SourceURI: "a", Language: "fr", Words: 3})
	var b bytes.Buffer
	must(t, r.WriteHTML(&b))
	if text := b.String(); !strings.Contains(text, "treebanks of the language fr") || !strings.Contains(text, "French-B (Y); French-C (Z)") || strings.Contains(text, "German-A") {
		t.Error(text)
	}
}

// The page names the folder that all files are in.
func TestReportFolder(t *testing.T) {
	const several, here = "files of several folders", "the working directory"
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"in", []string{"in/a.txt", "in/b/c.txt"}}, {"in/b", []string{"in/b/a.txt", "in/b/c.txt"}}, {"/", []string{"/a.txt", "/in/b.txt"}},
		{several, []string{"a.txt", "in/b.txt"}}, {several, []string{"in/a.txt", "into/b.txt"}}, {"s3://b/in", []string{"s3://b/in/a.txt", "s3://b/in/c/d.txt"}},
		{"gs://b", []string{"gs://b/in/a.txt", "gs://b/out/a.txt"}}, {several, []string{"gs://a/in.txt", "gs://b/in.txt"}}, {several, []string{"gs://a/in.txt", "in.txt"}},
		{here, []string{"a.txt"}}, {here, []string{"a.txt", "b.txt"}}, {several, []string{"in/b.txt", "a.txt", "b.txt"}}, {"", nil},
	} {
		r := NewReport(Run{}, 0, 0)
		for _, f := range c.files {
			r.Document(&parquet.Document{SourceURI: f})
		}
		if where := r.aboutTable().Rows[0][1]; where != c.want {
			t.Errorf("%v are in %q, want %q", c.files, where, c.want)
		}
	}
}

func TestReportSums(t *testing.T) {
	text := string(report(t))
	for _, want := range []string{
		"3,702 words in 15 trees from 4 files; 4 errors, 3 warnings.",
		`<bdi>in</bdi>`, `<td class="n"><bdi>3</bdi></td><td><bdi>invalid bytes: `, "line 12,345", "8.1% of the words",
		"Words 49 to 73 of 120, around the least certain arc.", "option --seed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	var b bytes.Buffer
	if err := NewReport(Run{Name: "empty"}, 10, 5).WriteHTML(&b); err != nil || !strings.Contains(b.String(), "0 words in 0 trees from 0 files") {
		t.Errorf("an empty output: %v", err)
	}
}

// What is expected is pooled over documents as docs/parquet.md says, and the
// worst ones are named, those of a few words last.
func TestForecast(t *testing.T) {
	r := NewReport(Run{}, 0, 0)
	words, right, variance := 0.0, 0.0, 0.0
	worst := make([]string, 100) // by hundredths: i*37 % 100 is a permutation
	for i := range 100 {
		n, share := float64(10+i), (i*37)%100
		las := 0.5 + float64(share)/200
		r.Document(&parquet.Document{DocID: fmt.Sprint(i), CalibratedWords: int64(n), ExpectedLAS: las, ExpectedLASStderr: 0.5 / math.Sqrt(n), ExpectedUAS: 0.75})
		words, right, variance = words+n, right+n*las, variance+n/4
		if n >= minForecast {
			worst[share] = fmt.Sprint(i)
		}
	}
	if want := fmt.Sprintf("UAS 75.0 ± 0.0, LAS %.1f ± %.1f", 100*right/words, 100*math.Sqrt(variance)/words); !strings.Contains(r.forecast(), want) {
		t.Errorf("%s, want %s", r.forecast(), want)
	}
	var got []string
	for _, row := range r.worstTable().Rows {
		got = append(got, row[0])
	}
	if want := slices.DeleteFunc(worst, func(s string) bool { return s == "" })[:maxWorst]; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r = NewReport(Run{}, 0, 0)
	for i, words := range []int64{49, 50, 10} {
		r.Document(&parquet.Document{DocID: fmt.Sprint(i), CalibratedWords: words, ExpectedLAS: float64(words) / 100})
	}
	if rows := r.worstTable().Rows; rows[0][0] != "1" || rows[1][0] != "2" || rows[2][0] != "0" {
		t.Errorf("%+v", rows)
	}
}

// Forms are counted in any case; punctuation is not, and names are content words.
func TestFrequencies(t *testing.T) {
	row := tree("The/2", "THE/0", ",/2", "Oslo/2")
	row.UPOS, row.Lemmas = []string{"DET", "DET", "PUNCT", "PROPN"}, []string{"the", "the", ",", "Oslo"}
	r := NewReport(Run{}, 0, 0)
	r.Tree(row)
	v := r.words[""]
	got := fmt.Sprint(frequencies("", "", &v.forms).Rows, frequencies("", "", &v.lemmas).Rows, frequencies("", "", &v.content).Rows)
	if want := "[[the 2 66.7% 100.0] [oslo 1 33.3% 50.0]] [[the 2 66.7% 100.0] [Oslo 1 33.3% 50.0]] [[Oslo 1 100.0% 100.0]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What comes when there are too many names is counted together.
func TestTallyIsBounded(t *testing.T) {
	var few tally
	for i := range 3 * maxNames {
		few.of(fmt.Sprint(i)).N++
	}
	list, more, total := few.top(7)
	if len(few.byName) != maxNames || more != maxNames-7 || total != 3*maxNames || others(list, more, total, "word") != "and 49,993 others with 149,993 words" {
		t.Errorf("%d names, %d more, %d, %s", len(few.byName), more, total, others(list, more, total, "word"))
	}
}

// Memory does not grow with what the input holds.
func TestReportIsBounded(t *testing.T) {
	r := NewReport(Run{}, 5, 5)
	for i := range 5000 {
		row := tree("a/0", "b/1", "c/1", "d/1")
		row.Deprel[0], row.UPOS[1], row.StartByte = fmt.Sprint("x", i), fmt.Sprint("y", i), int64(i)
		row.Language = fmt.Sprint(i)
		r.Tree(row)
		r.Failure(&parquet.Failure{Kind: fmt.Sprint(i), Reason: "x"})
		r.Document(&parquet.Document{SourceURI: fmt.Sprint(i), Failures: 1, Format: fmt.Sprint(i)})
	}
	var deprels, failures int64
	for _, c := range r.deprel.byName {
		deprels += c.N
	}
	for _, k := range r.reasons {
		failures += k.Count
	}
	if len(r.reasons) > maxReasons || len(r.failureTables()[1].Rows) != maxTroubled || len(r.lowest.Trees()) != 5 || len(r.exampleTrees()) != 5 ||
		deprels != 20000 || failures+r.moreReason != 5000 {
		t.Errorf("%d words and %d failures are counted", deprels, failures+r.moreReason)
	}
	// The examples are those with the smallest hashes, whatever the order.
	backwards := NewReport(Run{}, 0, 5)
	for i := range 5000 {
		row := tree("a/0", "b/1", "c/1", "d/1")
		row.StartByte = int64(4999 - i)
		backwards.Tree(row)
	}
	for i, row := range r.exampleTrees() {
		if row.StartByte != backwards.exampleTrees()[i].StartByte {
			t.Error("the examples depend on the order")
		}
	}
}

// must ends the test at the first error.
func must(tb testing.TB, errs ...error) {
	tb.Helper()
	for _, err := range errs {
		if err != nil {
			tb.Fatal(err)
		}
	}
}
