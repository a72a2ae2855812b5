package output

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

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
	Format   string `json:"format"` // a source.Format; "" if it is none of them
	Lines    string `json:"lines,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Stored   int64  `json:"stored_bytes"`
	Tail     int64  `json:"tail,omitempty"` // of the input: no range reads the bytes before it
	Start    int64  `json:"start"`          // the blocks and separators read cover [Start, End)
	End      int64  `json:"end"`
	EOF      bool   `json:"eof"`    // End is the end of the stream
	Failed   bool   `json:"failed"` // could not be read, or not completely: see failures/
	Repaired int64  `json:"repaired_bytes,omitempty"`
	Suspect  string `json:"suspect,omitempty"` // the encoding that it seems to be in, if it was not UTF-8
	Records  int64  `json:"records,omitempty"` // of JSON lines and tables
	// Of a document: the language that it is in, "" if nobody has asked, and how probable
	// that is, 0 if the language is given.
	Language     string  `json:"-"`
	LanguageConf float32 `json:"-"`
	Ruled        bool    `json:"-"` // a rule gives the language: no text shows another
	Ended        bool    `json:"-"` // in Batch.Files, if transforms.Pace.Ends: no row of the document follows

	// Sum is that of the stored bytes; nil if not all could be read or it is not text.
	Sum *source.Sum `json:"sum,omitempty"`

	// Meta are the values of RowOptions.Keep, in that order, "" for none: the values of
	// a document, or the values that all documents in a file share; nil if there are
	// none.
	Meta []parquet.KeyValue `json:"meta,omitempty"`

	Counts
}

// MergeMeta merges the values of a document, or of documents that agree, into those of
// the file: a value that differs between them becomes "". nil changes nothing.
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
	// Languages are the languages of documents and of words of the trees, sorted by code.
	Languages []Language `json:"languages,omitempty"`
}

// A Language counts the text in one language.
type Language struct {
	Code      string `json:"code"`
	Documents int64  `json:"documents"` // files or, in files of records, records, and lines with ByLine
	Words     int64  `json:"words"`     // of trees
	Conf      int64  `json:"conf_sum"`  // sum over the words of syntax.Sentence.LanguageConf, in 1/4096
}

// AddLanguage adds the counts of a language; "" adds nothing.
func (c *Counts) AddLanguage(l Language) {
	if l.Code == "" {
		return
	}
	i, found := slices.BinarySearchFunc(c.Languages, l.Code, func(l Language, code string) int { return strings.Compare(l.Code, code) })
	if !found {
		c.Languages = slices.Insert(c.Languages, i, Language{Code: l.Code})
	}
	to := &c.Languages[i]
	to.Documents += l.Documents
	to.Words += l.Words
	to.Conf += l.Conf
}

// mainLanguage returns the language of most of the words, or of the documents if there
// are no words, and how probable it is on the mean word, 0 if it was given.
func (c *Counts) mainLanguage() (code string, conf float32) {
	if len(c.Languages) == 0 {
		return "", 0
	}
	l := slices.MaxFunc(c.Languages, func(a, b Language) int {
		return cmp.Or(cmp.Compare(a.Words, b.Words), cmp.Compare(a.Documents, b.Documents))
	})
	return l.Code, float32(l.Conf/max(l.Words, 1)) / 4096
}

// add adds d to c.
func (c *Counts) add(d *Counts) {
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
	for _, l := range d.Languages {
		c.AddLanguage(l)
	}
}

// check returns an error that names the first of these equations that does not hold, or
// nil.
func (c *Counts) check() error {
	if c.Blocks != c.Segmented+c.BlocksFailed {
		return fmt.Errorf("%d blocks were read, but %d were segmented and %d failed", c.Blocks, c.Segmented, c.BlocksFailed)
	}
	if c.Sentences != c.Trees+c.SentencesFailed {
		return fmt.Errorf("there were %d sentences, but %d got trees and %d failed", c.Sentences, c.Trees, c.SentencesFailed)
	}
	return nil
}

// MuchRepaired reports whether over 1% of the file had to be repaired.
func (f *File) MuchRepaired() bool {
	size := f.End - f.Start
	if f.Format == string(source.Parquet) { // whose places count no bytes
		size = f.Stored
	}
	return f.Repaired > 0 && f.Repaired*100 > size
}

// otherEncoding is the message about a file that needed many repairs.
func (f *File) otherEncoding() string {
	what := fmt.Sprintf("%s: %d of its characters were invalid %s; ", f.URI, f.Repaired, f.Encoding)
	if f.Format == string(source.JSONL) || f.Format == string(source.Parquet) {
		return what + "if it has another encoding, make it UTF-8 first"
	}
	if f.Suspect == "" {
		return what + "if it has another encoding, give it with --encoding"
	}
	return what + "it looks like " + f.Suspect + ": give --encoding " + f.Suspect + ", which then holds for all files of the run"
}

// document is the row of documents/ of a file that was read by all its ranges.
func (f *File) document() parquet.Document {
	d := parquet.Document{
		DocID: f.DocID, SourceURI: f.URI, SourceVersion: f.version(), StoredBytes: f.Stored,
		StartByte: f.Start, EndByte: f.End, Format: f.Format, Encoding: f.Encoding, Lines: f.Lines,
		Blocks: f.Blocks, BlocksFailed: f.BlocksFailed, Sentences: f.Sentences, Trees: f.Trees,
		Words: f.Words, Failures: f.Errors, Warnings: f.Warnings, Repaired: f.Repaired,
		UnknownWords: f.Unknown, Meta: f.Meta,
	}
	d.Language, d.LanguageConf = f.mainLanguage()
	if e := f.Expected.forecast(); e != nil {
		d.CalibratedWords = e.Words
		d.ExpectedUPOS, d.ExpectedUPOSStderr = float64(e.UPOS), float64(e.UPOSStderr)
		d.ExpectedUAS, d.ExpectedUASStderr = float64(e.UAS), float64(e.UASStderr)
		d.ExpectedLAS, d.ExpectedLASStderr = float64(e.LAS), float64(e.LASStderr)
	}
	return d
}

// version is the column source_version, "" if not all of the file was read.
func (f *File) version() string {
	if f.Sum == nil || f.Sum.To < f.Stored {
		return ""
	}
	return f.Sum.String()
}

// mergeFiles adds up what the ranges read of each file, which must come in order, and
// checks that it was all of it: the intervals tile the decompressed stream, and where
// they do not, a row of failures/ says so. It yields the files one by one, with what is
// wrong with them. The pair without a file is the last: an error of parts.
func mergeFiles(parts iter.Seq2[[]File, error]) iter.Seq2[*File, error] {
	return func(yield func(*File, error) bool) {
		var whole tiles
		for pieces, err := range parts {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range pieces {
				if f, err := whole.add(&pieces[i]); f != nil && !yield(f, err) {
					return
				}
			}
		}
		if f, err := whole.end(); f != nil {
			yield(f, err)
		}
	}
}

// tiles puts the pieces of files together, one file after the other.
type tiles struct {
	file   *File // the sum so far, nil before the first piece
	gap    bool  // the piece before was not read completely, and a row says so
	silent bool  // there was a piece that failed without a row
	err    error // what is wrong with the pieces so far
}

// add adds the next piece. If that is of another file than the one before, add returns
// what end does.
func (t *tiles) add(p *File) (before *File, err error) {
	if t.file == nil || t.file.URI != p.URI {
		before, err = t.end()
		first := *p
		first.Start, first.End, first.EOF, first.Failed = p.Tail, p.Tail, false, false
		first.Repaired, first.Records, first.Meta, first.Counts = 0, 0, nil, Counts{}
		first.Sum = &source.Sum{From: p.Tail, To: p.Tail}
		t.file = &first
	}
	t.err = cmp.Or(t.err, t.lay(p))
	return before, err
}

// lay adds the next piece of the file.
func (t *tiles) lay(p *File) error {
	d := t.file
	if p.Start != p.End { // an empty piece covers nothing and says nothing
		if p.Start < d.End || p.Start > d.End && !t.gap && (d.Tail == 0 || d.End > d.Tail) { // where a tail begins is its reader's affair
			return fmt.Errorf("%s: bytes %d to %d were read by no range or twice", p.URI, d.End, p.Start)
		}
		if d.End == d.Tail {
			d.Start = p.Start
		}
		d.End, t.gap = p.End, false
	}
	if p.Sum == nil || d.Sum == nil {
		d.Sum = nil // not all of the file could be read
	} else if sum, adjacent := d.Sum.Join(*p.Sum); adjacent {
		d.Sum = &sum
	} else {
		return fmt.Errorf("%s: stored bytes %d to %d were summed by no range or twice", p.URI, d.Sum.To, p.Sum.From)
	}
	if d.Format == "" {
		d.Format, d.Lines, d.Encoding = p.Format, p.Lines, p.Encoding
	}
	t.gap = t.gap || p.Failed
	t.silent = t.silent || p.Failed && p.Errors == 0
	d.EOF = p.EOF
	d.Failed = d.Failed || p.Failed
	d.Repaired += p.Repaired
	d.Records += p.Records
	d.MergeMeta(p.Meta)
	d.Counts.add(&p.Counts)
	// One row speaks for all pieces of a file that is none of the formats.
	if t.silent && (d.Errors == 0 || d.Format != "" || d.End > 0) {
		return fmt.Errorf("%s: a part of it could not be read, and failures/ does not say so", p.URI)
	}
	return nil
}

// end returns the file, with what is wrong with it, and is ready for the next one. There
// may be no file.
func (t *tiles) end() (*File, error) {
	f, err := t.file, t.err
	if f != nil && err == nil && !f.EOF && !t.gap {
		err = fmt.Errorf("%s was not read to its end", f.URI)
	}
	*t = tiles{}
	return f, err
}

// pieceSums are what the stages have made of each piece of a range.
type pieceSums map[int]*File

// of returns the sums of the piece that f is in.
func (s pieceSums) of(f *File) *File {
	sums := s[f.Piece]
	if sums == nil {
		sums = &File{Piece: f.Piece, URI: f.URI}
		s[f.Piece] = sums
	}
	return sums
}

// add counts what is in b.
func (s pieceSums) add(b *Batch) {
	for i := range b.Segmented {
		sums := s.of(&b.Files[i])
		sums.Segmented += b.Segmented[i].Blocks
		sums.Sentences += b.Segmented[i].Sentences
	}
	for i := range b.Trees {
		sentence := b.Trees[i].Sentence
		sums := s.of(&b.Files[b.Trees[i].File])
		sums.Trees++
		sums.Words += int64(len(sentence.Words))
		sums.Meet(sentence)
		sums.Expected.Add(&sentence.Confidence.Expected)
		words := int64(len(sentence.Words))
		sums.AddLanguage(Language{Code: sentence.Language, Words: words, Conf: words * int64(sentence.LanguageConf*4096)})
	}
	for i := range b.Failures {
		row := &b.Failures[i]
		sums := s.of(&b.Files[row.File])
		if row.Block {
			sums.BlocksFailed++
		}
		if row.Sentence {
			sums.SentencesFailed++
		}
		if row.Kind == syntax.KindInternal {
			sums.Internal++
		}
		if row.Severity == syntax.SeverityWarning {
			sums.Warnings++
		} else {
			sums.Errors++
		}
	}
}

// close completes what Read has counted with these sums. It says if something
// was lost on the way.
func (s pieceSums) close(ends []File) error {
	for i := range ends {
		end := &ends[i]
		if sums := s[end.Piece]; sums != nil {
			read := end.Counts
			end.Counts = sums.Counts
			end.Blocks = read.Blocks
			for _, l := range read.Languages {
				end.AddLanguage(l)
			}
			delete(s, end.Piece)
		}
		if err := end.check(); err != nil {
			return fmt.Errorf("%s: %w: something was lost between Read and Write", end.URI, err)
		}
	}
	if len(s) > 0 {
		return fmt.Errorf("rows of %d files came to Write that Read did not count", len(s))
	}
	return nil
}
