// Package treebank reads the data that a model is trained on: treebanks (Read,
// ReadAll), with the facts in their names and READMEs, silver trees, lexicons, word
// classes and plain text. It also keeps the finished phases of a training in a folder
// (Phases).
package treebank

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/source"
	"github.com/treebeam/treebeam/io/store"
	"github.com/treebeam/treebeam/io/text"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/lemma"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/parser/train"
)

// A summed is a file being read, with the SHA-256 of the bytes read so far.
type summed struct {
	io.Reader
	io.Closer
	sum hash.Hash
}

func open(path string) (*summed, error) {
	if store.IsRemote(path) {
		return nil, fmt.Errorf("%s: only local files can be read here: copy it and name its path", store.Redact(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	return &summed{io.TeeReader(file, sum), file, sum}, nil
}

// digest reads what is left and returns the sum in hexadecimal.
func (s *summed) digest() (string, error) {
	_, err := io.Copy(io.Discard, s)
	return hex.EncodeToString(s.sum.Sum(nil)), err
}

// ReadAll reads a treebank to train on and its further files; paths has one at least.
// Its trees may be partial: words may lack a head, which Read refuses.
func ReadAll(paths []string) (train.Treebank, error) {
	o := conllu.Options{MultipleRoots: true, NoHeads: true}
	t, err := read(paths[0], o)
	for _, path := range paths[1:] {
		if err != nil {
			break
		}
		var more train.Treebank
		more, err = read(path, o)
		t.More = append(t.More, more)
	}
	return t, err
}

// Parse is ReadAll of one file, of its bytes and its name.
func Parse(data []byte, name string) (t train.Treebank, err error) {
	t = train.Treebank{Name: name, File: filepath.Base(name), SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	t.Sentences, err = conllu.ReadTrees(bytes.NewReader(data), name, conllu.Options{MultipleRoots: true, NoHeads: true})
	return t, err
}

// Read reads a CoNLL-U file of complete trees. It refuses only what no reader accepts;
// train.Check finds what no training accepts.
func Read(path string) (train.Treebank, error) {
	return read(path, conllu.Options{MultipleRoots: true})
}

func read(path string, o conllu.Options) (t train.Treebank, err error) {
	file, err := open(path)
	if err != nil {
		return t, err
	}
	defer file.Close()
	t = train.Treebank{Name: path, File: filepath.Base(path)}
	r, err := source.Decompress(path, file)
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	plain := bufio.NewReaderSize(r, source.HeadBytes)
	head, _ := plain.Peek(source.HeadBytes)
	if _, err := source.Detect(path, head, source.CoNLLU, ""); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	if t.Sentences, err = conllu.ReadTrees(plain, path, o); err != nil {
		return t, err
	}
	t.SHA256, err = file.digest()
	return t, err
}

// Trees reads the sentences of a CoNLL-U file as conllu.ReadTrees does. The file may be
// compressed (.gz, .zst, .bz2).
func Trees(path string, o conllu.Options) ([]syntax.Sentence, error) {
	t, err := read(path, o)
	return t.Sentences, err
}

// English returns the bundled sentences of model.English: those that the built-in model has
// learned from, and those by which it is measured.
func English() (learned, measured []syntax.Sentence, err error) {
	for _, x := range []struct {
		pattern string
		to      *[]syntax.Sentence
	}{{"training/english/*.conllu", &learned}, {"testdata/families/*.conllu", &measured}} {
		names, err := fs.Glob(model.English, x.pattern)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			file, err := model.English.Open(name)
			if err != nil {
				return nil, nil, err
			}
			list, err := conllu.ReadTrees(file, name, conllu.Options{})
			if err != nil {
				return nil, nil, err
			}
			*x.to = append(*x.to, list...)
		}
	}
	return learned, measured, nil
}

// ReadList reads the treebanks of many languages that a file lists: a line has the code of
// a language, its name, the files of train and dev, relative to the list, and the sources
// as "NAME (LICENCE); NAME (LICENCE)", with tabs between them. Only encoder and identifier
// learn from a language without a name. Errors name the file and the line.
func ReadList(path string) (list []train.Language, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(cells) != 5 || cells[0] == "" {
			return nil, fmt.Errorf("%s:%d: %d columns: want code, name, train, dev, sources, with tabs between them", path, n, len(cells))
		}
		l := train.Language{Code: cells[0], Name: cells[1]}
		if l.Code == model.Undetermined && l.Name != "" {
			return nil, fmt.Errorf("%s:%d: %s is the code of text in none of the languages: give the language another one", path, n, l.Code)
		}
		if l.Name != "" && slices.ContainsFunc(list, func(x train.Language) bool { return x.Code == l.Code && x.Name != "" }) {
			return nil, fmt.Errorf("%s:%d: language %s is named twice: a model has one treebank of each", path, n, l.Code)
		}
		for source := range strings.SplitSeq(cells[4], "; ") {
			name, licence, ok := strings.Cut(strings.TrimSuffix(source, ")"), " (")
			if !ok {
				return nil, fmt.Errorf("%s:%d: source %q has no licence: want NAME (LICENCE)", path, n, source)
			}
			l.Sources = append(l.Sources, model.Source{Name: name, Licence: licence})
		}
		for i, to := range []*train.Treebank{&l.Train, &l.Dev} {
			if *to, err = Read(filepath.Join(filepath.Dir(path), cells[2+i])); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
		}
		list = append(list, l)
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("%s lists %d languages: want 2 or more", path, len(list))
	}
	return list, nil
}

// AddSilver offers the sentences of a file to a sampler and returns the
// file's SHA-256 in hexadecimal. Errors name the file and, of CoNLL-U that
// cannot be read, the line.
func AddSilver(to *train.Sampler, number int, path string) (digest string, err error) {
	file, err := open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r, err := source.Decompress(path, bufio.NewReaderSize(file, 1<<16))
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
	return file.digest()
}

// maxLexicon bounds a lexicon, in bytes.
const maxLexicon = 256 << 20

// ReadLexicon reads a file of words that supplements a treebank (lemma.ReadEntries), of
// at most 256 MB, which may be compressed, and also returns its SHA-256 in hexadecimal. Errors name the file and
// the line.
func ReadLexicon(path string) ([]lemma.Entry, string, error) {
	file, err := open(path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	var data []byte
	r, err := source.Decompress(path, file)
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(r, maxLexicon+1))
	}
	if err == nil && len(data) > maxLexicon {
		err = fmt.Errorf("over %d MB, the most that is supported: keep the words that the texts have", maxLexicon>>20)
	}
	var entries []lemma.Entry
	if err == nil {
		entries, err = lemma.ReadEntries(string(data))
	}
	if err == nil && len(entries) == 0 {
		err = errors.New("has no words")
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	digest, err := file.digest()
	return entries, digest, err
}

// Facts are stated by the name and the README of a treebank of Universal Dependencies;
// "" is unknown.
type Facts struct {
	Name     string // such as en_ewt
	Language string // its code
	Licence  string // of all files, apart by "; "
	Release  string // the newest, such as 2.16
}

// FactsOf returns the facts of a treebank and its further files. paths must not be
// empty.
func FactsOf(paths []string) Facts {
	name, _, _ := strings.Cut(filepath.Base(paths[0]), "-ud-")
	f := Facts{Name: strings.TrimSuffix(name, ".conllu")}
	if m := codeOfName.FindStringSubmatch(f.Name); m != nil {
		f.Language = m[1]
	}
	f.Licence, f.Release = readmeFacts(filepath.Join(filepath.Dir(paths[0]), "README.md"))
	for _, path := range paths[1:] {
		l, _ := readmeFacts(filepath.Join(filepath.Dir(path), "README.md"))
		if l != "" && !slices.Contains(strings.Split(f.Licence, "; "), l) {
			f.Licence = strings.TrimPrefix(f.Licence+"; "+l, "; ")
		}
	}
	return f
}

var (
	codeOfName  = regexp.MustCompile(`^([a-z]{2,3})_`)
	licenceLine = regexp.MustCompile(`(?m)^License: *(.+?) *$`)
	releaseWord = regexp.MustCompile(`\bv2\.(\d+)\b`)
)

// readmeFacts reads licence and newest release from the README of a Universal
// Dependencies treebank; both are "" if there is none.
func readmeFacts(path string) (licence, release string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", ""
	}
	if m := licenceLine.FindSubmatch(text); m != nil {
		licence = string(m[1])
	}
	newest := -1
	for _, m := range releaseWord.FindAllSubmatch(text, -1) {
		var n int
		if fmt.Sscan(string(m[1]), &n); n > newest {
			newest, release = n, "2."+string(m[1])
		}
	}
	return licence, release
}

// Blocks makes raw text of sentences and cuts it into blocks as a run does.
func Blocks(sents []syntax.Sentence) ([]string, error) {
	var raw bytes.Buffer
	if err := conllu.RawText(&raw, sents); err != nil {
		return nil, err
	}
	return text.Blocks(raw.String(), source.HeadBytes, text.Options{Lines: text.Paragraph})
}

// maxToken bounds the bytes between two white spaces of plain text.
const maxToken = 1 << 20

// ReadTexts reads plain text whose pieces an encoder should know. It returns the
// provenance of the files, which may be compressed, and their distinct words, sorted. It holds
// these in memory. Errors name the file.
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
	r, err := source.Decompress(path, file)
	if err != nil {
		return about, fmt.Errorf("%s: %w", path, err)
	}
	between := bufio.NewScanner(r)
	between.Buffer(nil, maxToken)
	between.Split(bufio.ScanWords)
	for between.Scan() {
		for token := range strings.FieldsSeq(strings.ToValidUTF8(between.Text(), " ")) {
			tokens[token] = true
			about.Words++
		}
	}
	if err := between.Err(); errors.Is(err, bufio.ErrTooLong) {
		return about, fmt.Errorf("%s has %d MB without a space: this is not plain text", path, maxToken>>20)
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
