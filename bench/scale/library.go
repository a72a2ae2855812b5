//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/syntax"
)

const maxWords = 1000 // of a sentence, as in treebeam parse

// library parses the paragraphs of the files on one goroutine with the embedded
// model and prints the user time that it took, without loading.
func library(files []string) error {
	if len(files) == 0 {
		return errors.New("-library: name text files")
	}
	m, err := model.Open("")
	if err != nil {
		return err
	}
	begun, err := userTime()
	if err != nil {
		return err
	}
	words := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for block := range strings.SplitSeq(strings.ToValidUTF8(string(text), "\uFFFD"), "\n") {
			sentences := m.Segment(block, maxWords)
			for i := range sentences {
				if err := stages(m, &sentences[i]); err != nil {
					return err
				}
				words += len(sentences[i].Words)
			}
		}
	}
	ended, err := userTime()
	if err != nil {
		return err
	}
	fmt.Printf("%d words, %.1f s of user time for loading, %.1f s for parsing, %.0f words per second of user time\n",
		words, begun, ended-begun, float64(words)/(ended-begun))
	return nil
}

func stages(m *model.Model, s *syntax.Sentence) error {
	m.Tag(s, false)
	m.Prune(s)
	return m.Parse(s, search.Options{Seed: 1})
}

// userTime is the seconds of user time of this process so far.
func userTime() (float64, error) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Sec) + float64(used.Utime.Usec)/1e6, err
}
