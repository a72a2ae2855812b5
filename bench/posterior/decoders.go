//go:build unix

package main

import (
	"fmt"
	"io"

	"github.com/treebeam/treebeam/parser/eval"
	"github.com/treebeam/treebeam/parser/search"
	"github.com/treebeam/treebeam/parser/train"
)

// decoders prints a row for each of the decoders that the command line knows.
func (b *bench) decoders(w io.Writer, in *bank) error {
	for _, name := range []string{"greedy", "sample", "risk"} {
		d, err := search.NamedDecoder(name)
		if err != nil {
			return err
		}
		t, err := in.parse(search.Options{Seed: train.SearchSeed, Decoder: d}, b.times)
		if err != nil {
			return err
		}
		result, err := eval.Evaluate(in.gold, t.sents)
		if err != nil {
			return err
		}
		total := 0.0
		for i := range t.sents {
			total += float64(t.sents[i].Confidence.TreeScore)
		}
		n := float64(in.words)
		fmt.Fprintf(w, "| %s | %s | %.2f | %.2f | %.5f | %.0f | %.0f |\n", in.name, name,
			100*result.Scores[eval.UAS].F1(), 100*result.Scores[eval.LAS].F1(), total/n, float64(t.gains)/n, float64(t.took.Nanoseconds())/1000/n)
	}
	return nil
}
