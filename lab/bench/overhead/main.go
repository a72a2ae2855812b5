//go:build unix

// Package overhead measures what Beam, files and Parquet cost beside the parser: the
// processor time of treebeam parse on one core against that of the Go library on the same
// texts, the time on one core against two, and the memory on two.
//
//	go run -C lab ./bench overhead              state_union, the medians of nine runs of each
//	go run -C lab ./bench overhead -runs 5 -text FOLDER -model embedded-accurate
//
// Runs of all kinds take turns, each in a process of its own. Nothing else should run on
// the machine: one core is GOMAXPROCS=1, not a pinned one. Between single runs of one kind,
// processor time differs by a fifth.
package overhead

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/lab/bench/process"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	text := flag.String("text", "../shared/corpora/state_union", "`FOLDER` of .txt files")
	binary := flag.String("binary", "bin/treebeam", "treebeam `PROGRAM`, as make build makes it")
	runs := flag.Int("runs", 9, "`NUMBER` of runs of each kind; their medians count")
	model := flag.String("model", "embedded", "`URI` of the model")
	library := flag.Bool("library", false, "parse the files by the library, in this process")
	flag.Parse()
	if *library {
		return parse(*text, *model)
	}
	return compare(*text, *binary, *model, *runs)
}

// parse parses the files by the library, on one goroutine.
func parse(folder, model string) error {
	m, err := treebeam.Open(model)
	if err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	words := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sentences, err := m.Parse(string(text))
		if err != nil {
			return err
		}
		for i := range sentences {
			words += len(sentences[i].Words)
		}
	}
	fmt.Println(words)
	return err
}

// compare runs library and command in turns and prints what they took, by medians.
func compare(text, binary, model string, runs int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "overhead-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var library, one, two []process.Usage
	var words, parsed int64
	for range runs {
		cmd := exec.Command(self, "overhead", "-library", "-text", text, "-model", model)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, os.Stderr
		used, err := process.Run(cmd)
		if err != nil {
			return err
		}
		fmt.Sscan(said.String(), &words)
		library = append(library, used)
		for cores, to := range map[int]*[]process.Usage{1: &one, 2: &two} {
			out := filepath.Join(dir, "out")
			os.RemoveAll(out)
			cmd := exec.Command(binary, "parse", "--quiet", "--model", model, "--input", text, "--output", out)
			cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			used, err := process.Run(cmd)
			if err != nil {
				return err
			}
			*to = append(*to, used)
			if parsed, err = summary(out); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d words by the library, %d by the command\n", words, parsed)
	cpu := func(u process.Usage) float64 { return u.CPU() }
	wall := func(u process.Usage) float64 { return u.Seconds }
	peak := func(u process.Usage) float64 { return float64(u.Peak) / 1024 }
	fmt.Printf("one core: library %.2f s of processor time, command %.2f s: overhead %.1f %%\n",
		median(library, cpu), median(one, cpu), 100*(median(one, cpu)/median(library, cpu)-1))
	fmt.Printf("command: one core %.2f s, two cores %.2f s: %.2f times as fast; %.0f MB and %.0f MB\n",
		median(one, wall), median(two, wall), median(one, wall)/median(two, wall), median(one, peak), median(two, peak))
	return nil
}

// median is the median of what of says of the runs, the larger of the two in the middle.
func median(runs []process.Usage, of func(process.Usage) float64) float64 {
	var list []float64
	for _, u := range runs {
		list = append(list, of(u))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// summary is how many words an output has.
func summary(out string) (words int64, err error) {
	data, err := os.ReadFile(filepath.Join(out, "summary.json"))
	if err != nil {
		return 0, err
	}
	var sum struct{ Words int64 }
	err = json.Unmarshal(data, &sum)
	return sum.Words, err
}
