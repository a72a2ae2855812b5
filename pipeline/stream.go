package pipeline

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os"
	"slices"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// Stream parses the inputs and writes them as CoNLL-U to w in input order,
// with the same stages as a run but in this process and without an output
// folder. It returns the sums; what is wrong before any work is a *Refusal.
func Stream(ctx context.Context, o Options, w io.Writer) (*transforms.Summary, error) {
	if len(o.Inputs) == 0 {
		return nil, refuse("no input: name files or folders; '-' reads standard input")
	}
	if err := ValidateRows(&o.Rows); err != nil {
		return nil, err
	}
	m, _, err := transforms.OpenModel(o.Model)
	if err != nil {
		return nil, &Refusal{err}
	}
	spool, err := os.MkdirTemp("", "treebeam-stdin-*")
	if err != nil {
		return nil, &Refusal{err}
	}
	defer os.RemoveAll(spool)
	inputs, err := source.List(ctx, o.Inputs, source.ListOptions{Stdin: o.Stdin, Spool: spool})
	if err != nil {
		return nil, &Refusal{err}
	}
	plan, err := source.NewPlan(inputs, source.PlanOptions{RangeBytes: o.RangeBytes})
	if err != nil {
		return nil, &Refusal{err}
	}
	s := &stream{model: m, options: o.Rows, out: bufio.NewWriterSize(w, 1<<16)}
	s.sum.Status = map[string]int64{}
	for i := range plan.Ranges {
		if err := s.rangeOf(ctx, plan, i); err != nil {
			return nil, err
		}
	}
	s.sum.NoteLanguage(transforms.TrainedOn(m), nil)
	return &s.sum, s.out.Flush()
}

type stream struct {
	model   transforms.Stages
	options transforms.RowOptions
	out     *bufio.Writer
	buf     []byte
	sum     transforms.Summary
}

// rangeOf parses range i of the plan. Its reading runs ahead by one chunk.
func (s *stream) rangeOf(ctx context.Context, plan *source.Plan, i int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := plan.Ranges[i]
	r.Dir = plan.Dir
	chunks := make(chan transforms.Chunk, 1)
	read := make(chan error, 1)
	go func() {
		defer close(chunks)
		read <- transforms.ReadRange(ctx, &r, s.options, func(c transforms.Chunk) error {
			select {
			case chunks <- c:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for c := range chunks {
		if err := s.write(transforms.Stage(c, s.model, s.options)); err != nil {
			return err
		}
	}
	return <-read
}

// write writes the sentences of a parsed chunk, and in their places those that
// have failed.
func (s *stream) write(c transforms.Chunk) error {
	failed := c.Failures[:0:0]
	for i := range c.Failures {
		s.sum.Note(&c, &c.Failures[i])
		if c.Failures[i].Sentence {
			failed = append(failed, c.Failures[i])
		}
	}
	slices.SortStableFunc(failed, func(a, b transforms.Failure) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.ByteOffset, b.ByteOffset))
	})
	for i := range c.Sentences {
		sentence := &c.Sentences[i]
		f := &c.Files[sentence.File]
		for len(failed) > 0 && (failed[0].File < sentence.File ||
			failed[0].File == sentence.File && failed[0].ByteOffset < sentence.StartByte) {
			s.out.WriteString(failed[0].CoNLLU)
			failed = failed[1:]
		}
		s.sum.Trees++
		s.sum.Words += int64(len(sentence.Words))
		s.sum.Meet(&sentence.Sentence)
		s.buf = AppendCoNLLU(s.buf[:0], &sentence.Sentence, f.DocID, f.Format)
		if _, err := s.out.Write(s.buf); err != nil {
			return err
		}
	}
	for i := range failed {
		s.out.WriteString(failed[i].CoNLLU)
	}
	if c.Last {
		s.sum.Files += int64(len(c.Ends))
	}
	return s.out.Flush()
}

// AppendCoNLLU appends a parsed sentence of a file as CoNLL-U. One from
// CoNLL keeps the comments that it has; any other gets its sent_id and text.
func AppendCoNLLU(dst []byte, s *syntax.Sentence, docID, format string) []byte {
	if !source.Format(format).Annotated() {
		named := *s
		named.Comments = append(append([]string(nil), s.Comments...),
			conllu.TextComments("", false, transforms.SentenceID(s, docID), s.Text)...)
		s = &named
	}
	return conllu.Append(dst, s)
}
