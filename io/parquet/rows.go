// Package parquet writes and reads the output of a run: trees/, failures/ and
// documents/, one row per sentence, failure and input file, in files that
// pyarrow, DuckDB, Polars and arrow-go read. The names of the columns that
// describe a sentence are those of the Hugging Face Universal Dependencies
// data sets.
//
// The same rows and footer give the same bytes, always.
package parquet

// FormatVersion is part of every run's fingerprint: it changes when the same
// sentences would give other files.
const FormatVersion = "4"

// A Tree is one row of trees/: a parsed sentence. Rows are sorted by
// (SourceURI, StartByte). Lists with one element per word are parallel. Where
// the tags say optional, "" and nil are null in the file.
type Tree struct {
	SentID     string      `parquet:"sent_id"`       // CoNLL's own, else <doc_id>@<start_byte>
	Text       string      `parquet:"text,optional"` // "" (null) is unknown
	Comments   []string    `parquet:"comments,list"` // whole comment lines, in order
	Tokens     []string    `parquet:"tokens,list"`   // forms of the syntactic words
	Lemmas     []string    `parquet:"lemmas,list" parquet-element:",dict,optional"`
	UPOS       []string    `parquet:"upos,list" parquet-element:",dict,optional"`
	XPOS       []string    `parquet:"xpos,list" parquet-element:",dict,optional"`
	Feats      []string    `parquet:"feats,list" parquet-element:",dict,optional"`
	Head       []int32     `parquet:"head,list"` // 0 is the root
	Deprel     []string    `parquet:"deprel,list" parquet-element:",dict,optional"`
	Deps       []string    `parquet:"deps,list" parquet-element:",dict,optional"`
	Misc       []string    `parquet:"misc,list" parquet-element:",dict,optional"`
	MWT        []MWT       `parquet:"mwt,list"`
	EmptyNodes []EmptyNode `parquet:"empty_nodes,list"`

	DocID         string  `parquet:"doc_id,dict"`
	SourceURI     string  `parquet:"source_uri,dict"`
	SourceVersion string  `parquet:"source_version,dict"` // sha256 of the stored bytes
	StartByte     int64   `parquet:"start_byte"`          // in the decompressed source
	EndByte       int64   `parquet:"end_byte"`
	StartChar     []int32 `parquet:"start_char,list,optional"` // code points into Text
	EndChar       []int32 `parquet:"end_char,list,optional"`

	HeadMarginal  []float32 `parquet:"head_marginal,list,optional"`
	HeadMargin    []float32 `parquet:"head_margin,list,optional"`
	LabelMarginal []float32 `parquet:"label_marginal,list,optional"`
	HeadConf      []float32 `parquet:"head_conf,list,optional"`   // null until calibrated
	DeprelConf    []float32 `parquet:"deprel_conf,list,optional"` // null until calibrated
	UPOSConf      []float32 `parquet:"upos_conf,list,optional"`   // null until calibrated
	TreeMargin    float32   `parquet:"tree_margin"`
	TreeScore     float32   `parquet:"tree_score"`
	TreeConf      *float32  `parquet:"tree_conf,optional"`        // null until calibrated
	Certificate   string    `parquet:"certificate,dict,optional"` // syntax.Certificate
	Restarts      int32     `parquet:"restarts"`
	NCandidates   int32     `parquet:"n_candidates"`
	Status        string    `parquet:"status,dict"` // syntax.Status
	ModelID       string    `parquet:"model_id,dict"`

	// Meta are values of the input's record, in the order of their columns
	// (MetaColumn), "" for null: see Writer.
	Meta []KeyValue `parquet:"-"`
}

// An MWT is a multiword token; ID is "1-2".
type MWT struct {
	ID    string `parquet:"id"`
	Form  string `parquet:"form"`
	Feats string `parquet:"feats,optional"`
	Misc  string `parquet:"misc,optional"`
	// Rest is syntax.MultiwordToken.Rest, null as a rule.
	Rest string `parquet:"rest,optional"`
}

// An EmptyNode is a node of the enhanced graph; ID is "22.1".
type EmptyNode struct {
	ID     string `parquet:"id"`
	Form   string `parquet:"form,optional"`
	Lemma  string `parquet:"lemma,optional"`
	UPOS   string `parquet:"upos,optional"`
	XPOS   string `parquet:"xpos,optional"`
	Feats  string `parquet:"feats,optional"`
	Head   string `parquet:"head,optional"`
	Deprel string `parquet:"deprel,optional"`
	Deps   string `parquet:"deps,optional"`
	Misc   string `parquet:"misc,optional"`
}

// A Failure is one row of failures/, sorted by (SourceURI, ByteOffset).
type Failure struct {
	DocID      string `parquet:"doc_id,dict"`
	SourceURI  string `parquet:"source_uri,dict"`
	ByteOffset int64  `parquet:"byte_offset"`
	Line       *int64 `parquet:"line,optional"`
	Stage      string `parquet:"stage,dict"`
	Severity   string `parquet:"severity,dict"`
	Kind       string `parquet:"kind,dict"` // name of a syntax.Kind
	Reason     string `parquet:"reason"`
	Text       string `parquet:"text,optional"`
	// Block is the whole CoNLL sentence, comments included, if one that was
	// read could not be parsed: convert puts it back in its place.
	Block string `parquet:"block,optional"`
}

// A Document is one row of documents/: an input file, empty and unreadable ones
// included.
type Document struct {
	DocID         string `parquet:"doc_id"`
	SourceURI     string `parquet:"source_uri"`
	SourceVersion string `parquet:"source_version"` // sha256 of the stored bytes; "" if they could not all be read or are no text
	StoredBytes   int64  `parquet:"stored_bytes"`   // size of the file
	StartByte     int64  `parquet:"start_byte"`     // what was covered of the decompressed source,
	EndByte       int64  `parquet:"end_byte"`       // half open; empty if Start == End
	Format        string `parquet:"format,dict"`
	Encoding      string `parquet:"encoding,dict,optional"`
	Lines         string `parquet:"lines,dict,optional"` // text: what a line break was taken to mean
	Blocks        int64  `parquet:"blocks"`
	BlocksFailed  int64  `parquet:"blocks_failed"`
	Sentences     int64  `parquet:"sentences"` // made of the blocks
	Trees         int64  `parquet:"trees"`
	Words         int64  `parquet:"words"`    // in trees
	Failures      int64  `parquet:"failures"` // rows of severity error
	Warnings      int64  `parquet:"warnings"`
	Repaired      int64  `parquet:"repaired"`      // characters replaced by U+FFFD
	UnknownWords  int64  `parquet:"unknown_words"` // in trees, tagged by the model, and not met by it in training

	// How many of Words have calibrated probabilities, and the shares of them
	// that are expected to be right, with their standard errors. All are null if
	// CalibratedWords is 0.
	CalibratedWords    int64   `parquet:"calibrated_words,optional"`
	ExpectedUPOS       float64 `parquet:"expected_upos,optional"`
	ExpectedUPOSStderr float64 `parquet:"expected_upos_stderr,optional"`
	ExpectedUAS        float64 `parquet:"expected_uas,optional"`
	ExpectedUASStderr  float64 `parquet:"expected_uas_stderr,optional"`
	ExpectedLAS        float64 `parquet:"expected_las,optional"`
	ExpectedLASStderr  float64 `parquet:"expected_las_stderr,optional"`

	// Meta are the values that all records of the file have, as Tree.Meta.
	Meta []KeyValue `parquet:"-"`
}
