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
	"syscall"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// Classes are the content of a file of classes of words, for the language of a
// treebank.
type Classes struct {
	*word.Clusters
	Words  int    // of the file
	SHA256 string // of the file, in hexadecimal
}

// ReadClusters reads a file of classes of words, plain or compressed, as the program
// wcluster of Liang (2005) writes it: on each line the bits of a class, a word and its
// count, separated by tabs. Errors name the file and, where there is one, the line, and
// say what to do. It needs about 1 GB for any input.
func ReadClusters(path string, bank train.Treebank) (c *Classes, err error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	defer func() {
		if errors.Is(err, syscall.EISDIR) {
			err = errors.New("this is a folder: name a file")
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	stored := bufio.NewReaderSize(file, 1<<16)
	r, err := decompressed(stored)
	if err != nil {
		return nil, err
	}
	list, err := readClasses(r, word.MaxClusterWords)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("no word has a class, the file is empty: make one with wcluster")
	}
	c = &Classes{Words: len(list)}
	if c.SHA256, err = file.digest(); err != nil {
		return nil, err
	}
	c.Clusters, err = word.NewClusters(list, word.LearnCasing(bank.All()))
	return c, err
}

// compressions are the possible compressions of a file of classes: the extension of its
// name, and its first bytes.
var compressions = []struct{ ending, magic, name string }{
	{".gz", "\x1f\x8b", "gzip"}, {".zst", "\x28\xb5\x2f\xfd", "zstd"}, {".bz2", "BZh", "bzip2"},
}

// decompressed returns what stored holds, by its first bytes.
func decompressed(stored *bufio.Reader) (io.Reader, error) {
	for _, c := range compressions {
		if head, _ := stored.Peek(len(c.magic)); string(head) != c.magic {
			continue
		}
		r, err := source.Decompress(c.ending, stored)
		if err != nil {
			return nil, damaged(c.name, err)
		}
		return &unpacker{r, c.name}, nil
	}
	return stored, nil
}

// An unpacker says what its errors mean.
type unpacker struct {
	io.Reader
	name string // of the compression
}

func (u *unpacker) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = damaged(u.name, err)
	}
	return n, err
}

func damaged(name string, err error) error {
	return fmt.Errorf("damaged or incomplete %s (%w): make or copy the file again", name, err)
}

// Limits of a file of classes of words.
const (
	maxClassBits  = 4096    // bits of a path
	maxClassBytes = 1 << 30 // of a file
	maxClassLine  = 1 << 16 // bytes
	maxClassKept  = 1 << 28 // bytes of all words and of all different bits
)

// readClasses reads lines of bits, word and count with tabs between them, as wcluster
// (Liang 2005) writes them: in any order, of at most 64 KB, at most the given number of
// words, 256 MB of them and of bits that differ, and 1 GB in all. A byte order mark and
// empty lines are skipped. A line that has other than three fields, bits that are not 0
// and 1, no word, a word of a line before, or no count is an error with its number. The
// result is sorted by bits; in a class the most frequent word comes first, and equally
// frequent ones are in the order of their bytes.
func readClasses(r io.Reader, words int) ([]word.ClusterWord, error) {
	t := &classReader{first: map[string]int{}, shared: map[string]string{}, most: words}
	limited := &io.LimitedReader{R: r, N: maxClassBytes + 1}
	lines := bufio.NewReaderSize(limited, maxClassLine)
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case limited.N == 0:
			err = fmt.Errorf("at most %d bytes are supported", maxClassBytes)
		case err == nil || err == io.EOF:
			if fault := t.add(n, line); fault != nil {
				err = fault
			}
		case err == bufio.ErrBufferFull:
			err = notText(line)
			if err == nil {
				err = fmt.Errorf("longer than %d bytes: must be bits, word and count", maxClassLine)
			}
		}
		if err == io.EOF {
			slices.SortFunc(t.rows, func(a, b word.ClusterWord) int {
				return cmp.Or(strings.Compare(a.Bits, b.Bits), cmp.Compare(b.Count, a.Count), strings.Compare(a.Form, b.Form))
			})
			return t.rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// A classReader reads lines of a file of classes.
type classReader struct {
	rows   []word.ClusterWord
	first  map[string]int    // by word: the number of its line
	shared map[string]string // bits
	most   int               // words
	bytes  int               // of words and bits
}

// add adds line n, from 1.
func (t *classReader) add(n int, line []byte) error {
	if n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) == 0 {
		return nil
	}
	row, err := parseClass(string(line))
	if err != nil {
		return cmp.Or(notText(line), err)
	}
	if before, ok := t.first[row.Form]; ok {
		return fmt.Errorf("%.40q has a class already, in line %d: leave one of the two lines out", row.Form, before)
	}
	if bits, ok := t.shared[row.Bits]; ok {
		row.Bits = bits
	} else {
		t.shared[row.Bits] = row.Bits
		t.bytes += len(row.Bits)
	}
	if t.bytes += len(row.Form); len(t.rows) == t.most || t.bytes > maxClassKept {
		return fmt.Errorf("at most %d words are supported, and %d MB of words and bits: leave the rare ones out", t.most, maxClassKept>>20)
	}
	t.first[row.Form] = n
	t.rows = append(t.rows, row)
	return nil
}

// parseClass parses one line.
func parseClass(line string) (r word.ClusterWord, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		what := "fields"
		if len(fields) == 1 {
			what = "field"
		}
		return r, fmt.Errorf("%d %s, must be 3 with tabs between them: bits, word, count", len(fields), what)
	}
	r.Bits, r.Form = strings.Clone(fields[0]), strings.Clone(fields[1])
	switch {
	case r.Bits == "":
		return r, fmt.Errorf("no bits before %.40q: a single class says nothing, make two or more", r.Form)
	case len(r.Bits) > maxClassBits:
		return r, fmt.Errorf("bits of length %d: at most %d are supported", len(r.Bits), maxClassBits)
	case strings.Trim(r.Bits, "01") != "":
		return r, fmt.Errorf("bits %.40q: must be digits 0 and 1", r.Bits)
	case r.Form == "" || !utf8.ValidString(r.Form):
		return r, fmt.Errorf("word %.40q: must be UTF-8 and not empty", r.Form)
	}
	if r.Count, err = strconv.ParseInt(fields[2], 10, 64); err != nil || r.Count < 0 {
		return r, fmt.Errorf("count %.40q: must be a number", fields[2])
	}
	return r, nil
}

// notText says why a line that is not a row is not even text; nil if it is text.
func notText(line []byte) error {
	const remedy = "name a file of classes"
	switch {
	case bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff")):
		return fmt.Errorf("this is UTF-16: convert it to UTF-8")
	case bytes.IndexByte(line, 0) >= 0:
		return fmt.Errorf("not text, it has a zero byte: %s", remedy)
	case !bytes.Contains(line, []byte("\t")) && !validStart(line):
		return fmt.Errorf("not text in UTF-8: %s", remedy)
	}
	return nil
}

// validStart is utf8.Valid for a text whose last character may be cut off.
func validStart(text []byte) bool {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			return !utf8.FullRune(text)
		}
		text = text[n:]
	}
	return true
}
