package treebank

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/train"
)

// AddSilver offers the sentences of a file to a sampler and returns the
// file's SHA-256 in hexadecimal. Errors name the file and, of CoNLL-U that
// cannot be read, the line.
func AddSilver(to *train.Sampler, number int, path string) (digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	stored := io.TeeReader(bufio.NewReaderSize(file, 1<<16), sum)
	r, err := source.Decompress(path, stored)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	for b, err := range conllu.Read(r, conllu.Options{NoHeads: true, EndAtLong: true}) {
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", path, err)
		case b.Err != nil:
			b.Err.File = path
			return "", b.Err
		}
		to.Add(number, &b.Sentence)
	}
	if _, err := io.Copy(io.Discard, stored); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
