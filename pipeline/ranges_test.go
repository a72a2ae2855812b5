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
