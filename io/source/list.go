package source

import (
	"context"
	"errors"
	"io"
)

// ListOptions say how List looks for files. The zero value lists relative to
// the working directory and refuses "-".
type ListOptions struct {
	// Dir is what relative patterns are relative to; "" is the working
	// directory. It does not appear in any URI.
	Dir string
	// Skip are paths (files or folders) that are never listed, such as the
	// output folder.
	Skip []string
	// Stdin is what "-" reads. It is copied to a file below Spool, which must
	// then be set, because a range may be read more than once.
	Stdin io.Reader
	Spool string
}

// An InputError says that a pattern cannot be used: nothing matches it, it is
// not readable, or two of them give the same document id. It names the remedy.
type InputError struct {
	Pattern string
	Reason  string
}

func (e *InputError) Error() string { return e.Pattern + ": " + e.Reason }

// List returns the files that the patterns name, sorted by the bytes of their
// URI and without duplicates. A pattern is a file, a folder (walked
// recursively; names that start with "." or "_" are skipped, links to folders
// are not followed), a glob whose "**" matches any number of folders, or "-".
// A named pipe is treated as "-" is. A pattern without any match is an
// *InputError.
func List(ctx context.Context, patterns []string, o ListOptions) ([]Input, error) {
	return nil, errors.ErrUnsupported
}
