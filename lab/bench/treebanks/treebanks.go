// Package treebanks prepares the treebanks of many languages for treebeam train
// --treebanks. It writes two files for each language and LIST.tsv, which names them:
//
//	treebanks -from ../shared/treebanks/world -to out/treebanks [-also ../shared/treebanks/en_ewt]
//
// XPOS is blanked, because each treebank has its own. Of dev, the first sentences that
// together have 2,500 words stay; the others are learned from, as a further document at
// the end of train. A line of LIST.tsv has a code, the language's name, the files of
// train and dev, and the sources with their licences. A treebank of -also is cut in the
// same way and has no name: only the encoder learns from it.
package treebanks

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const devWords = 2500

// Main runs the program with the arguments of the command line.
func Main() error {
	from := flag.String("from", "../shared/treebanks/world", "read the languages of the README.md in `FOLDER`")
	to := flag.String("to", "out/treebanks", "write to `FOLDER`")
	also := flag.String("also", "../shared/treebanks/en_ewt", "also prepare the treebank in `FOLDER`; empty: none")
	flag.Parse()
	if err := os.MkdirAll(*to, 0o777); err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(*from, "README.md"))
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) != 6 || cells[0] == "code" {
			continue
		}
		code, sources := cells[0], strings.TrimSpace(cells[5])
		if err := prepare(filepath.Join(*from, code, code), filepath.Join(*to, code)); err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s\t%s\t%s-train.conllu\t%s-dev.conllu\t%s\n", code, cells[1], code, code, sources)
	}
	if *also != "" {
		name := filepath.Base(*also) // en_ewt
		code, _, _ := strings.Cut(name, "_")
		if err := prepare(filepath.Join(*also, name+"-ud"), filepath.Join(*to, code)); err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s\t\t%s-train.conllu\t%s-dev.conllu\t%s (CC BY-SA 4.0)\n", code, code, code, name)
	}
	return os.WriteFile(filepath.Join(*to, "LIST.tsv"), list.Bytes(), 0o666)
}

// prepare writes TO-train.conllu and TO-dev.conllu.
func prepare(from, to string) error {
	train, err := sentences(from + "-train.conllu")
	if err != nil {
		return err
	}
	dev, err := sentences(from + "-dev.conllu")
	if err != nil {
		return err
	}
	n, words := 0, 0
	for n < len(dev) && words < devWords {
		words += dev[n].words
		n++
	}
	if n < len(dev) {
		dev[n].text = "# newdoc\n" + dev[n].text
	}
	if err := write(to+"-train.conllu", append(train, dev[n:]...)); err != nil {
		return err
	}
	return write(to+"-dev.conllu", dev[:n])
}

type sentence struct {
	text  string
	words int
}

// sentences returns the sentences of a file, without XPOS.
func sentences(path string) (list []sentence, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for block := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		s := sentence{}
		for line := range strings.Lines(block + "\n") {
			if cells := strings.Split(line, "\t"); len(cells) == 10 {
				if _, err := strconv.Atoi(cells[0]); err == nil {
					s.words++
				}
				cells[4] = "_"
				line = strings.Join(cells, "\t")
			}
			s.text += line
		}
		list = append(list, s)
	}
	return list, nil
}

func write(path string, list []sentence) error {
	var b bytes.Buffer
	for _, s := range list {
		b.WriteString(s.text)
		b.WriteByte('\n')
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
