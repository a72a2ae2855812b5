package segment

import "slices"

// Units are what is one token in all languages, whatever a treebank has of it.
// They stand inside a chunk. In training as in use no token ends inside of one,
// and none begins before it or goes on behind it, but for an
// apostrophe and for letters, on which the classifier decides. This is the list:
//
//   - an address of the web: a scheme and ://, or www., and all up to white
//     space, a quote or an angular bracket, without the punctuation that ends
//     it: commas, periods, colons, ! and ?, and brackets that it does not open;
//   - an address of mail: x.y@z.org, mailto:x@y.z, also x@y;
//   - @name and #tag, a letter behind the sign;
//   - a path: /usr/local, ~/x, ./x, ../x, C:\x, \\server\x; or names with two
//     slashes or more, of which one has a digit, a period or an underscore,
//     u/r/2/c, or the last of which ends it, a/b/; or with one or more, the last
//     a file, docs/input.md, or the first a folder that many have, cmd/x;
//   - a file or a domain: names with periods between them, the last one of the
//     suffixes below, all.conllu, x.co.uk, or before a bracket, m.Parse(; or the
//     first a letter or a module that many use, fmt.Println; or three names and
//     more in lower case, os.path.join; or with an underscore;
//     a suffix alone, .txt; a version, v1.2.3;
//   - an option: --help, --lang=en, -v;
//   - code in backquotes: `x.y`, see quoted.go for what has spaces inside;
//   - C++ and C#;
//   - the characters of one emoji: a base with its selector, its tone of skin
//     and what joiners add, and the two letters of a flag. It is a token.
//
// These are never cut either; the classifier decides on what surrounds them:
//
//   - a number with separators: 1,234.50 and 12:30;
//   - marks in a row: !!!, ?!, ..., -----, $$$;
//   - a letter and the accents that follow it as characters of their own.

// Whether a token ends before a character.
const (
	ask    uint8 = iota // the classifier decides
	never               // inside a unit
	always              // at its edge
)

// units returns what is known of the gap before each character of the chunk. The
// memory is that of list. Time is linear in the chunk: names are read once each,
// and all that reads farther takes what it has read.
func (c *chunk) units(list []uint8) []uint8 {
	n := len(c.norm)
	list = append(list[:0], make([]uint8, n)...)
	if !slices.ContainsFunc(c.class, mayBeUnit) {
		return list
	}
	for i := 0; i < n; {
		start, end, strict := i, i, false
		switch {
		case isEmoji(c.norm[i]), c.isKeycap(i):
			end, strict = c.emoji(i), true
		case c.norm[i] == '`':
			end = c.code(i)
		case isName(c.norm[i], c.class[i]):
			start, end, i = c.name(i)
		}
		if end > start {
			c.force(list, start, end, strict)
			i = max(i, end)
		} else {
			i = max(i, start+1)
		}
	}
	for g := 1; g < n; g++ {
		if list[g] == ask && c.inRow(g) {
			list[g] = never
		}
	}
	return list
}

// mayBeUnit reports whether a unit may have a character of the class, beside
// letters. All have one such.
func mayBeUnit(class uint8) bool {
	switch class {
	case '.', '@', '#', '/', '\\', '-', '`', '+', '_', '!', '?', '*', '=', '~', '$', classDigit, classSymbol, classOther, classMark:
		return true
	}
	return false
}

// force makes characters [start, end) a unit: a token, if strict, in any case.
func (c *chunk) force(list []uint8, start, end int, strict bool) {
	if start > 0 && (strict || !c.attaches(start-1)) {
		list[start] = always
	}
	for g := start + 1; g < end; g++ {
		list[g] = never
	}
	if end < len(list) && (strict || !c.attaches(end)) {
		list[end] = always
	}
}

// attaches reports whether the token of a unit may go on with character i.
func (c *chunk) attaches(i int) bool { return isWordly(c.class[i]) || c.norm[i] == '\'' }

// inRow reports whether the gap before character g is inside a number, a row of
// marks, or a letter with combining characters.
func (c *chunk) inRow(g int) bool {
	a, b := c.norm[g-1], c.norm[g]
	switch {
	case c.class[g] == classMark:
		return isWordly(c.class[g-1]) || c.class[g-1] == classMark
	case c.class[g] == classDigit:
		return c.class[g-1] == classDigit || g > 1 && isSeparator(a) && c.class[g-2] == classDigit
	case c.class[g-1] == classDigit:
		return isSeparator(b) && g+1 < len(c.norm) && c.class[g+1] == classDigit
	case a == '!' || a == '?':
		return b == '!' || b == '?'
	}
	switch a {
	case ellipsis, '$':
		return a == b
	case '.', '-', '=', '*', '_', '~':
		return a == b && (g > 1 && c.norm[g-2] == a || g+1 < len(c.norm) && c.norm[g+1] == a)
	}
	return false
}

func isSeparator(r rune) bool { return r == '.' || r == ',' || r == ':' }

// isName reports whether a character is of a name: of a path, a file, a domain,
// an address, an option.
func isName(r rune, class uint8) bool {
	switch r {
	case '.', '_', '-', '/', '\\', '@', '#', '%', '+', '~':
		return true
	}
	return isWordly(class)
}

// name reads the name at i. It returns the unit that it is, or that has it, and
// where to go on; there is no unit if start is end.
func (c *chunk) name(i int) (start, end, next int) {
	for next = i; next < len(c.norm) && isName(c.norm[next], c.class[next]) && !c.isKeycap(next); next++ {
		if next > i && c.norm[next] == '-' && c.norm[next-1] == '-' && next-1 > i {
			next-- // a dash of two hyphens
			break
		}
	}
	next = max(next, i+1)
	switch {
	case c.has(next, "://"):
		if start = c.scheme(i, next); start < next {
			return start, c.trim(next, c.web(next+3)), next
		}
	case (c.has(next, `:\`) || c.has(next, ":/")) && next-i == 1 && isLetter(c.class[i]):
		return i, c.trim(i, c.web(next)), next
	case c.has(next, ":") && string(c.norm[i:next]) == "mailto":
		to := next + 1
		for to < len(c.norm) && isName(c.norm[to], c.class[to]) {
			to++
		}
		if n := c.names(next+1, to); n.at > next+1 {
			if _, end = c.mail(next+1, to, n.at); end > n.at {
				return i, end, to
			}
		}
	case c.has(i, "www.") && next > i+4 || c.has(i, `\\`) && next > i+3:
		return i, c.trim(i, c.web(next)), next
	}
	last := c.trim(i, next)
	n := c.names(i, last)
	switch {
	case n.at >= 0:
		start, end = c.mail(i, last, n.at)
	case c.norm[i] == '#' && last > i+1 && isLetter(c.class[i+1]):
		start, end = i, last
	case n.domain:
		start, end = i, c.trim(i, c.web(next))
	case n.isPath():
		start, end = i, last
	case n.isFile():
		start, end = i, last
	case c.has(i, "--") && c.opens(i) && last > i+2 && c.class[i+2] == classLower && !n.dotted:
		if start, end = i, last; c.has(last, "=") {
			end = c.trim(last, c.web(last))
		}
	case c.norm[i] == '-' && last == i+2 && c.class[i+1] == classLower && i == 0 && !c.has(last, "'"):
		start, end = i, last
	case c.isLanguage(i, last), c.isVersion(i, last), c.norm[i] == '.' && c.opens(i) && c.suffix(i+1, last, files):
		start, end = i, last
	default:
		return i, i, next
	}
	return start, end, next
}

// has reports whether s stands at i.
func (c *chunk) has(i int, s string) bool {
	for _, r := range s {
		if i >= len(c.norm) || c.norm[i] != r {
			return false
		}
		i++
	}
	return true
}

// opens reports whether character i begins the chunk, but for a bracket or two.
func (c *chunk) opens(i int) bool {
	return i == 0 || i <= 2 && !slices.ContainsFunc(c.class[:i], func(class uint8) bool { return isWordly(class) || class == '$' || class == '-' })
}

// scheme returns where the letters before next begin; from is where they may.
func (c *chunk) scheme(from, next int) int {
	for i := next; i > from; i-- {
		if !isLetter(c.class[i-1]) && (c.norm[i-1] != '+' || i == next) {
			return i
		}
	}
	return from
}

// web returns where an address of the web ends that goes on at i.
func (c *chunk) web(i int) int {
	for ; i < len(c.norm); i++ {
		switch c.norm[i] {
		case '<', '>', '"', '`', ellipsis, longDash:
			return i
		}
	}
	return i
}

// trim returns the end of what starts at start and ends at end, without the
// punctuation behind it: brackets stay that it opens.
func (c *chunk) trim(start, end int) int {
	open := 0 // brackets that it has more of one kind than of the other
	for _, r := range c.norm[start:end] {
		open += bracket(r)
	}
	for end > start {
		r := c.norm[end-1]
		switch r {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '-':
		case ')', ']', '}':
			if open >= 0 {
				return end
			}
		case '(', '[', '{':
		default:
			return end
		}
		open -= bracket(r)
		end--
	}
	return end
}

func bracket(r rune) int {
	switch r {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// mail returns the address around the sign at, or the name behind it.
func (c *chunk) mail(from, to, at int) (start, end int) {
	for end = at + 1; end < to && (isWordly(c.class[end]) || end > at+1 && (c.norm[end] == '.' || c.norm[end] == '-' || c.norm[end] == '_')); end++ {
	}
	end = c.trim(at, end)
	for start = at; start > from && c.norm[start-1] != '/' && c.norm[start-1] != '\\' && c.norm[start-1] != '@'; start-- {
	}
	if end <= at+1 || !isLetter(c.class[at+1]) || start == at && at > 0 && isWordly(c.class[at-1]) {
		return at, at
	}
	return start, end
}

func isLetter(class uint8) bool { return class >= classLower && class <= classLetter }

// isLanguage reports whether [i, j) is C++ or C# or a name like these.
func (c *chunk) isLanguage(i, j int) bool {
	switch n := j - i; {
	case n == 2:
		return isLetter(c.class[i]) && c.norm[j-1] == '#'
	case n == 3:
		return isLetter(c.class[i]) && c.norm[j-1] == '+' && c.norm[j-2] == '+'
	}
	return false
}

// isVersion reports whether [i, j) is a version: v1.2.3.
func (c *chunk) isVersion(i, j int) bool {
	periods := 0
	for k := i + 1; k < j; k++ {
		if c.norm[k] == '.' {
			periods++
		} else if c.class[k] != classDigit {
			return false
		}
	}
	return periods > 0 && c.norm[i] == 'v' && c.class[i+1] == classDigit && c.opens(i)
}

// code returns the end of the code in backquotes that begins at i, i if none does.
func (c *chunk) code(i int) int {
	for j := i + 1; j < len(c.norm); j++ {
		if c.norm[j] == '`' {
			if j == i+1 {
				return i
			}
			return j + 1
		}
	}
	return i
}
