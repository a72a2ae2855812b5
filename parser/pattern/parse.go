package pattern

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A parser reads a pattern from left to right:
//
//	pattern   = [word] { ["&"] condition | "!" "(" pattern ")" }     not empty
//	condition = ["!" | "?"] (link | group)
//	group     = "[" condition { ["&"] condition } { "|" condition { ["&"] condition } } "]"
//	link      = operator [word]
//	word      = all { "|" all }
//	all       = one { "&" one }
//	one       = "!" one | name ":" one | test | "(" pattern ")" | condition
type parser struct {
	text  string
	at    int
	depth int
	words int // links so far
	needs Columns
	// inGroup says that "|" before a condition ends a word, because it separates the
	// conditions of a group.
	inGroup bool
}

// fail stops the parser: parse returns the error.
func (p *parser) fail(at int, format string, a ...any) {
	panic(&Error{utf8.RuneCountInString(p.text[:at]) + 1, fmt.Sprintf(format, a...)})
}

func (p *parser) parse() (root *formula, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			root, err = nil, e
		default:
			panic(e)
		}
	}()
	switch {
	case len(p.text) > maxLength:
		p.fail(0, "the pattern has %d bytes; %d are allowed", len(p.text), maxLength)
	case !utf8.ValidString(p.text):
		p.fail(0, "the pattern is not UTF-8")
	}
	root = p.pattern()
	if p.peek(); p.at < len(p.text) {
		p.unexpected()
	}
	return root, nil
}

// unexpected says what is wrong with text at a place where the pattern should end.
func (p *parser) unexpected() {
	switch c := p.peek(); {
	case p.at == len(p.text):
		p.fail(p.at, "the pattern ends here, but a word should follow: VERB, \"form\", L=lemma or _ for any")
	case c == '|':
		p.fail(p.at, "| between conditions needs brackets around them: VERB [>nsubj NOUN | >obj NOUN]")
	case c == ')' || c == ']':
		p.fail(p.at, "%c closes nothing", c)
	}
	p.fail(p.at, "%s is not possible here: a link such as >nsubj or .. must join two words, and & two tests of one word", p.wordHere())
}

// wordHere returns the letters and digits that come next, or else one character. At the end
// of the pattern it returns a space.
func (p *parser) wordHere() string {
	rest := p.text[p.at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.In(r, unicode.L, unicode.M, unicode.N) })
	switch {
	case rest == "":
		return " "
	case n < 0:
		n = len(rest)
	case n == 0:
		_, n = utf8.DecodeRuneInString(rest)
	}
	return rest[:n]
}

// peek skips white space and returns the next byte, or 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.next(0)
}

// next returns the byte k places ahead, or 0 past the end.
func (p *parser) next(k int) byte {
	if p.at+k < len(p.text) {
		return p.text[p.at+k]
	}
	return 0
}

// accept consumes the byte c if it comes next, and reports whether it did.
func (p *parser) accept(c byte) bool {
	if p.peek() == c {
		p.at++
		return true
	}
	return false
}

// behind reports whether is holds after skip and white space. It consumes neither.
func (p *parser) behind(skip byte, is func() bool) bool {
	start := p.at
	defer func() { p.at = start }()
	return p.accept(skip) && is()
}

func (p *parser) atOperator() bool {
	c := p.peek()
	return c != 0 && strings.IndexByte("<>.-$", c) >= 0
}

// atCondition reports whether a condition comes next, not a word.
func (p *parser) atCondition() bool {
	c := p.peek()
	return p.atOperator() || c == '?' || c == '[' ||
		c == '!' && p.behind('!', p.atCondition)
}

func (p *parser) deeper() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "more than %d parentheses, brackets and negations inside each other", maxDepth)
	}
}

func (p *parser) pattern() *formula {
	var all []*formula
	if !p.atCondition() {
		all = append(all, p.word())
	}
	return p.conditions(all)
}

// conditions reads conditions that must hold together with the formulas in all.
func (p *parser) conditions(all []*formula) *formula {
	for {
		if p.peek() == '&' {
			if !p.behind('&', p.atCondition) {
				break
			}
			p.at++
		}
		switch {
		case p.atCondition():
			all = append(all, p.condition())
			continue
		case p.peek() == '!' && p.behind('!', func() bool { return p.peek() == '(' }):
			all = append(all, p.one()) // no word can stand here
			continue
		}
		break
	}
	if len(all) == 0 {
		p.unexpected()
	}
	return join(kindAnd, all)
}

// join returns the formula that combines several, or the only one.
func join(k kind, list []*formula) *formula {
	if len(list) == 1 {
		return list[0]
	}
	return &formula{kind: k, args: list}
}

func (p *parser) condition() *formula {
	defer func(was int) { p.depth = was }(p.depth)
	switch p.peek() {
	case '!':
		p.deeper()
		p.at++
		return &formula{kind: kindNot, args: []*formula{p.condition()}}
	case '?':
		p.at++
		if p.peek() == '!' || p.peek() == '?' || !p.atCondition() {
			p.fail(p.at, "put ? before the link that may be missing: ?>obj NOUN")
		}
		return &formula{kind: kindOptional, args: []*formula{p.condition()}}
	case '[':
		p.deeper()
		return p.group()
	}
	return p.linked()
}

func (p *parser) group() *formula {
	open := p.at
	p.at++
	defer func(was bool) { p.inGroup = was }(p.inGroup)
	p.inGroup = true
	var any []*formula
	for {
		if !p.atCondition() {
			p.fail(p.at, "brackets hold links: [>nsubj NOUN | >obj NOUN]; parentheses hold words")
		}
		any = append(any, p.conditions(nil))
		if !p.accept('|') {
			break
		}
	}
	if !p.accept(']') {
		p.fail(open, "[ has no ]")
	}
	return join(kindOr, any)
}

// linked reads an operator and the word at its other end.
func (p *parser) linked() *formula {
	if p.words++; p.words > maxLinks {
		p.fail(p.at, "more than %d links", maxLinks)
	}
	l := p.operator()
	if !p.atWord() {
		return &formula{kind: kindLink, link: l, number: -1, args: []*formula{{kind: kindTest, test: &test{}}}}
	}
	return &formula{kind: kindLink, link: l, number: -1, args: []*formula{p.word()}}
}

// atWord reports whether a word comes next. A link without a word leads to any word.
func (p *parser) atWord() bool {
	c := p.peek()
	return c != 0 && strings.IndexByte("&|)]", c) < 0 && !p.atCondition()
}

var operators = map[byte]op{'>': dependent, '<': head, '.': after, '-': before, '$': sibling}

func (p *parser) operator() *link {
	start, c := p.at, p.text[p.at]
	l := &link{op: operators[c], min: 1, max: 1}
	p.at++
	arc := l.op == dependent || l.op == head || l.op == sibling
	if arc {
		p.needs |= Head
	}
	if p.next(0) == c && l.op != sibling {
		p.at++
		l.max = 0
	}
	if p.next(0) == '{' && l.op != sibling {
		p.distance(l)
	}
	if arc && p.atLabel() {
		p.labels(l)
	}
	if p.next(0) == '@' {
		switch p.next(1) {
		case 'L':
			l.side = -1
		case 'R':
			l.side = 1
		}
		if l.side == 0 || !arc {
			p.fail(p.at, "@L and @R come after >, < or $ and say on which side the other word is")
		}
		p.at += 2
	}
	if c := p.next(0); c != 0 && strings.IndexByte(`"`, c) >= 0 && arc {
		p.fail(p.at, "put a space between %s and a form", p.text[start:p.at])
	}
	return l
}

// distance reads {3}, {1,3} or {2,}.
func (p *parser) distance(l *link) {
	rest := p.text[p.at:]
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		p.fail(p.at, "{ has no }")
	}
	from, to, several := strings.Cut(rest[1:end], ",")
	var err error
	number := func(s string) int {
		n, e := strconv.ParseUint(strings.TrimSpace(s), 10, 16)
		if e != nil {
			err = e
		}
		return int(n)
	}
	l.min = number(from)
	l.max = l.min
	if several {
		l.max = 0
		if strings.TrimSpace(to) != "" {
			if l.max = number(to); l.max == 0 {
				l.min = 0
			}
		}
	}
	if err != nil || l.min < 1 || l.max != 0 && l.max < l.min {
		p.fail(p.at, "%s is not a distance: {2} is two, {1,3} one to three, {2,} two or more", rest[:end+1])
	}
	p.at += end + 1
}

func isLabelByte(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd) || strings.ContainsRune(":_~", r)
}

// atLabel reports whether a relation follows an operator, without a space.
func (p *parser) atLabel() bool {
	rest := strings.TrimPrefix(p.text[p.at:], "!")
	r, size := utf8.DecodeRuneInString(rest)
	second, _ := utf8.DecodeRuneInString(rest[size:])
	return unicode.IsLetter(r) || r == '/' || r == '_' && isLabelByte(second)
}

// labels reads nsubj|obj:*|/x.*/ or !punct.
func (p *parser) labels(l *link) {
	if p.next(0) == '!' {
		l.not = true
		p.at++
	}
	p.needs |= Deprel
	for {
		start := p.at
		v := p.label()
		switch {
		case v.how == exactly && v.text == "":
			p.fail(start, "a relation must follow %s", p.text[start-1:start])
		case slices.Contains(Tags, v.text):
			p.fail(start, "%s is a part of speech, not a relation: put a space before it", v.text)
		case p.next(0) == ':' || p.next(0) == '*':
			p.fail(p.at, "all subtypes of a relation are written nsubj:*")
		}
		l.labels = append(l.labels, v)
		if p.next(0) != '|' || p.next(1) == ' ' {
			return
		}
		p.at++
		if !p.atLabel() || p.next(0) == '!' {
			p.fail(p.at, "a relation must follow |, or a space if another condition does")
		}
	}
}

// label reads nsubj, nsubj:* or /x.*/.
func (p *parser) label() value {
	if p.next(0) == '/' {
		return p.regexp()
	}
	v := value{text: norm.NFC.String(p.run(isLabelByte))}
	if p.next(0) == '*' && strings.HasSuffix(v.text, ":") && len(v.text) > 1 {
		v.text, v.tree = strings.TrimSuffix(v.text, ":"), true
		p.at++
	}
	return v
}

// run consumes the characters that satisfy is.
func (p *parser) run(is func(rune) bool) string {
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !is(r) {
			break
		}
		p.at += size
	}
	return p.text[start:p.at]
}

func (p *parser) word() *formula {
	any := []*formula{p.all()}
	for p.peek() == '|' && !(p.inGroup && p.behind('|', p.atCondition)) {
		if p.behind('|', p.atOperator) {
			p.unexpected()
		}
		p.at++
		any = append(any, p.all())
	}
	return join(kindOr, any)
}

func (p *parser) all() *formula {
	all := []*formula{p.one()}
	for p.peek() == '&' && !p.behind('&', p.atCondition) {
		p.at++
		all = append(all, p.one())
	}
	return join(kindAnd, all)
}

func (p *parser) one() *formula {
	defer func(was int) { p.depth = was }(p.depth)
	switch c := p.peek(); {
	case c == '(':
		p.deeper()
		open := p.at
		p.at++
		defer func(was bool) { p.inGroup = was }(p.inGroup)
		p.inGroup = false
		f := p.pattern()
		switch c := p.peek(); {
		case c == 0:
			p.fail(open, "( has no )")
		case c != ')':
			p.unexpected()
		}
		p.at++
		return f
	case c == '[' || c == '?' || c == '!' && p.atCondition():
		return p.condition()
	case c == '!':
		p.deeper()
		p.at++
		return &formula{kind: kindNot, args: []*formula{p.one()}}
	case c == '"' || c == '/':
		return p.test(Form, "", false)
	case c == '_' && !isNameByte(p.next(1)):
		p.at++
		return &formula{kind: kindTest, test: &test{}}
	case isNameByte(c):
		return p.named()
	}
	if word := p.wordHere(); unicode.IsLetter([]rune(word)[0]) {
		p.fail(p.at, "%s is not a part of speech; a form is written \"%s\", a lemma L=%s", word, word, word)
	}
	p.unexpected()
	return nil
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// regexp reads /.../. An i after it means any case.
func (p *parser) regexp() value {
	start := p.at
	var b strings.Builder
	for p.at++; p.next(0) != '/'; p.at++ {
		switch c := p.next(0); {
		case c == 0 && p.at >= len(p.text):
			p.fail(start, "the regular expression has no second /")
		case c == '\\' && p.next(1) == '/':
			p.at++
			b.WriteByte('/')
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(c)
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	p.at++
	v := value{text: norm.NFC.String(b.String()), how: byRegexp, fold: p.fold()}
	flags := "s"
	if v.fold {
		flags = "si"
	}
	re, err := regexp.Compile("^(?" + flags + ":" + v.text + ")$")
	if _, alone := syntax.Parse(v.text, syntax.Perl); err != nil || alone != nil {
		p.fail(start, "/%s/ is not a regular expression: %v", v.text, cmp.Or(alone, err))
	}
	v.re = re
	return v
}

// fold consumes the letter i after a value.
func (p *parser) fold() bool {
	if p.next(0) == 'i' && !isNameByte(p.next(1)) {
		p.at++
		return true
	}
	return false
}
