// Package parquet writes and reads the output of a run: trees/, failures/ and
// documents/, one row per sentence, failure and input file, in files that
// pyarrow, DuckDB, Polars and arrow-go read. The names of the columns that
// describe a sentence are those of the Hugging Face Universal Dependencies
// data sets.
//
// The same rows and footer give the same bytes, always.
package parquet

import (
	"github.com/treebeam/treebeam/parser/syntax"
)

// FormatVersion is part of every run's fingerprint: it changes when the same
// sentences would give other files.
const FormatVersion = "1"

// A Tree is one row of trees/: a parsed sentence. Rows are sorted by
// (SourceURI, StartByte). Lists with one element per word are parallel. In
// []string lists whose elements may be absent, "" is null in the file.
type Tree struct {
	SentID     string      `parquet:"sent_id,zstd"`       // CoNLL's own, else <doc_id>@<start_byte>
	Text       string      `parquet:"text,zstd,optional"` // "" (null) is unknown
	Comments   []string    `parquet:"comments,zstd,list"` // whole comment lines, in order
	Tokens     []string    `parquet:"tokens,zstd,list"`   // forms of the syntactic words
	Lemmas     []string    `parquet:"lemmas,zstd,list" parquet-element:",zstd,dict,optional"`
	UPOS       []string    `parquet:"upos,list" parquet-element:",zstd,dict,optional"`
	XPOS       []string    `parquet:"xpos,list" parquet-element:",zstd,dict,optional"`
	Feats      []string    `parquet:"feats,list" parquet-element:",zstd,dict,optional"`
	Head       []int32     `parquet:"head,list" parquet-element:",zstd"` // 0 is the root
	Deprel     []string    `parquet:"deprel,list" parquet-element:",zstd,dict,optional"`
	Deps       []string    `parquet:"deps,list" parquet-element:",zstd,dict,optional"`
	Misc       []string    `parquet:"misc,list" parquet-element:",zstd,dict,optional"`
	MWT        []MWT       `parquet:"mwt,list"`
	EmptyNodes []EmptyNode `parquet:"empty_nodes,list"`

	DocID         string  `parquet:"doc_id,zstd,dict"`
	SourceURI     string  `parquet:"source_uri,zstd,dict"`
	SourceVersion string  `parquet:"source_version,zstd,dict"` // sha256 of the stored bytes
	StartByte     int64   `parquet:"start_byte,zstd"`          // in the decompressed source
	EndByte       int64   `parquet:"end_byte,zstd"`
	StartChar     []int32 `parquet:"start_char,list,optional" parquet-element:",zstd"` // code points into Text
	EndChar       []int32 `parquet:"end_char,list,optional" parquet-element:",zstd"`

	HeadMarginal  []float32 `parquet:"head_marginal,list,optional" parquet-element:",zstd"`
	HeadMargin    []float32 `parquet:"head_margin,list,optional" parquet-element:",zstd"`
	HeadAgreement []float32 `parquet:"head_agreement,list,optional" parquet-element:",zstd"`
	LabelMarginal []float32 `parquet:"label_marginal,list,optional" parquet-element:",zstd"`
	HeadConf      []float32 `parquet:"head_conf,list,optional" parquet-element:",zstd"`   // null until calibrated
	DeprelConf    []float32 `parquet:"deprel_conf,list,optional" parquet-element:",zstd"` // null until calibrated
	TreeMargin    float32   `parquet:"tree_margin,zstd"`
	TreeAgreement float32   `parquet:"tree_agreement,zstd"`
	TreeScore     float32   `parquet:"tree_score,zstd"`
	TreeConf      *float32  `parquet:"tree_conf,zstd,optional"` // null until calibrated
	Restarts      int32     `parquet:"restarts,zstd"`
	NCandidates   int32     `parquet:"n_candidates,zstd"`
	Status        string    `parquet:"status,zstd,dict"` // syntax.Status
	ModelID       string    `parquet:"model_id,zstd,dict"`
}

// An MWT is a multiword token; ID is "1-2".
type MWT struct {
	ID    string `parquet:"id,zstd"`
	Form  string `parquet:"form,zstd"`
	Feats string `parquet:"feats,zstd,optional"`
	Misc  string `parquet:"misc,zstd,optional"`
}

// An EmptyNode is a node of the enhanced graph; ID is "22.1".
type EmptyNode struct {
	ID     string `parquet:"id,zstd"`
	Form   string `parquet:"form,zstd,optional"`
	Lemma  string `parquet:"lemma,zstd,optional"`
	UPOS   string `parquet:"upos,zstd,optional"`
	XPOS   string `parquet:"xpos,zstd,optional"`
	Feats  string `parquet:"feats,zstd,optional"`
	Head   string `parquet:"head,zstd,optional"`
	Deprel string `parquet:"deprel,zstd,optional"`
	Deps   string `parquet:"deps,zstd,optional"`
	Misc   string `parquet:"misc,zstd,optional"`
}

// A Failure is one row of failures/, sorted by (SourceURI, ByteOffset).
type Failure struct {
	DocID      string `parquet:"doc_id,zstd,dict"`
	SourceURI  string `parquet:"source_uri,zstd,dict"`
	ByteOffset int64  `parquet:"byte_offset,zstd"`
	Line       *int64 `parquet:"line,zstd,optional"`
	Stage      string `parquet:"stage,zstd,dict"`
	Severity   string `parquet:"severity,zstd,dict"`
	Reason     string `parquet:"reason,zstd"`
	Text       string `parquet:"text,zstd,optional"`
	// Block is the whole CoNLL sentence, comments included, if one that was
	// read could not be parsed: convert puts it back in its place.
	Block string `parquet:"block,zstd,optional"`
}

// A Document is one row of documents/: an input file, or what one range read
// of it (then Merge makes one of the rows of a file).
type Document struct {
	DocID         string `parquet:"doc_id,zstd"`
	SourceURI     string `parquet:"source_uri,zstd"`
	SourceVersion string `parquet:"source_version,zstd"` // sha256 of the stored bytes; "" if it was not readable
	StoredBytes   int64  `parquet:"stored_bytes,zstd"`   // size of the file
	StartByte     int64  `parquet:"start_byte,zstd"`     // what was covered of the decompressed source,
	EndByte       int64  `parquet:"end_byte,zstd"`       // half open; empty if Start == End
	Format        string `parquet:"format,zstd,dict"`
	Encoding      string `parquet:"encoding,zstd,dict,optional"`
	Lines         string `parquet:"lines,zstd,dict,optional"` // text: what a line break was taken to mean
	Blocks        int64  `parquet:"blocks,zstd"`
	BlocksFailed  int64  `parquet:"blocks_failed,zstd"`
	Sentences     int64  `parquet:"sentences,zstd"` // made of the blocks
	Trees         int64  `parquet:"trees,zstd"`
	Words         int64  `parquet:"words,zstd"`    // in trees
	Failures      int64  `parquet:"failures,zstd"` // rows of severity error
	Warnings      int64  `parquet:"warnings,zstd"`
	Repaired      int64  `parquet:"repaired,zstd"` // characters replaced by U+FFFD
}

// A Doc says where a sentence comes from, for ToRow.
type Doc struct {
	DocID         string
	SourceURI     string
	SourceVersion string
	ModelID       string
}

// ToRow returns the row of a parsed sentence. The row shares the sentence's
// slices where it can; neither may change afterwards.
func ToRow(s *syntax.Sentence, d *Doc) Tree { return Tree{} }

// FromRow returns the sentence of a row: what ToRow was given but for Line and
// the candidates. A sent_id that ToRow made up is not set as the sentence's ID.
func FromRow(t *Tree) (syntax.Sentence, error) { return syntax.Sentence{}, nil }

// ToFailure returns the row of a failure.
func ToFailure(f *syntax.Failure) Failure { return Failure{} }

// FromFailure returns the failure of a row.
func FromFailure(r *Failure) syntax.Failure { return syntax.Failure{} }

// Merge adds up the rows of one file, in the order of their ranges, and checks
// that their covers follow each other from 0 without a gap. Format, Encoding
// and Lines come from the first row.
func Merge(rows []Document) (Document, error) { return Document{}, nil }
