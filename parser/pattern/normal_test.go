package pattern

import (
	"strconv"
	"strings"
)

var attributeNames = map[Columns]string{Form: "form", Lemma: "lemma", UPOS: "upos", XPOS: "xpos", Deprel: "deprel"}

var opNames = [...]string{">", "<", ".", "-", "$"}

// String returns the pattern in a normal form, which compiles to the same.
func (p *Pattern) String() string {
	var b strings.Builder
	p.root.write(&b)
	return b.String()
}

func (f *formula) write(b *strings.Builder) {
	group := func(open, between, end string) {
		b.WriteString(open)
		for i, a := range f.args {
			if i > 0 {
				b.WriteString(between)
			}
			a.write(b)
		}
		b.WriteString(end)
	}
	switch f.kind {
	case kindTest:
		f.test.write(b)
	case kindNot:
		b.WriteString("!")
		f.args[0].write(b)
	case kindOptional:
		b.WriteString("?")
		f.args[0].write(b)
	case kindNamed:
		b.WriteString(f.name + ":")
		f.args[0].write(b)
	case kindAnd:
		group("(", " & ", ")")
	case kindOr:
		group("(", " | ", ")")
	case kindLink:
		b.WriteString("[")
		f.link.write(b)
		b.WriteByte(' ')
		f.args[0].write(b)
		b.WriteString("]")
	}
}

func (t *test) write(b *strings.Builder) {
	switch t.attr {
	case 0:
		b.WriteByte('_')
		return
	case place:
		b.WriteString("id=" + strconv.Itoa(t.place))
		return
	case Feats:
		b.WriteString(t.key)
		if t.key == "" {
			b.WriteString("feats")
		}
	case Misc:
		b.WriteString("misc")
		if t.key != "" {
			b.WriteString("." + t.key)
		}
	default:
		b.WriteString(attributeNames[t.attr])
	}
	b.WriteByte('=')
	t.value.write(b)
}

func (v *value) write(b *strings.Builder) {
	switch v.how {
	case present:
		b.WriteByte('*')
	case absent:
		b.WriteByte('_')
	case byRegexp:
		b.WriteString("/" + strings.ReplaceAll(v.text, "/", `\/`) + "/")
	default:
		if v.tree {
			v.writeLabel(b)
			return
		}
		b.WriteString(quote(v.text))
	}
	if v.fold {
		b.WriteByte('i')
	}
}

// writeLabel writes a relation, which stands without quotation marks.
func (v *value) writeLabel(b *strings.Builder) {
	if v.how != exactly {
		v.write(b)
		return
	}
	b.WriteString(v.text)
	if v.tree {
		b.WriteString(":*")
	}
}

// quote writes a value in quotation marks.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (l *link) write(b *strings.Builder) {
	b.WriteString(opNames[l.op])
	if l.op != sibling && (l.min != 1 || l.max != 1) {
		b.WriteString(opNames[l.op])
		if l.min != 1 || l.max != 0 {
			b.WriteString("{" + strconv.Itoa(l.min) + ",")
			if l.max != 0 {
				b.WriteString(strconv.Itoa(l.max))
			}
			b.WriteString("}")
		}
	}
	if l.not {
		b.WriteByte('!')
	}
	for i := range l.labels {
		if i > 0 {
			b.WriteByte('|')
		}
		l.labels[i].writeLabel(b)
	}
	switch {
	case l.side < 0:
		b.WriteString("@L")
	case l.side > 0:
		b.WriteString("@R")
	}
}
