package tag

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/hash"
	"github.com/treebeam/treebeam/parser/word"
)

// Bounds of a lexicon file.
const (
	MaxEntries   = 1_000_000
	maxEntryLine = 4096 // bytes
)

// An Entry is a word that a treebank may not have: a form with its UPOS and what
// else is known of it. An empty column is unknown.
type Entry struct{ Form, UPOS, XPOS, Feats, Lemma string }

// ReadEntries reads a lexicon file: form, UPOS, XPOS, FEATS and lemma a line, with
// tabs between them and _ for what is unknown. Empty lines are passed over, and
// those that begin with # and have no tab, and a byte order mark. The entries are sorted, each is there
// once. An error names the line.
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
			return nil, fmt.Errorf("line %d, %.40q: %.20q is no UPOS", n, f[0], f[1])
		case len(list) == MaxEntries:
			return nil, fmt.Errorf("line %d: more than %d words", n, MaxEntries)
		}
		list = append(list, Entry{f[0], f[1], f[2], f[3], f[4]})
	}
	slices.SortFunc(list, func(a, b Entry) int { return slices.Compare(a.columns(), b.columns()) })
	return slices.Compact(list), nil
}

func (e *Entry) columns() []string { return []string{e.Form, e.UPOS, e.XPOS, e.Feats, e.Lemma} }

// fromFile is the fold of occurrences that come from a lexicon file: none.
const fromFile = -2

// rareTag is the share that a combination of tags needs, among all that an entry
// leaves open.
const rareTag = 0.05

// occurrences returns what the tagger's lexicon is told of entries: each has all
// tags of the treebank that agree with it, but rare ones, once.
func (m *Model) occurrences(entries []Entry, v *inventory, read func(string) *word.Form) []occurrence {
	fitting := map[[3]string][][2]uint16{}
	fit := func(e *Entry) (list [][2]uint16) {
		agrees := func(known, column string) bool { return known == "" || known == column }
		all := 0
		for i := 0; i < len(m.links); i += 2 {
			t, x := m.links[i], m.links[i+1]
			if m.upos[t] == e.UPOS && agrees(e.XPOS, m.xpos[t]+m.fineXPOS[x]) && agrees(e.Feats, m.feats[x]) { // one XPOS is empty
				list = append(list, [2]uint16{t, x})
				all += v.links[[2]uint16{t, x}]
			}
		}
		return slices.DeleteFunc(list, func(p [2]uint16) bool { return float64(v.links[p]) < rareTag*float64(all) })
	}
	var list []occurrence
	for i := range entries {
		e := &entries[i]
		f := read(e.Form)
		key := [3]string{e.UPOS, e.XPOS, e.Feats}
		pairs, ok := fitting[key]
		if !ok {
			pairs = fit(e)
			fitting[key] = pairs
		}
		for _, p := range pairs {
			list = append(list, occurrence{hash.Key1(keyForm, f.Hash), 0, p[0], p[1], fromFile},
				occurrence{hash.Key1(keyLower, f.Lower), 0, p[0], p[1], fromFile})
		}
		if upos, ok := v.upos[e.UPOS]; ok && e.Lemma != "" {
			list = append(list, occurrence{hash.Key1(keyStem, read(e.Lemma).Lower), f.Lower, upos, 0, fromFile})
		}
	}
	return list
}

// entryExamples returns the entries that have a lemma as words of a treebank.
func entryExamples(entries []Entry) []example {
	var list []example
	for _, e := range entries {
		if e.Lemma == "" {
			continue
		}
		x := example{form: word.Plain(e.Form), upos: e.UPOS, feats: e.Feats, lemma: e.Lemma, n: 1, known: 1, tags: tagsOf(e.UPOS, e.XPOS, e.Feats)}
		if e.XPOS != "" {
			x.known = 2
			if e.Feats != "" {
				x.known = 3
			}
		}
		list = append(list, x)
	}
	return list
}
