// Package transforms holds the stages of the pipeline as Beam DoFns, one
// stage a file: Read, Segment, Tag, Prune, Parse, Write and Finish. It does
// no arithmetic of the parser: it cuts, hands over, counts and commits.
//
// A Chunk is the only element type between Read and Write, and every
// collection of chunks has one consumer: a stage owns the chunk that it gets,
// fills in what is empty and passes it on.
package transforms

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A File is one input file as far as one range has read it, or, in
// Chunk.Files, a document in one: there it has a DocID of its own. The
// intervals are bytes of the decompressed stream.
type File struct {
	Piece    int    `json:"-"` // index into the range's pieces
	DocID    string `json:"doc_id"`
	URI      string `json:"source_uri"`
	Version  string `json:"source_version"` // sha256 of the stored bytes, hex; "" if they could not all be read
	Format   string `json:"format"`         // a source.Format; "" if it is none of them
	Lines    string `json:"lines,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Stored   int64  `json:"stored_bytes"`
	Start    int64  `json:"start"` // the blocks and separators read cover [Start, End)
	End      int64  `json:"end"`
	EOF      bool   `json:"eof"`    // End is the end of the stream
	Failed   bool   `json:"failed"` // could not be read, or not to its end: see failures/
	Repaired int64  `json:"repaired_bytes,omitempty"`
	Suspect  string `json:"suspect,omitempty"` // the encoding that it seems to be in, if it was not UTF-8
	Records  int64  `json:"records,omitempty"` // of JSON lines
	Ended    bool   `json:"-"`                 // in Chunk.Files, if Pace.Ends: no row of the document follows

	Counts
}

// Counts are the sums that Finish checks: Blocks = Segmented + BlocksFailed
// and Sentences = Trees + SentencesFailed.
type Counts struct {
	Blocks          int64 `json:"blocks"`    // found by Read
	Segmented       int64 `json:"segmented"` // became sentences
	BlocksFailed    int64 `json:"blocks_failed"`
	Sentences       int64 `json:"sentences"`
	Trees           int64 `json:"trees"`
	SentencesFailed int64 `json:"sentences_failed"`
	Words           int64 `json:"words"`         // of the trees
	Lexical         int64 `json:"lexical_words"` // of these, begin with a letter, in sentences that the model tagged
	Unknown         int64 `json:"unknown_words"` // of these, not met in training
	Errors          int64 `json:"errors"`
	Warnings        int64 `json:"warnings"`
	Internal        int64 `json:"internal"` // errors that are defects of the program
	// Expected says how many words of the trees are expected to be right.
	Expected Expected `json:"expected_sums,omitzero"`
}

// Add adds d to c.
func (c *Counts) Add(d *Counts) {
	c.Blocks += d.Blocks
	c.Segmented += d.Segmented
	c.BlocksFailed += d.BlocksFailed
	c.Sentences += d.Sentences
	c.Trees += d.Trees
	c.SentencesFailed += d.SentencesFailed
	c.Words += d.Words
	c.Lexical += d.Lexical
	c.Unknown += d.Unknown
	c.Errors += d.Errors
	c.Warnings += d.Warnings
	c.Internal += d.Internal
	c.Expected.Add(&d.Expected.Expected)
}

// check says which sum does not close, nil if all do.
func (c *Counts) check() error {
	if c.Blocks != c.Segmented+c.BlocksFailed {
		return fmt.Errorf("%d blocks were read, but %d were segmented and %d failed", c.Blocks, c.Segmented, c.BlocksFailed)
	}
	if c.Sentences != c.Trees+c.SentencesFailed {
		return fmt.Errorf("there were %d sentences, but %d got trees and %d failed", c.Sentences, c.Trees, c.SentencesFailed)
	}
	return nil
}

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

// A Failure is a row of failures/ and the file that it is about. Block and
// Sentence say what it stands for in the sums. Make one with failed or warned.
type Failure struct {
	File     int32
	Block    bool   // stands for a block that became no sentence
	Sentence bool   // stands for a sentence that became no tree
	CoNLLU   string // a failed sentence without its tree: convert gives it back
	syntax.Failure
}

// A place is where in a file something stands.
type place struct {
	offset int64 // in bytes
	line   int64 // 1-based; 0 is unknown
}

// failed is the row of something that is missing from trees/.
func failed(stage string, why syntax.Fault, at place, text string) Failure {
	return Failure{Failure: syntax.Failure{
		Fault: why, Stage: stage, Severity: syntax.SeverityError, ByteOffset: at.offset, Line: at.line, Text: text,
	}}
}

// warned is the row of something that was mended.
func warned(stage string, why syntax.Fault, at place, text string) Failure {
	row := failed(stage, why, at, text)
	row.Severity = syntax.SeverityWarning
	return row
}

// A Count is how many blocks became how many sentences.
type Count struct{ Blocks, Sentences int64 }

// A Chunk is a run of consecutive blocks or sentences of one range, about
// 20,000 tokens, in input order. The stages own the chunk they are given.
type Chunk struct {
	Range   int
	Attempt uint64 // the reading of the range that made it; not part of any result
	Seq     int    // 0, 1, ... within the attempt
	Last    bool   // the attempt's last chunk
	Skip    bool   // the range was already done; the chunk is empty

	Ends      []File  // in the last chunk: what Read counted, by piece
	Files     []File  // of this chunk: what its rows are about
	Blocks    []Block // empty after Segment
	Segmented []Count // by file: what Segment made of this chunk
	Sentences []Sentence
	Failures  []Failure
}

// A Done is the row that Write emits for a finished range.
type Done struct {
	K       int
	Skipped bool
}

func init() {
	registerGob[Chunk]()
	registerGob[source.Range]()
	registerGob[Done]()
	beam.RegisterCoder(reflect.TypeFor[Chunk](), encodeChunk, decodeChunk)
	beam.RegisterCoder(reflect.TypeFor[source.Range](), encodeRange, decodeRange)
	beam.RegisterCoder(reflect.TypeFor[Done](), encodeDone, decodeDone)
}

func encodeChunk(c Chunk) ([]byte, error)        { return gobEncode(c) }
func decodeChunk(b []byte) (Chunk, error)        { return gobDecode[Chunk](b) }
func encodeRange(r source.Range) ([]byte, error) { return gobEncode(r) }
func decodeRange(b []byte) (source.Range, error) { return gobDecode[source.Range](b) }
func encodeDone(d Done) ([]byte, error)          { return gobEncode(d) }
func decodeDone(b []byte) (Done, error)          { return gobDecode[Done](b) }

// registerGob fixes gob's type numbers when the program starts, so that two
// workers write the same bytes for the same value.
func registerGob[T any]() {
	var v T
	gob.NewEncoder(&bytes.Buffer{}).Encode(v)
}

func gobEncode[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func gobDecode[T any](b []byte) (T, error) {
	var v T
	err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v)
	return v, err
}
