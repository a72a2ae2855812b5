package output

import (
	"fmt"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Text is taken to be in another language than the model if it has minLexical
// words, unknownPercent of which the model does not know. Measured with the
// English model: 6 to 8 % in mail and speeches, 20 % in pages on programming,
// 33 % in program code; 68 to 72 % in Romance languages, 74 to 85 % in other
// Germanic ones, 92 % and more in Turkish and Greek. A model of Turkish, trained
// on 37,500 words, does not know 36 % of the words of its own dev data: 30 %
// would be too few.
const (
	minLexical     = 100
	unknownPercent = 50
)

// Meet counts the words of s that the model has met in training.
func (c *Counts) Meet(s *syntax.Sentence) {
	c.Lexical += int64(s.Lexical)
	c.Unknown += int64(s.Unknown)
}

// foreign says whether what was counted seems to be in a language that the
// model does not know.
func (c *Counts) foreign() bool {
	return c.Lexical >= minLexical && c.Unknown*100 > c.Lexical*unknownPercent
}

// percentUnknown is 0 to 100.
func (c *Counts) percentUnknown() int64 { return (c.Unknown*100 + c.Lexical/2) / max(c.Lexical, 1) }

// NoteLanguage adds a suggestion if the text of the run, or else that of some
// of its files, seems to be in another language than the model, which was
// trained on what trainedOn says.
func (s *Summary) NoteLanguage(trainedOn string, files []File) {
	model := "the model"
	if trainedOn != "" {
		model += ", which was trained on " + trainedOn
	}
	const remedy = "docs/languages.md says how to get or train another model, which --model names"
	if s.foreign() {
		s.Suggestions = append(s.Suggestions, fmt.Sprintf(
			"%d %% of the words are unknown to %s: is this text in another language? %s", s.percentUnknown(), model, remedy))
		return
	}
	count, first := 0, 0
	for i := range files {
		if !files[i].foreign() {
			continue
		}
		if count++; count == 1 {
			first = i
		}
	}
	if count > 0 {
		f := &files[first]
		s.Suggestions = append(s.Suggestions, fmt.Sprintf(
			"more than half of the words of %d of %d files are unknown to %s (%s: %d %%): are these in another language? "+
				"See unknown_words in documents/; %s", count, len(files), model, f.URI, f.percentUnknown(), remedy))
	}
}
