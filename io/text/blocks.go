package text

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// Whole returns what the line breaks of a text in memory mean, and its blocks, in
// order; after an error there are no more. The first head bytes decide what line breaks
// mean, as in a run of the pipeline, which sees no more of a file. It fails as Decide
// and NewReader do.
func Whole(data string, head int, o Options) (lines Lines, blocks iter.Seq2[Block, error], err error) {
	layout, err := Decide([]byte(data[:min(len(data), head)]), o)
	if err != nil {
		return "", nil, err
	}
	r, err := NewReader(strings.NewReader(data), layout, 0, -1)
	if err != nil {
		return "", nil, err
	}
	return layout.Lines, r.All(), nil
}

// Blocks returns the texts of the blocks of Whole.
func Blocks(data string, head int, o Options) (list []string, err error) {
	_, blocks, err := Whole(data, head, o)
	if err != nil {
		return nil, err
	}
	for b, err := range blocks {
		if err != nil {
			return nil, err
		}
		list = append(list, strings.Clone(b.Text))
	}
	return list, nil
}

// Place turns the positions of the sentences that b was cut into, which are
// bytes of b.Text in order, into bytes of the source, and sets their Line and
// their Status where it is OK so far: Repaired if characters of the sentence
// were, Long if lines are sentences and b is not a whole one. It returns an
// error, and changes nothing, if the sentences leave out anything but white
// space: nothing may disappear.
func (b *Block) Place(sentences []syntax.Sentence, lines Lines) error {
	if missing := b.leftOut(sentences); missing != "" {
		return fmt.Errorf("the segmenter left out %s", missing)
	}
	for i := range sentences {
		s := &sentences[i]
		switch {
		case s.Status != syntax.OK:
		case b.Repaired > 0 && strings.ContainsRune(s.Text, unicode.ReplacementChar):
			s.Status = syntax.Repaired
		case (b.Cut || b.Continues) && lines == Sentence:
			s.Status = syntax.Long
		}
		s.Line = b.LineOf(int(s.StartByte))
		s.StartByte, s.EndByte = b.Offset(int(s.StartByte)), b.Offset(int(s.EndByte))
	}
	return nil
}

// mayGo is white space, but a byte order mark inside a block.
func mayGo(r rune) bool { return isSpace(r) && r != '\ufeff' }

// leftOut returns the first text that is not white space and in none of the
// sentences, or "".
func (b *Block) leftOut(sentences []syntax.Sentence) string {
	var at int64
	for i := range sentences {
		s := &sentences[i]
		if s.StartByte < at || s.EndByte < s.StartByte || s.EndByte > int64(len(b.Text)) {
			return fmt.Sprintf("the order of bytes %d to %d", s.StartByte, s.EndByte)
		}
		if gap := strings.TrimFunc(b.Text[at:s.StartByte], mayGo); gap != "" {
			return fmt.Sprintf("%.40q", gap)
		}
		at = s.EndByte
	}
	if gap := strings.TrimFunc(b.Text[at:], mayGo); gap != "" {
		return fmt.Sprintf("%.40q", gap)
	}
	return ""
}

// Bounds appends to list the bytes of source at which the characters of a sentence
// begin, and the end of the last one. source is what the sentence was cut from. As in
// the sentence's Text, a CR LF is one character.
func Bounds(list []int, source string) []int {
	for at := 0; at < len(source); {
		list = append(list, at)
		_, size := utf8.DecodeRuneInString(source[at:])
		if strings.HasPrefix(source[at:], "\r\n") {
			size = 2
		}
		at += size
	}
	return append(list, len(source))
}
