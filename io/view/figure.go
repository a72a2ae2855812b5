package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/pick"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Excerpt returns a row with some words of a row for a figure: those that keep wants,
// which are numbered anew from 1. A word whose head is left out has none. The text stays
// whole.
func Excerpt(t *parquet.Tree, keep func(word int) bool) *parquet.Tree {
	var kept []int // words from 0
	for i := range t.Tokens {
		if keep(i + 1) {
			kept = append(kept, i)
		}
	}
	part := *t
	for _, a := range parquet.Attributes() {
		if !a.OfWord {
			continue
		}
		switch list := a.Of(&part).(type) {
		case *[]string:
			*list = choose(*list, kept)
		case *[]int32:
			*list = choose(*list, kept)
		case *[]float32:
			*list = choose(*list, kept)
		}
	}
	for i, h := range part.Head {
		if h == syntax.Root {
			continue
		}
		at, found := slices.BinarySearch(kept, int(h)-1)
		if part.Head[i] = int32(at + 1); !found {
			part.Head[i] = syntax.NoHead
		}
	}
	return &part
}

// choose returns the elements of a list at places in order, as far as the list goes.
func choose[T any](list []T, places []int) (chosen []T) {
	for _, i := range places {
		if i < len(list) {
			chosen = append(chosen, list[i])
		}
	}
	return chosen
}

// IsPunctuation reports whether a word of a row, from 1, is punctuation.
func IsPunctuation(t *parquet.Tree, word int) bool { return pick.IsPunctuation(t, word-1) }

// TikZ appends a row as a figure for LaTeX: an environment dependency of the package
// tikz-dependency, with the words, their lemmas if wanted, and their tags. Characters
// that mean something to TeX are escaped, and no control character is left.
func TikZ(dst []byte, t *parquet.Tree, lemmas bool) []byte {
	rows := [][]string{t.Tokens, t.UPOS}
	if lemmas {
		rows = slices.Insert(rows, 1, t.Lemmas)
	}
	dst = fmt.Appendf(dst, "%% %s\n\\begin{dependency}\n\\begin{deptext}\n", Visible(t.SentID))
	for k, list := range rows {
		for i := range t.Tokens {
			cell := ""
			if i < len(list) && list[i] != "" {
				cell = texText(list[i])
			}
			if lemmas && k == 1 && cell != "" {
				cell = `\textit{` + cell + `}`
			}
			if i > 0 {
				dst = append(dst, ` \& `...)
			}
			dst = append(dst, cell...)
		}
		dst = append(dst, " \\\\\n"...)
	}
	dst = append(dst, "\\end{deptext}\n"...)
	for i, h := range t.Head {
		label := ""
		if i < len(t.Deprel) {
			label = texText(t.Deprel[i])
		}
		switch {
		case h == syntax.Root:
			dst = fmt.Appendf(dst, "\\deproot{%d}{%s}\n", i+1, label)
		case h > 0 && int(h) <= len(t.Tokens):
			dst = fmt.Appendf(dst, "\\depedge{%d}{%d}{%s}\n", h, i+1, label)
		}
	}
	return append(dst, "\\end{dependency}\n\n"...)
}

// TikZHead appends what a file of TikZ begins with: how to use it.
func TikZHead(dst []byte) []byte {
	return append(dst, "% \\usepackage{tikz-dependency} before \\begin{document}, then \\input this file;\n% xelatex or lualatex for other letters than Latin ones\n\n"...)
}

// texText escapes what TeX would act on.
func texText(s string) string { return tex.Replace(Visible(strings.ToValidUTF8(s, "\ufffd"))) }

// tex escapes characters, and marks that a font of TeX joins. "\&" stands between words in the
// figure, so that an ampersand is written by its number.
var tex = strings.NewReplacer("``", "`{}`{}", "''", "'{}'{}", "?`", "?{}`{}", "!`", "!{}`{}", ",,", ",{},{}",
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\char38{}`, `#`, `\#`, `%`, `\%`, `_`, `\_`, `-`, `-{}`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `"`, `\char34{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `[`, `{[}`, `]`, `{]}`, `*`, `{*}`)
