package syntax

import (
	"fmt"
	"strings"
)

// A Kind says what went wrong. The list is closed: every row of failures/ has one of
// these kinds, and docs/failures.md explains all. The zero Kind is KindInternal, so a
// fault without a kind counts as a defect of the program.
type Kind uint8

// The names of kinds are in kindNames.
const (
	KindInternal     Kind = iota // a defect of the program
	KindNotText                  // a file that is not text, or not in a format that can be read
	KindBytes                    // warning: invalid bytes became U+FFFD
	KindGone                     // a file that was listed does not exist
	KindPermission               // a file that may not be read
	KindPath                     // a path that no file can be read at
	KindIrregular                // a pipe, a socket or a device in a folder
	KindUnlisted                 // a folder whose files cannot be listed
	KindTruncated                // compressed data that end too early
	KindDamaged                  // compressed or Parquet data that cannot be decoded
	KindColumns                  // a line of CoNLL without ten columns
	KindNoValue                  // a column of CoNLL that is empty instead of "_"
	KindWordID                   // words of CoNLL whose IDs are not 1, 2, 3 and so on
	KindToken                    // a multiword token that does not fit its words
	KindEmptyNode                // an empty node out of its place
	KindComment                  // warning: a comment after the first word
	KindNoWords                  // a block of CoNLL without words
	KindLongBlock                // a block of CoNLL over a limit
	KindLongColumn               // a column over a limit
	KindLongSentence             // a sentence over the limit
	KindHead                     // a head that is not a word of the sentence
	KindNoRoot                   // heads without a root
	KindTwoRoots                 // heads with several roots
	KindCycle                    // heads with a cycle
	KindHeadsLost                // given heads that the search cannot keep
	KindNoTokens                 // text of tokens in another format
	KindJSON                     // a record that is not JSON
	KindNoObject                 // a record of JSON that is not an object
	KindNoTextKey                // a record without text
	KindTextType                 // a record whose text is not a string
	KindKeyTwice                 // a record with two texts
	KindLongRecord               // a record over the limit
	KindRecordID                 // warning: a record whose id cannot be used
	KindQuotes                   // a row of a table with unbalanced quotes
	KindKept                     // warning: a value that was to be kept and cannot be
	kinds
)

var kindNames = [kinds]string{
	KindInternal:     "internal",
	KindNotText:      "not_text",
	KindBytes:        "invalid_bytes",
	KindGone:         "file_gone",
	KindPermission:   "permission_denied",
	KindPath:         "bad_path",
	KindIrregular:    "not_regular_file",
	KindUnlisted:     "folder_unlisted",
	KindTruncated:    "truncated",
	KindDamaged:      "damaged",
	KindColumns:      "column_count",
	KindNoValue:      "empty_column",
	KindWordID:       "word_id",
	KindToken:        "multiword_token",
	KindEmptyNode:    "empty_node",
	KindComment:      "late_comment",
	KindNoWords:      "no_words",
	KindLongBlock:    "block_too_long",
	KindLongColumn:   "column_too_long",
	KindLongSentence: "sentence_too_long",
	KindHead:         "bad_head",
	KindNoRoot:       "no_root",
	KindTwoRoots:     "two_roots",
	KindCycle:        "cycle",
	KindHeadsLost:    "heads_not_kept",
	KindNoTokens:     "no_tokens",
	KindJSON:         "invalid_json",
	KindNoObject:     "no_object",
	KindNoTextKey:    "no_text",
	KindTextType:     "text_not_string",
	KindKeyTwice:     "key_twice",
	KindLongRecord:   "record_too_long",
	KindRecordID:     "bad_id",
	KindQuotes:       "bad_quotes",
	KindKept:         "value_not_kept",
}

// Kinds returns all kinds.
func Kinds() []Kind {
	list := make([]Kind, kinds)
	for i := range list {
		list[i] = Kind(i)
	}
	return list
}

// String is the name of the kind, as the column kind of failures/ has it:
// lower-case letters and underscores.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return kindNames[KindInternal]
}

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind. Any other name is an error.
func (k *Kind) UnmarshalText(name []byte) error {
	for i, known := range kindNames {
		if known == string(name) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("%.40q is not a kind of failure", name)
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
