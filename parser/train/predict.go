package train

import (
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Setting says what of a gold file a prediction may see.
type Setting string

const (
	Raw        Setting = "raw"         // its text
	GoldTokens Setting = "gold-tokens" // its sentences and words
	GoldTags   Setting = "gold-tags"   // its words with UPOS, XPOS, FEATS and lemma
)

// Settings are all of them, in the order of reports.
var Settings = []Setting{Raw, GoldTokens, GoldTags}

// DefaultMaxWords is the length at which raw sentences are cut, as in a run
// of the pipeline.
const DefaultMaxWords = 1000

// stages are those of a model before the search.
type stages interface {
	Segment(block string, maxWords int) []syntax.Sentence
	Tag(s *syntax.Sentence, retag bool)
	Prune(s *syntax.Sentence)
}

// predict is Predict with the last stage apart.
func predict(m stages, parse func(*syntax.Sentence) error, gold []syntax.Sentence, blocks []string, setting Setting, workers int) ([]syntax.Sentence, error) {
	switch setting {
	case Raw:
		parts := make([][]syntax.Sentence, len(blocks))
		if err := parallel(len(blocks), workers, func(i int) error {
			parts[i] = m.Segment(blocks[i], DefaultMaxWords)
			return nil
		}); err != nil {
			return nil, err
		}
		out := slices.Concat(parts...)
		return out, forEach(out, workers, func(s *syntax.Sentence) error {
			m.Tag(s, true)
			m.Prune(s)
			return parse(s)
		})
	case GoldTokens, GoldTags:
		out := choose(gold, everything(gold))
		return out, forEach(out, workers, func(s *syntax.Sentence) error {
			forget(s, setting == GoldTokens)
			if setting == GoldTokens {
				m.Tag(s, true)
			}
			m.Prune(s)
			return parse(s)
		})
	}
	return nil, fmt.Errorf("setting %q: want %s, %s or %s", setting, Raw, GoldTokens, GoldTags)
}

// forget removes the tree, and the tags and lemmas too if asked.
func forget(s *syntax.Sentence, tags bool) {
	s.Candidates, s.Confidence = syntax.Candidates{}, syntax.Confidence{}
	for i := range s.Words {
		w := &s.Words[i]
		w.Head, w.Deprel, w.Deps = syntax.NoHead, "", ""
		if tags {
			w.Lemma, w.UPOS, w.XPOS, w.Feats = "", "", "", ""
		}
	}
}
