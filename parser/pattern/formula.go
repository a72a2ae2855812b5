package pattern

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A formula is a condition on one word.
type formula struct {
	kind kind
	args []*formula // of and, or: two or more; not, named, link: one
	test *test
	link *link
	name string

	// Facts that Match needs: see Pattern.prepare.
	number int        // of the name, or of the link's word, in Matcher.bound; -1 for other links
	order  []*formula // of and: args in the order of their breadth
	memo   int        // of a formula about one word: its number, from 1; 0 if it holds for every word
	named  bool       // of a link: its word may have a name
	free   bool       // no reported word depends on how it holds
}

type kind uint8

const (
	kindTest kind = iota
	kindAnd
	kindOr
	kindNot
	kindNamed
	kindLink     // there is another word at the end of a link, and args[0] holds for it
	kindOptional // args[0], if there is such a word
)

// pure reports whether the formula tests one word and nothing else.
func (f *formula) pure() bool {
	switch f.kind {
	case kindTest:
		return true
	case kindNamed, kindLink, kindOptional:
		return false
	}
	for _, a := range f.args {
		if !a.pure() {
			return false
		}
	}
	return true
}

// A test compares one attribute of a word with a value.
type test struct {
	attr  Columns // 0: any word; place: its number
	key   string  // of FEATS and MISC
	value value
	place int // id: from 1, or from the end if it is negative
}

// place, as the column of a test, means the number of a word.
const place Columns = 1 << 15

// A value is compared with an attribute. Its text and regular expression are in NFC.
type value struct {
	text string
	how  how
	fold bool // in any case
	tree bool // nsubj:* is nsubj and every nsubj:...
	re   *regexp.Regexp
}

type how uint8

const (
	exactly how = iota
	byRegexp
	present
	absent
)

// matches compares the value with a column of a word. Whether a letter and its accent are
// one character or two does not matter (NFC).
func (v *value) matches(s string) bool {
	s = norm.NFC.String(s)
	switch v.how {
	case present:
		return s != ""
	case absent:
		return s == ""
	case byRegexp:
		return s != "" && v.re.MatchString(s)
	}
	if v.fold {
		return strings.EqualFold(s, v.text)
	}
	rest, ok := strings.CutPrefix(s, v.text)
	return ok && (rest == "" || v.tree && rest[0] == ':')
}

// A link leads from one word to another.
type link struct {
	op       op
	min, max int // arcs or words between the two; max 0 means no bound
	side     int // where the other word stands: -1 left, 1 right, 0 anywhere
	not      bool
	labels   []value // of the lower word; for $, of the other word; nil means any
}

type op uint8

const (
	dependent op = iota // >  the other word hangs on this one
	head                // <
	after               // .  the other word stands after this one
	before              // -
	sibling             // $  the other word has the same head
)

// fits reports whether the link accepts a relation.
func (l *link) fits(deprel string) bool {
	if l.labels == nil {
		return true
	}
	for i := range l.labels {
		if l.labels[i].matches(deprel) {
			return !l.not
		}
	}
	return l.not
}
