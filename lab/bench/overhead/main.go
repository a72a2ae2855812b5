//go:build unix

// Package overhead measures what Beam, files and Parquet cost beside the parser: the
// processor time of treebeam parse on one core against that of the Go library on the same
// texts, the time on one core against two, and the memory on two.
//
//	go run -C lab ./bench overhead              state_union, the best of three runs of each
//	go run -C lab ./bench overhead -runs 5 -text FOLDER
//
// Runs of all kinds take turns, each in a process of its own. Nothing else should run on
// the machine: one core is GOMAXPROCS=1, not a pinned one.
package overhead

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/treebeam/treebeam"
	"github.com/treebeam/treebeam/lab/bench/process"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	text := flag.String("text", "../shared/corpora/state_union", "`FOLDER` of .txt files")
	binary := flag.String("binary", "bin/treebeam", "treebeam `PROGRAM`, as make build makes it")
	runs := flag.Int("runs", 3, "`NUMBER` of runs of each kind; the fastest counts")
	library := flag.Bool("library", false, "parse the files by the library, in this process")
	flag.Parse()
	if *library {
		return parse(*text)
	}
	return compare(*text, *binary, *runs)
}

// parse parses the files by the library, on one goroutine.
func parse(folder string) error {
	m, err := treebeam.Open("embedded")
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

// compare runs library and command in turns and prints what the fastest runs took.
func compare(text, binary string, runs int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "overhead-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	least := func(a, b process.Usage) process.Usage {
		a.User, a.System = min(a.User, b.User), min(a.System, b.System)
		a.Seconds, a.Peak = min(a.Seconds, b.Seconds), max(a.Peak, b.Peak)
		return a
	}
	none := process.Usage{User: math.Inf(1), System: math.Inf(1), Seconds: math.Inf(1)}
	library, one, two := none, none, none
	var words, parsed int64
	for range runs {
		cmd := exec.Command(self, "overhead", "-library", "-text", text)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, os.Stderr
		used, err := process.Run(cmd)
		if err != nil {
			return err
		}
		fmt.Sscan(said.String(), &words)
		library = least(library, used)
		for cores, best := range map[int]*process.Usage{1: &one, 2: &two} {
			out := filepath.Join(dir, "out")
			os.RemoveAll(out)
			cmd := exec.Command(binary, "parse", "--quiet", "--fast", "--input", text, "--output", out)
			cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			used, err := process.Run(cmd)
			if err != nil {
				return err
			}
			*best = least(*best, used)
			if parsed, err = summary(out); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d words by the library, %d by the command\n", words, parsed)
	fmt.Printf("one core: library %.2f s of processor time, command %.2f s: overhead %.1f %%\n",
		library.CPU(), one.CPU(), 100*(one.CPU()/library.CPU()-1))
	fmt.Printf("command: one core %.2f s, two cores %.2f s: %.2f times as fast; %.0f MB and %.0f MB at most\n",
		one.Seconds, two.Seconds, one.Seconds/two.Seconds, float64(one.Peak)/1024, float64(two.Peak)/1024)
	return nil
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
