//go:build unix

// Package figures measures the built-in English models and writes the figures into
// lab/results, from which bench tables writes those of the pages:
//
//	figures [-program bin/treebeam] [-gold ../shared/treebanks/en_ewt/en_ewt-ud-]
//	figures -speed [-program bin/treebeam] [-text '../shared/corpora/state_union/199*.txt'] [-rounds 2]
//
// The first writes english.tsv, the second the rows of treebeam in speed.tsv: nothing
// else should run on the machine then, and -machine says what it is.
package figures

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/lab/bench/process"
	"github.com/treebeam/treebeam/lab/bench/tables"
	"github.com/treebeam/treebeam/model"
)

const (
	englishTable = "lab/results/english.tsv"
	speedTable   = "lab/results/speed.tsv"
)

// Main measures as the flags say.
func Main() error {
	program := flag.String("program", "bin/treebeam", "treebeam, from make build")
	gold := flag.String("gold", "../shared/treebanks/en_ewt/en_ewt-ud-", "gold trees are in `PREFIX`test.conllu and PREFIXdev.conllu")
	fast := flag.Bool("speed", false, "measure speed and memory instead")
	text := flag.String("text", "../shared/corpora/state_union/199*.txt", "with -speed: the `FILES` to parse")
	rounds := flag.Int("rounds", 2, "with -speed: runs of each setting, in turns")
	machine := flag.String("machine", "", "with -speed: the machine and what else runs on it")
	flag.Parse()
	today := time.Now().UTC().Format(time.DateOnly)
	if *fast {
		if *machine == "" {
			return errors.New("want -machine: processor, cores and what else runs there")
		}
		return speed(*program, *text, *rounds, "date: "+today, "machine: "+*machine)
	}
	return english(*program, *gold, today)
}

// A setting is a row of english.tsv before it is measured.
type setting struct{ model, effort, set, input string }

func settings() (list []setting) {
	for _, s := range speeds {
		for _, set := range []string{"test", "dev"} {
			for _, input := range []string{"raw", "tokens", "tags"} {
				if s.effort == "" || set+input == "testraw" {
					list = append(list, setting{s.model, s.effort, set, input})
				}
			}
		}
	}
	return list
}

// scores are the metrics of treebeam eval that are columns.
var scores = []string{"Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX"}

func english(program, gold, today string) error {
	t := &tables.Table{
		About:   []string{"command: go run -C lab ./bench figures", "date: " + today},
		Columns: []string{"model", "digest", "effort", "set", "input", "gold_words"},
	}
	for _, s := range scores {
		t.Columns = append(t.Columns, strings.ToLower(s))
	}
	for _, s := range settings() {
		m, err := model.Open(s.model)
		if err != nil {
			return err
		}
		args := []string{"eval", "--json", "--gold", gold + s.set + ".conllu", "--model", s.model}
		if s.input != "raw" {
			args = append(args, "--gold-"+s.input)
		}
		if s.effort != "" {
			args = append(args, "--effort", s.effort)
		}
		row, err := measure(program, args)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, append([]string{s.model, m.Digest, s.effort, s.set, s.input}, row...))
		fmt.Println(strings.Join(t.Rows[len(t.Rows)-1], "\t"))
	}
	if err := t.Write(englishTable); err != nil {
		return err
	}
	return accuracies(t)
}

// accuracies copies the LAS of raw text to the table of speed, for its chart.
func accuracies(english *tables.Table) error {
	t, err := tables.Read(speedTable)
	if err != nil {
		return err
	}
	for _, s := range speeds {
		from := english.Find("model", s.model, "effort", s.effort, "set", "test", "input", "raw")
		if err := set(t, s.point, "las", english.Cell(from, "las")); err != nil {
			return err
		}
	}
	return t.Write(speedTable)
}

// set writes a cell of treebeam's row for a point of the table of speed.
func set(t *tables.Table, point, column, cell string) error {
	row, k := t.Find("series", "treebeam", "point", point), slices.Index(t.Columns, column)
	if row == nil || k < 0 {
		return fmt.Errorf("%s: no row %q, or no column %q", speedTable, point, column)
	}
	row[k] = cell
	return nil
}

// measure returns the cells of one run of treebeam eval: gold words, and F1 in percent.
func measure(program string, args []string) ([]string, error) {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	var got struct {
		Metrics map[string]struct {
			Gold int
			F1   float64
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	row := []string{strconv.Itoa(got.Metrics["Words"].Gold)}
	for _, s := range scores {
		metric, ok := got.Metrics[s]
		if !ok {
			return nil, fmt.Errorf("%s: no %s", cmd, s)
		}
		row = append(row, fmt.Sprintf("%.2f", 100*metric.F1))
	}
	return row, nil
}

// speeds are the points of speed.tsv: the flags of treebeam parse, and those by which
// english.tsv has its LAS.
var speeds = []struct {
	point, model, effort string
	flags                []string
}{
	{"default", model.EmbeddedAccurate, "", nil},
	{"--effort 0.85", model.EmbeddedAccurate, "0.85", []string{"--effort", "0.85"}},
	{"--effort 0.8", model.EmbeddedAccurate, "0.8", []string{"--effort", "0.8"}},
	{"--fast", model.Embedded, "", []string{"--fast"}},
}

// speed parses the text on one core, all points in turns, and writes their rows; those
// of other programs and LAS that is not measured here stay.
func speed(program, text string, rounds int, about ...string) error {
	t, err := tables.Read(speedTable)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(text)
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no files %s (%v)", text, err)
	}
	used := make([][]process.Usage, len(speeds))
	words := 0
	for range rounds {
		for i, s := range speeds {
			u, n, err := parse(program, append(slices.Clone(s.flags), files...))
			if err != nil {
				return err
			}
			used[i], words = append(used[i], u), n
		}
	}
	for i, s := range speeds {
		var seconds []string
		total, peak := 0.0, int64(0)
		for _, u := range used[i] {
			seconds = append(seconds, fmt.Sprintf("%.2f", u.Seconds))
			total, peak = total+u.Seconds, max(peak, u.Peak)
		}
		rate := 10 * math.Round(float64(words*rounds)/total/10)
		for column, cell := range map[string]string{
			"seconds":          strings.Join(seconds, ", "),
			"words_per_second": strconv.FormatFloat(rate, 'f', 0, 64),
			"peak_mb":          strconv.FormatInt(peak*1024/1_000_000, 10),
		} {
			if err := set(t, s.point, column, cell); err != nil {
				return err
			}
		}
	}
	t.About = append([]string{"command: go run -C lab ./bench figures -speed", fmt.Sprintf("text: %s, %d words", text, words)}, about...)
	return t.Write(speedTable)
}

// parse runs treebeam parse on one core and returns what it took and the words.
func parse(program string, args []string) (process.Usage, int, error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return process.Usage{}, 0, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("taskset", append([]string{"-c", "0", program, "parse", "--quiet", "--output", filepath.Join(dir, "out")}, args...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "GOMAXPROCS=1"), os.Stderr
	used, err := process.Run(cmd)
	if err != nil {
		return used, 0, fmt.Errorf("%s: %w", cmd, err)
	}
	var summary struct{ Words int }
	text, err := os.ReadFile(filepath.Join(dir, "out", "summary.json"))
	if err != nil {
		return used, 0, err
	}
	return used, summary.Words, json.Unmarshal(text, &summary)
}
