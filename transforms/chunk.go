// Package transforms holds the stages of the pipeline as Beam transforms: Read,
// Segment, Encode, Tag, Prune, Parse, Write and Finish. It does no arithmetic of
// the parser: it cuts, hands over, counts and commits.
//
// A Chunk is the only element type between Read and Write. Like every element in Beam
// it is immutable: a stage copies what it changes, so a collection of chunks may have
// any number of consumers.
package transforms

import (
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Block is a block of raw text and the file that it came from.
type Block struct {
	File  int32 // index into Chunk.Files
	First bool  // the first of its document
	text.Block
}

// A Sentence is a sentence and the file that it came from.
type Sentence struct {
	File int32 // index into Chunk.Files
	// Fault, if set by Read, says why the sentence must fail: heads that were
	// to be kept cannot be.
	Fault *conllu.Error
	syntax.Sentence
}

// surface is the text of s for a failure row: its text, else its forms.
func (s *Sentence) surface() string {
	if s.Text != "" {
		return s.Text
	}
	var b strings.Builder
	for i := range s.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if b.WriteString(s.Words[i].Form); b.Len() > output.FailureText {
			break
		}
	}
	return b.String()
}

// unparsed is s as CoNLL-U without its tree and with the reason in a comment:
// what convert gives back for a sentence that failed.
func (s *Sentence) unparsed(reason string) string {
	return string(conllu.Append(nil, conllu.Failed(&s.Sentence, reason)))
}

// A place is a position in a file.
type place struct {
	offset int64 // in bytes
	line   int64 // 1-based; 0 is unknown
}

// failed is the row of something that is missing from trees/.
func failed(stage string, why syntax.Fault, at place, text string) output.Failure {
	return output.Failure{Failure: syntax.Failure{
		Fault: why, Stage: stage, Severity: syntax.SeverityError, ByteOffset: at.offset, Line: at.line, Text: text,
	}}
}

// warned returns the row of something that was repaired.
func warned(stage string, why syntax.Fault, at place, text string) output.Failure {
	row := failed(stage, why, at, text)
	row.Severity = syntax.SeverityWarning
	return row
}

// A Chunk is a run of consecutive blocks or sentences of one range, about
// 5,000 tokens, in input order. Nobody changes a chunk that has been emitted, nor
// anything in it.
type Chunk struct {
	Range   int
	Attempt uint64 // the reading of the range that made it; not part of any result
	Seq     int    // 0, 1, ... within the attempt
	Last    bool   // the attempt's last chunk
	Skip    bool   // the range was already done; the chunk is empty
	Void    bool   // the attempt has ended with an error; the chunk is empty

	Ends      []output.File  // in the last chunk: what Read counted, by piece
	Files     []output.File  // of this chunk: what its rows are about
	Blocks    []Block        // empty after Segment
	Segmented []output.Count // by file: what Segment made of this chunk
	Sentences []Sentence
	Failures  []output.Failure
}

// Batch is what the chunk, which was through all stages, adds to an output.
func (c *Chunk) Batch() *output.Batch {
	trees := make([]output.Tree, len(c.Sentences))
	for i := range c.Sentences {
		trees[i] = output.Tree{File: c.Sentences[i].File, Sentence: &c.Sentences[i].Sentence}
	}
	return &output.Batch{Files: c.Files, Segmented: c.Segmented, Trees: trees, Failures: c.Failures, Last: c.Last, Ends: c.Ends}
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[Chunk](), encodeChunk, decodeChunk)
	beam.RegisterCoder(reflect.TypeFor[Span](), encodeSpan, decodeSpan)
}

func encodeChunk(c Chunk) ([]byte, error) { return encode(c) }
func decodeChunk(b []byte) (Chunk, error) { return decode[Chunk](b) }
func encodeSpan(s Span) ([]byte, error)   { return encode(s) }
func decodeSpan(b []byte) (Span, error)   { return decode[Span](b) }
