package treebank

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/parser/lemma"
)

// maxLexicon bounds a lexicon, in bytes.
const maxLexicon = 256 << 20

// ReadLexicon reads a file of words beside a treebank (lemma.ReadEntries), of at most
// 256 MB, and returns its SHA-256, too, in hexadecimal. Errors name the file and
// the line.
func ReadLexicon(path string) ([]lemma.Entry, string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	if about, err := file.Stat(); err == nil && about.Size() > maxLexicon {
		return nil, "", tooLarge(path)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxLexicon+1)) // a device has no size
	if err != nil {
		return nil, "", err
	}
	if len(data) > maxLexicon {
		return nil, "", tooLarge(path)
	}
	entries, err := lemma.ReadEntries(string(data))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(data)
	return entries, hex.EncodeToString(sum[:]), nil
}

func tooLarge(path string) error {
	return fmt.Errorf("%s has over %d MB, at most that is supported: keep the words that the texts have", path, maxLexicon>>20)
}
