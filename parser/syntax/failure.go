package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind says what went wrong. The list is closed: every row of failures/ has one of
// these kinds, and docs/failures.md explains all. The zero Kind is KindInternal, so a
// fault without a kind counts as a defect of the program.
type Kind uint8

// The kinds.
var (
	KindInternal     = kind("internal")          // a defect of the program
	KindNotText      = kind("not_text")          // a file that is not text, or not in a format that can be read
	KindBytes        = kind("invalid_bytes")     // warning: invalid bytes became U+FFFD
	KindGone         = kind("file_gone")         // a file that was listed does not exist
	KindPermission   = kind("permission_denied") // a file that may not be read
	KindPath         = kind("bad_path")          // a path that no file can be read at
	KindIrregular    = kind("not_regular_file")  // a pipe, a socket or a device in a folder
	KindUnlisted     = kind("folder_unlisted")   // a folder whose files cannot be listed
	KindTruncated    = kind("truncated")         // compressed data that end too early
	KindDamaged      = kind("damaged")           // compressed or Parquet data that cannot be decoded
	KindColumns      = kind("column_count")      // a line of CoNLL without ten columns
	KindNoValue      = kind("empty_column")      // a column of CoNLL that is empty instead of "_"
	KindWordID       = kind("word_id")           // words of CoNLL whose IDs are not 1, 2, 3 and so on
	KindToken        = kind("multiword_token")   // a multiword token that does not fit its words
	KindEmptyNode    = kind("empty_node")        // an empty node out of its place
	KindComment      = kind("late_comment")      // warning: a comment after the first word
	KindNoWords      = kind("no_words")          // a block of CoNLL without words
	KindLongBlock    = kind("block_too_long")    // a block of CoNLL over a limit
	KindLongColumn   = kind("column_too_long")   // a column over a limit
	KindLongSentence = kind("sentence_too_long") // a sentence over the limit
	KindHead         = kind("bad_head")          // a head that is not a word of the sentence
	KindNoRoot       = kind("no_root")           // heads without a root
	KindTwoRoots     = kind("two_roots")         // heads with several roots
	KindCycle        = kind("cycle")             // heads with a cycle
	KindHeadsLost    = kind("heads_not_kept")    // given heads that the search cannot keep
	KindNoTokens     = kind("no_tokens")         // text of tokens in another format
	KindJSON         = kind("invalid_json")      // a record that is not JSON
	KindNoObject     = kind("no_object")         // a record of JSON that is not an object
	KindNoTextKey    = kind("no_text")           // a record without text
	KindTextType     = kind("text_not_string")   // a record whose text is not a string
	KindKeyTwice     = kind("key_twice")         // a record with two texts
	KindLongRecord   = kind("record_too_long")   // a record over the limit
	KindRecordID     = kind("bad_id")            // warning: a record whose id cannot be used
	KindQuotes       = kind("bad_quotes")        // a row of a table with unbalanced quotes
	KindKept         = kind("value_not_kept")    // warning: a value that was to be kept and cannot be
)

// kindNames are the names of the kinds, by Kind.
var kindNames []string

func kind(name string) Kind {
	kindNames = append(kindNames, name)
	return Kind(len(kindNames) - 1)
}

// Kinds returns all kinds.
func Kinds() []Kind {
	list := make([]Kind, len(kindNames))
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}

// String is the name of the kind, as the column kind of failures/ has it:
// lower-case letters and underscores.
func (k Kind) String() string { return kindNames[k] }

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind. Any other name is an error.
func (k *Kind) UnmarshalText(name []byte) error {
	i := slices.Index(kindNames, string(name))
	if i < 0 {
		return fmt.Errorf("%.40q is not a kind of failure", name)
	}
	*k = Kind(i)
	return nil
}

// A Fault is the reason why something failed or was mended: its kind, and a sentence
// that says what is wrong and what to do. Make one with Because.
type Fault struct {
	Kind   Kind
	Reason string
}

// Because returns a fault of the given kind. It formats the reason like fmt.Sprintf.
func Because(kind Kind, format string, a ...any) Fault {
	return Fault{kind, fmt.Sprintf(format, a...)}
}

func (f Fault) Error() string { return f.Reason }

// Severities of a Failure.
const (
	SeverityError   = "error"   // something is missing from trees/
	SeverityWarning = "warning" // nothing is missing, but look
)

// A Failure is one row of failures/.
type Failure struct {
	Fault
	DocID      string
	SourceURI  string
	ByteOffset int64
	Line       int64 // 1-based; 0 is unknown
	Stage      string
	Severity   string
	Text       string // the offending text, cut at a limit
	// Block is the whole CoNLL sentence if it could be read but not parsed, so that it
	// can be written back in its place; else "".
	Block string
}

// Clip shortens a value for a message to 40 bytes and "...".
func Clip(s string) string {
	const limit = 40
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
