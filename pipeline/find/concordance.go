package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/pattern"
)

// Concordance returns the attributes of a concordance: the text left of the hit, the
// hit from its first word to its last, the text right of it, and its place. With
// context, the sentences before and after it in its document come first and last.
func Concordance(context bool) []string {
	list := []string{"left", "hit", "right"}
	if context {
		list = []string{"before", "left", "hit", "right", "after"}
	}
	return append(list, "doc_id", "start_byte", "sent_id", "position")
}

// ofText are the columns that a sentence's text and the places of its words need.
var ofText = []string{"text", "tokens", "start_char", "end_char"}

// ofHit are the attributes of hits. left, hit and right together are the text.
var ofHit = map[string]attribute{
	"left":     {columns: ofText, of: func(f *found, h pattern.Hit) string { return f.context(h)[0] }},
	"hit":      {columns: ofText, of: func(f *found, h pattern.Hit) string { return f.context(h)[1] }},
	"right":    {columns: ofText, of: func(f *found, h pattern.Hit) string { return f.context(h)[2] }},
	"before":   {columns: append([]string{"doc_id"}, ofText...), of: func(f *found, _ pattern.Hit) string { return textOf(f.before) }, around: true},
	"after":    {columns: append([]string{"doc_id"}, ofText...), of: func(f *found, _ pattern.Hit) string { return textOf(f.after) }, around: true},
	"position": {columns: []string{"head"}, of: func(_ *found, h pattern.Hit) string { return position(h) }},
	"folder":   {columns: []string{"doc_id"}, of: func(f *found, _ pattern.Hit) string { return folder(f.tree.DocID) }, divides: true},
}

// context cuts the text of the sentence at the first and the last word of a hit.
func (f *found) context(h pattern.Hit) (parts [3]string) {
	list := pieces(f.tree, h)
	marked := func(p piece) bool { return p.mark > 0 }
	from, to := slices.IndexFunc(list, marked), 0
	if from < 0 { // all named words are missing
		from = len(list)
	}
	for i, p := range list {
		if marked(p) {
			to = i
		}
	}
	for i, p := range list {
		switch {
		case i < from:
			parts[0] += p.text
		case i <= to:
			parts[1] += p.text
		default:
			parts[2] += p.text
		}
	}
	return parts
}

// textOf is the text of a row, or its words with spaces between them; "" of no row.
func textOf(t *parquet.Tree) string {
	switch {
	case t == nil:
		return ""
	case t.Text == "":
		return strings.Join(t.Tokens, " ")
	}
	return t.Text
}

// position is the number of the first word of a hit in its sentence, from 1.
func position(h pattern.Hit) string {
	first := int32(0)
	for _, w := range h.Words {
		if w > 0 && (first == 0 || w < first) {
			first = w
		}
	}
	if first == 0 {
		return ""
	}
	return strconv.Itoa(int(first))
}

// folder is the folder of a document with a path as its id, "" if there is none.
func folder(docID string) string { return docID[:max(strings.LastIndexByte(docID, '/'), 0)] }
