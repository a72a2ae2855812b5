//go:build unix

package scale

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/treebeam/treebeam/lab/bench/process"
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
	m, err := model.Open(model.Embedded)
	if err != nil {
		return err
	}
	begun := process.Self().User
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
	ended := process.Self().User
	fmt.Printf("%d words, %.1f s of user time for loading, %.1f s for parsing, %.0f words per second of user time\n",
		words, begun, ended-begun, float64(words)/(ended-begun))
	return nil
}

func stages(m *model.Model, s *syntax.Sentence) error {
	m.Tag(s, false)
	m.Prune(s)
	return m.Parse(s, search.Options{Seed: 1})
}
