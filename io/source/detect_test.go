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
	for _, c := range map[string]struct {
		file, head, encoding string
		want                 Format
		result               Format
		notText              string
	}{
		"text":              {"a.txt", "Some text.", "", Auto, Text, ""},
		"empty":             {"a.txt", "", "", Auto, Text, ""},
		"empty conllu":      {"a.conllu", "", "", Auto, CoNLLU, ""},
		"conllu by name":    {"a.CONLLU.gz", "broken", "", Auto, CoNLLU, ""},
		"conllu":            {"a.txt", conllu, "", Auto, CoNLLU, ""},
		"conllu, CRLF":      {"a", strings.ReplaceAll(conllu, "\n", "\r\n"), "", Auto, CoNLLU, ""},
		"conllu wanted":     {"a.txt", "Some text.", "", CoNLLU, CoNLLU, ""},
		"text wanted":       {"a.conllu", conllu, "", Text, Text, ""},
		"conllx by name":    {"a.conll", conllu, "", Auto, CoNLLX, ""},
		"conllx by name 2":  {"a.conllx.bz2", conllu, "", Auto, CoNLLX, ""},
		"a table":           {"a.dat", "1\tb\tc\n", "", Auto, Text, ""},
		"ten columns":       {"a.dat", "x\t2\t3\t4\t5\t6\t7\t8\t9\t10\n", "", Auto, Text, ""},
		"only comments":     {"a.txt", "# one\n# two\n", "", Auto, Text, ""},
		"NULs in text":      {"a.txt", "Some te\x00t with \x00 in it.", "", Auto, Text, ""},
		"latin 1":           {"a.txt", strings.Repeat("caf\xe9 ", 100), "", Auto, Text, ""},
		"UTF-16":            {"a.txt", "\xff\xfe" + wide("Some text that is long enough.", 0), "", Auto, Text, ""},
		"declared UTF-16":   {"a.txt", wide("Some text that is long enough.", 0), "UTF-16LE", Auto, Text, ""},
		"bare UTF-16LE":     {"a.txt", wide("Some text that is long enough.", 0), "", Auto, "", "--encoding utf-16le"},
		"bare UTF-16BE":     {"a.txt", wide("Some text that is long enough.", 1), "latin1", Auto, "", "--encoding utf-16be"},
		"JSON in UTF-16":    {"a.jsonl", wide(`{"text": "Some text that is long enough."}`, 0), "", Auto, "", "iconv -f UTF-16LE"},
		"the same, no name": {"a", wide(`{"text": "Some text that is long enough."}`, 1), "", Auto, "", "iconv -f UTF-16BE"},
		"the same, told":    {"a.jsonl", wide(`{"text": "Some text that is long enough."}`, 0), "utf-16le", Auto, "", "iconv -f UTF-16LE"},
		"CoNLL in UTF-16":   {"a.conllu", wide(conllu, 0), "", Auto, "", "iconv -f UTF-16LE"},
		"a tail of NULs":    {"a.txt", "Some text.\n" + strings.Repeat("\x00", 4096), "", Auto, Text, ""},
		"PDF":               {"a.txt", "%PDF-1.7\n", "", Text, "", "a PDF"},
		"zip":               {"a.docx", "PK\x03\x04", "", Auto, "", "zip"},
		"gzip":              {"a.txt", "\x1f\x8b\x08", "", Auto, "", "end in .gz"},
		"tar":               {"a.txt", strings.Repeat("x", 257) + "ustar\x00", "", Auto, "", "tar"},
		"noise":             {"a.txt", string(noise), "", Auto, "", "binary"},
		"zeros":             {"a.txt", strings.Repeat("\x00", 100), "", Auto, "", "binary"},
		"UTF-32":            {"a.txt", "\xff\xfe\x00\x00a\x00\x00\x00", "", Auto, "", "UTF-32"},
	} {
		checkDetect(t, c.file, c.head, c.encoding, c.want, c.result, c.notText)
	}
}

// checkDetect checks that a file has a format, or is said not to be text in some words.
func checkDetect(t *testing.T, file, head, encoding string, want, result Format, notText string) {
	t.Helper()
	got, err := Detect(file, []byte(head), want, encoding)
	var nt *NotText
	if isNot := errors.As(err, &nt); isNot != (notText != "") || isNot && !strings.Contains(err.Error(), notText) || !isNot && got != result {
		t.Errorf("%s %.40q: got %q, %v", file, head, got, err)
	}
}

func TestParseFormat(t *testing.T) {
	for s, want := range map[string]Format{"": Auto, "auto": Auto, "Text": Text, "conllu": CoNLLU, "conllx": CoNLLX, "jsonl": JSONL, "tokens": Tokens, "vertical": Vertical} {
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

// Text of which some is easily taken for something else.
func TestDetectKinds(t *testing.T) {
	record := `{"id": 1, "text": "Some text."}` + "\n"
	long := `{"text": "` + strings.Repeat("word ", HeadBytes/5)
	tag := strings.Repeat("1\tThe\tthe\t_\t_\t_\t_\t_\t_\t_\n", 3)
	for _, c := range []struct {
		file, head string
		want       Format
		result     Format
		notText    string
	}{
		{"a.jsonl.gz", "", Auto, JSONL, ""},
		{"a.jsonl", "\xef\xbb\xbf\n" + record, Auto, JSONL, ""},
		{"a.NDJSON", "no record\n" + record, Auto, JSONL, ""},
		{"a.txt", record + record + record + "text", Auto, JSONL, ""},
		{"a.txt", record + "text", Auto, Text, ""},
		{"a.json", record, Auto, JSONL, ""},
		{"a", "\n" + record + record[:10], Auto, JSONL, ""},
		{"a", long, Auto, JSONL, ""},
		{"-", strings.ReplaceAll(record, "\n", "\r\n"), Auto, JSONL, ""},
		{"a.txt", "{a remark}\nand text\n", Auto, Text, ""},
		{"a.txt", `{"So," he said, "it goes."}` + "\n", Auto, Text, ""},
		{"a.txt", `{"` + strings.Repeat("word ", 100), Auto, Text, ""},
		{"a.txt", "[1] A. Uthor, A Title. 1999.\n", Auto, Text, ""},
		{"a.txt", "[{laughs}] And so on.", Auto, Text, ""},
		{"a.jsonl", "{\"id\": 1,\n{\"id\": 2, \"text\": \"a\"}\n", Auto, JSONL, ""},
		{"a.txt", record, Text, Text, ""},
		{"a.jsonl", "[\n" + record + "]", Text, Text, ""},
		{"a.json", "[\n" + record + "]", Auto, "", "jq -c '.[]'"},
		{"a.txt", "[" + strings.TrimSpace(record) + ",\n" + record + "]", Auto, "", "a JSON array"},
		{"a.jsonl", "[" + long, JSONL, "", "a JSON array"},
		{"a.json", "{\n  \"text\": \"a\",\n  \"id\": 1\n}\n", Auto, "", "over several lines"},
		{"a.json", "{\n" + long[1:], Auto, "", "over several lines"},
		{"a.json", `["one", "two"]`, Auto, "", "no object a line"},
		{"a.jsonl", "\xff\xfe{\x00\"\x00", Auto, "", "jsonl in UTF-16"},
		{"a.conllu", "\xfe\xff\x001\x00\t", Auto, "", "conllu in UTF-16"},
		{"a.html.gz", "", Auto, "", "HTML"},
		{"a.txt", "\n<!-- saved -->\n<!DOCTYPE HTML>\n<p>", Auto, "", "HTML"},
		{"a", "<?xml version='1.0'?>\n<html>", Auto, "", "HTML"},
		{"a", "<HTML lang='en'>", Auto, "", "--from text"},
		{"a.html", "<p>", Text, Text, ""},
		{"a.xml", "", Auto, "", "XML"},
		{"a.txt", "<?xml version='1.0'?><doc>", Auto, "", "XML"},
		{"a.txt", "<?xml version='1.0'?>\n<TEI xmlns=''>", Auto, "", "TEI"},
		{"a.txt", "<head over heels>", Auto, Text, ""},
		{"a.txt", "<doc id='1'>\nText.\n</doc>", Auto, Text, ""},
		{"a.csv", "id,text\n", Auto, CSV, ""},
		{"a.csv.gz", "id,text\n", Auto, CSV, ""},
		{"a.TSV", "id\ttext\n", Auto, TSV, ""},
		{"a.txt", "id,text\n", CSV, CSV, ""},
		{"a.csv", "id,text\n", Text, Text, ""},
		{"a.csv", "\xff\xfei\x00d\x00", Auto, "", "csv in UTF-16; make it UTF-8 first"},
		{"a.dat", "PAR1\x15\x00", Auto, Parquet, ""},
		{"a.parquet", "PAR1\x15\x00", Parquet, Parquet, ""},
		{"a.parquet", "PAR1\x15\x00", Text, "", "a Parquet file, not text; give --from parquet"},
		{"a.parquet", "id,text\n", Parquet, "", "no Parquet file"},
		{"a.tsv", tag, Auto, CoNLLU, ""},
		{"a.txt", "a\tb\nc\td\n", Auto, Text, ""},
		{"a.txt", "1\ta\tb\tc\td\te\tf\tg\th\n", Auto, Text, ""}, // nine columns
		{"a.tok", "A cat .\n", Auto, Tokens, ""},
		{"a.vert.zst", "A\n", Auto, Vertical, ""},
		{"a.txt", "A\ncat\n.\n\n", Auto, Text, ""},
		{"a.txt", "A cat .\n", Tokens, Tokens, ""},
		{"a.mbox", "", Auto, "", "a mailbox"},
		{"inbox", "From a@b.c Mon Jan  1 10:00:00 2024\nReceived: by x\n", Auto, "", "a mailbox"},
		{"a.txt", "From here to 10:00 they ran.\nThen: nothing.\n", Auto, Text, ""},
		{"a.docx", "PK\x03\x04....[Content_Types].xml....word/document.xml", Text, "", "DOCX"},
		{"a.odt", "PK\x03\x04....mimetypeapplication/vnd.oasis.opendocument.text", Auto, "", "ODT"},
		{"a.zip", "PK\x03\x04....a.txt", Auto, "", "a zip archive"},
		{"a.txt", "RIFF is a format.", Auto, Text, ""},
		{"a.wav", "RIFF\x00\x01\x00\x00WAVEfmt ", Auto, "", "a sound"},
		{"a.txt", "ID3 is a label of music files.", Auto, Text, ""},
		{"a.parquet", "PARE\x15\x00\x00\x00", Auto, "", "an encrypted Parquet file"},
		{"a.parquet", "PARE\x15\x00\x00\x00", Parquet, "", "an encrypted Parquet file"},
		{"a.db", "SQLite format 3\x00", Auto, "", "SQLite"},
	} {
		checkDetect(t, c.file, c.head, "", c.want, c.result, c.notText)
	}
}
