package output

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A File is one input file as far as one range has read it, or, in
// Batch.Files, a document in one: there it has a DocID of its own. The
// intervals are bytes of the decompressed stream.
type File struct {
	Piece    int    `json:"-"` // index into the range's pieces
	DocID    string `json:"doc_id"`
	URI      string `json:"source_uri"`
	Version  string `json:"source_version"` // sha256 of the stored bytes, hex; "" if they could not all be read or are no text
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
	Records  int64  `json:"records,omitempty"` // of JSON lines and tables
	Ended    bool   `json:"-"`                 // in Batch.Files, if transforms.Pace.Ends: no row of the document follows

	// Meta are the values of RowOptions.Keep, in that order, "" for none: those of a
	// document, or those that all documents in a file have; nil if it has none.
	Meta []parquet.KeyValue `json:"meta,omitempty"`

	Counts
}

// MergeMeta adds the values of a document, or of documents that agree, to those of
// the file: what is not the same in all of them is none. nil adds nothing.
func (f *File) MergeMeta(values []parquet.KeyValue) {
	if f.Meta == nil {
		f.Meta = slices.Clone(values)
		return
	}
	for i := range min(len(values), len(f.Meta)) {
		if f.Meta[i] != values[i] {
			f.Meta[i].Value = ""
		}
	}
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

// Check says which sum does not close, nil if all do.
func (c *Counts) Check() error {
	if c.Blocks != c.Segmented+c.BlocksFailed {
		return fmt.Errorf("%d blocks were read, but %d were segmented and %d failed", c.Blocks, c.Segmented, c.BlocksFailed)
	}
	if c.Sentences != c.Trees+c.SentencesFailed {
		return fmt.Errorf("there were %d sentences, but %d got trees and %d failed", c.Sentences, c.Trees, c.SentencesFailed)
	}
	return nil
}

// MuchRepaired reports whether over 1 % had to be repaired.
func (f *File) MuchRepaired() bool { return f.Repaired*100 > f.End-f.Start }

// otherEncoding is what to say of a file of which much had to be repaired.
func (f *File) otherEncoding() string {
	what := fmt.Sprintf("%s: %d of its characters were invalid %s; ", f.URI, f.Repaired, f.Encoding)
	if f.Format == string(source.JSONL) || f.Format == string(source.Parquet) {
		return what + "if it has another encoding, make it UTF-8 first"
	}
	if f.Suspect == "" {
		return what + "if it has another encoding, give it with --encoding"
	}
	return what + "it looks like " + f.Suspect + ": give --encoding " + f.Suspect
}

// document is the row of documents/ of a file that was read by all its ranges.
func (f *File) document() parquet.Document {
	d := parquet.Document{
		DocID: f.DocID, SourceURI: f.URI, SourceVersion: f.Version, StoredBytes: f.Stored,
		StartByte: f.Start, EndByte: f.End, Format: f.Format, Encoding: f.Encoding, Lines: f.Lines,
		Blocks: f.Blocks, BlocksFailed: f.BlocksFailed, Sentences: f.Sentences, Trees: f.Trees,
		Words: f.Words, Failures: f.Errors, Warnings: f.Warnings, Repaired: f.Repaired,
		UnknownWords: f.Unknown, Meta: f.Meta,
	}
	if e := f.Expected.Forecast(); e != nil {
		d.CalibratedWords = e.Words
		d.ExpectedUPOS, d.ExpectedUPOSStderr = float64(e.UPOS), float64(e.UPOSStderr)
		d.ExpectedUAS, d.ExpectedUASStderr = float64(e.UAS), float64(e.UASStderr)
		d.ExpectedLAS, d.ExpectedLASStderr = float64(e.LAS), float64(e.LASStderr)
	}
	return d
}

// SentenceID is the sentence's own id, else one made of its document's and of
// where it begins.
func SentenceID(s *syntax.Sentence, docID string) string {
	if s.ID != "" {
		return s.ID
	}
	return docID + "@" + strconv.FormatInt(s.StartByte, 10)
}
