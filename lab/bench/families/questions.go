package families

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Questions parses the texts of questions.tsv in a folder, and counts by kind those
// that are right: one sentence, in which every arc of the file is, by the forms of its
// words and its relation without the subtype.
func Questions(m *treebeam.Model, folder string, log Log) ([]Shape, error) {
	return rightRows(filepath.Join(folder, "questions.tsv"), func(f []string) (bool, error) {
		sentences, err := m.Parse(f[1])
		if err != nil {
			return false, err
		}
		wrong := wrongArcs(sentences, f[2:])
		if len(wrong) > 0 {
			log.note("%s: %s lacks %s", f[0], f[1], strings.Join(wrong, ", "))
		}
		return len(wrong) == 0, nil
	})
}

// wrongArcs returns those of the arcs that the only sentence lacks: "form root", or
// "form relation form-of-the-head".
func wrongArcs(sentences []treebeam.Sentence, arcs []string) (wrong []string) {
	if len(sentences) != 1 {
		return []string{fmt.Sprintf("one sentence instead of %d", len(sentences))}
	}
	words := sentences[0].Words
	got := map[string]bool{}
	for i := range words {
		arc := words[i].Form + " " + syntax.Universal(words[i].Deprel)
		if h := words[i].Head; h > 0 {
			arc += " " + words[h-1].Form
		}
		got[arc] = true
	}
	for _, arc := range arcs {
		if !got[arc] {
			wrong = append(wrong, arc)
		}
	}
	return wrong
}
