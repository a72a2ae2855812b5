package model_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

// The limits of work per word of the bundled sample with the embedded model:
// a guard of speed that noise cannot touch. What the model and the search
// take now is logged; the limits leave room for another model, not for
// another order of magnitude.
const (
	maxLookups = 900  // weights, of pruner and parser
	maxGains   = 120  // heads evaluated for a word in the climb
	maxWork    = 5000 // of the search, a sixth of its budget
)

func TestWorkPerWordOnTheSample(t *testing.T) {
	m := must(model.Open(model.Embedded))
	var files []string
	err := filepath.WalkDir("../sample/text", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample text: %v", err)
	}
	var sum workload
	for _, name := range files {
		text := must(os.ReadFile(name))
		for _, block := range strings.Split(string(text), "\n\n") {
			for _, s := range m.Segment(block, 1000) {
				sum.add(t, m, &s)
			}
		}
	}
	count, pruner, sentences := sum.count, sum.pruner, sum.sentences
	words := float64(count.Words)
	lookups, gains := float64(pruner+count.Lookups)/words, float64(count.Gains)/words
	if work := float64(count.Work()) / words; sum.cut > 0 || work > maxWork {
		t.Errorf("%.0f units of work a word, limit %d; the budget has cut %d sentences", work, maxWork, sum.cut)
	}
	t.Logf("%d sentences, %.0f words: %.0f look-ups a word (%.0f of the pruner), %.0f gain evaluations a word, %.1f climbs a sentence",
		sentences, words, lookups, float64(pruner)/words, gains, float64(count.Climbs)/float64(sentences))
	if words < 100 {
		t.Fatalf("the sample has only %.0f words", words)
	}
	if lookups > maxLookups || gains > maxGains {
		t.Errorf("%.0f look-ups and %.0f gain evaluations a word, limits %d and %d", lookups, gains, maxLookups, maxGains)
	}
}

// A workload sums up what sentences take.
type workload struct {
	count                 search.Counters
	pruner                int64
	sentences, words, cut int
}

func (l *workload) add(t *testing.T, m *model.Model, s *syntax.Sentence) {
	t.Helper()
	m.Tag(s, false)
	l.pruner += m.Pruner.Count(s)
	c := must(m.Decoder.Count(s, search.Options{}))
	l.count.Add(c)
	l.sentences++
	l.words += len(s.Words)
	if s.Status >= syntax.Budget {
		l.cut++
	}
}

// Text that is no language takes little more work than prose: sentences without an
// end, of marks, or of one word again and again, also where they are so long that
// they are searched in windows.
func TestWorkPerWordOnHostileText(t *testing.T) {
	m := must(model.Open(model.Embedded))
	const most = 45_000 // the budget, and what is done when it is spent
	mixed, r := strings.Builder{}, hash.Rand(1)
	for range 1200 {
		mixed.WriteString(strings.Fields("- , ( ) \" ' that the a and to of ; : / London is")[r.Below(17)] + " ")
	}
	for name, text := range map[string]string{
		"dashes": strings.Repeat("- ", 1200), "commas": strings.Repeat(", ", 1200), "quotes": strings.Repeat("' ", 1200),
		"brackets": strings.Repeat("(", 1200), "closed and open": strings.Repeat(")(", 600), "that": strings.Repeat("that ", 1200),
		"the": strings.Repeat("the ", 1200), "a": strings.Repeat("a ", 1200), "and": strings.Repeat("and ", 1200), "mixed": mixed.String(),
	} {
		t.Run(name, func(t *testing.T) {
			var pieces, whole workload
			var long syntax.Sentence
			for _, s := range m.Segment(text, 1000) {
				long.Words = append(long.Words, s.Words...)
				pieces.add(t, m, &s)
			}
			for i := range long.Words {
				long.Words[i] = syntax.Word{Form: long.Words[i].Form, Head: syntax.NoHead}
			}
			whole.add(t, m, &long)
			for _, l := range []workload{pieces, whole} {
				work := int(l.count.Work()) / l.words
				t.Logf("%d sentences, %d of them cut: %d units of work and %d heads weighed a word", l.sentences, l.cut, work, int(l.count.Gains)/l.words)
				limit := most
				if l.cut == 0 { // its sentences end by themselves: what they take, about twice the time of prose
					limit = 2 * most
				}
				if work > limit {
					t.Errorf("%d units of work a word, limit %d", work, limit)
				}
			}
		})
	}
}
