package treebank

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/syntax"
)

// Blocks makes raw text of sentences and cuts it into blocks as a run of
// the pipeline would.
func Blocks(sents []syntax.Sentence) ([]string, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil {
		return nil, err
	}
	return text.Blocks(raw.Bytes(), source.HeadBytes, text.Options{Lines: text.Paragraph})
}

// ReadTexts reads plain text whose pieces an encoder is to know: what it is, and its
// words, each once, sorted.
func ReadTexts(paths []string) (about []model.Data, list []syntax.Sentence, err error) {
	tokens := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		sum, words := sha256.Sum256(text), 0
		for token := range strings.FieldsSeq(strings.ToValidUTF8(string(text), " ")) {
			tokens[token] = true
			words++
		}
		about = append(about, model.Data{File: filepath.Base(path), SHA256: hex.EncodeToString(sum[:]), Words: words})
	}
	for _, token := range slices.Sorted(maps.Keys(tokens)) {
		list = append(list, wordsOf(token))
	}
	return about, list, nil
}

// wordsOf cuts what stands between white space where a letter or digit meets
// another character, and behind every other character: not quite into words, but
// where most of them end.
func wordsOf(token string) (s syntax.Sentence) {
	letter := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
	for token != "" {
		first, n := utf8.DecodeRuneInString(token)
		if letter(first) {
			if n = strings.IndexFunc(token, func(r rune) bool { return !letter(r) }); n < 0 {
				n = len(token)
			}
		}
		s.Words = append(s.Words, syntax.Word{Form: token[:n], Misc: "SpaceAfter=No"})
		token = token[n:]
	}
	return s
}

// FileSum is the SHA-256 of a file in hexadecimal.
func FileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
