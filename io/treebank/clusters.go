package treebank

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Classes are what a file of classes of words has, for the language of a treebank.
type Classes struct {
	*word.Clusters
	Words  int    // of the file
	SHA256 string // of the file, in hexadecimal
}

// ReadClusters reads a file of classes of words, plain or compressed (.gz, .zst), as
// the program wcluster of Liang (2005) writes it: on each line the bits of
// a class, a word and its count, separated by tabs. Errors name the file and, where
// there is one, the line, and say what to do. It needs some 1 GB for whatever it is
// given.
func ReadClusters(path string, bank train.Treebank) (*Classes, error) {
	c, err := readClusters(path, bank)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func readClusters(path string, bank train.Treebank) (*Classes, error) {
	file, err := os.Open(path)
	if err != nil {
		var named *os.PathError
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("this is a folder: name a file")
	}
	sum := sha256.New()
	stored := bufio.NewReaderSize(io.TeeReader(file, sum), 1<<16)
	list, err := readTable(path, stored)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoClass
	}
	if _, err := io.Copy(io.Discard, stored); err != nil {
		return nil, err
	}
	c, err := word.NewClusters(list, word.LearnCasing(bank.All()))
	if err != nil {
		return nil, err
	}
	return &Classes{c, len(list), hex.EncodeToString(sum.Sum(nil))}, nil
}

// errNoClass is the error of an empty file.
var errNoClass = errors.New("no word has a class, the file is empty: make one with wcluster")

// packed are the compressions of a file of classes: the ending of its name, and its
// first bytes.
var packed = []struct{ ending, magic, name string }{
	{".gz", "\x1f\x8b", "gzip"}, {".zst", "\x28\xb5\x2f\xfd", "zstd"}, {".bz2", "BZh", "bzip2"},
}

// readTable reads the table that stored is, which has the name path.
func readTable(path string, stored *bufio.Reader) ([]word.ClusterWord, error) {
	ending, is := strings.ToLower(filepath.Ext(path)), ""
	for _, p := range packed {
		head, _ := stored.Peek(len(p.magic))
		switch begins := string(head) == p.magic; {
		case ending == p.ending && len(head) == 0:
			return nil, errNoClass
		case ending == p.ending && !begins:
			return nil, fmt.Errorf("not %s, as the name ends: rename it, or compress it", p.name)
		case ending == p.ending:
			is = p.name
		case begins:
			return nil, fmt.Errorf("compressed with %s: let the name end in %s, or decompress it", p.name, p.ending)
		}
	}
	r, err := source.Decompress(path, stored)
	if err != nil {
		return nil, fmt.Errorf("damaged %s (%w): make or copy the file again", is, err)
	}
	if is != "" {
		r = &unpacker{r, is}
	}
	return readClasses(r, word.MaxClusterWords)
}

// An unpacker says what its errors mean.
type unpacker struct {
	io.Reader
	name string // of the compression
}

func (u *unpacker) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("damaged or incomplete %s (%w): make or copy the file again", u.name, err)
	}
	return n, err
}
