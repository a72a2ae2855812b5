package output

import (
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
)

// A Batch is what a range adds to an output at once: consecutive rows in input
// order.
type Batch struct {
	Files     []File  // what the rows are about
	Segmented []Count // by file: what became of its blocks
	Trees     []Tree
	Failures  []Failure
	Last      bool   // the range ends with this batch
	Ends      []File // in the last batch: what was read and counted, by piece
}

// A Tree is a parsed sentence and the file that it came from.
type Tree struct {
	File     int32 // index into Batch.Files
	Sentence *syntax.Sentence
}

// A Failure is a row of failures/ and the file that it is about. Block and
// Sentence say what it stands for in the sums.
type Failure struct {
	File     int32  // index into Batch.Files
	Block    bool   // stands for a block that became no sentence
	Sentence bool   // stands for a sentence that became no tree
	CoNLLU   string // a failed sentence without its tree: convert gives it back
	syntax.Failure
}

// A Count is how many blocks became how many sentences.
type Count struct{ Blocks, Sentences int64 }

// FailureText is how many bytes of an offending text a failure row keeps.
const FailureText = 1000

// TreeRow returns the row of trees/ for tree i.
func (b *Batch) TreeRow(i int, modelID string) parquet.Tree {
	t := &b.Trees[i]
	f := &b.Files[t.File]
	return parquet.ToRow(t.Sentence, &parquet.Doc{
		DocID: f.DocID, SourceURI: f.URI, SourceVersion: f.Version, ModelID: modelID, Meta: f.Meta,
	})
}

// FailureRow returns the row of failures/ for failure i.
func (b *Batch) FailureRow(i int) parquet.Failure {
	f := b.Failures[i]
	f.DocID, f.SourceURI = b.Files[f.File].DocID, b.Files[f.File].URI
	f.Text = Cut(f.Text, FailureText)
	row := parquet.ToFailure(&f.Failure)
	row.Block = f.CoNLLU
	return row
}

// Cut returns the longest beginning of s of at most n bytes that does not end
// inside a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
