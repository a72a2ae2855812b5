package treebank

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Classes are the word classes of a file, for the language of a treebank.
type Classes struct {
	*word.Clusters
	Words  int    // of the file
	SHA256 string // of the file, in hexadecimal
}

// ReadClusters reads a file of word classes, plain or compressed as its name says.
// Errors name the file, the line if there is one, and the remedy. It needs about 1 GB
// of memory at most.
func ReadClusters(path string, bank train.Treebank) (*Classes, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := source.Decompress(path, bufio.NewReaderSize(file, 1<<16))
	var list []word.ClusterWord
	if err == nil {
		list, err = readClasses(r, word.MaxClusterWords, maxClassKept)
	}
	if err == nil && len(list) == 0 {
		err = errors.New("no word has a class, the file is empty: make one with wcluster")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &Classes{Words: len(list)}
	if c.SHA256, err = file.digest(); err == nil {
		c.Clusters, err = word.NewClusters(list, word.LearnCasing(bank.All()))
	}
	return c, err
}

// Limits of a file of classes of words.
const (
	maxClassBits = 4096    // bits of a path
	maxClassLine = 1 << 16 // bytes
	maxClassKept = 1 << 28 // bytes of all words and bits
)

// readClasses reads lines of bits, word and count with tabs between them, as wcluster
// (Liang 2005) writes them, in any order, of at most the given number of words. It skips
// a byte order mark and empty lines; a line that is otherwise is an error with its
// number. The result is sorted by bits; in a class the most frequent word comes first,
// and equally frequent ones are in the order of their bytes.
func readClasses(r io.Reader, words, bytesKept int) (rows []word.ClusterWord, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxClassLine)
	first, kept := map[string]int{}, 0 // by word: the number of its line
	n := 1
	for ; lines.Scan(); n++ {
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			continue
		}
		row, err := parseClass(string(line))
		before, again := first[row.Form]
		kept += len(line)
		switch {
		case err != nil:
		case again:
			err = fmt.Errorf("%.40q has a class already, in line %d: leave one of the two lines out", row.Form, before)
		case len(rows) == words || kept > bytesKept:
			err = fmt.Errorf("at most %d words are supported, and %d bytes: leave the rare ones out", words, bytesKept)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		first[row.Form] = n
		rows = append(rows, row)
	}
	if err = lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d bytes: must be bits, word and count", maxClassLine)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	slices.SortFunc(rows, func(a, b word.ClusterWord) int {
		return cmp.Or(strings.Compare(a.Bits, b.Bits), cmp.Compare(b.Count, a.Count), strings.Compare(a.Form, b.Form))
	})
	return rows, nil
}

// parseClass parses one line.
func parseClass(line string) (r word.ClusterWord, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return r, fmt.Errorf("fields: %d, must be 3 with tabs between them: bits, word, count", len(fields))
	}
	r.Bits, r.Form = fields[0], fields[1]
	r.Count, err = strconv.ParseInt(fields[2], 10, 64)
	switch {
	case r.Bits == "":
		return r, fmt.Errorf("no bits before %.40q: a single class says nothing, make two or more", r.Form)
	case len(r.Bits) > maxClassBits:
		return r, fmt.Errorf("bits of length %d: at most %d are supported", len(r.Bits), maxClassBits)
	case strings.Trim(r.Bits, "01") != "":
		return r, fmt.Errorf("bits %.40q: must be digits 0 and 1", r.Bits)
	case r.Form == "" || !utf8.ValidString(r.Form):
		return r, fmt.Errorf("word %.40q: must be UTF-8 and not empty", r.Form)
	case err != nil || r.Count < 0:
		return r, fmt.Errorf("count %.40q: must be a number", fields[2])
	}
	return r, nil
}
