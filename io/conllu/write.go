package conllu

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/treebeam/treebeam/parser/syntax"
)

// failureKey is the key of the comment that marks a sentence which could not
// be parsed.
const failureKey = "treebeam_failure"

// Write writes one sentence in one call of w.Write: its comments, word lines and a
// blank line, with LF line ends. For a sentence of a valid block, these are the block's
// bytes. It also serves CoNLL-X, which has the same columns.
func Write(w io.Writer, s *syntax.Sentence) error {
	_, err := w.Write(Append(nil, s))
	return err
}

// Append appends the bytes of Write to dst and returns the result. Tabs and line feeds
// inside a value, which no reader yields, become spaces.
func Append(dst []byte, s *syntax.Sentence) []byte {
	dst = appendComments(dst, s)
	mwts, empty := s.MWTs, s.Empty
	dst, empty = appendEmpty(dst, empty, 0)
	for i := range s.Words {
		if len(mwts) > 0 && int(mwts[0].First) == i+1 {
			dst = appendRange(dst, &mwts[0])
			mwts = mwts[1:]
		}
		w := &s.Words[i]
		dst = strconv.AppendInt(dst, int64(i+1), 10)
		dst = appendColumns(dst, w.Form, w.Lemma, w.UPOS, w.XPOS, w.Feats)
		dst = appendHead(dst, w.Head)
		dst = appendColumns(dst, w.Deprel, w.Deps, w.Misc)
		dst = append(dst, '\n')
		dst, empty = appendEmpty(dst, empty, int32(i+1))
	}
	return append(dst, '\n')
}

// Failed returns a copy of s as it is written when it could not be parsed:
// without heads and deprels, and with the comment
//
//	# treebeam_failure = reason
//
// last among its comments, in place of any earlier one.
func Failed(s *syntax.Sentence, reason string) *syntax.Sentence {
	out := *s
	out.Words = slices.Clone(s.Words)
	for i := range out.Words {
		out.Words[i].Head = syntax.NoHead
		out.Words[i].Deprel = ""
	}
	prefix := "# " + failureKey + " ="
	out.Comments = slices.DeleteFunc(slices.Clone(s.Comments), func(c string) bool {
		return strings.HasPrefix(c, prefix)
	})
	out.Comments = append(out.Comments, prefix+" "+strings.Join(strings.Fields(reason), " "))
	return &out
}

// TextComments returns the comments of a sentence segmented from raw text.
// newDoc is the identifier of the document that it begins, "" if it begins
// none; newPar says whether it begins a paragraph.
func TextComments(newDoc string, newPar bool, id, text string) []string {
	var c []string
	if newDoc != "" {
		c = append(c, "# newdoc id = "+newDoc)
	}
	if newPar {
		c = append(c, "# newpar")
	}
	return append(c, "# sent_id = "+id, "# text = "+text)
}

func appendComments(dst []byte, s *syntax.Sentence) []byte {
	for _, c := range s.Comments {
		if !strings.HasPrefix(c, "#") {
			dst = append(dst, "# "...)
		}
		dst = appendValue(dst, c, "\n")
		dst = append(dst, '\n')
	}
	return dst
}

func appendRange(dst []byte, m *syntax.MultiwordToken) []byte {
	dst = strconv.AppendInt(dst, int64(m.First), 10)
	dst = append(dst, '-')
	dst = strconv.AppendInt(dst, int64(m.Last), 10)
	dst = appendColumns(dst, m.Form)
	rest := strings.Split(m.Rest, "\t")
	if len(rest) != 6 {
		rest = make([]string, 6)
	}
	dst = appendColumns(dst, rest[0], rest[1], rest[2], m.Feats, rest[3], rest[4], rest[5], m.Misc)
	return append(dst, '\n')
}

// appendEmpty appends the empty nodes that follow the given word and returns the
// others.
func appendEmpty(dst []byte, empty []syntax.EmptyNode, after int32) ([]byte, []syntax.EmptyNode) {
	for len(empty) > 0 && empty[0].After == after {
		e := &empty[0]
		dst = strconv.AppendInt(dst, int64(e.After), 10)
		dst = append(dst, '.')
		dst = strconv.AppendInt(dst, int64(e.Index), 10)
		dst = appendColumns(dst, e.Form, e.Lemma, e.UPOS, e.XPOS, e.Feats, e.Head, e.Deprel, e.Deps, e.Misc)
		dst = append(dst, '\n')
		empty = empty[1:]
	}
	return dst, empty
}

func appendHead(dst []byte, head int32) []byte {
	if head < 0 {
		return append(dst, "\t_"...)
	}
	return strconv.AppendInt(append(dst, '\t'), int64(head), 10)
}

func appendColumns(dst []byte, values ...string) []byte {
	for _, v := range values {
		dst = append(dst, '\t')
		if v == "" {
			dst = append(dst, '_')
			continue
		}
		dst = appendValue(dst, v, "\t\n")
	}
	return dst
}

// appendValue appends v with a space for each of the given control characters.
func appendValue(dst []byte, v, breaks string) []byte {
	at := len(dst)
	dst = append(dst, v...)
	for i, c := range dst[at:] {
		if c < ' ' && strings.IndexByte(breaks, c) >= 0 {
			dst[at+i] = ' '
		}
	}
	return dst
}
