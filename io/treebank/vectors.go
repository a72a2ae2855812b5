package treebank

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	scores "github.com/treebeam/treebeam/parser/score"
	"github.com/treebeam/treebeam/parser/train"
	"github.com/treebeam/treebeam/parser/word"
)

// unknownWord is the entry for words that have none.
const unknownWord = "*UNKNOWN*"

// Limits of a file of word vectors.
const (
	maxVectorLine = 1 << 20 // bytes
	maxVectorSize = 2048    // dimensions
)

// wordVectors are vectors as read: values[i*size:(i+1)*size] is that of
// words[i]; the unknown word is "".
type wordVectors struct {
	words  []string
	values []float32
	size   int
}

// readVectors reads a text file of word vectors: one word a line and its
// numbers, apart by blanks or tabs, the same number on every line. A first
// line of two whole numbers is taken for the head that word2vec writes, and
// the word *UNKNOWN* for all words that have no line. It keeps the words
// that wanted says yes to and the first so many others, which are the most
// frequent ones in the files that are around, altogether at most
// scores.MaxVectors; of equal words the first. Errors name the line.
func readVectors(r io.Reader, wanted func(string) bool, others int) (*wordVectors, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), maxVectorLine)
	v := &wordVectors{}
	seen := make(map[string]bool)
	number := 0
	for lines.Scan() {
		number++
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || number == 1 && isVectorHead(fields) {
			continue
		}
		if v.size == 0 {
			v.size = len(fields) - 1
		}
		if v.size < 1 || v.size > maxVectorSize || len(fields) != v.size+1 {
			return nil, fmt.Errorf("line %d: a word and %d numbers, want 1 to %d and on every line the same", number, len(fields)-1, maxVectorSize)
		}
		word := fields[0]
		if word == unknownWord {
			word = ""
		}
		want := word == "" || wanted(word)
		if seen[word] || !want && others <= 0 || len(v.words) >= scores.MaxVectors {
			continue
		}
		if !want {
			others--
		}
		seen[word] = true
		v.words = append(v.words, word)
		for _, f := range fields[1:] {
			x, err := strconv.ParseFloat(f, 32)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("line %d: %q is not a number", number, f)
			}
			v.values = append(v.values, float32(x))
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("longer than %d bytes", maxVectorLine)
		}
		return nil, fmt.Errorf("line %d: %w", number+1, err)
	}
	if len(v.words) == 0 {
		return nil, errors.New("no vectors in it")
	}
	return v, nil
}

// isVectorHead reports the two counts with which word2vec begins a file.
func isVectorHead(fields []string) bool {
	if len(fields) != 2 {
		return false
	}
	for _, f := range fields {
		if _, err := strconv.ParseUint(f, 10, 32); err != nil {
			return false
		}
	}
	return true
}

// ReadVectors reads a text file of word vectors: those of the words of a treebank,
// in small letters too, and the first so many others (frequent). It returns the
// file's SHA-256, too, in hexadecimal. Errors name the file and the line.
func ReadVectors(path string, bank train.Treebank, frequent int) (*scores.Vectors, string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("word vectors: %w", err)
	}
	defer file.Close()
	forms := make(map[string]bool)
	for _, s := range bank.All() {
		for _, w := range s.Words {
			form := word.Plain(w.Form)
			forms[form], forms[strings.ToLower(form)] = true, true
		}
	}
	sum := sha256.New()
	list, err := readVectors(io.TeeReader(file, sum), func(w string) bool { return forms[word.Plain(w)] }, frequent)
	if err != nil {
		return nil, "", fmt.Errorf("word vectors: %s: %w", path, err)
	}
	v, err := scores.NewVectors(list.words, list.values, list.size)
	if err != nil {
		return nil, "", fmt.Errorf("word vectors: %s: %w", path, err)
	}
	return v, hex.EncodeToString(sum.Sum(nil)), nil
}
