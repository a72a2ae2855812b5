package treebank

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/treebeam/treebeam/parser/tag"
)

// maxLexicon bounds a lexicon, in bytes.
const maxLexicon = 256 << 20

// ReadLexicon reads a file of words beside a treebank (tag.ReadEntries), of at most
// 256 MB, and returns its SHA-256, too, in hexadecimal. Errors name the file and
// the line.
func ReadLexicon(path string) ([]tag.Entry, string, error) {
	if about, err := os.Stat(path); err == nil && about.Size() > maxLexicon {
		return nil, "", fmt.Errorf("%s has %d MB, at most %d are supported", path, about.Size()>>20, maxLexicon>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	entries, err := tag.ReadEntries(string(data))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(data)
	return entries, hex.EncodeToString(sum[:]), nil
}
