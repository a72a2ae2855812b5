package pipeline

import (
	"strings"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms/transformstest"
)

// through are stages that do nearly nothing.
type through struct{ transformstest.Plain }

func (through) Segment(block string, _ int) []syntax.Sentence {
	end := len(strings.TrimRight(block, " \n"))
	if end == 0 {
		return nil
	}
	form, _, _ := strings.Cut(block[:end], " ")
	return []syntax.Sentence{{
		Text: strings.ReplaceAll(block[:end], "\n", " "), EndByte: int64(end),
		Words: []syntax.Word{{Form: form, Head: syntax.NoHead, EndChar: int32(len(form))}},
	}}
}

func (t through) SegmentLine(block string, maxWords int) []syntax.Sentence {
	return t.Segment(block, maxWords)
}

func (through) Tag(*syntax.Sentence, bool) {}
func (through) Prune(*syntax.Sentence)     {}

func (through) Parse(s *syntax.Sentence, _ output.ParseOptions) error {
	s.Words[0].Head, s.Words[0].Deprel = syntax.Root, "root"
	return nil
}
