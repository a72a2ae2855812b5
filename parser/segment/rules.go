package segment

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of Rules.
const (
	MaxRules     = 100_000 // abbreviations, and strings that are kept together
	maxRuleBytes = 200     // bytes of one of them
)

// Rules are a caller's own segmentation rules, in addition to the model. They are
// read-only and safe for concurrent use. A nil *Rules is empty.
type Rules struct {
	abbreviations phrases // in any case, with the period
	together      phrases // as they stand
}

// NewRules makes Rules of abbreviations and of strings to keep together. An
// abbreviation ("approx." or "approx") is one token with its period, and no sentence
// ends after it. A string to keep together ("C++", "New York") is one token wherever it
// occurs. Neither matches inside a word, and no abbreviation inside a unit, such as a web
// address. Abbreviations match in any case, and a space in either matches any white space.
// In an abbreviation of several words ("et al.") the last word is the token. An error
// names a string that cannot be used.
func NewRules(abbreviations, together []string) (*Rules, error) {
	if n := len(abbreviations) + len(together); n > MaxRules {
		return nil, fmt.Errorf("%d abbreviations and strings to keep together, at most %d are supported", n, MaxRules)
	}
	r := &Rules{}
	for _, s := range abbreviations {
		if err := checkRule(s); err != nil {
			return nil, err
		}
		if s == "." {
			return nil, fmt.Errorf("%q is no abbreviation, but the end of most sentences", s)
		}
		r.abbreviations.addAnyCase(strings.TrimSuffix(s, ".") + ".")
	}
	for _, s := range together {
		if err := checkRule(s); err != nil {
			return nil, err
		}
		r.together.add(s)
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

// Phrases are strings to be found in a text.
type phrases struct {
	all     map[string]bool
	lengths map[rune][]int // by first character: lengths of the phrases in bytes, falling
}

// add adds a string, each run of white space in it as one space.
func (p *phrases) add(s string) {
	s = strings.Join(strings.Fields(s), " ")
	if p.all == nil {
		p.all, p.lengths = map[string]bool{}, map[rune][]int{}
	}
	first, _ := utf8.DecodeRuneInString(s)
	p.all[s] = true
	if list := p.lengths[first]; !slices.Contains(list, len(s)) {
		p.lengths[first] = append(list, len(s))
		slices.SortFunc(p.lengths[first], func(a, b int) int { return b - a })
	}
}

// addAnyCase adds a string that is found in any case.
func (p *phrases) addAnyCase(s string) {
	var l layout
	l.read(s)
	var b strings.Builder
	for i := range int32(len(l.class)) {
		b.WriteRune(l.anyCase(i))
	}
	p.add(b.String())
}

// anyCase returns the normal character at i, but digits and signs of currencies as they stand.
func (l *layout) anyCase(i int32) rune {
	if l.class[i] == classDigit || l.class[i] == '$' {
		return l.raw(i)
	}
	return l.norm[i]
}

// raw returns the character at i.
func (l *layout) raw(i int32) rune {
	r, _ := utf8.DecodeRuneInString(l.block[l.at[i]:])
	return r
}

// A finder looks for phrases in a block.
type finder struct {
	text []byte  // the text from the current position on, white space as one space
	ends []int32 // code points of the block up to each byte of text that ends one, else 0
}

// find returns the end of the longest phrase that begins at code point i, or 0
// if none does. char returns a code point.
func (f *finder) find(p *phrases, l *layout, i int32, char func(i int32) rune) int32 {
	lengths := p.lengths[char(i)]
	if len(lengths) == 0 {
		return 0
	}
	f.text, f.ends = f.text[:0], f.ends[:0]
	for at := i; int(at) < len(l.class) && len(f.text) < lengths[0]; at++ {
		if !isSpace(l.class[at]) {
			f.text = utf8.AppendRune(f.text, char(at))
		} else if !isSpace(l.class[at-1]) {
			f.text = append(f.text, ' ')
		}
		for len(f.ends) < len(f.text)-1 {
			f.ends = append(f.ends, 0)
		}
		f.ends = append(f.ends[:len(f.text)-1], at+1)
	}
	for _, n := range lengths {
		if n <= len(f.text) && f.ends[n-1] > 0 && p.all[string(f.text[:n])] && l.mayEnd(f.ends[n-1]) {
			return f.ends[n-1]
		}
	}
	return 0
}

// mayEnd reports whether the characters before i and at i may belong to
// different words.
func (l *layout) mayEnd(i int32) bool {
	return i == 0 || int(i) >= len(l.class) || !isWordly(l.class[i-1]) || !isWordly(l.class[i])
}

// What rules decide about a token, as bits.
const (
	unsplit uint8 = 1 << iota // it is not split
	noEnd                     // no sentence ends behind it
)

// A fixedSpan is a token that the classifiers do not decide on.
type fixedSpan struct {
	span
	rule uint8
}

// applyRules changes the tokens by the caller's rules and by the abbreviations of the
// language, which may be nil.
func (w *workspace) applyRules(r *Rules, own *abbreviations) {
	if r == nil {
		r = &Rules{}
	}
	if own == nil {
		own = &abbreviations{}
	}
	l := &w.layout
	w.fixed = w.fixed[:0]
	w.asked = span{}
	raw, anyCase := l.raw, l.anyCase
	toks := w.tokens
	for i := int32(0); int(i) < len(l.class); {
		next := i + 1
		for len(toks) > 1 && toks[1].start <= i {
			toks = toks[1:]
		}
		if !isSpace(l.class[i]) && l.mayEnd(i) {
			if end := w.find.find(&r.together, l, i, raw); end > 0 {
				w.fixed, next = append(w.fixed, fixedSpan{span{i, end}, unsplit}), end
			} else if end := w.find.find(&r.abbreviations, l, i, anyCase); l.endsAbbreviation(end) && !w.inUnit(toks, i) && !w.inUnit(toks, end) {
				w.fixed, next = append(w.fixed, fixedSpan{span{l.wordStart(i, end), end}, unsplit | noEnd}), end
			} else if end := w.find.find(&own.phrases, l, i, anyCase); l.endsAbbreviation(end) && toks[0].start >= i && toks[0].end <= end {
				s := span{l.wordStart(i, end), end}
				if own.cut {
					w.fixed, s.start = append(w.fixed, fixedSpan{span{s.start, end - 1}, unsplit}), end-1
				}
				w.fixed, next = append(w.fixed, fixedSpan{s, unsplit | noEnd}), end
			}
		}
		i = next
	}
	if len(w.fixed) > 0 {
		w.cutOut()
	}
}

// endsAbbreviation reports whether a phrase that was found, behind which character end
// stands, may be an abbreviation: another period makes it something else.
func (l *layout) endsAbbreviation(end int32) bool {
	return end > 0 && (int(end) == len(l.norm) || l.norm[end] != '.')
}

// wordStart returns the start of the last word in [i, end).
func (l *layout) wordStart(i, end int32) int32 {
	start := end
	for start > i && !isSpace(l.class[start-1]) {
		start--
	}
	return start
}

// cutOut makes each span of w.fixed a token.
func (w *workspace) cutOut() {
	from, list := slices.Clone(w.tokens), w.fixed
	w.tokens = w.tokens[:0]
	for _, t := range from {
		start := t.start
		for len(list) > 0 && list[0].end <= start {
			list = list[1:]
		}
		for k := 0; k < len(list) && list[k].start < t.end; k++ {
			if s := list[k]; s.start >= start {
				if s.start > start {
					w.addPart(span{start, s.start}, t.rule)
				}
				one := newToken(&w.layout, s.span)
				one.rule = s.rule | t.rule
				w.tokens = append(w.tokens, one)
			}
			start = max(start, list[k].end)
		}
		switch {
		case start == t.start:
			w.tokens = append(w.tokens, t)
		case start < t.end:
			w.addPart(span{start, t.end}, t.rule)
		}
	}
}

// addPart adds the rest of a token with a rule, without the white space around it.
func (w *workspace) addPart(s span, rule uint8) {
	for s.start < s.end && isSpace(w.layout.class[s.start]) {
		s.start++
	}
	for s.end > s.start && isSpace(w.layout.class[s.end-1]) {
		s.end--
	}
	if s.start < s.end {
		part := newToken(&w.layout, s)
		part.rule = rule
		w.tokens = append(w.tokens, part)
	}
}

// maxCode bounds the length of code between backquotes, in code points.
const maxCode = 300

// quoteCode finds code in backquotes that has white space inside: `git log -p`.
// It begins with a single backquote at the beginning of a chunk, or behind brackets
// and quotes there, and ends on the same line, with one that no letter or digit
// follows. The backquotes are tokens, and no sentence ends between them. Code
// without white space is a unit.
func (w *workspace) quoteCode() {
	l := &w.layout
	w.fixed = w.fixed[:0]
	var inside []span
	for i := int32(0); int(i) < len(l.norm); i++ {
		if !l.opensCode(i) {
			continue
		}
		end, spaced := l.endOfCode(i)
		if end < 0 {
			continue
		}
		if spaced {
			w.fixed = append(w.fixed, fixedSpan{span{i, i + 1}, unsplit}, fixedSpan{span{end, end + 1}, unsplit})
			inside = append(inside, span{i, end})
		}
		i = end
	}
	if len(inside) == 0 {
		return
	}
	w.cutOut()
	for i := range w.tokens {
		t := &w.tokens[i]
		for len(inside) > 0 && inside[0].end <= t.start {
			inside = inside[1:]
		}
		if len(inside) > 0 && t.start >= inside[0].start {
			t.rule |= noEnd
		}
	}
}

// opensCode reports whether character i is a single backquote that may begin code.
func (l *layout) opensCode(i int32) bool {
	if l.norm[i] != '`' || int(i)+1 == len(l.norm) || l.norm[i+1] == '`' || isSpace(l.class[i+1]) {
		return false
	}
	if i > 0 && l.norm[i-1] == '`' {
		return false
	}
	return i == 0 || !isWordly(l.class[i-1])
}

// endOfCode returns the backquote that ends the code beginning at i, or -1 if none
// does, and whether the code has white space in it.
func (l *layout) endOfCode(i int32) (end int32, spaced bool) {
	for end = i + 1; int(end) < len(l.norm) && end-i <= maxCode && l.class[end] != classBreak; end++ {
		switch {
		case isSpace(l.class[end]):
			spaced = true
		case l.norm[end] == '`':
			if l.norm[end-1] != '`' && !isSpace(l.class[end-1]) && l.mayEndCode(end+1) {
				return end, spaced
			}
			return -1, false
		}
	}
	return -1, false
}

// mayEndCode reports whether character i may follow code.
func (l *layout) mayEndCode(i int32) bool {
	return int(i) >= len(l.norm) || !isWordly(l.class[i]) && l.norm[i] != '`'
}
