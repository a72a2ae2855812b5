package pipeline

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
)

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

// Every token stands where its range says, in order, whatever the encoding, the line
// ends and the cuts; what a program reads from a pipe has the same ranges.
func TestRanges(t *testing.T) {
	paragraph := "Don't  stop – 😀 it's “odd”,\r\nthey're here.\r\nA caf\u00e9\u00a0in\u2003Zürich closed.\r\n \t\r\n\r\n\u00a0 Bad \xff byte\x00s, can't parse.\r\n\r\n"
	var long strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "%sThis is number %d, isn't it?\n%s", strings.Repeat("\u00a0", i%3), i, strings.Repeat("\n", i%4))
	}
	var utf16 strings.Builder
	utf16.WriteString("\xff\xfe")
	for _, c := range "It's wide. Don't ask.\r\n\r\nWell, we won't." {
		utf16.WriteString(string([]byte{byte(c), 0}))
	}
	texts := map[string]string{
		"plain.txt": paragraph, "bom.txt": "\ufeff" + paragraph, "long.txt": strings.Repeat(paragraph, 60), "short lines.txt": long.String(), "wide.txt": utf16.String(),
	}
	decoded := func(name, text string) []rune {
		if name == "wide.txt" {
			return []rune("It's wide. Don't ask.\r\n\r\nWell, we won't.")
		}
		return []rune(strings.ReplaceAll(strings.ToValidUTF8(strings.TrimPrefix(text, "\ufeff"), "\ufffd"), "\x00", "\ufffd"))
	}
	check := func(name, got string, documents map[string][]rune) {
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
	for name, text := range texts {
		documents := map[string][]rune{name: decoded(name, text)}
		o := options(write(t, map[string]string{name: text}), "")
		o.Model, o.Rows.Ranges = "", true
		whole := streamed(t, o)
		check(name, whole, documents)
		for _, lines := range []string{"wrapped", "paragraph", "sentence"} {
			o.Rows.Lines = lines
			for _, size := range []int64{97, 1000} {
				if o.RangeBytes = size; size < 200 && len(text) > 2000 {
					continue
				}
				check(fmt.Sprint(name, " ", lines, " by ", size), streamed(t, o), documents)
			}
		}
		o.Rows.Lines, o.RangeBytes = "auto", 0
		o.Inputs, o.Stdin = []string{"-"}, strings.NewReader(text)
		documents["-"] = documents[name]
		check(name+" of standard input", streamed(t, o), documents)
		var zipped strings.Builder
		z := gzip.NewWriter(&zipped)
		z.Write([]byte(text))
		z.Close()
		o.Inputs = []string{write(t, map[string]string{name + ".gz": zipped.String()})}
		documents[name+".gz"] = documents[name]
		check(name+".gz", streamed(t, o), documents)
		delete(documents, "-")
		if plain := options(write(t, map[string]string{name: text}), ""); true {
			plain.Model = ""
			bare := regexp.MustCompile(`(\|TokenRange=\d+:\d+|TokenRange=\d+:\d+)`).ReplaceAllStringFunc(whole, func(s string) string {
				if s[0] == '|' {
					return ""
				}
				return "_"
			})
			if got := streamed(t, plain); got != bare {
				t.Errorf("%s: --ranges changes more than MISC", name)
			}
		}
	}

	texts = map[string]string{"1": "It's \"odd\" 😀.\n\nIsn't it?", "2": "Tabs\tare\r\nspaces, aren't they?"}
	documents, records := map[string][]rune{}, ""
	for _, id := range []string{"1", "2"} {
		text, _ := json.Marshal(texts[id])
		records += fmt.Sprintf("{\"id\": %q, \"text\": %s}\n", id, text)
		documents[id] = []rune(texts[id])
	}
	o := options(write(t, map[string]string{"x.jsonl": records}), "")
	o.Model, o.Rows.Ranges = "", true
	check("JSON lines", streamed(t, o), documents)

	lines := "First isn't long.\nSecond ääh one.\n"
	o = options(write(t, map[string]string{"x.txt": lines}), "")
	o.Model, o.Rows.Ranges, o.Rows.Document = "", true, "line"
	check("lines", streamed(t, o), map[string][]rune{"x.txt#0": []rune("First isn't long."), "x.txt#18": []rune("Second ääh one.")})
}

// Ranges make another run, stay in Parquet, and are kept of CoNLL-U that has some.
func TestRangesStay(t *testing.T) {
	in := write(t, map[string]string{"a.txt": prose(3)})
	out := filepath.Join(t.TempDir(), "out")
	o := options(in, out)
	o.Rows.Ranges = true
	if err := tryRun(o); err != nil {
		t.Fatal(err)
	}
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
