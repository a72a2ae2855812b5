package segment

// maxCode bounds what may stand between backquotes, in code points.
const maxCode = 300

// quoteCode finds code in backquotes that has white space inside: `git log -p`.
// It begins with a single backquote at the beginning of a chunk, or behind brackets
// and quotes there, and ends on the same line, with one that no letter or digit
// follows. The backquotes are tokens, and no sentence ends between them. Code
// without white space is a unit.
func (w *workspace) quoteCode() {
	l := &w.layout
	w.ruled = w.ruled[:0]
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
			w.ruled = append(w.ruled, ruled{span{i, i + 1}, asItIs}, ruled{span{end, end + 1}, asItIs})
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
			t.rule = ofCode
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

// endOfCode returns the backquote that ends the code which begins at i, -1 if none
// does, and whether there is white space in it.
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
