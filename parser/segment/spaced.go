package segment

import (
	"slices"
	"strings"
)

// The treebanks of Vietnamese, Telugu and Greek have spaces around marks where text has none, so
// no classifier learns to cut such marks off. Other small treebanks lack some marks of quotation.
// The marks of a language are tokens of their own at the edges of a word.
var spaced = map[string]string{"vi": everyMark, "te": everyMark, "el": `,()[]«»"“”`, "en": "", "": ""}

const (
	everyMark = `.,;:!?…()[]{}«»"“”`
	quotes    = `«»„“”`
	quotation = quotes + "…" // of all other languages
	openers   = `([{«"“„»”`
)

// splitMarks cuts marks off words, but not off web addresses, and quotes off other marks.
// Equal marks stay together.
func (w *workspace) splitMarks(m *Model, marks string) {
	l := &w.layout
	in := func(i int32, list string) bool { return strings.ContainsRune(list, l.raw(i)) }
	w.fixed = w.fixed[:0]
	for _, t := range w.tokens {
		s := t.span
		text := l.text(s)
		isWord := slices.ContainsFunc(l.class[s.start:s.end], isWordly)
		if isWord && strings.Contains(text, "://") || !isWord && !strings.ContainsAny(text, quotes) {
			continue
		}
		for s.start < s.end && in(s.start, marks) && in(s.start, openers) {
			w.fixed, s.start = append(w.fixed, fixedSpan{span: span{s.start, s.start + 1}}), s.start+1
		}
		first := len(w.fixed)
		for s.start < s.end && (in(s.end-1, marks) && !m.keepsPeriod(l, s) || strings.HasSuffix(l.text(s), "...")) {
			start := s.end - 1
			for start > s.start && l.norm[start-1] == l.norm[start] {
				start--
			}
			w.fixed, s.end = append(w.fixed, fixedSpan{span: span{start, s.end}}), start
		}
		slices.Reverse(w.fixed[first:])
	}
	if len(w.fixed) > 0 {
		w.cutOut()
	}
}

// keepsPeriod reports whether a word ends with the period of an abbreviation: one that
// training has seen, which is no longer than maxPiece, or v.v.
func (m *Model) keepsPeriod(l *layout, s span) bool {
	n := s.end - s.start
	return l.norm[s.end-1] == '.' &&
		(n <= maxPiece && m.lexicon.look(newToken(l, s).word).frequency() > 0 || n > 3 && l.norm[s.end-3] == '.' && isWordly(l.class[s.end-2]))
}
