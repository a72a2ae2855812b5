// Package treebank reads what a model is trained on: treebanks with what their
// names and READMEs say of them, silver trees, lexicons, plain text;
// and keeps the finished phases of a training in a folder.
package treebank

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/parser/train"
)

// ReadAll reads a treebank to train on and its further files; paths has one at least.
// Its trees may be partial: words may lack a head, which Read refuses.
func ReadAll(paths []string) (train.Treebank, error) {
	t, err := read(paths[0], conllu.Options{MultipleRoots: true, NoHeads: true})
	for _, path := range paths[1:] {
		if err != nil {
			break
		}
		var more train.Treebank
		more, err = read(path, conllu.Options{MultipleRoots: true, NoHeads: true})
		t.More = append(t.More, more)
	}
	return t, err
}

// Read reads a CoNLL-U file of complete trees. What no reader can accept is an error
// here, what no training can is found by train.Check.
func Read(path string) (train.Treebank, error) {
	return read(path, conllu.Options{MultipleRoots: true})
}

func read(path string, o conllu.Options) (train.Treebank, error) {
	file, err := os.Open(path)
	if err != nil {
		return train.Treebank{}, fmt.Errorf("treebank: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	sents, err := conllu.ReadTrees(io.TeeReader(file, sum), path, o)
	if err != nil {
		return train.Treebank{}, err
	}
	return train.Treebank{Name: path, File: filepath.Base(path), SHA256: hex.EncodeToString(sum.Sum(nil)), Sentences: sents}, nil
}

// Facts are what the name and the README of a treebank of Universal Dependencies
// say; "" is unknown.
type Facts struct {
	Name     string // such as en_ewt
	Language string // its code
	Licence  string // of all files, apart by "; "
	Release  string // the newest, such as 2.16
}

// FactsOf are the facts of a treebank and its further files; paths has one at least.
func FactsOf(paths []string) Facts {
	name, _, _ := strings.Cut(filepath.Base(paths[0]), "-ud-")
	f := Facts{Name: strings.TrimSuffix(name, ".conllu")}
	f.Language, _, _ = strings.Cut(f.Name, "_")
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
