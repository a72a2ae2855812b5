package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/treebeam/treebeam/parser/tag"
)

// maxLexicon bounds the file of --lexicon, in bytes.
const maxLexicon = 256 << 20

// readLexicon reads the file of --lexicon, if there is one, into the options.
func (f *trainFlags) readLexicon() error {
	if f.lexicon == "" {
		return nil
	}
	if about, err := os.Stat(f.lexicon); err == nil && about.Size() > maxLexicon {
		return fmt.Errorf("--lexicon %s has %d MB, at most %d are supported", f.lexicon, about.Size()>>20, maxLexicon>>20)
	}
	data, err := os.ReadFile(f.lexicon)
	if err != nil {
		return fmt.Errorf("--lexicon: %w", err)
	}
	if f.o.Lexicon, err = tag.ReadEntries(string(data)); err != nil {
		return fmt.Errorf("--lexicon %s: %w", f.lexicon, err)
	}
	sum := sha256.Sum256(data)
	f.o.LexiconFile, f.o.LexiconSHA256 = filepath.Base(f.lexicon), hex.EncodeToString(sum[:])
	return nil
}
