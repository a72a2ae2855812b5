// Package chaos kills treebeam at random moments and checks that nothing of
// its output is lost, doubled or done again:
//
//	go run -C lab ./bench chaos -program bin/treebeam -rounds 50 -seed 1 docs sample/text
//
// A round starts the same command over and over, each time killing it (signal
// 9) after a random time, until it ends by itself. Then the output must have
// the bytes of an undisturbed run, and no part that was there at a kill may
// have been written anew. Every tenth round runs the command twice at once.
package chaos

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// minRanges is how many parts an output must have for a kill to say anything.
const minRanges = 40

// Main runs the measurement with the arguments of the command line.
func Main() error {
	c := chaos{}
	flag.StringVar(&c.program, "program", "bin/treebeam", "`FILE` of treebeam")
	flag.StringVar(&c.model, "model", "", "model `FILE` (the embedded one)")
	flag.IntVar(&c.rounds, "rounds", 50, "`N` rounds")
	flag.IntVar(&c.atLeast, "kills", 0, "go on until `N` kills, whatever the rounds")
	seed := flag.Uint64("seed", 1, "`N` that the moments depend on")
	flag.IntVar(&c.rangeBytes, "range-bytes", 2500, "`BYTES` of input that make one part")
	folder := flag.String("folder", "", "`FOLDER` for outputs (a temporary one)")
	flag.Parse()
	if flag.NArg() == 0 {
		return errors.New("name the input")
	}
	dir, err := os.MkdirTemp(*folder, "chaos-*")
	if err != nil {
		return err
	}
	c.dir, c.random = dir, rand.New(rand.NewPCG(*seed, 0))
	if err := c.run(); err != nil {
		return fmt.Errorf("after %d kills: %w\nthe output stays in %s", c.kills, err, dir)
	}
	return os.RemoveAll(dir)
}

type chaos struct {
	program, model  string
	rounds, atLeast int
	rangeBytes      int

	dir    string
	random *rand.Rand
	whole  time.Duration     // of an undisturbed run
	want   map[string]string // its files and what is in them
	kills  int
	late   int // kills when there was at least one part
	kept   int // parts that stood at a kill, over all kills
}

func (c *chaos) run() error {
	calm := filepath.Join(c.dir, "calm")
	began := time.Now()
	if out, err := c.command(calm).CombinedOutput(); err != nil {
		return fmt.Errorf("the undisturbed run: %w\n%s", err, out)
	}
	c.whole = time.Since(began)
	var err error
	if c.want, err = contents(calm); err != nil {
		return err
	}
	if n := countParts(c.want); n < minRanges {
		return fmt.Errorf("the output has %d parts, fewer than %d: give more input or a smaller -range-bytes", n, minRanges)
	}
	round := 0
	for ; round < c.rounds || c.kills < c.atLeast; round++ {
		out := filepath.Join(c.dir, fmt.Sprintf("round-%d", round))
		if round%10 == 9 {
			err = c.twice(out)
		} else {
			err = c.round(out)
		}
		if err == nil {
			err = c.check(out)
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	fmt.Printf("%d rounds, %d kills, %d of them with parts finished (%d parts in all); outputs of %d parts, all the same bytes, no finished part written again\n",
		round, c.kills, c.late, c.kept, countParts(c.want))
	return nil
}

func (c *chaos) command(out string) *exec.Cmd {
	args := []string{"parse", "--quiet", "--output", out, "--range-bytes", fmt.Sprint(c.rangeBytes)}
	if c.model != "" {
		args = append(args, "--model", c.model)
	} else {
		args = append(args, "--fast")
	}
	return exec.Command(c.program, append(args, flag.Args()...)...)
}

// round kills the command until it is quicker than its killer.
func (c *chaos) round(out string) error {
	for {
		before, err := partsIn(out)
		if err != nil {
			return err
		}
		cmd := c.command(out)
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Start(); err != nil {
			return err
		}
		// Up to one and a half times as long as a whole run takes.
		moment := time.Duration(c.random.Float64() * 1.5 * float64(c.whole))
		killer := time.AfterFunc(moment, func() { cmd.Process.Kill() })
		err = cmd.Wait()
		killed := !killer.Stop() && err != nil
		after, listErr := partsIn(out)
		if listErr != nil {
			return listErr
		}
		if err := unchanged(before, after); err != nil {
			return err
		}
		switch {
		case err == nil:
			return nil
		case !killed:
			return fmt.Errorf("the run failed by itself: %w\n%s", err, output.Bytes())
		}
		c.kills++
		c.kept += len(after)
		if len(after) > 0 {
			c.late++
		}
	}
}

// twice runs the command twice at once: both must end well.
func (c *chaos) twice(out string) error {
	results := make(chan error, 2)
	for range 2 {
		go func() {
			text, err := c.command(out).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("one of two runs at once: %w\n%s", err, text)
			}
			results <- err
		}()
		time.Sleep(time.Duration(c.random.Float64() * 0.5 * float64(c.whole)))
	}
	return errors.Join(<-results, <-results)
}

// check compares an output with that of the undisturbed run.
func (c *chaos) check(out string) error {
	got, err := contents(out)
	if err != nil {
		return err
	}
	for name := range c.want {
		if got[name] != c.want[name] {
			return fmt.Errorf("%s is missing or has other bytes", name)
		}
		delete(got, name)
	}
	for name := range got {
		return fmt.Errorf("%s is in no undisturbed run", name)
	}
	return nil
}

// contents digests all files of an output but its temporary ones.
func contents(out string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == filepath.Join("_treebeam", "tmp") {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return nil
	})
	return files, err
}

func countParts(files map[string]string) int {
	n := 0
	for name := range files {
		if strings.HasPrefix(name, "trees/") {
			n++
		}
	}
	return n
}

// partsIn returns the finished parts of an output, by name.
func partsIn(out string) (map[string]fs.FileInfo, error) {
	parts := map[string]fs.FileInfo{}
	entries, err := os.ReadDir(filepath.Join(out, "trees"))
	if errors.Is(err, fs.ErrNotExist) {
		return parts, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		parts[e.Name()] = info
	}
	return parts, nil
}

// unchanged says which part that was there before is gone or another file now.
func unchanged(before, after map[string]fs.FileInfo) error {
	var list []string
	for name, was := range before {
		is, ok := after[name]
		if !ok || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return fmt.Errorf("%d finished parts were removed or written again, such as %s", len(list), list[0])
}
