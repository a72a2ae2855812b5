package pipeline

import (
	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/transforms"
)

// An endMark is what Stream writes after the last row of a document: as a line
// of JSON lines, in CoNLL-U as the comment treebeam_end and an empty line.
type endMark struct {
	EndOf     string `json:"end_of"`    // the document's id
	Document  int64  `json:"document"`  // 1, 2, ... in the order of the input
	Sentences int64  `json:"sentences"` // rows since the last mark: trees
	Failures  int64  `json:"failures"`  // failures of severity error
	Warnings  int64  `json:"warnings"`
}

// endMarks are the marks of a stream. A nil one counts nothing.
type endMarks struct {
	before string
	mark   endMark
	file   int32 // of the chunk: the first whose end is not written
}

// count counts a failure, or a tree if f is nil.
func (m *endMarks) count(f *parquet.Failure) {
	switch {
	case m == nil:
	case f == nil:
		m.mark.Sentences++
	case f.Severity == syntax.SeverityWarning:
		m.mark.Warnings++
	default:
		m.mark.Failures++
	}
}

// endsBefore writes the marks of the documents of a chunk that end before the
// rows of file.
func (s *stream) endsBefore(c *transforms.Chunk, file int32) error {
	m := s.marks
	if m == nil {
		return nil
	}
	for ; m.file < file; m.file++ {
		f := &c.Files[m.file]
		if !f.Ended {
			continue
		}
		m.mark.EndOf = f.DocID
		m.mark.Document++
		s.buf = append(appendJSON(append(s.buf[:0], m.before...), &m.mark), '\n')
		if m.before != "" {
			s.buf = append(s.buf, '\n')
		}
		if _, err := s.out.Write(s.buf); err != nil {
			return err
		}
		m.mark = endMark{Document: m.mark.Document}
		s.rows.Restart() // readers of single documents get the comments of each
	}
	if int(m.file) == len(c.Files) {
		m.file = 0 // of the next chunk
	}
	return nil
}
