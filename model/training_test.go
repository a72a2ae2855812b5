package model_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/syntax"
)

// trainingFiles are the treebank files of training/english.
func trainingFiles(t *testing.T) []string {
	files := must(filepath.Glob("training/english/*.conllu"))
	if len(files) == 0 {
		t.Fatal("no file in training/english")
	}
	return files
}

// TestTrainingIsTrees reads the files that the built-in model is trained on beside
// the treebank: every sentence has a full tree, its text, and a name of its own.
func TestTrainingIsTrees(t *testing.T) {
	names := map[string]string{}
	for _, path := range trainingFiles(t) {
		for i, s := range must(conllu.ReadAll(path)) {
			where := fmt.Sprintf("%s, sentence %d", path, i+1)
			if err := isTree(s.Words); err != nil {
				t.Errorf("%s: %v", where, err)
			}
			text, id := "", ""
			for _, c := range s.Comments {
				switch key, value := conllu.Comment(c); key {
				case "text":
					text = value
				case "sent_id":
					id = value
				}
			}
			if other, taken := names[id]; taken || id == "" {
				t.Errorf("%s: its sent_id is %q, as that of %s", where, id, other)
			}
			names[id] = where
			var raw strings.Builder
			if err := conllu.RawText(&raw, []syntax.Sentence{s}); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(raw.String()); got != text {
				t.Errorf("%s: its tokens make %q, its text is %q", where, got, text)
			}
		}
	}
}

// isTree returns an error unless every word has its tags and a deprel, one is the
// root, and the heads make a tree.
func isTree(words []syntax.Word) error {
	for i := range words {
		w := &words[i]
		if w.UPOS == "" || w.UPOS == "_" || w.XPOS == "" || w.XPOS == "_" || w.Lemma == "" || w.Deprel == "" || w.Deprel == "_" {
			return fmt.Errorf("word %d, %q, lacks a tag, a lemma or a relation", i+1, w.Form)
		}
		if (w.Head == 0) != (w.Deprel == "root") {
			return fmt.Errorf("word %d, %q, has head %d and relation %s", i+1, w.Form, w.Head, w.Deprel)
		}
	}
	return syntax.CheckTree(words)
}

// TestTrainingIsNotTest holds that no sentence of training/english is in a held-out
// test, whatever its case, spaces and punctuation.
func TestTrainingIsNotTest(t *testing.T) {
	held := map[string]string{}
	for _, path := range must(filepath.Glob("testdata/families/*.conllu")) {
		for _, s := range must(conllu.ReadAll(path)) {
			held[letters(sentenceText(&s))] = path
		}
	}
	for _, path := range []string{"testdata/everyday.tsv", "testdata/lemmas2000.tsv", "testdata/shapes.tsv", "testdata/questions.tsv"} {
		for line := range strings.Lines(string(must(os.ReadFile(path)))) {
			for column := range strings.SplitSeq(strings.TrimSpace(line), "\t") {
				for _, part := range strings.Split(column, `\n`) {
					if len(strings.Fields(part)) > 2 { // a word or two, such as a heading, is nobody's
						held[letters(part)] = path
					}
				}
			}
		}
	}
	for _, path := range trainingFiles(t) {
		for i, s := range must(conllu.ReadAll(path)) {
			if test, ok := held[letters(sentenceText(&s))]; ok {
				t.Errorf("%s: sentence %d is in %s, too", path, i+1, test)
			}
		}
	}
}

// sentenceText returns the words of a sentence; where they are apart does not matter.
func sentenceText(s *syntax.Sentence) string {
	var b strings.Builder
	for i := range s.Words {
		b.WriteString(s.Words[i].Form)
	}
	return b.String()
}

// letters returns the letters and digits of a text, lower-cased.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
