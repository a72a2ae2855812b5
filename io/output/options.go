package output

import (
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
)

// FormatVersion changes whenever the same input and model give other bytes: its
// first number when the program makes other rows, its second one with the columns.
const FormatVersion = "4." + parquet.FormatVersion

// RowOptions are the options that change rows. They are part of the
// fingerprint, so nothing else may change a byte of trees/ or failures/.
type RowOptions struct {
	From     string `json:"from"`               // "auto" or a format
	Encoding string `json:"encoding"`           // of raw text
	Lines    string `json:"lines"`              // auto, wrapped, paragraph or sentence
	Document string `json:"document,omitempty"` // of raw text: "" for files, or ByLine
	TextKey  string `json:"text_key,omitempty"` // of JSON lines and tables, "" is record.DefaultText
	IDKey    string `json:"id_key,omitempty"`   // likewise, "" is record.DefaultID
	// Keep are the keys and columns whose values become columns of the output, with
	// commas between them: see parquet.MetaColumn.
	Keep     string `json:"keep,omitempty"`
	Words    bool   `json:"words,omitempty"` // words/, too: a row for each word
	MaxWords int    `json:"max_words"`       // raw sentences are cut above this
	// Ranges puts where a token of raw text stands into MISC: TokenRange=start:end, in
	// code points of its document, half open.
	Ranges bool `json:"ranges,omitempty"`
	Retag  bool `json:"retag"`
	// KeepHeads keeps the heads that CoNLL input gives, and their deprels.
	KeepHeads bool `json:"keep_heads"`
	// StopAfter is the last stage that is run: StopSegment, StopTag or "" for
	// all of them.
	StopAfter string `json:"stop_after,omitempty"`
	// Effort is how sure a parse without the encoder must be to be kept, as a
	// number from 0 to 1; "" is 1, for a model without an encoder too.
	Effort string `json:"effort,omitempty"`
	// Digests of what a user knows of the text (transforms.CustomTexts), "" for nothing.
	Abbreviations string `json:"abbreviations,omitempty"`
	KeepTogether  string `json:"keep_together,omitempty"`
	Exceptions    string `json:"exceptions,omitempty"`
	// Unconstrained allows trees that break rules of Universal Dependencies.
	Unconstrained bool `json:"unconstrained,omitempty"`

	Parse ParseOptions `json:"parse"`
}

// KeepKeys is Keep as a list.
func (o *RowOptions) KeepKeys() []string {
	if o.Keep == "" {
		return nil
	}
	return strings.Split(o.Keep, ",")
}

// Stages that a run can end with, without trees.
const (
	StopSegment = "segment"
	StopTag     = "tag"
)

// ByLine is the value of RowOptions.Document that makes every line of raw
// text a document.
const ByLine = "line"

// ParseOptions are the dials of the search that the command line can turn.
// The zero value is the model's own default.
type ParseOptions struct {
	Seed       uint64 `json:"seed"`
	Restarts   int    `json:"restarts"`
	Exact      int    `json:"exact,omitempty"`
	Budget     int    `json:"budget,omitempty"`
	Projective bool   `json:"projective,omitempty"`
	Certify    int    `json:"certify,omitempty"`
}
