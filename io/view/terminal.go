package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// ltr makes a terminal set a line from left to right although a word in it is
// written from right to left.
const ltr = "\u200e"

// indentShown is how many levels of a deep tree stand before a word; the levels
// before them are a number.
const indentShown = 12

// Text writes the tree for a terminal of so many columns: its id, its text, how
// sure it is, and the words below their heads in word order, each with its tag and
// its label. Behind these stands, if it is below 0.9, the probability that the tag
// is right, and that head and label are. Words that hang on no root follow the tree. Nothing in the row reaches the terminal
// as a command.
func Text(w io.Writer, t *parquet.Tree, columns int) error {
	columns = max(columns, 60)
	var b strings.Builder
	fmt.Fprintln(&b, Clip(Visible(t.SentID), columns))
	if t.Text != "" {
		for _, line := range wrap(Visible(t.Text), columns) {
			fmt.Fprintln(&b, line)
		}
	}
	if say := certainty(t); say != "" {
		for _, line := range wrap(say, columns) {
			fmt.Fprintln(&b, line)
		}
	}
	children := make([][]int, len(t.Tokens)+1)
	for i, h := range t.Head {
		if h >= syntax.Root && int(h) <= len(t.Tokens) {
			children[h] = append(children[h], i+1)
		}
	}
	mark := ""
	if slices.ContainsFunc(t.Tokens, func(s string) bool { return isRightToLeft([]string{s}) }) {
		mark = ltr
	}
	type node struct {
		word   int
		hidden int    // levels above that are not shown
		levels []bool // for each other level, whether its line goes on below
	}
	var stack []node // depth first without recursion: chains can be long
	push := func(above node) {
		for i, c := range slices.Backward(children[above.word]) {
			n := node{c, above.hidden, append(slices.Clone(above.levels), i < len(children[above.word])-1)}
			if len(n.levels) > indentShown {
				n.hidden, n.levels = n.hidden+1, n.levels[1:]
			}
			stack = append(stack, n)
		}
	}
	push(node{word: syntax.Root})
	drawn := make([]bool, len(t.Tokens))
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		drawn[n.word-1] = true
		before := indent(n.hidden, n.levels)
		fmt.Fprintf(&b, "%s%s%s\n", mark, before, describe(t, n.word-1, mark, columns-Width(before)))
		push(n)
	}
	for i, done := range drawn {
		if !done { // its row has no tree, or a bad one
			fmt.Fprintf(&b, "%s· %s\n", mark, describe(t, i, mark, columns-2))
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// indent draws the lines that lead to a word.
func indent(hidden int, levels []bool) string {
	var b strings.Builder
	if hidden > 0 {
		fmt.Fprintf(&b, "…%d ", hidden)
	}
	last := len(levels) - 1
	for i, more := range levels {
		switch {
		case i < last && more:
			b.WriteString("│  ")
		case i < last:
			b.WriteString("   ")
		case more:
			b.WriteString("├─ ")
		default:
			b.WriteString("└─ ")
		}
	}
	return b.String()
}

// describe is word i as one line; the form is cut if it does not fit.
func describe(t *parquet.Tree, i int, mark string, columns int) string {
	var after []string
	for k, list := range [][]string{t.UPOS, t.Deprel} {
		if i < len(list) && list[i] != "" {
			after = append(after, Clip(Visible(list[i]), 20))
		}
		if p := uncertainTag(t, i); k == 0 && p != "" {
			after = append(after, p)
		}
	}
	if p, ok := arcProbability(t, i); ok && p < sure {
		after = append(after, fmt.Sprintf("%.2f", p))
	}
	rest := strings.Join(after, " ")
	form := Clip(Visible(t.Tokens[i]), max(columns-Width(rest)-1, 8))
	return form + mark + strings.TrimSuffix(" "+rest, " ")
}
