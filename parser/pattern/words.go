package pattern

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Tags are the parts of speech of Universal Dependencies. The slice must not be changed.
var Tags = []string{"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
	"PUNCT", "SCONJ", "SYM", "VERB", "X"}

// attributes are the columns that a test can name.
var attributes = map[string]Columns{"form": Form, "lemma": Lemma, "L": Lemma, "upos": UPOS, "xpos": XPOS,
	"feats": Feats, "deprel": Deprel, "misc": Misc, "id": place}

// named reads a part of speech, a test of an attribute, or a name: all begin with a letter or
// a digit.
func (p *parser) named() *formula {
	start := p.at
	word := p.run(func(r rune) bool { return r < 0x80 && isNameByte(byte(r)) })
	switch c := p.next(0); {
	case c == ':':
		p.at++
		if p.atOperator() || p.peek() == 0 {
			p.fail(p.at, "a word must follow the name %s: %s:_ is any", word, word)
		}
		return &formula{kind: kindNamed, name: word, args: []*formula{p.one()}}
	case p.atEquals():
		return p.attribute(word, start)
	case c == '.' && word == "misc":
		p.at++
		key := p.run(func(r rune) bool { return r > ' ' && !strings.ContainsRune(`=!()[]|&"`, r) })
		if !p.atEquals() || key == "" {
			p.fail(p.at, "write a test of a key of MISC like this: misc.SpaceAfter=No")
		}
		return p.operand(Misc, norm.NFC.String(key))
	case c == '[' && word != "" && unicode.IsUpper(rune(word[0])):
		if layer, rest, ok := strings.Cut(p.text[p.at+1:], "]"); ok && isLayer(layer) &&
			(strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "!=")) {
			p.at += len(layer) + 2
			return p.operand(Feats, word+"["+layer+"]")
		}
	}
	if slices.Contains(Tags, word) {
		p.needs |= UPOS
		return &formula{kind: kindTest, test: &test{attr: UPOS, value: value{text: word}}}
	}
	hint := `a form is written "` + word + `", a lemma L=` + word
	switch {
	case slices.Contains(Tags, strings.ToUpper(word)):
		hint = "parts of speech are written in capitals: " + strings.ToUpper(word)
	case word == strings.ToUpper(word):
		hint += ", a tag outside Universal Dependencies upos=" + word + " or xpos=" + word
	}
	p.fail(start, "%s is not a part of speech; %s", word, hint)
	return nil
}

// atEquals reports whether = or != comes next.
func (p *parser) atEquals() bool { return p.next(0) == '=' || p.next(0) == '!' && p.next(1) == '=' }

// isLayer reports whether s can be the layer of a feature, as in Number[psor].
func isLayer(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// attribute reads = or != and the value of an attribute or a feature.
func (p *parser) attribute(name string, start int) *formula {
	if attr, ok := attributes[name]; ok {
		return p.operand(attr, "")
	}
	if !unicode.IsUpper(rune(name[0])) {
		p.fail(start, "there is no attribute %s: they are form, lemma (or L), upos, xpos, feats, deprel, misc and id, and features such as Number", name)
	}
	return p.operand(Feats, name)
}

func (p *parser) operand(attr Columns, key string) *formula {
	not := p.next(0) == '!'
	if not {
		p.at++
	}
	p.at++ // =
	return p.test(attr, key, not)
}

// test reads the value with which an attribute is compared.
func (p *parser) test(attr Columns, key string, not bool) *formula {
	t := &test{attr: attr, key: key}
	if attr == place {
		p.place(t)
	} else {
		t.value = p.value(attr)
		p.needs |= attr
	}
	f := &formula{kind: kindTest, test: t}
	if not {
		f = &formula{kind: kindNot, args: []*formula{f}}
	}
	return f
}

func (p *parser) place(t *test) {
	start := p.at
	text := p.run(func(r rune) bool { return r == '-' || '0' <= r && r <= '9' })
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n == 0 {
		p.fail(start, "id is the number of a word: id=1 is the first one, id=-1 the last")
	}
	t.place = int(n)
}

// value reads "text", /regexp/, a bare value, * or _.
func (p *parser) value(attr Columns) value {
	start := p.at
	switch p.next(0) {
	case '/':
		return p.regexp()
	case '"':
		var b strings.Builder
		for p.at++; p.next(0) != '"'; p.at++ {
			if p.next(0) == '\\' {
				p.at++
			}
			if p.at >= len(p.text) {
				p.fail(start, `there is no second "`)
			}
			b.WriteByte(p.text[p.at])
		}
		p.at++
		if b.Len() == 0 {
			p.fail(start, `"" is not a value: write =_ to test that a word has none`)
		}
		return value{text: norm.NFC.String(b.String()), fold: p.fold()}
	}
	text := p.run(func(r rune) bool { return r > ' ' && !unicode.IsSpace(r) && !strings.ContainsRune(`()[]|&!"<>@?`, r) })
	switch {
	case text == "":
		p.fail(start, `a value must follow: a word, "text", /regexp/, * for any or _ for none`)
	case text == "*":
		return value{how: present}
	case text == "_":
		return value{how: absent}
	case attr == Deprel && strings.HasSuffix(text, ":*") && len(text) > 2 &&
		strings.IndexFunc(text[:len(text)-2], notLabel) < 0:
		return value{text: norm.NFC.String(strings.TrimSuffix(text, ":*")), tree: true}
	case strings.ContainsRune(text, '*'):
		p.fail(start, "* means any value and must be alone; to match part of a value, use a regular expression: /%s/",
			strings.ReplaceAll(text, "*", ".*"))
	}
	return value{text: norm.NFC.String(text)}
}

func notLabel(r rune) bool { return !isLabelByte(r) }

// holds reports whether the test is true of word i, from 0, of a sentence.
func (t *test) holds(s *syntax.Sentence, i int) bool {
	w := &s.Words[i]
	switch t.attr {
	case 0:
		return true
	case place:
		return i+1 == t.place || i-len(s.Words) == t.place
	case Form:
		return t.value.matches(w.Form)
	case Lemma:
		return t.value.matches(w.Lemma)
	case UPOS:
		return t.value.matches(w.UPOS)
	case XPOS:
		return t.value.matches(w.XPOS)
	case Deprel:
		return t.value.matches(w.Deprel)
	case Misc:
		return t.ofItems(w.Misc)
	}
	return t.ofItems(w.Feats)
}

// ofItems tests a value in A=b|C=d, or the whole text if there is no key. If a feature has
// several values, as in Case=Acc,Dat, one match is enough.
func (t *test) ofItems(items string) bool {
	if t.key == "" {
		return t.value.matches(items)
	}
	got := Item(norm.NFC.String(items), t.key)
	if t.value.matches(got) {
		return true
	}
	if t.attr == Feats && strings.Contains(got, ",") {
		for one := range strings.SplitSeq(got, ",") {
			if t.value.matches(one) {
				return true
			}
		}
	}
	return false
}

// Item returns the value of a key in a column such as "Case=Nom|Number=Sing", or "" if the
// column does not have the key.
func Item(items, key string) string {
	value, _ := syntax.Value(items, key)
	return value
}
