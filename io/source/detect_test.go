package source

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	conllu := "\ufeff# sent_id = 1\n\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t0\troot\t_\t_\n1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
	noise := make([]byte, 4096)
	for i, rng := 0, rand.New(rand.NewPCG(1, 1)); i < len(noise); i++ {
		noise[i] = byte(rng.Uint32())
	}
	wide := func(s string, order int) string {
		b := make([]byte, 2*len(s))
		for i := range s {
			b[2*i+order] = s[i]
		}
		return string(b)
	}
	for name, c := range map[string]struct {
		file, head, encoding string
		want                 Format
		result               Format
		notText              string
	}{
		"text":             {"a.txt", "Some text.", "", Auto, Text, ""},
		"empty":            {"a.txt", "", "", Auto, Text, ""},
		"empty conllu":     {"a.conllu", "", "", Auto, CoNLLU, ""},
		"conllu by name":   {"a.CONLLU.gz", "broken", "", Auto, CoNLLU, ""},
		"conllu":           {"a.txt", conllu, "", Auto, CoNLLU, ""},
		"conllu, CRLF":     {"a", strings.ReplaceAll(conllu, "\n", "\r\n"), "", Auto, CoNLLU, ""},
		"conllu wanted":    {"a.txt", "Some text.", "", CoNLLU, CoNLLU, ""},
		"text wanted":      {"a.conllu", conllu, "", Text, Text, ""},
		"conllx by name":   {"a.conll", conllu, "", Auto, CoNLLX, ""},
		"conllx by name 2": {"a.conllx.bz2", conllu, "", Auto, CoNLLX, ""},
		"a table":          {"a.tsv", "1\tb\tc\n", "", Auto, Text, ""},
		"ten columns":      {"a.tsv", "x\t2\t3\t4\t5\t6\t7\t8\t9\t10\n", "", Auto, Text, ""},
		"only comments":    {"a.txt", "# one\n# two\n", "", Auto, Text, ""},
		"NULs in text":     {"a.txt", "Some te\x00t with \x00 in it.", "", Auto, Text, ""},
		"latin 1":          {"a.txt", strings.Repeat("caf\xe9 ", 100), "", Auto, Text, ""},
		"UTF-16":           {"a.txt", "\xff\xfe" + wide("Some text that is long enough.", 0), "", Auto, Text, ""},
		"declared UTF-16":  {"a.txt", wide("Some text that is long enough.", 0), "UTF-16LE", Auto, Text, ""},
		"bare UTF-16LE":    {"a.txt", wide("Some text that is long enough.", 0), "", Auto, "", "--encoding utf-16le"},
		"bare UTF-16BE":    {"a.txt", wide("Some text that is long enough.", 1), "latin1", Auto, "", "--encoding utf-16be"},
		"PDF":              {"a.txt", "%PDF-1.7\n", "", Text, "", "a PDF"},
		"zip":              {"a.docx", "PK\x03\x04", "", Auto, "", "zip"},
		"gzip":             {"a.txt", "\x1f\x8b\x08", "", Auto, "", "end in .gz"},
		"tar":              {"a.txt", strings.Repeat("x", 257) + "ustar\x00", "", Auto, "", "tar"},
		"noise":            {"a.txt", string(noise), "", Auto, "", "binary"},
		"zeros":            {"a.txt", strings.Repeat("\x00", 100), "", Auto, "", "binary"},
		"UTF-32":           {"a.txt", "\xff\xfe\x00\x00a\x00\x00\x00", "", Auto, "", "UTF-32"},
		"JSON lines":       {"a.jsonl.gz", "{}\n", "", Auto, "", "JSON"},
	} {
		got, err := Detect(c.file, []byte(c.head), c.want, c.encoding)
		var nt *NotText
		switch {
		case c.notText != "":
			if !errors.As(err, &nt) || !strings.Contains(err.Error(), c.notText) {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		case err != nil || got != c.result:
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for s, want := range map[string]Format{"": Auto, "auto": Auto, "Text": Text, "conllu": CoNLLU, "conllx": CoNLLX} {
		if got, err := ParseFormat(s); err != nil || got != want {
			t.Errorf("%s: got %q, %v", s, got, err)
		}
	}
	if _, err := ParseFormat("pdf"); err == nil || !strings.Contains(err.Error(), "use auto") {
		t.Errorf("got %v", err)
	}
}

func FuzzDetect(f *testing.F) {
	f.Add("a.conllu.gz", []byte("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"), "")
	f.Add("a", []byte("\xff\xfe\x00"), "utf-16")
	f.Fuzz(func(t *testing.T, name string, head []byte, encoding string) {
		before := bytes.Clone(head)
		got, err := Detect(name, head, Auto, encoding)
		if err == nil && got == Auto || !bytes.Equal(before, head) {
			t.Fatalf("got %q", got)
		}
	})
}
