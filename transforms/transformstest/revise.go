package transformstest

import (
	"cmp"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/tag"
	"github.com/treebeam/treebeam/transforms"
)

// kinds are the UPOS of the toy's evidence.
var kinds = []string{"INTJ", "SYM", "X"}

// Kinds implements transforms.Reviser.
func (t *Toy) Kinds() []string { return kinds }

// TagAndTell implements transforms.Reviser. The words that the toy does not know say
// something that depends on the word before them.
func (t *Toy) TagAndTell(s *syntax.Sentence, retag bool, tell func(form string, loss []int64)) {
	before := ""
	for i := range s.Words {
		w := &s.Words[i]
		if r, _ := utf8.DecodeRuneInString(w.Form); unicode.IsLetter(r) && r >= utf8.RuneSelf && (w.UPOS == "" || retag) {
			tell(w.Form, Loss(w.Form, before))
		}
		before = w.Form
	}
	t.Tag(s, retag)
}

// Loss is what a form says behind another one.
func Loss(form, before string) (loss []int64) {
	for k := range kinds {
		loss = append(loss, int64(hash(form+" "+before+kinds[k])%1000))
	}
	return loss
}

// Revised implements transforms.Reviser: forms with revisions are what these say.
func (t *Toy) Revised(v *tag.Revisions) transforms.Stages {
	return &Toy{said: t.said, base: cmp.Or(t.base, t), revisions: v}
}

// revision returns the UPOS that revisions give a form, "" if they have none.
func (t *Toy) revision(form string) string {
	if t.revisions == nil {
		return ""
	}
	best := ""
	top := int16(0)
	for k, x := range t.revisions.Of(form) {
		if best == "" || x > top {
			best, top = kinds[k], x
		}
	}
	return best
}
