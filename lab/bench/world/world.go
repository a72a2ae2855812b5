// Package world measures a model file of many languages on the tests of
// ../shared/treebanks/world, from raw text, beside the published figures of UDPipe 1.2
// (udpipe1.tsv there). It prints a table of Markdown and writes lab/results/languages.tsv, from
// which docs/languages.md takes its table:
//
//	world [-model world] [-shared ../shared] [-gold PATTERN] [-out lab/results/languages.tsv] [CODE...]
//
// PATTERN names other files than the tests: CODE in it stands for the code of a language, as in
// out/treebanks/CODE-dev.conllu.
package world

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/treebeam/treebeam/io/conllu"
	"github.com/treebeam/treebeam/io/treebank"
	"github.com/treebeam/treebeam/model"
	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
)

// A row holds the figures of a language, in percent.
type row struct {
	model.Language
	words   int // of test
	score   model.Score
	ece     float64           // of heads
	udpipe  map[string]string // by column; nil: none
	seconds float64
}

// Main runs the measurement with the arguments of the command line.
func Main() error {
	uri := flag.String("model", model.EmbeddedWorld, "`FILE` or world")
	shared := flag.String("shared", "../shared", "folder with treebanks/world")
	gold := flag.String("gold", "", "parse the files of `PATTERN`, in which CODE stands for the language, not the tests")
	out := flag.String("out", "lab/results/languages.tsv", "write the table to `FILE`; empty: none")
	flag.Parse()
	w, err := model.OpenWorld(*uri)
	if err != nil {
		return err
	}
	folder := filepath.Join(*shared, "treebanks", "world")
	udpipe, err := published(filepath.Join(folder, "udpipe1.tsv"))
	if err != nil {
		return err
	}
	if *gold == "" {
		*gold = filepath.Join(folder, "CODE", "CODE-test.conllu")
	}
	var rows []row
	for _, l := range w.Languages() {
		if flag.NArg() > 0 && !slices.Contains(flag.Args(), l.Code) {
			continue
		}
		r := row{Language: l, udpipe: udpipe[l.Code]}
		if err := r.measure(w, strings.ReplaceAll(*gold, "CODE", l.Code)); err != nil {
			return fmt.Errorf("%s: %w", l.Code, err)
		}
		fmt.Fprintf(os.Stderr, "%s: words %.2f, sentences %.2f, UPOS %.2f, LAS %.2f, ECE %.2f, %.0f s\n", l.Code, r.score.Words,
			r.score.Sentences, r.score.UPOS, r.score.LAS, r.ece, r.seconds)
		rows = append(rows, r)
	}
	fmt.Print(markdown(rows))
	if *out == "" {
		return nil
	}
	return os.WriteFile(*out, tsv(rows, w.Digest), 0o666)
}

// measure parses a test from raw text.
func (r *row) measure(w *model.World, path string) error {
	m, err := w.Language(r.Code)
	if err != nil {
		return err
	}
	gold, err := conllu.ReadAllWith(path, conllu.Options{MultipleRoots: true})
	if err != nil {
		return err
	}
	blocks, err := treebank.Blocks(gold)
	if err != nil {
		return err
	}
	begun := time.Now()
	system, err := eval.Predict(m, search.Options{Seed: eval.SearchSeed}, gold, blocks, eval.Raw, 0)
	if err != nil {
		return err
	}
	r.seconds = time.Since(begun).Seconds()
	result, err := eval.Evaluate(gold, system)
	if err != nil {
		return err
	}
	r.score, r.words = eval.ScoreOf(eval.Raw, result), result.Scores[eval.Words].Gold
	columns, err := eval.Reliabilities(gold, system)
	if err != nil {
		return err
	}
	for _, c := range columns {
		if c.Column == "head_conf" && c.Of == "head" {
			r.ece = 100 * c.ECE
		}
	}
	return nil
}

// published reads the figures of UDPipe, by code and column.
func published(path string) (map[string]map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := map[string]map[string]string{}
	var names []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(cells[0], "#"):
		case names == nil:
			names = cells
		default:
			list[cells[0]] = map[string]string{}
			for i, c := range cells {
				list[cells[0]][names[i]] = c
			}
		}
	}
	return list, nil
}

// las is UDPipe's LAS.
func (r *row) las() (float64, bool) {
	x, err := strconv.ParseFloat(r.udpipe["LAS"], 64)
	return x, err == nil
}

func markdown(rows []row) string {
	var b strings.Builder
	b.WriteString("| code | language | words of train | sentences | words | UPOS | lemmas | UAS | LAS | LAS of UDPipe 1.2 | ECE of heads |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	var all, beside, theirs, upos, ece, worst float64
	known, level := 0, 0
	for _, r := range rows {
		s := &r.score
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %s | %.1f |\n", r.Code, r.Name, r.TrainWords,
			s.Sentences, s.Words, s.UPOS, s.Lemmas, s.UAS, s.LAS, r.udpipe["LAS"], r.ece)
		all, upos, ece, worst = all+s.LAS, upos+s.UPOS, ece+r.ece, max(worst, r.ece)
		if las, ok := r.las(); ok {
			known, beside, theirs = known+1, beside+s.LAS, theirs+las
			if s.LAS >= las {
				level++
			}
		}
	}
	n, k := float64(max(len(rows), 1)), float64(max(known, 1))
	fmt.Fprintf(&b, "\n%d languages: mean LAS %.2f, UPOS %.2f, ECE of heads %.2f, at most %.2f. Beside UDPipe 1.2, %d languages: mean LAS %.2f and %.2f, level or better in %d.\n",
		len(rows), all/n, upos/n, ece/n, worst, known, beside/k, theirs/k, level)
	return b.String()
}

func tsv(rows []row, digest string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# command: go run -C lab ./bench world\n# date: %s\n# digest: %.16s\n", time.Now().UTC().Format(time.DateOnly), digest)
	b.WriteString("code\tname\ttrain_words\ttest_words\tsentences\twords\tupos\tlemmas\tuas\tlas\tudpipe_las\tece_heads\tsources\n")
	for _, r := range rows {
		s := &r.score
		var sources []string
		for _, x := range r.Treebanks {
			sources = append(sources, x.Name+" ("+x.Licence+")")
		}
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%.2f\t%s\n", r.Code, r.Name, r.TrainWords, r.words,
			s.Sentences, s.Words, s.UPOS, s.Lemmas, s.UAS, s.LAS, r.udpipe["LAS"], r.ece, strings.Join(sources, "; "))
	}
	return b.Bytes()
}
