package treebank

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/cluster"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// ReadClusters reads a file of classes of words, plain or compressed (.gz, .zst),
// as treebeam cluster and the program of Liang (2005) write it: on each line the
// bits of a class, a word and its count, separated by tabs. It returns them for the
// language of a treebank, and the SHA-256 of the file in hexadecimal. Errors name the
// file and the line.
func ReadClusters(path string, bank train.Treebank) (*word.Clusters, string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	sum := sha256.New()
	stored := io.TeeReader(bufio.NewReaderSize(file, 1<<16), sum)
	r, err := source.Decompress(path, stored)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	table, err := cluster.Read(r)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	list := make([]word.ClusterWord, len(table.Rows))
	for i, row := range table.Rows {
		list[i] = word.ClusterWord{Bits: row.Bits, Form: row.Word, Count: row.Count}
	}
	if _, err := io.Copy(io.Discard, stored); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	c, err := word.NewClusters(list, word.LearnCasing(bank.All()))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return c, hex.EncodeToString(sum.Sum(nil)), nil
}
