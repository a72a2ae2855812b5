package treebank

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
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
	return text.Blocks(raw.String(), source.HeadBytes, text.Options{Lines: text.Paragraph})
}

// maxToken bounds the bytes between two white spaces of plain text.
const maxToken = 1 << 20

// ReadTexts reads plain text whose pieces an encoder is to know: what it is, and its
// words, each once, sorted. It holds the different words. Errors name the file.
func ReadTexts(paths []string) (about []model.Data, list []syntax.Sentence, err error) {
	tokens := map[string]bool{}
	for _, path := range paths {
		one, err := readText(path, tokens)
		if err != nil {
			return nil, nil, err
		}
		about = append(about, one)
	}
	for _, token := range slices.Sorted(maps.Keys(tokens)) {
		list = append(list, wordsOf(token))
	}
	return about, list, nil
}

// readText adds the tokens of a file, between white space, to a set.
func readText(path string, tokens map[string]bool) (model.Data, error) {
	about := model.Data{File: filepath.Base(path)}
	file, err := open(path)
	if err != nil {
		return about, err
	}
	defer file.Close()
	between := bufio.NewScanner(file)
	between.Buffer(nil, maxToken)
	between.Split(bufio.ScanWords)
	for between.Scan() {
		for token := range strings.FieldsSeq(strings.ToValidUTF8(between.Text(), " ")) {
			tokens[token] = true
			about.Words++
		}
	}
	if err := between.Err(); errors.Is(err, bufio.ErrTooLong) {
		return about, fmt.Errorf("%s has %d MB without a space: this is no plain text", path, maxToken>>20)
	} else if err != nil {
		return about, fmt.Errorf("%s: %w", path, err)
	}
	about.SHA256, err = file.digest()
	return about, err
}

// wordsOf cuts the text between white space where a letter or digit meets another
// character, and after every other character. The pieces are not quite words, but most
// words end where a piece ends.
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
