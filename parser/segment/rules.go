package segment

import (
	"fmt"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Limits of what a caller may say of a text.
const (
	MaxRules     = 100_000 // abbreviations, and strings that are kept together
	maxRuleBytes = 200     // of one of them
)

// Rules are what a caller knows of the text beside the model. They are
// read-only and safe for concurrent use. A nil *Rules says nothing.
type Rules struct {
	abbreviations map[string]bool // by normal form, with the period
	together      map[string]bool // strings that are one token where they stand between gaps
}

// NewRules makes Rules of abbreviations, behind whose period no sentence ends
// ("approx." or "approx"), and of strings that are one token each wherever they stand
// ("C++", "New York" too). An error names the one that cannot be used.
func NewRules(abbreviations, together []string) (*Rules, error) {
	if n := len(abbreviations) + len(together); n > MaxRules {
		return nil, fmt.Errorf("%d abbreviations and strings to keep together, at most %d are supported", n, MaxRules)
	}
	r := &Rules{abbreviations: map[string]bool{}, together: map[string]bool{}}
	for _, s := range abbreviations {
		if err := checkRule(s); err != nil {
			return nil, err
		}
		r.abbreviations[string(normalRunes(strings.TrimSuffix(s, ".")+"."))] = true
	}
	for _, s := range together {
		if err := checkRule(s); err != nil {
			return nil, err
		}
		r.together[s] = true
	}
	return r, nil
}

func checkRule(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("%q holds no character that can be seen", s)
	case strings.TrimSpace(s) != s || strings.ContainsAny(s, lineBreaks):
		return fmt.Errorf("%.40q begins or ends with white space, or holds a line break", s)
	case len(s) > maxRuleBytes:
		return fmt.Errorf("%.40q... has %d bytes, at most %d are supported", s, len(s), maxRuleBytes)
	}
	return nil
}

// A Request is what a caller says of a block.
type Request struct {
	MaxWords int    // sentences of more words are cut; below 1: no limit
	Line     bool   // the block is known to be one sentence
	Rules    *Rules // nil: none
}

// SegmentWith is Segment with more options.
func (m *Model) SegmentWith(block string, r Request) []syntax.Sentence {
	return m.segment(block, r)
}
