// Package confidence measures what the columns of confidence are worth: it parses
// treebanks with models and compares what the columns say with what is right.
//
//	confidence -output PREFIX [-setting S] [-certify N] TREEBANK/NAME=MODEL:GOLD...
//	confidence -output PREFIX -draw
//
// The first form writes seven tables, apart by tabs, and Markdown of the first four
// to standard output:
//
//	PREFIX-figures.tsv      a row for each column: how many cases, how many of them right,
//	                        the mean of what it says, ECE and AURC (as parser/eval defines them),
//	                        what they would be of a column that is calibrated perfectly, with the
//	                        chance of so many cases, and of a perfect order, AUC of right against
//	                        wrong, and the share of right ones among the surest 80 and 50 %
//	PREFIX-expected.tsv     UPOS, UAS and LAS as they are expected without gold trees, and as they are
//	PREFIX-documents.tsv    the same of single documents of gold sentences ("# newdoc", or 20 sentences
//	                        where the treebank has none): how far the two are apart in the mean, the
//	                        mean of the standard errors, and how many are apart by at most one and two
//	PREFIX-certificates.tsv sentences by certificate, how many of their trees are right, and tree_conf
//	PREFIX-thresholds.tsv   how much is kept if only values from a threshold on count, and how
//	                        much of it is right
//	PREFIX-bins.tsv         the points of the diagrams: 15 bins of equal width
//	PREFIX-coverage.tsv     the points of the curves: wrong heads among so many of the surest words
//
// both forms draw PREFIX-COLUMN.svg, the diagrams of a column, and
// PREFIX-coverage.svg, with a line for each treebank and a panel for each name, of
// what stands in the tables. The setting is gold-tokens (sentences and words of the
// treebank, the model's own tags), gold-tags (tags of the treebank, too) or raw (its
// text). The same input gives the same bytes.
//
//	T=../shared/treebanks
//	go run -C lab ./bench confidence -output lab/notes/confidence \
//	  en_ewt/fast=embedded:$T/en_ewt/en_ewt-ud-test.conllu \
//	  en_ewt/accurate=embedded-accurate:$T/en_ewt/en_ewt-ud-test.conllu
package confidence

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
)

// Main runs the measurement with the arguments of the command line.
func Main() error {
	prefix := flag.String("output", "", "write tables and figures to `PREFIX`-...")
	setting := flag.String("setting", string(eval.GoldTokens), "parse this of the treebanks: raw, gold-tokens or gold-tags")
	only := flag.Bool("draw", false, "draw figures of the tables that are there")
	certify := flag.Int("certify", 0, "work of a proof that no better tree exists, as treebeam parse --certify `N`")
	workers := flag.Int("workers", 0, "`N` goroutines; 0 is one per core")
	flag.Parse()
	return run(os.Stdout, *prefix, eval.Setting(*setting), search.Options{Seed: eval.SearchSeed, Certify: *certify}, *only, *workers, flag.Args())
}

func run(w io.Writer, prefix string, setting eval.Setting, o search.Options, only bool, workers int, args []string) error {
	if prefix == "" || only != (len(args) == 0) {
		return fmt.Errorf("want -output PREFIX, and either TREEBANK/NAME=MODEL:GOLD... or -draw")
	}
	if only {
		return drawAll(prefix)
	}
	pairs := make([]pair, len(args))
	for i, arg := range args {
		var err error
		if pairs[i], err = parsePair(arg); err != nil {
			return err
		}
	}
	r := newReport()
	for _, p := range pairs {
		if err := r.measure(p, setting, o, workers); err != nil {
			return fmt.Errorf("%s/%s: %w", p.treebank, p.name, err)
		}
	}
	for _, t := range append(r.short(), r.long()...) {
		if len(t.rows) == 0 && t != r.bins && t != r.coverage { // these are drawn of, whatever they hold
			continue
		}
		if err := t.write(prefix); err != nil {
			return err
		}
	}
	for _, t := range r.short() {
		if t == r.thresholds { // too long for a page
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n", t.markdown()); err != nil {
			return err
		}
	}
	return drawAll(prefix)
}
