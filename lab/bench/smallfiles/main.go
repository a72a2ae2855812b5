//go:build unix

// Package smallfiles measures what many small files cost: it parses the same
// text as many files and as one, to Parquet, on one core, and prints the times,
// their ratio, the largest resident memory and the number of parts.
//
//	go run -C lab ./bench smallfiles                  100,000 files of 200 bytes
//	go run -C lab ./bench smallfiles -files 10000
//
// The text is that of sample/text, over and over. The one file holds the
// contents of the small ones with blank lines between, so that both runs parse
// the same sentences. Both corpora and both outputs are in a temporary folder,
// which is removed. Nothing else should run on the machine.
package smallfiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam/lab/bench/process"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	files := flag.Int("files", 100_000, "`NUMBER` of small files")
	size := flag.Int("bytes", 200, "`BYTES` of a small file, at most")
	sample := flag.String("text", "sample/text", "`FOLDER` of .txt files to make them of")
	binary := flag.String("binary", "bin/treebeam", "treebeam `PROGRAM`, as make build makes it")
	rounds := flag.Int("rounds", 1, "`NUMBER` of runs of each corpus, in turns; the fastest counts")
	flag.Parse()
	return compare(*files, *size, *rounds, *sample, *binary)
}

func compare(files, size, rounds int, sample, binary string) error {
	words, err := wordsOf(sample)
	if err != nil {
		return err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "smallfiles-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	many, one := filepath.Join(dir, "many"), filepath.Join(dir, "one")
	if err := generate(words, files, size, many, one); err != nil {
		return err
	}
	var best [2]result
	for range rounds {
		for i, input := range []string{many, one} {
			r, err := parse(binary, input, filepath.Join(dir, "out"))
			if err != nil {
				return err
			}
			if best[i].Seconds == 0 || r.Seconds < best[i].Seconds {
				best[i] = r
			}
		}
	}
	if best[0].trees != best[1].trees || best[0].words != best[1].words {
		return fmt.Errorf("the small files gave %d trees of %d words, the one file %d of %d",
			best[0].trees, best[0].words, best[1].trees, best[1].words)
	}
	for i, name := range []string{fmt.Sprintf("%d files", files), "1 file"} {
		r := &best[i]
		fmt.Printf("%-14s %8.2f s, %8.2f s of processor time, %4d MB at most, %4d parts, %d words\n",
			name, r.Seconds, r.CPU(), r.Peak>>10, r.parts, r.words)
	}
	fmt.Printf("ratio          %8.3f, %.3f of processor time; %.0f microseconds a file more; want at most 2\n",
		best[0].Seconds/best[1].Seconds, best[0].CPU()/best[1].CPU(), (best[0].Seconds-best[1].Seconds)/float64(files)*1e6)
	return nil
}

// wordsOf returns the words of the .txt files of a folder, in order.
func wordsOf(dir string) ([]string, error) {
	var words []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".txt" {
			return err
		}
		data, err := os.ReadFile(path)
		words = append(words, strings.Fields(string(data))...)
		return err
	})
	if err == nil && len(words) == 0 {
		err = fmt.Errorf("no text in %s; run from the root of the repository, or name a folder with -text", dir)
	}
	return words, err
}

// perFolder is how many small files a folder holds.
const perFolder = 1000

// generate writes files of up to size bytes below many, and their contents
// with blank lines between as the one file of the folder one.
func generate(words []string, files, size int, many, one string) error {
	if err := os.Mkdir(one, 0o777); err != nil {
		return err
	}
	all, err := os.Create(filepath.Join(one, "all.txt"))
	if err != nil {
		return err
	}
	defer all.Close()
	at := 0
	for i := range files {
		folder := filepath.Join(many, fmt.Sprintf("%04d", i/perFolder))
		if i%perFolder == 0 {
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
		}
		text := words[at%len(words)]
		for at++; len(text)+1+len(words[at%len(words)]) < size; at++ {
			text += " " + words[at%len(words)]
		}
		text += "\n"
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%06d.txt", i)), []byte(text), 0o666); err != nil {
			return err
		}
		if _, err := all.WriteString(text + "\n"); err != nil {
			return err
		}
	}
	return all.Close()
}

type result struct {
	process.Usage
	parts        int
	trees, words int64
}

// parse runs the program on one core and removes its output.
func parse(binary, input, output string) (r result, err error) {
	defer os.RemoveAll(output)
	cmd := exec.Command(binary, "parse", "--quiet", "--fast", "--input", input, "--output", output)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if r.Usage, err = process.Run(cmd); err != nil {
		return r, fmt.Errorf("%s: %w\n%s", cmd, err, log.Bytes())
	}
	parts, err := filepath.Glob(filepath.Join(output, "trees", "*.parquet"))
	r.parts = len(parts)
	data, readErr := os.ReadFile(filepath.Join(output, "summary.json"))
	var sum struct{ Trees, Words int64 }
	if err = errors.Join(err, readErr); err == nil {
		err = json.Unmarshal(data, &sum)
	}
	r.trees, r.words = sum.Trees, sum.Words
	return r, err
}
