package model_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
)

// The limits of work per word of the bundled sample with the embedded model:
// a guard of speed that noise cannot touch. What the model and the search
// take now is logged; the limits leave room for another model, not for
// another order of magnitude.
const (
	maxLookups = 900 // weights, of pruner and parser
	maxGains   = 120 // heads evaluated for a word in the climb
)

func TestWorkPerWordOnTheSample(t *testing.T) {
	m, err := model.Open("")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	err = filepath.WalkDir("../sample/text", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample text: %v", err)
	}
	var count search.Counters
	pruner, sentences := int64(0), 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			for _, s := range m.Segment(block, 1000) {
				m.Tag(&s, false)
				pruner += m.Pruner.Count(&s)
				c, err := m.Decoder.Count(&s, search.Options{})
				if err != nil {
					t.Fatal(err)
				}
				count.Add(c)
				sentences++
			}
		}
	}
	words := float64(count.Words)
	lookups, gains := float64(pruner+count.Lookups)/words, float64(count.Gains)/words
	t.Logf("%d sentences, %.0f words: %.0f look-ups a word (%.0f of the pruner), %.0f gain evaluations a word, %.1f climbs a sentence",
		sentences, words, lookups, float64(pruner)/words, gains, float64(count.Climbs)/float64(sentences))
	if words < 100 {
		t.Fatalf("the sample has only %.0f words", words)
	}
	if lookups > maxLookups || gains > maxGains {
		t.Errorf("%.0f look-ups and %.0f gain evaluations a word, limits %d and %d", lookups, gains, maxLookups, maxGains)
	}
}
