package source

import (
	"errors"
)

// A Format is how a file is to be read.
type Format string

const (
	Auto   Format = ""       // decide by name and content
	Text   Format = "text"   // raw text
	CoNLLU Format = "conllu" // ten columns, comments, multiword tokens
	CoNLLX Format = "conllx" // ten columns, by name (.conll, .conllx) or option only
)

// ParseFormat returns the format of a command-line value: auto, text, conllu
// or conllx.
func ParseFormat(s string) (Format, error) { return Auto, errors.ErrUnsupported }

// Detect decides the format of a file from its name and the beginning of its
// decompressed bytes. want overrides it unless it is Auto. encoding is the
// declared one ("" is none): with a declared encoding NUL bytes are no proof
// of a binary file. A file that is no text (PDF, zip, binary) is a *NotText.
func Detect(name string, head []byte, want Format, encoding string) (Format, error) {
	return want, errors.ErrUnsupported
}

// NotText says that a file holds no text, what it seems to be, and the remedy.
type NotText struct{ What string }

func (e *NotText) Error() string { return "not text: " + e.What }
