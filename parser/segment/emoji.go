package segment

// Characters of emoji sequences (Unicode Technical Standard 51).
const (
	anEmoji  = '\U0001F600' // all emoji are this one to the features
	joiner   = '\u200D'
	selector = '\uFE0F'
	keycap   = '\u20E3'
)

// isEmoji reports whether r may be an emoji by itself. Signs that are text
// unless a selector follows, © and ™ among them, are none.
func isEmoji(r rune) bool {
	switch {
	case r < 0x231A:
		return false
	case r >= 0x1F000:
		return r <= 0x1FAFF && (r >= 0x1F1E6 && r <= 0x1F1FF || r >= 0x1F300 || r == 0x1F004 || r == 0x1F0CF || r >= 0x1F18E && r <= 0x1F19A)
	case r >= 0x2600 && r <= 0x27BF:
		return r < 0x2701 || r == 0x2705 || r >= 0x2708 && r <= 0x270F || r == 0x2728 || r == 0x274C || r == 0x274E ||
			r >= 0x2753 && r <= 0x2757 || r >= 0x2763 && r <= 0x2764 || r >= 0x2795 && r <= 0x2797
	}
	return r == 0x231A || r == 0x231B || r >= 0x23E9 && r <= 0x23F3 || r == 0x2B50 || r == 0x2B55
}

func isFlag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// modifies reports whether r changes the emoji before it: a tone of skin, a
// selector, a tag, an enclosing keycap.
func modifies(r rune) bool {
	return r >= 0x1F3FB && r <= 0x1F3FF || r == selector || r == keycap || r >= 0xE0020 && r <= 0xE007F
}

// isKeycap reports whether a key with a sign on it begins at i: 1️⃣, #️⃣.
func (c *chunk) isKeycap(i int) bool {
	if r := c.rune(i); c.class[i] != classDigit && r != '#' && r != '*' {
		return false
	}
	return c.rune(i+1) == keycap || c.rune(i+1) == selector && c.rune(i+2) == keycap
}

// emoji returns the end of the emoji that begins at i.
func (c *chunk) emoji(i int) int {
	if i++; isFlag(c.rune(i - 1)) {
		if isFlag(c.rune(i)) {
			i++
		}
		return i
	}
	for {
		for modifies(c.rune(i)) {
			i++
		}
		if c.rune(i) != joiner || !isEmoji(c.rune(i+1)) && c.rune(i+1) < 0x2190 {
			return i
		}
		i += 2
	}
}

// rune returns character i, 0 behind the chunk.
func (c *chunk) rune(i int) rune {
	if i < len(c.norm) {
		return c.norm[i]
	}
	return 0
}
