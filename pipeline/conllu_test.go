package pipeline

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// annotatedRows are the rows of files, and the error that ends them, or the first
// broken block.
func annotatedRows(stdin string, patterns ...string) (rows []*parquet.Tree, err error) {
	broken := func(e *conllu.Error) {
		if err == nil {
			err = e
		}
	}
	for t, e := range ReadAnnotated(context.Background(), patterns, strings.NewReader(stdin), broken) {
		if e != nil {
			return rows, e
		}
		rows = append(rows, t)
	}
	return rows, err
}

// Trees, documents and confidence come back from what was written, by all
// ways to it.
func TestReadAnnotated(t *testing.T) {
	in := write(t, map[string]string{"a.txt": prose(6), "b.txt": "One more .\n"})
	o := options(in, "")
	o.Write.Conf = true
	text := streamed(t, o)
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(text))
	z.Close()
	dir := write(t, map[string]string{"x.conllu": text, "y.conllu.gz": zipped.String(), "z.conllx": "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"})
	want, err := annotatedRows(text, "-")
	if err != nil || len(want) < 3 {
		t.Fatalf("%d rows, %v", len(want), err)
	}
	if last := want[len(want)-1]; want[0].DocID != "a.txt" || last.DocID != "b.txt" || last.SentID != "b.txt@0" || last.Text != "One more ." {
		t.Errorf("%+v", last)
	}
	sure := 0
	for _, row := range want {
		if row.Head[0] < 0 || row.Deprel[0] == "" {
			t.Errorf("%+v", row)
		}
		sure += len(row.HeadConf)
	}
	if n := strings.Count(text, "HeadConf="); n == 0 || n != sure {
		t.Errorf("%d words have a probability, and %d are read", n, sure)
	}
	for _, name := range []string{"x.conllu", "y.conllu.gz", "[x].conllu"} {
		rows, err := annotatedRows("", filepath.Join(dir, name))
		if err != nil || len(rows) != len(want) || rows[1].Text != want[1].Text {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
	if rows, err := annotatedRows("", dir); err != nil || len(rows) != 2*len(want)+1 || rows[len(rows)-1].DocID != "z.conllx" {
		t.Errorf("%d rows of the folder, %v", len(rows), err)
	}
	if rows, err := annotatedRows("", "-"); err != nil || len(rows) != 0 {
		t.Errorf("nothing has %d rows, %v", len(rows), err)
	}
}

// What holds no trees is refused with a remedy, and what is broken named by its
// place.
func TestReadAnnotatedOfOthers(t *testing.T) {
	dir := write(t, map[string]string{"a.txt": "Some text .\n", "b.conllu": small + "1\tbroken\n\n"})
	for name, want := range map[string]string{
		"a.txt": "treebeam parse", "b.conllu": "b.conllu:", "none.conllu": "none.conllu",
	} {
		rows, err := annotatedRows("", filepath.Join(dir, name))
		var refused *Refusal
		if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &refused) != (name != "b.conllu") || (len(rows) > 0) != (name == "b.conllu") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

// A broken block is named, and costs neither the others nor the document that it
// begins.
func TestReadAnnotatedOfBroken(t *testing.T) {
	good := "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
	rows, err := annotatedRows("# newdoc id = p\n"+good+"# newdoc id = q\n1\tshort\n\n"+good+"# only a comment\n", "-")
	if err == nil || !strings.Contains(err.Error(), "-:5: ") {
		t.Errorf("%v", err)
	}
	if len(rows) != 2 || rows[0].DocID != "p" || rows[1].DocID != "q" {
		t.Errorf("%d rows", len(rows))
	}
}

func TestNamesFiles(t *testing.T) {
	t.Chdir(write(t, map[string]string{"file": "x", "folder/file": "x", "odd[1]/file": "x"}))
	for name, want := range map[string]bool{
		"-": true, "file": true, "folder": false, "odd[1]": false, "none": false, "none.conllu.gz": true, "*.conllu": true,
		"gs://b/x": false, "gs://b/x.conllu": true, "s3://b/x.conllu.zst": true, "s3://b/*.conllu": true, os.DevNull: true,
	} {
		if got := NamesFiles(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// sung is a row of two words with columns of confidence, from a CoNLL-U file
// that has those of an earlier parse.
func sung() *parquet.Tree {
	conf := float32(0.375)
	return &parquet.Tree{Tokens: []string{"They", "sing"}, Lemmas: []string{"", ""}, UPOS: []string{"", ""}, XPOS: []string{"", ""}, Feats: []string{"", ""},
		Comments: []string{"# sent_id = 1", "#tree_conf=0.9", "# certificate = all", "# tree_confidence = mine"},
		Head:     []int32{2, 0}, Deprel: []string{"nsubj", "root"}, Deps: []string{"", ""},
		Misc:     []string{"", "A=b|HeadConf=1|C=d|UPOSConf|UPOSConfident=x|HeadConf=0.3"},
		HeadConf: []float32{0.75, 1}, DeprelConf: []float32{0.5, 0.25}, TreeConf: &conf, Status: "ok"}
}

// What the input says of confidence is of another parse: it is replaced, and
// where there is nothing to put in its place, it goes.
func TestConfidenceInCoNLLU(t *testing.T) {
	tree := sung()
	row := output.Row{Format: "conllu", Tree: tree}
	const want = "# sent_id = 1\n# tree_confidence = mine\n# tree_conf = 0.3750\n" +
		"1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\tHeadConf=0.7500|DeprelConf=0.5000\n" +
		"2\tsing\t_\t_\t_\t_\t0\troot\t_\tA=b|C=d|UPOSConfident=x|HeadConf=1.0000|DeprelConf=0.2500\n\n"
	for range 2 { // the row stays as it is
		equal(t, t.Name(), string(appendTree(nil, &row, true)), want)
	}
	if got := string(appendTree(nil, &row, false)); !strings.Contains(got, "#tree_conf=0.9\n# certificate = all\n") || !strings.Contains(got, "A=b|HeadConf=1|C=d") {
		t.Errorf("without --conf the input comes back:\n%s", got)
	}
	tree.HeadConf, tree.DeprelConf, tree.TreeConf = nil, nil, nil // of a model that is not calibrated
	const bare = "# sent_id = 1\n# tree_confidence = mine\n1\tThey\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsing\t_\t_\t_\t_\t0\troot\t_\tA=b|C=d|UPOSConfident=x\n\n"
	equal(t, t.Name(), string(appendTree(nil, &row, true)), bare)
}

// The comments of raw text come first.
func TestConfidenceOfRawText(t *testing.T) {
	tree := sung()
	tree.Comments, tree.DocID, tree.SentID, tree.Text = []string{"# newdoc id = d"}, "d", "d@0", "They sing"
	got := string(appendTree(nil, &output.Row{DocID: "d", Format: "text", Tree: tree}, true))
	if want := "# newdoc id = d\n# sent_id = d@0\n# text = They sing\n# tree_conf = 0.3750\n1\t"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// All columns come back from what is written, to the 1/4096, and writing what was
// read changes nothing.
func TestConfidenceComesBack(t *testing.T) {
	var s syntax.Sentence
	c := &s.Confidence
	for i := range 4097 {
		s.Words = append(s.Words, syntax.Word{Form: "w", Head: int32(i), Deprel: "dep", Misc: "SpaceAfter=No"})
		p := float32(i) / 4096
		c.HeadConf, c.DeprelConf, c.UPOSConf = append(c.HeadConf, p), append(c.DeprelConf, float32(i/2)/4096), append(c.UPOSConf, 1-p)
	}
	c.HasTreeConf, c.TreeConf, c.Certificate = true, 1.0/4096, syntax.Bound
	noteConfidence(&s)
	text := string(conllu.Append(nil, &s))
	if !strings.HasPrefix(text, "# tree_conf = 0.0002\n# certificate = bound\n") {
		t.Errorf("%.100s", text)
	}
	for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		again := b.Sentence
		ReadConfidence(&again)
		if !reflect.DeepEqual(again.Confidence, s.Confidence) {
			t.Errorf("got %.200v", again.Confidence)
		}
		noteConfidence(&again)
		equal(t, "written again", string(conllu.Append(nil, &again)), text)
	}
}

func TestReadBadConfidence(t *testing.T) {
	for misc, want := range map[string][]float32{
		"HeadConf=0.5": {1, 0.5}, "X=y|HeadConf=0.5|HeadConf=0.1": {1, 0.5}, "": nil, "HeadConf=": nil, "HeadConf=NaN": nil,
		"HeadConf=1.01": nil, "HeadConf=-0.1": nil, "HeadConfident=1": nil,
	} {
		s := syntax.Sentence{Words: []syntax.Word{{Misc: "HeadConf=1"}, {Misc: misc}}, Comments: []string{"# tree_conf = much", "# certificate = of honour"}}
		ReadConfidence(&s)
		if want := (syntax.Confidence{HeadConf: want}); !reflect.DeepEqual(s.Confidence, want) {
			t.Errorf("%q: %+v, want %+v", misc, s.Confidence, want)
		}
	}
}

// A rangedToken is a token, and where it says to stand.
type rangedToken struct {
	form       string
	start, end int
}

var tokenRange = regexp.MustCompile(`(?:^|\|)TokenRange=(\d+):(\d+)$`)

// rangesOf are the tokens of CoNLL-U by document.
func rangesOf(t *testing.T, text string) map[string][]rangedToken {
	t.Helper()
	tokens, doc := map[string][]rangedToken{}, ""
	for b, err := range conllu.Read(strings.NewReader(text), conllu.Options{}) {
		if err != nil || b.Err != nil {
			t.Fatal(err, b.Err)
		}
		s := &b.Sentence
		for _, c := range s.Comments {
			if key, value := conllu.Comment(c); key == "newdoc id" {
				doc = value
			}
		}
		add := func(form, misc string) {
			m := tokenRange.FindStringSubmatch(misc)
			if m == nil {
				t.Fatalf("%q has no range: %q", form, misc)
			}
			start, _ := strconv.Atoi(m[1])
			end, _ := strconv.Atoi(m[2])
			tokens[doc] = append(tokens[doc], rangedToken{form, start, end})
		}
		for i := range s.Words {
			inside := false
			for _, m := range s.MWTs {
				if int(m.First) == i+1 {
					add(m.Form, m.Misc)
				}
				inside = inside || int(m.First) <= i+1 && i+1 <= int(m.Last)
			}
			if !inside {
				add(s.Words[i].Form, s.Words[i].Misc)
			} else if strings.Contains(s.Words[i].Misc, "TokenRange") {
				t.Errorf("a word of a multiword token has a range: %+v", s.Words[i])
			}
		}
	}
	return tokens
}

// placed fails unless the tokens of CoNLL-U stand where their ranges say, in order,
// and leave out nothing of the documents but white space.
func placed(t *testing.T, name, got string, documents map[string][]rune) {
	t.Helper()
	for id, tokens := range rangesOf(t, got) {
		document, last := documents[id], 0
		for _, token := range tokens {
			if token.start < last || token.end <= token.start || token.end > len(document) || string(document[token.start:token.end]) != token.form {
				t.Fatalf("%s, %s: %+v is not there", name, id, token)
			}
			last = token.end
		}
		if rest := strings.TrimSpace(strings.ReplaceAll(string(document[last:]), "\u00a0", "")); rest != "" {
			t.Errorf("%s, %s: %q is left out", name, id, rest)
		}
	}
}

// withRanges are the options of a run with --ranges over a folder.
func withRanges(folder string) Options {
	o := options(folder, "")
	o.Model, o.Rows.Ranges = "", true
	return o
}

// oddTexts are files, and the code points that are read of them.
func oddTexts() map[string]struct {
	file    string
	decoded []rune
} {
	type text = struct {
		file    string
		decoded []rune
	}
	paragraph := "Don't  stop – 😀 it's “odd”,\r\nthey're here.\r\nA caf\u00e9\u00a0in\u2003Zürich closed.\r\n \t\r\n\r\n\u00a0 Bad \xff byte\x00s, can't parse.\r\n\r\n"
	var short strings.Builder
	for i := range 400 {
		fmt.Fprintf(&short, "%sThis is number %d, isn't it?\n%s", strings.Repeat("\u00a0", i%3), i, strings.Repeat("\n", i%4))
	}
	list := map[string]text{}
	for name, file := range map[string]string{
		"plain.txt": paragraph, "bom.txt": "\ufeff" + paragraph, "long.txt": strings.Repeat(paragraph, 60), "short lines.txt": short.String(),
	} {
		list[name] = text{file, []rune(strings.ReplaceAll(strings.ToValidUTF8(strings.TrimPrefix(file, "\ufeff"), "\ufffd"), "\x00", "\ufffd"))}
	}
	const wide = "It's wide. Don't ask.\r\n\r\nWell, we won't."
	utf16 := "\xff\xfe"
	for _, c := range wide {
		utf16 += string([]byte{byte(c), 0})
	}
	list["wide.txt"] = text{utf16, []rune(wide)}
	return list
}

// Every token stands where its range says, in order, whatever the encoding, the line
// ends and the cuts; what a program reads from a pipe has the same ranges.
func TestRanges(t *testing.T) {
	for name, text := range oddTexts() {
		o := withRanges(write(t, map[string]string{name: text.file}))
		placed(t, name, streamed(t, o), map[string][]rune{name: text.decoded})
		for _, lines := range []string{"wrapped", "paragraph", "sentence"} {
			o.Rows.Lines = lines
			for _, size := range []int64{97, 1000} {
				if o.RangeBytes = size; size < 200 && len(text.file) > 2000 {
					continue
				}
				placed(t, fmt.Sprint(name, " ", lines, " by ", size), streamed(t, o), map[string][]rune{name: text.decoded})
			}
		}
	}
}

func TestRangesOfPipes(t *testing.T) {
	for name, text := range oddTexts() {
		o := withRanges("-")
		o.Stdin = strings.NewReader(text.file)
		placed(t, name+" of standard input", streamed(t, o), map[string][]rune{"-": text.decoded})
		var zipped strings.Builder
		z := gzip.NewWriter(&zipped)
		z.Write([]byte(text.file))
		z.Close()
		o = withRanges(write(t, map[string]string{name + ".gz": zipped.String()}))
		placed(t, name+".gz", streamed(t, o), map[string][]rune{name + ".gz": text.decoded})
	}
}

// Without --ranges all is the same but MISC.
func TestRangesChangeNothingElse(t *testing.T) {
	misc := regexp.MustCompile(`\|?TokenRange=\d+:\d+`)
	for name, text := range oddTexts() {
		o := withRanges(write(t, map[string]string{name: text.file}))
		bare := misc.ReplaceAllStringFunc(streamed(t, o), func(s string) string {
			if s[0] == '|' {
				return ""
			}
			return "_"
		})
		o.Rows.Ranges = false
		if streamed(t, o) != bare {
			t.Errorf("%s: --ranges changes more than MISC", name)
		}
	}
}

// A record and a line are documents of their own, with their own places.
func TestRangesOfRecords(t *testing.T) {
	texts := map[string]string{"1": "It's \"odd\" 😀.\n\nIsn't it?", "2": "Tabs\tare\r\nspaces, aren't they?"}
	documents, records := map[string][]rune{}, ""
	for _, id := range []string{"1", "2"} {
		text, _ := json.Marshal(texts[id])
		records += fmt.Sprintf("{\"id\": %q, \"text\": %s}\n", id, text)
		documents[id] = []rune(texts[id])
	}
	placed(t, "JSON lines", streamed(t, withRanges(write(t, map[string]string{"x.jsonl": records}))), documents)

	o := withRanges(write(t, map[string]string{"x.txt": "First isn't long.\nSecond ääh one.\n"}))
	o.Rows.Document = "line"
	placed(t, "lines", streamed(t, o), map[string][]rune{"x.txt#0": []rune("First isn't long."), "x.txt#18": []rune("Second ääh one.")})
}

// Ranges make another run, stay in Parquet, and are kept of CoNLL-U that has some.
func TestRangesStay(t *testing.T) {
	in := write(t, map[string]string{"a.txt": prose(3)})
	out := filepath.Join(t.TempDir(), "out")
	o := options(in, out)
	o.Rows.Ranges = true
	must(t, tryRun(o))
	o.Output = ""
	text := streamed(t, o)
	if got := converted(t, out); got != text || !strings.Contains(got, "TokenRange=0:") {
		t.Errorf("got\n%.300s\nwant\n%.300s", got, text)
	}
	again := options("-", "")
	again.Stdin = strings.NewReader(text)
	if got := streamed(t, again); got != text {
		t.Errorf("parsed again:\n%.300s", got)
	}
	o.Output, o.Rows.Ranges = out, false
	if err := tryRun(o); err == nil || !strings.Contains(err.Error(), "ranges") {
		t.Errorf("another run: %v", err)
	}
}
