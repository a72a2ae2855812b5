package find

import (
	"maps"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// A Met has the relations and features of the words in which nothing was found: a pattern
// that finds nothing may have a slip. Of the columns it has those that the pattern reads.
type Met struct{ relations, feats map[string]bool }

// maxMet is how many relations, and how many columns of features, there may be.
const maxMet = 10_000

// see notes what words have.
func (m *Met) see(words []syntax.Word) {
	if m.feats == nil {
		m.relations, m.feats = map[string]bool{}, map[string]bool{}
	}
	note := func(set map[string]bool, value string) {
		if value != "" && len(set) <= maxMet {
			set[value] = true
		}
	}
	for i := range words {
		note(m.relations, words[i].Deprel)
		note(m.feats, words[i].Feats)
	}
}

// Relations are all relations, sorted; nil if they are too many.
func (m *Met) Relations() []string {
	if len(m.relations) > maxMet {
		return nil
	}
	return slices.Sorted(maps.Keys(m.relations))
}

// Features are the values of all features, each sorted; nil if they are too many.
func (m *Met) Features() map[string][]string {
	if len(m.feats) > maxMet {
		return nil
	}
	features := map[string][]string{}
	for feats := range m.feats {
		for feature := range strings.SplitSeq(feats, "|") {
			key, values, _ := strings.Cut(feature, "=")
			for value := range strings.SplitSeq(values, ",") {
				if at, there := slices.BinarySearch(features[key], value); !there {
					features[key] = slices.Insert(features[key], at, value)
				}
			}
		}
	}
	return features
}
