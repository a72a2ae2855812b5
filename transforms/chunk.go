// Package transforms parses text in Apache Beam pipelines. Its main entry is
// ParseDocuments, which turns a collection of documents into trees and failures.
// ReadText, ReadJSONL, ReadTable and ReadCoNLL read files, WriteTrees writes Parquet,
// and Segment, Encode, Tag, Prune, Parse and Trees are the stages of ParseDocuments.
// docs/beam.md introduces them. Expand, Read, Write, Mend and Finish surround the stages
// in a run of treebeam parse, which has a Job.
//
// Elements pass between stages as Chunks. Like every element in Beam they are immutable:
// a stage copies what it changes, so a collection may have any number of consumers.
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
	// Fault, if set by Read, says why the sentence must fail: its heads should be kept,
	// but they are not part of a tree.
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

// unparsed is s as CoNLL-U without its tree and with the reason in a comment. treebeam
// convert writes it for a sentence that failed.
func (s *Sentence) unparsed(reason string) string {
	return string(conllu.Append(nil, conllu.Failed(&s.Sentence, reason)))
}

// A place is a position in a file.
type place struct {
	offset int64 // in bytes
	line   int64 // 1-based; 0 is unknown
}

// failed returns the row of something that is missing from trees/.
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

// A Chunk is a run of consecutive blocks or sentences, about 5,000 tokens, in input
// order. They come from one range of a run, or from documents. A chunk that has been
// emitted must not be changed, nor anything that it refers to.
type Chunk struct {
	Range   int
	Attempt uint64 // the reading of the range that made it; not part of any result
	Seq     int    // 0, 1, ... in the attempt
	Last    bool   // the attempt's last chunk
	Skip    bool   // the range was already done; the chunk is empty
	Void    bool   // the attempt has ended with an error; the chunk is empty

	Ends      []output.File  // in the last chunk: the counts of Read, by piece
	Files     []output.File  // the files or documents of the blocks, sentences and failures
	Blocks    []Block        // empty after Segment
	Segmented []output.Count // the counts of Segment for this chunk, by file
	Sentences []Sentence
	Failures  []output.Failure
}

// Batch returns what the chunk adds to an output after all stages. It shares memory
// with the chunk.
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

var (
	appendChunk = newAppender(reflect.TypeFor[Chunk]())
	appendSpan  = newAppender(reflect.TypeFor[Span]())
)

func encodeChunk(c Chunk) ([]byte, error) { return encode(&c, appendChunk) }
func decodeChunk(b []byte) (Chunk, error) { return decode[Chunk](b) }
func encodeSpan(s Span) ([]byte, error)   { return encode(&s, appendSpan) }
func decodeSpan(b []byte) (Span, error)   { return decode[Span](b) }
