// Package parquet writes and reads the output of a run: trees/, failures/ and
// documents/, one row per sentence, failure and input file, in files that
// pyarrow, DuckDB, Polars and arrow-go read. The names of the columns that
// describe a sentence are those of the Hugging Face Universal Dependencies
// data sets.
//
// The same rows and footer give the same bytes, always.
package parquet

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/parser/syntax"
)

// FormatVersion is part of every run's fingerprint: it changes when the same
// sentences would give other files.
const FormatVersion = "6"

// A Failure is one row of failures/, sorted by (SourceURI, ByteOffset).
type Failure struct {
	// as in trees
	DocID string `parquet:"doc_id,dict" column:"bounded"`
	// as in trees
	SourceURI string `parquet:"source_uri,dict" column:"bounded"`
	// position in the decompressed source
	ByteOffset int64 `parquet:"byte_offset"`
	// position as a line, counted from 1. Known for files that one range read from their beginning
	// Null: unknown
	Line *int64 `parquet:"line,optional"`
	// `read`, `segment`, `encode`, `tag`, `prune` or `parse`
	Stage string `parquet:"stage,dict" column:"short"`
	// `error` or `warning`
	Severity string `parquet:"severity,dict" column:"short"`
	// what sort of problem it is, from the closed list in [failures.md](failures.md#kinds). `internal` is
	// a bug in treebeam: please report it
	Kind string `parquet:"kind,dict" column:"short"`
	// the details, with the remedy if there is one
	Reason string `parquet:"reason"`
	// the text at fault, cut off after 1,000 bytes
	// Null: there is none
	Text string `parquet:"text,optional"`
	// the whole sentence without its tree: `treebeam convert` puts it back in its place
	// Null: not a CoNLL sentence
	Block string `parquet:"block,optional"`
}

// A Document is one row of documents/: an input file, empty and unreadable ones
// included.
type Document struct {
	// path of the file. Its records, or its lines with `--document line`, have ids of their own in trees
	DocID string `parquet:"doc_id" column:"bounded"`
	// as in trees
	SourceURI string `parquet:"source_uri" column:"bounded"`
	// CRC-64/NVME of the stored (compressed) file, after `crc64nvme:`: the same wherever the file is and however it
	// is split into ranges; empty if the file, or a range of it, could not be read, or is not text
	SourceVersion string `parquet:"source_version" column:"bounded"`
	// size of the file
	StoredBytes int64 `parquet:"stored_bytes"`
	// the part of the decompressed source that was read begins here
	StartByte int64 `parquet:"start_byte"`
	// and ends here
	EndByte int64 `parquet:"end_byte"`
	// `text`, `conllu`, `conllx`, `jsonl`, `csv`, `tsv`, `parquet`, `tokens` or `vertical`; empty if it is
	// none of them
	Format string `parquet:"format,dict" column:"short"`
	// the encoding that the file was read in
	// Null: not text
	Encoding string `parquet:"encoding,dict,optional" column:"short"`
	// what a line break was taken to mean: `wrapped`, `paragraph` or `sentence`
	// Null: not raw text; JSON Lines and tables, where each record has its own
	Lines string `parquet:"lines,dict,optional" column:"short"`
	// paragraphs; sentences of CoNLL and of pre-tokenized text; records that could not be read
	Blocks int64 `parquet:"blocks"`
	// how many of them gave no sentences
	BlocksFailed int64 `parquet:"blocks_failed"`
	// sentences in the others
	Sentences int64 `parquet:"sentences"`
	// how many of these are in trees/
	Trees int64 `parquet:"trees"`
	// words in these trees
	Words int64 `parquet:"words"`
	// rows of severity `error`
	Failures int64 `parquet:"failures"`
	// rows of severity `warning`
	Warnings int64 `parquet:"warnings"`
	// characters that became U+FFFD
	Repaired int64 `parquet:"repaired"`
	// words in these trees that begin with a letter and that the model did not meet in training; sentences
	// that came with tags or in other languages than the model's are not counted. Over half of `words`: probably [another language](languages.md)
	UnknownWords int64 `parquet:"unknown_words"`
	// code of the language that most words of these trees were parsed in, as in trees
	// Null: unknown
	Language string `parquet:"language,dict,optional" column:"short"`
	// mean of `language_conf` over the words in that language
	// Null: the language was not found in the text
	LanguageConf float32 `parquet:"language_conf,optional" null:"LanguageConf"`
	// words of these trees with calibrated probabilities; the next columns are about these words
	// Null: there are none: the model is not calibrated, or there are no trees
	CalibratedWords int64 `parquet:"calibrated_words,optional" null:"CalibratedWords"`
	// share of them, in [0, 1], expected to have the right UPOS
	// Null: as above
	ExpectedUPOS float64 `parquet:"expected_upos,optional" null:"CalibratedWords"`
	// its standard error
	// Null: as above
	ExpectedUPOSStderr float64 `parquet:"expected_upos_stderr,optional" null:"CalibratedWords"`
	// share expected to have the right head
	// Null: as above
	ExpectedUAS float64 `parquet:"expected_uas,optional" null:"CalibratedWords"`
	// its standard error
	// Null: as above
	ExpectedUASStderr float64 `parquet:"expected_uas_stderr,optional" null:"CalibratedWords"`
	// share expected to have the right head and, subtypes aside, the right deprel
	// Null: as above
	ExpectedLAS float64 `parquet:"expected_las,optional" null:"CalibratedWords"`
	// its standard error
	// Null: as above
	ExpectedLASStderr float64 `parquet:"expected_las_stderr,optional" null:"CalibratedWords"`

	// Meta are the values that all records of the file have, as Tree.Meta.
	Meta []KeyValue `parquet:"-"`
}

// Expected returns the sums behind the shares of the row: right words are exact
// up to 2^37 words, variances as far as a standard error tells them.
func (d *Document) Expected() *syntax.Expected {
	const unit = 4096
	n := float64(d.CalibratedWords)
	estimate := func(share, stderr float64) syntax.Estimate {
		words := stderr * n
		return syntax.Estimate{Right: int64(math.Round(share * n * unit)), Variance: int64(math.Round(words * words * unit))}
	}
	return &syntax.Expected{Words: d.CalibratedWords, UPOS: estimate(d.ExpectedUPOS, d.ExpectedUPOSStderr),
		UAS: estimate(d.ExpectedUAS, d.ExpectedUASStderr), LAS: estimate(d.ExpectedLAS, d.ExpectedLASStderr)}
}

// An Entry is one row of a snapshot: a document that is current, and the run
// whose folder holds its rows. Rows are sorted by SourceURI, which is unique.
type Entry struct {
	Document
	Version string `parquet:"version"`  // of the source file as it was listed: source.Input.Version
	Run     string `parquet:"run,dict"` // name of the run's folder in data/
}

// ToFailure returns the row of a failure.
func ToFailure(f *syntax.Failure) Failure {
	r := Failure{
		DocID: f.DocID, SourceURI: f.SourceURI, ByteOffset: f.ByteOffset,
		Stage: f.Stage, Severity: f.Severity, Kind: f.Kind.String(), Reason: valid(f.Reason), Text: valid(f.Text), Block: valid(f.Block),
	}
	if f.Line > 0 {
		line := f.Line
		r.Line = &line
	}
	return r
}

// valid returns s as UTF-8: readers refuse a whole file for one bad byte.
func valid(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// FromFailure returns the failure of a row. An unknown kind is an error.
func FromFailure(r *Failure) (syntax.Failure, error) {
	f := syntax.Failure{
		DocID: r.DocID, SourceURI: r.SourceURI, ByteOffset: r.ByteOffset,
		Stage: r.Stage, Severity: r.Severity, Fault: syntax.Fault{Reason: r.Reason}, Text: r.Text, Block: r.Block,
	}
	if r.Line != nil {
		f.Line = *r.Line
	}
	if err := f.Kind.UnmarshalText([]byte(r.Kind)); err != nil {
		return f, fmt.Errorf("row of %s at byte %d: %w", r.SourceURI, r.ByteOffset, err)
	}
	return f, nil
}

// A Word is one row of words/: a syntactic word of a tree, with its elements of the
// tree's lists. Rows are in the order of trees and of their words.
type Word struct {
	// as in trees
	DocID string `parquet:"doc_id,dict" column:"bounded"`
	// as in trees
	SourceURI string `parquet:"source_uri,dict" column:"bounded"`
	// as in trees
	SentID string `parquet:"sent_id,dict"`
	// number of the word in its sentence, from 1
	ID int32 `parquet:"id"`
	// FORM
	Form string `parquet:"form,dict"`
	// LEMMA
	// Null: `_`
	Lemma string `parquet:"lemma,dict,optional"`
	// UPOS
	// Null: `_`
	UPOS string `parquet:"upos,dict,optional"`
	// XPOS
	// Null: `_`
	XPOS string `parquet:"xpos,dict,optional"`
	// FEATS
	// Null: `_`
	Feats string `parquet:"feats,dict,optional"`
	// HEAD: the `id` of another word of the sentence, or 0
	// Null: never in practice
	Head *int32 `parquet:"head,optional"`
	// DEPREL
	// Null: never in practice
	Deprel string `parquet:"deprel,dict,optional"`
	// first character in the `text` of the tree
	// Null: the tokens are not those of the text
	StartChar *int32 `parquet:"start_char,optional"`
	// the character after the last one
	// Null: the tokens are not those of the text
	EndChar *int32 `parquet:"end_char,optional"`
	// probability that the head is right
	// Null: the model is not calibrated
	HeadConf *float32 `parquet:"head_conf,optional"`
	// probability that head and deprel are right
	// Null: as above
	DeprelConf *float32 `parquet:"deprel_conf,optional"`
	// probability that the UPOS is right
	// Null: as above
	UPOSConf *float32 `parquet:"upos_conf,optional"`

	// Meta are the values that were kept of the document: see Tree.Meta.
	Meta []KeyValue `parquet:"-"`
}

// AppendWords appends the words of a tree to dst. They share its memory.
func AppendWords(dst []Word, t *Tree) []Word {
	for i, form := range t.Tokens {
		w := Word{
			DocID: t.DocID, SourceURI: t.SourceURI, SentID: t.SentID, ID: int32(i + 1), Form: form,
			Lemma: at(t.Lemmas, i), UPOS: at(t.UPOS, i), XPOS: at(t.XPOS, i), Feats: at(t.Feats, i), Deprel: at(t.Deprel, i),
			StartChar: element(t.StartChar, i), EndChar: element(t.EndChar, i),
			HeadConf: element(t.HeadConf, i), DeprelConf: element(t.DeprelConf, i), UPOSConf: element(t.UPOSConf, i), Meta: t.Meta,
		}
		if h := element(t.Head, i); h != nil && *h >= 0 {
			w.Head = h
		}
		dst = append(dst, w)
	}
	return dst
}

// element returns an element of a list, nil if the list has none there.
func element[T any](list []T, i int) *T {
	if i >= len(list) {
		return nil
	}
	return &list[i]
}
