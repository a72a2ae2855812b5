package label

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/word"
)

// treebank reads one file of a treebank beside the repository, and skips the
// test without it.
func treebank(t testing.TB, name, part string) []syntax.Sentence {
	path := filepath.Join("..", "..", "..", "shared", "treebanks", name, name+"-ud-"+part+".conllu")
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("treebank %s is not beside the repository: %v", name, err)
	}
	defer f.Close()
	var list []syntax.Sentence
	var s syntax.Sentence
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		if line == "" {
			list = append(list, s)
			s = syntax.Sentence{}
			continue
		}
		cols := strings.Split(line, "\t")
		if len(cols) != 10 || strings.ContainsAny(cols[0], ".-") {
			continue
		}
		for i := 3; i < 10; i++ {
			if cols[i] == "_" {
				cols[i] = ""
			}
		}
		head, err := strconv.Atoi(cols[6])
		if err != nil {
			t.Fatal(err)
		}
		s.Words = append(s.Words, syntax.Word{Form: cols[1], Lemma: cols[2], UPOS: cols[3], XPOS: cols[4],
			Feats: cols[5], Head: int32(head), Deprel: cols[7]})
	}
	return list
}

// TestTreebanks trains on whole treebanks if LABEL_TREEBANKS names them, e.g.
// LABEL_TREEBANKS=tr_imst,fr_sequoia go test -v -run TestTreebanks -timeout 20m
func TestTreebanks(t *testing.T) {
	names := os.Getenv("LABEL_TREEBANKS")
	if names == "" {
		t.Skip("LABEL_TREEBANKS is not set")
	}
	for _, name := range strings.Split(names, ",") {
		train, dev := treebank(t, name, "train"), treebank(t, name, "dev")
		m, err := Train(word.Learn(train), train, dev, Options{Seed: 1, Log: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		right, full, words := m.Accuracy(dev)
		t.Logf("%s: dev label accuracy on gold heads %.2f %%, with subtypes %.2f %%, table of %.2f MB", name,
			percent(right, words), percent(full, words), float64(m.table.Bytes())/1e6)
	}
}

// BenchmarkTreebank labels the development part of LABEL_TREEBANKS after a
// short training.
func BenchmarkTreebank(b *testing.B) {
	name, _, _ := strings.Cut(os.Getenv("LABEL_TREEBANKS"), ",")
	if name == "" {
		b.Skip("LABEL_TREEBANKS is not set")
	}
	train, dev := treebank(b, name, "train"), treebank(b, name, "dev")
	m, err := Train(word.Learn(train), train, nil, Options{Seed: 1, Epochs: 2})
	if err != nil {
		b.Fatal(err)
	}
	words := 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := &dev[i%len(dev)]
		m.Label(s, Help{})
		words += len(s.Words)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(words), "ns/word")
}
