//go:build unix

// Package scale measures how the memory of a run grows with its input: for
// every size it parses so many megabytes of text to Parquet, interrupts the
// run when half of the parts are there, continues it with the same command,
// and prints a row.
//
//	go run -C lab ./bench scale                       3, 30 and 100 MB
//	go run -C lab ./bench scale -samples 3 10         3 and 10 MB, with the memory as it grew
//	go run -C lab ./bench scale -library TEXT...      the stages alone, without Beam and files
//
// The text is that of the folder -text again and again: every second copy as
// one file, the others file by file; the lines of each copy begin at another
// one, and a sentence of its own makes it another file. Input and output are in
// a temporary folder, which is removed. Arguments after -- go to treebeam parse.
package scale

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/lab/bench/process"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	text := flag.String("text", "../shared/corpora/state_union", "`FOLDER` of .txt files to make the input of")
	binary := flag.String("binary", "bin/treebeam", "treebeam `PROGRAM`, as make build makes it")
	samples := flag.Bool("samples", false, "print the memory every time another tenth of the parts is there")
	stages := flag.Bool("library", false, "run the stages of the embedded model over the files named")
	whole := flag.Bool("whole", false, "do not interrupt")
	flag.Parse()
	sizes, more := flag.Args(), []string(nil)
	if at := slices.Index(sizes, "--"); at >= 0 {
		sizes, more = sizes[:at], sizes[at+1:]
	}
	if *stages {
		return library(sizes)
	}
	return measure(sizes, bench{text: *text, binary: *binary, samples: *samples, whole: *whole, more: more})
}

type bench struct {
	text, binary   string
	samples, whole bool
	more           []string // arguments of parse
}

func measure(sizes []string, b bench) error {
	if len(sizes) == 0 {
		sizes = []string{"3", "30", "100"}
	}
	var err error
	if b.binary, err = filepath.Abs(b.binary); err != nil {
		return err
	}
	for _, size := range sizes {
		megabytes, err := strconv.ParseFloat(size, 64)
		if err != nil || megabytes <= 0 {
			return fmt.Errorf("%s: must be a number of megabytes", size)
		}
		if err := b.size(megabytes); err != nil {
			return fmt.Errorf("%s MB: %w", size, err)
		}
	}
	return nil
}

// size measures one size of input.
func (b *bench) size(megabytes float64) error {
	dir, err := os.MkdirTemp("", "scale-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	input, output := filepath.Join(dir, "input"), filepath.Join(dir, "output")
	stored, err := corpus(b.text, input, int64(megabytes*1e6))
	if err != nil {
		return err
	}
	var first process.Usage
	interrupted := 0
	if !b.whole {
		if first, err = b.run(input, output, true); err != nil {
			return err
		}
		interrupted = parts(output)
	}
	last, err := b.run(input, output, false)
	if err != nil {
		return err
	}
	var sum struct{ Trees, Words int64 }
	data, err := os.ReadFile(filepath.Join(output, "summary.json"))
	if err == nil {
		err = json.Unmarshal(data, &sum)
	}
	if err != nil {
		return err
	}
	user := first.User + last.User
	fmt.Printf("%6.1f MB of text, %d trees, %d words, %d parts, interrupted after %d: peak %.0f MB, continued %.0f MB; "+
		"%.0f s of user time, %.0f s in all, %.0f words per second of user time\n",
		float64(stored)/1e6, sum.Trees, sum.Words, parts(output), interrupted, float64(first.Peak)/1024, float64(last.Peak)/1024,
		user, first.Seconds+last.Seconds, float64(sum.Words)/user)
	return nil
}

// run parses input, until half of the parts are there or to the end.
func (b *bench) run(input, output string, interrupt bool) (u process.Usage, err error) {
	cmd := exec.Command(b.binary, append([]string{"parse", "--quiet", "--fast", "--input", input, "--output", output}, b.more...)...)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return u, err
	}
	stop, stopped := make(chan struct{}), make(chan bool)
	go func() { stopped <- b.watch(cmd.Process, output, interrupt, stop) }()
	err = cmd.Wait()
	close(stop)
	sent := <-stopped
	var failed *exec.ExitError
	switch {
	case sent && errors.As(err, &failed) && failed.ExitCode() == 130:
	case err == nil && !sent && !interrupt:
	case err == nil && !sent:
		return u, errors.New("the run ended before half of its parts were seen: take more text")
	default:
		return u, fmt.Errorf("%s: %w\n%s", cmd, err, log.String())
	}
	u = process.Of(cmd.ProcessState)
	u.Seconds = time.Since(begun).Seconds()
	return u, nil
}

// watch looks at the parts of a run until stop, interrupts it if it shall, and
// says whether it did.
func (b *bench) watch(p *os.Process, output string, interrupt bool, stop <-chan struct{}) (sent bool) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	tenth := 0
	for {
		select {
		case <-stop:
			return sent
		case <-tick.C:
		}
		n, of := parts(output), ranges(output)
		if b.samples && of > 0 && n*10/of > tenth {
			tenth = n * 10 / of
			fmt.Printf("  %3d of %d parts: %s\n", n, of, memory(p.Pid))
		}
		if interrupt && !sent && of > 0 && n >= of/2 {
			sent = p.Signal(os.Interrupt) == nil
		}
	}
}

// parts counts the finished parts of an output.
func parts(output string) int {
	names, _ := filepath.Glob(filepath.Join(output, "trees", "*.parquet"))
	return len(names)
}

// ranges is the number of parts that the output will have, 0 if not known yet.
func ranges(output string) int {
	names, _ := filepath.Glob(filepath.Join(output, "trees", "*.parquet"))
	if len(names) == 0 {
		return 0
	}
	var k, n int
	if _, err := fmt.Sscanf(filepath.Base(names[0]), "part-%d-of-%d-", &k, &n); err != nil {
		return 0
	}
	return n
}

// memory is the present and the largest resident memory of a process, where
// /proc tells.
func memory(pid int) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown"
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "VmRSS:") || strings.HasPrefix(line, "VmHWM:") {
			list = append(list, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(list, ", ")
}
