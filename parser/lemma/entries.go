package lemma

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/word"
)

// Bounds of a lexicon file.
const (
	maxEntries   = 1_000_000
	maxEntryLine = 4096 // bytes
)

// An Entry is a word that a treebank may not have: a form with its UPOS and
// other known columns. An empty column is unknown.
type Entry struct{ Form, UPOS, XPOS, Feats, Lemma string }

// ReadEntries reads a lexicon file: form, UPOS, XPOS, FEATS and lemma a line, with tabs between
// them and _ for what is unknown. It skips a byte order mark, empty lines, and lines that begin
// with # and have no tab. The entries are sorted, without duplicates. An error names the line.
func ReadEntries(text string) ([]Entry, error) {
	var list []Entry
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' && !strings.Contains(line, "\t") {
			continue
		}
		f := strings.Split(line, "\t")
		for i, s := range f {
			if i > 0 && s == "_" {
				f[i] = ""
			}
		}
		switch {
		case len(line) > maxEntryLine:
			return nil, fmt.Errorf("line %d has %d bytes, at most %d are supported", n, len(line), maxEntryLine)
		case !utf8.ValidString(line):
			return nil, fmt.Errorf("line %d is not UTF-8", n)
		case len(f) != 5:
			return nil, fmt.Errorf("line %d has %d columns, want 5: form, UPOS, XPOS, FEATS and lemma, with tabs between them", n, len(f))
		case f[0] == "" || f[0] == "_":
			return nil, fmt.Errorf("line %d has no form", n)
		case word.Coarse(f[1]) == word.Other:
			return nil, fmt.Errorf("line %d, %.40q: %.20q is no UPOS", n, f[0], cmp.Or(f[1], "_"))
		case len(list) == maxEntries:
			return nil, fmt.Errorf("line %d: more than %d words", n, maxEntries)
		}
		list = append(list, Entry{f[0], f[1], f[2], f[3], f[4]})
	}
	slices.SortFunc(list, func(a, b Entry) int { return slices.Compare(a.columns(), b.columns()) })
	return slices.Compact(list), nil
}

func (e *Entry) columns() []string { return []string{e.Form, e.UPOS, e.XPOS, e.Feats, e.Lemma} }
