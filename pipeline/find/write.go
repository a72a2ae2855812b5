package find

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/tokens"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/parser/pattern"
)

// hitKey is the key of the comments that say in CoNLL-U where hits are.
const hitKey = "hit"

// appendCoNLLU appends a sentence with a comment for each hit. It leaves out the
// comments about beginnings of documents and paragraphs, and about hits of an earlier
// search.
func appendCoNLLU(dst []byte, t *parquet.Tree, p *pattern.Pattern, hits []pattern.Hit) ([]byte, error) {
	s, err := parquet.FromRow(t)
	if err != nil {
		return dst, err
	}
	var comments []string
	named := map[string]bool{}
	for _, c := range s.Comments {
		key, _ := conllu.Comment(c)
		if key != hitKey && !conllu.BeginsParagraph([]string{c}) {
			comments = append(comments, c)
			named[key] = true
		}
	}
	if !named["sent_id"] {
		comments = append(comments, "# sent_id = "+t.SentID)
	}
	if !named["text"] && s.Text != "" {
		comments = append(comments, "# text = "+s.Text)
	}
	for _, h := range hits {
		c := "# " + hitKey + " ="
		for i, w := range h.Words {
			if w > 0 {
				c += fmt.Sprintf(" %s:%d", p.Names()[i], w)
			}
		}
		comments = append(comments, c)
	}
	s.Comments = comments
	return conllu.Append(dst, &s), nil
}

// appendTree appends a sentence as a tree in which the words of its hits are
// marked.
func (s *search) appendTree(dst []byte, t *parquet.Tree, hits []pattern.Hit) []byte {
	var marked []int
	for _, h := range hits {
		for _, w := range h.Words {
			if w > 0 && !slices.Contains(marked, int(w)) {
				marked = append(marked, int(w))
			}
		}
	}
	return view.TreeRow(dst, t, view.TreeOptions{Width: s.Columns, Color: s.Color, Marked: marked})
}

// A piece is a part of a text; mark is the mark of a word of the hit, from 1, or 0.
type piece struct {
	text string
	mark int
}

// appendText appends a hit as a line. Nothing of the sentence reaches a terminal
// as a command.
func (s *search) appendText(dst []byte, t *parquet.Tree, h pattern.Hit) []byte {
	id := view.Visible(t.SentID)
	if room := max(s.Columns/4, 12); s.Columns > 0 && view.Width(id) > room {
		id = clipLeft(id, room) // the sentence is what somebody wants to see
	}
	dst = append(append(dst, id...), '\t')
	list := pieces(t, h)
	for i := range list {
		list[i].text = view.Visible(list[i].text)
	}
	for _, p := range s.clip(list, view.Width(id)) {
		dst = s.appendMarked(dst, p)
	}
	return append(dst, '\n')
}

// colors are the colors of the words of a hit, in order: parameters of SGR.
var colors = [...]string{"1;31", "1;34", "1;32", "1;35", "1;36", "1;33"}

func (s *search) appendMarked(dst []byte, p piece) []byte {
	switch {
	case p.mark == 0:
		return append(dst, p.text...)
	case s.Color:
		return append(dst, "\x1b["+colors[(p.mark-1)%len(colors)]+"m"+p.text+"\x1b[0m"...)
	}
	return append(dst, "["+p.text+"]"...)
}

// A span is the place of a word in the text, in code points.
type span struct{ from, to, mark int }

// pieces cuts the text of a sentence at the words of a hit. Without a text, or
// without the places of words in it, it is their forms with spaces between them.
// Words of one multiword token are one piece.
func pieces(t *parquet.Tree, h pattern.Hit) []piece {
	text, starts, ends := t.Text, t.StartChar, t.EndChar
	if text == "" || len(starts) != len(t.Tokens) || len(ends) != len(t.Tokens) {
		joined := tokens.Join(t.Tokens)
		text, starts, ends = joined.Text, nil, nil
		for _, w := range joined.Words {
			starts, ends = append(starts, w.StartChar), append(ends, w.EndChar)
		}
	}
	var spans []span
	for i, w := range h.Words {
		if j := int(w) - 1; j >= 0 && j < len(t.Tokens) {
			spans = append(spans, span{int(starts[j]), int(ends[j]), i + 1})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.mark, b.mark)) })
	runes := []rune(text)
	var list []piece
	add := func(from, to, mark int) {
		if from < to {
			list = append(list, piece{string(runes[from:to]), mark})
		}
	}
	done := 0
	for _, s := range spans {
		from, to := max(s.from, done), min(s.to, len(runes))
		if from >= to {
			continue // of a token that is marked, or nowhere in the text
		}
		add(done, from, 0)
		add(from, to, s.mark)
		done = to
	}
	add(done, len(runes), 0)
	return list
}

// tabWidth is the most columns that the tab after an id takes.
const tabWidth = 8

// clip cuts the pieces to what fits in a line next to the given columns: the first word
// of the hit, the text before it up to a third of the line, and the text after it.
func (s *search) clip(list []piece, used int) []piece {
	room := max(s.Columns-used-tabWidth, 20)
	total := 0
	width := func(p piece) int {
		w := view.Width(p.text)
		if p.mark > 0 && !s.Color {
			w += 2
		}
		return w
	}
	for _, p := range list {
		total += width(p)
	}
	if s.Columns == 0 || total <= room || len(list) == 0 {
		return list
	}
	if first := &list[0]; first.mark == 0 && len(list) > 1 {
		if over := total - room; view.Width(first.text) > room/3 {
			first.text = clipLeft(first.text, max(room/3, view.Width(first.text)-over))
		}
	}
	for i, p := range list {
		w := width(p)
		if w > room {
			if room < 4 {
				return append(list[:i:i], piece{"…", 0})
			}
			p.text = view.Clip(p.text, room-(w-view.Width(p.text)))
			return append(list[:i:i], p)
		}
		room -= w
	}
	return list
}

// clipLeft returns the end of s that fits in the given columns, after "…".
func clipLeft(s string, columns int) string {
	runes := []rune(s)
	from := len(runes)
	for from > 0 && view.Width(string(runes[from-1:])) < columns {
		from--
	}
	return "…" + string(runes[from:])
}
