package main

import (
	"fmt"
	"testing"

	"github.com/treebeam/treebeam/parser/syntax"
)

// chains returns sentences in which every word hangs on the one before it.
func chains(n, words int) []syntax.Sentence {
	list := make([]syntax.Sentence, n)
	for i := range list {
		list[i].ID = fmt.Sprint("s", i)
		for j := range words {
			list[i].Words = append(list[i].Words, syntax.Word{Form: "x", Head: int32(j), Deprel: "dep"})
		}
	}
	return list
}

func known(list []syntax.Sentence) (heads int) {
	for i := range list {
		open, _ := list[i].Open()
		heads += len(list[i].Words) - open
	}
	return heads
}

func TestRandomConditions(t *testing.T) {
	b, list := bench{seed: 3}, chains(200, 5)
	for condition, want := range map[string][2]int{"all": {1000, 1000}, "random:50": {450, 550}, "drop:50": {5, 80}, "random:0": {1000, 1000}, "random:100": {0, 0}} {
		out, err := b.opened(condition, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := known(out); n < want[0] || n > want[1] {
			t.Errorf("%s leaves %d heads, want %d to %d", condition, n, want[0], want[1])
		}
		for i := range out {
			if open, _ := out[i].Open(); condition == "drop:50" && open != 0 && open != 5 {
				t.Fatalf("%s leaves a partial tree", condition)
			}
		}
	}
	if known(list) != 1000 {
		t.Error("the treebank was changed")
	}
}

func TestSampleConditions(t *testing.T) {
	b, list := bench{seed: 3, start: 2}, chains(6, 4)
	chosen := syntax.Clone([]syntax.Sentence{list[5], list[3]})
	for i := range chosen {
		chosen[i].Comments = []string{fmt.Sprintf("# treebeam_sample = uncertain, %d of 2; 1 of 4 words expected wrong", i+1)}
		for j := range chosen[i].Words {
			chosen[i].Words[j].Misc = fmt.Sprintf("A=b|HeadConf=0.%d%d", j, i)
			chosen[i].Words[j].Deprel = "guess"
		}
	}
	// known heads of the sentences, by number
	for condition, want := range map[string][6]int{
		"start":    {4, 4, 0, 0, 0, 0},
		"unsure:3": {4, 4, 0, 1, 0, 2}, // 0.00 and 0.01, then 0.10
		"whole:3":  {4, 4, 0, 0, 0, 4},
		"whole:5":  {4, 4, 0, 4, 0, 4},
		"kept:3":   {4, 4, 0, 4, 0, 4},
	} {
		out, err := b.opened(condition, list, chosen)
		if err != nil {
			t.Fatal(err)
		}
		for i := range out {
			if n := known(out[i : i+1]); n != want[i] {
				t.Errorf("%s: sentence %d has %d heads, want %d", condition, i, n, want[i])
			}
		}
		guesses := 0
		for i := range out {
			for _, w := range out[i].Words {
				if w.Deprel == "guess" {
					guesses++
				}
			}
		}
		if condition == "kept:3" && guesses != 5 || condition != "kept:3" && guesses != 0 {
			t.Errorf("%s: %d relations are the parser's", condition, guesses)
		}
	}
	for _, bad := range []string{"some:3", "random:x", "random:-1", "unsure"} {
		bare := chains(6, 4) // without HeadConf
		if _, err := b.opened(bad, list, bare[3:]); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
