package encoder

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/piece"
)

const tinyConfig = `{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
	"intermediate_size": 64, "max_position_embeddings": 26, "layer_norm_eps": 1e-12, "pad_token_id": 1}`

// tinyTokenizer is the vocabulary of tiny.
func tinyTokenizer() string {
	v := tiny().Pieces
	var list [][2]any
	for i, name := range v.Pieces {
		score := v.Scores[i]
		if int32(i) == v.Unknown {
			score = 0
		}
		if name == "" {
			name = "<pad>"
		}
		list = append(list, [2]any{name, score})
	}
	vocab, _ := json.Marshal(list)
	return `{"added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "<pad>", "special": true}],
		"normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled"}, {"type": "Replace", "content": " "}]},
		"pre_tokenizer": {"type": "Metaspace", "replacement": "▁"}, "model": {"type": "Unigram", "unk_id": 3, "vocab": ` + string(vocab) + `}}`
}

// folder writes files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a-model")
	must(t, os.Mkdir(dir, 0o777))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

func TestHub(t *testing.T) {
	want := tiny()
	want.Name, want.Source, want.Licence, want.Notice = "a-model", "the files of a model hub", "MIT", "Copyright"
	roberta := strings.NewReplacer(`"bert"`, `"xlm-roberta"`, `: 26,`, `: 28,`).Replace(tinyConfig)
	for _, x := range []struct {
		config, prefix, kind string
		first                int
	}{{tinyConfig, "", "F32", 0}, {tinyConfig, "bert.", "F16", 0}, {roberta, "roberta.", "BF16", 2}} {
		files := map[string]string{"config.json": x.config, "tokenizer.json": tinyTokenizer(), tensorsFile: string(tensorsOf(tiny(), x.prefix, x.first, x.kind)),
			"README.md": "---\ntags:\n- x\nlicense: mit\n---\nlicense: gpl\n", "LICENSE": "Copyright\n"}
		dir := folder(t, files)
		for _, path := range []string{dir, filepath.Join(dir, tensorsFile)} {
			got, err := Open(path)
			must(t, err)
			equal(t, got, want)
			sum, err := Sum(path)
			must(t, err)
			if of := fmt.Sprintf("%x", sha256.Sum256([]byte(files[configFile]+files[tokenizerFile]+files[tensorsFile]))); sum != of {
				t.Errorf("%s: sum %s, want %s", path, sum, of)
			}
		}
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for name, text := range files {
			f, err := w.Create("x/a-model/" + name)
			must(t, err)
			fmt.Fprint(f, text)
		}
		w.Close()
		got, err := decode(b.Bytes())
		must(t, err)
		equal(t, got, want)
	}
}

func TestHubRefused(t *testing.T) {
	good := map[string]string{"config.json": tinyConfig, "tokenizer.json": tinyTokenizer(), tensorsFile: string(tensorsOf(tiny(), "", 0, "F32"))}
	dir := folder(t, good)
	if _, err := Open(dir); err != nil {
		t.Fatal(err)
	}
	// Other weights in the same folder are not these.
	other := filepath.Join(dir, "other.safetensors")
	must(t, os.WriteFile(other, []byte(good[tensorsFile]), 0o666))
	if _, err := Open(other); err == nil || !strings.Contains(err.Error(), "want a folder of a model hub with") {
		t.Errorf("%s: %v", other, err)
	}
	for _, x := range []struct{ file, from, to, want string }{
		{"config.json", `"bert"`, `"gpt2"`, `model_type "gpt2" is not read`},
		{"config.json", `"gelu"`, `"gelu_new"`, `hidden_act "gelu_new" is not read`},
		{"config.json", `"hidden_size"`, `"position_embedding_type": "relative_key", "hidden_size"`, "relative_key"},
		{"config.json", `"hidden_size"`, `"is_decoder": true, "hidden_size"`, "is_decoder"},
		{"config.json", `"hidden_size"`, `"embedding_size": 16, "hidden_size"`, "embedding_size 16"},
		{"config.json", ": 4,", ": 5,", "in 5 heads"},
		{"config.json", ": 32,", ": -32,", "out of bounds"},
		{"config.json", ": 2,", ": 3,", "encoder.layer.2.attention.self.query.weight is missing"},
		{"config.json", ": 64,", ": 96,", "intermediate.dense.weight has the shape [64 32], want [96 32]"},
		{"config.json", ": 26,", ": 25,", "25 positions, not 26 to"}, // it could not parse once it was tuned
		{"config.json", ": 26,", ": 27,", "position_embeddings.weight has the shape [26 32], want [27 32]"},
		{"config.json", "{", "", "config.json"},
		{"config.json", "*", "", "there is no config.json"},
		{"tokenizer.json", "*", "", "there is no tokenizer.json"},
		{tensorsFile, "*", "", "there is no " + tensorsFile},
		{tensorsFile, "word_embeddings", "word_embedding_", "word_embeddings.weight is missing"},
		{tensorsFile, `"F32"`, `"I32"`, "is missing"},
		{"tokenizer.json", `"Unigram"`, `"BPE"`, `"BPE" is not read: want Unigram or WordPiece`},
		{"tokenizer.json", "Replace", "Lowercase", `normalizer "Lowercase" is not read`},
		{"tokenizer.json", `"▁"}`, `"_"}`, "pre_tokenizer"},
		{"tokenizer.json", `"unk_id": 3`, `"unk_id": 30`, "no mark 30"},
		{"tokenizer.json", `"unk_id": 3,`, ``, "unk_id"},
		{"tokenizer.json", `["\u003c/s`, `["\u003ct`, "no marks <s> and </s>"},
		{"tokenizer.json", `["a",`, `[1,`, "not a piece and its score"},
	} {
		files := maps.Clone(good)
		if x.from == "*" {
			delete(files, x.file)
		} else {
			files[x.file] = strings.Replace(files[x.file], x.from, x.to, 1)
			if files[x.file] == good[x.file] {
				t.Errorf("%s: there is no %s", x.file, x.from)
			}
		}
		dir := folder(t, files)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s, %s as %q: got %v, want %q", x.file, x.from, x.to, err, x.want)
		}
	}
}

func TestWordPieceTokenizer(t *testing.T) {
	const text = `{"added_tokens": [{"id": 0, "content": "[PAD]", "special": true}],
		"normalizer": {"type": "BertNormalizer", "clean_text": true, "lowercase": true, "strip_accents": null, "handle_chinese_chars": true},
		"pre_tokenizer": {"type": "BertPreTokenizer"},
		"model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "want": 4, "##ed": 5, ",": 6, "[": 7, "##": 8}}}`
	v, err := decodeTokenizer([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if !v.WordPiece || !v.Lower || v.Begin != 2 || v.End != 3 || v.Unknown != 1 || fmt.Sprintf("%q", v.Pieces[3:]) != `["▁[SEP]" "▁want" "ed" "▁," "▁[" "▁##"]` || v.Pieces[0] != "" {
		t.Errorf("got %+v", v)
	}
	var got []int32
	for _, id := range v.Word(nil, "Wanted,", true) {
		id, _ = piece.Split(id)
		got = append(got, id)
	}
	if fmt.Sprint(got) != "[4 5 6]" {
		t.Errorf("got %v", got)
	}
	cased := strings.Replace(text, `"lowercase": true`, `"lowercase": false`, 1)
	if v, err := decodeTokenizer([]byte(cased)); err != nil || v.Lower {
		t.Errorf("with capitals: %+v (%v)", v, err)
	}
	for _, x := range []struct{ from, to, want string }{
		{`"strip_accents": null`, `"strip_accents": false`, "strip_accents"},
		{`"##ed": 5`, `"##ed": 4`, "not the only one"},
		{`"##ed": 5`, `"##ed": 50`, "not the only one"},
		{`"##ed": 5`, `"##ed": -1`, "not the only one"},
		{`"[UNK]":`, `"[NONE]":`, "no marks"},
		{`"[CLS]":`, `"[BEGIN]":`, "no marks"},
		{"BertPreTokenizer", "Whitespace", "pre_tokenizer"},
		{`"pre_tokenizer": {"type": "BertPreTokenizer"},`, "", "pre_tokenizer"},
		{"BertNormalizer", "NFKC", "normalizer"},
		{`chars": true`, `chars": false`, "handle_chinese_chars"},
		{`"clean_text": true`, `"clean_text": false`, "clean_text"},
		{`"##",`, `"",`, "continuing_subword_prefix"},
		{`{"[PAD]": 0`, `[], "of": {"[PAD]": 0`, "not an object"},
	} {
		if !strings.Contains(text, x.from) {
			t.Fatalf("%s is not in the text", x.from)
		}
		if _, err := decodeTokenizer([]byte(strings.Replace(text, x.from, x.to, 1))); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want an error with %q", x.to, err, x.want)
		}
	}
}

// Errors say what a file is and what to do.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	var empty bytes.Buffer
	zip.NewWriter(&empty).Close()
	for name, x := range map[string]struct{ data, want string }{
		"empty":   {"", "file is empty"},
		"torch":   {"\x80\x02\x8a", "PyTorch"},
		"other":   {strings.Repeat("x", 200), "this is not an encoder: want a folder of a model hub"},
		"lfs":     {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
		"zip":     {"PK\x03\x04" + strings.Repeat("x", 100), "copy it again"},
		"blocks":  {blocksMagic + "\x02\x00\x00\x00", "version 2"},
		"a model": {"\x89TBM\r\n\x1a\n" + strings.Repeat("x", 100), "a model, not an encoder"},
	} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(x.data), 0o666))
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), x.want) || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: got %v, want %q", name, err, x.want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "there is no config.json") {
		t.Errorf("got %v", err)
	}
}
