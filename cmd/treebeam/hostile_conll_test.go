package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wordLine is a line of CoNLL-U: an id, a form and a head.
func wordLine(id, form, head string) string {
	return fmt.Sprintf("%s\t%s\t_\t_\t_\t_\t%s\t_\t_\t_\n", id, form, head)
}

// Blocks that are no sentences, or odd ones: each costs a row of its own and
// nothing of its neighbours.
func TestHostileCoNLL(t *testing.T) {
	before, after := "# sent_id = before\n"+words(2), "# sent_id = after\n"+words(3)
	one := func(name, block, reason string) hostile {
		c := hostile{in: map[string]string{name: before + block + "\n" + after}, trees: 3}
		if reason != "" {
			c.trees, c.rows = 2, []row{{name, "read", reason}}
		}
		return c
	}
	warned := func(block, reason string) hostile {
		c := one("a.conllu", block, reason)
		c.trees = 3
		return c
	}
	keep := func(block, reason string) hostile {
		c := one("a.conllu", block, reason)
		c.in["a.conllu"] = block + "\n"
		c.trees, c.args = 0, []string{"IN", "--output", "OUT", "--keep-heads"}
		return c
	}
	runHostile(t, map[string]hostile{
		"ids out of order":      one("a.conllu", wordLine("1", "x", "2")+wordLine("3", "y", "0"), "word 3 where 2"),
		"ids from 0":            one("a.conllu", wordLine("0", "x", "0"), "word 0 where 1"),
		"ids with signs":        one("a.conllu", wordLine("+1", "x", "0"), "no word number"),
		"an id of 20 digits":    one("a.conllu", wordLine(strings.Repeat("9", 20), "x", "0"), "no word number"),
		"cyclic heads":          one("a.conllu", wordLine("1", "x", "2")+wordLine("2", "y", "1"), ""),
		"two roots":             one("a.conllu", wordLine("1", "x", "0")+wordLine("2", "y", "0"), ""),
		"a head too large":      one("a.conllu", wordLine("1", "x", "7"), ""),
		"a head that is none":   one("a.conllu", wordLine("1", "x", "-1")+wordLine("2", "x", "zero"), ""),
		"cyclic heads kept":     keep(wordLine("1", "x", "2")+wordLine("2", "y", "1"), "no word has head 0"),
		"a cycle kept":          keep(wordLine("1", "x", "0")+wordLine("2", "y", "3")+wordLine("3", "z", "2"), "cycle"),
		"two roots kept":        keep(wordLine("1", "x", "0")+wordLine("2", "y", "0"), "both roots"),
		"a large head kept":     keep(wordLine("1", "x", "7"), "head"),
		"overlapping ranges":    one("a.conllu", wordLine("1-2", "xy", "_")+wordLine("1", "x", "0")+wordLine("2-3", "yz", "_")+wordLine("2", "y", "1")+wordLine("3", "z", "1"), "overlaps"),
		"a range backwards":     one("a.conllu", wordLine("2-1", "xy", "_")+wordLine("1", "x", "0"), "no range"),
		"a range too long":      one("a.conllu", wordLine("1-9", "xy", "_")+wordLine("1", "x", "0"), "ends after the last word"),
		"a range without words": one("a.conllu", wordLine("1", "x", "0")+wordLine("2-3", "yz", "_"), "ends after the last word"),
		"an empty node first":   one("a.conllu", wordLine("0.1", "x", "_")+wordLine("1", "y", "0"), ""),
		"an empty node astray":  one("a.conllu", wordLine("1", "y", "0")+wordLine("5.1", "x", "_"), "does not stand after word 5"),
		"empty nodes backwards": one("a.conllu", wordLine("1", "y", "0")+wordLine("1.2", "x", "_")+wordLine("1.1", "x", "_"), "empty node 1.1 after"),
		"an empty node in a token": warned(wordLine("1-2", "xy", "_")+wordLine("0.1", "e", "_")+wordLine("1", "x", "0")+wordLine("2", "y", "1"),
			"moved before the token"),
		"only empty nodes":     one("a.conllu", wordLine("0.1", "x", "_"), "no word line"),
		"only comments":        one("a.conllu", "# text = nothing\n", "no word line"),
		"comments in between":  warned(wordLine("1", "x", "0")+"# late\n"+wordLine("2", "y", "1"), "moved before it"),
		"tabs in MISC":         one("a.conllu", "1\tx\t_\t_\t_\t_\t0\t_\t_\tA=1\tB=2\n", "11 columns"),
		"spaces for tabs":      one("a.conllu", "1 x _ _ _ _ 0 _ _ _\n", "separated by spaces, not by tabs"),
		"an empty form":        one("a.conllu", wordLine("1", "", "0"), "the column is empty"),
		"an empty column":      warned("1\tx\t\t_\t_\t_\t0\t_\t_\t_\n", `read as "_"`),
		"a form with spaces":   one("a.conllu", wordLine("1", "New  York", "0"), ""),
		"a NUL in a form":      warned(wordLine("1", "x\x00y", "0"), "NUL or not UTF-8"),
		"bad UTF-8 in a form":  warned(wordLine("1", "caf\xe9", "0"), "not UTF-8"),
		"a million columns":    one("a.conllu", "1"+strings.Repeat("\t", 1_000_000)+"\n", "1000001 columns"),
		"a form of 1 MB":       one("a.conllu", wordLine("1", strings.Repeat("x", 1<<20), "0"), ""),
		"text that is not so":  one("a.conllu", "# text = something else\n"+wordLine("1", "x", "0"), ""),
		"a failure of before":  one("a.conllu", "# treebeam_failure = old\n"+wordLine("1", "x", "_"), ""),
		"ids twice":            {in: map[string]string{"a.conllu": before + before}, trees: 2},
		"no blank line at all": one("a.conllu", wordLine("1", "x", "0")+wordLine("1", "y", "0"), "word 1 where 2"),
		"no last line feed":    {in: map[string]string{"a.conllu": "1\tx\t_\t_\t_\t_\t0\t_\t_\t_"}, trees: 1},
		"text under the name":  {in: map[string]string{"a.conllu": fine}, rows: []row{{"a.conllu", "read", "1 columns"}, {"a.conllu", "read", "1 columns"}}},
		"CoNLL under txt":      {in: map[string]string{"a.txt": before}, trees: 1},
		"UTF-16":               {in: map[string]string{"a.conllu": "\xff\xfe" + utf16le(before)}, rows: []row{{"a.conllu", "read", "UTF-16"}}},
		"CoNLL-X with ranges":  one("a.conllx", wordLine("1-2", "xy", "_")+wordLine("1", "x", "0"), "no word number"),
		"70,000 words": {in: map[string]string{"a.conllu": words(70_000) + after}, trees: 1, once: true,
			rows: []row{{"a.conllu", "read", "more than 65535 words"}}},
		"65,535 words":        {in: map[string]string{"a.conllu": words(65_535)}, trees: 1, once: true},
		"a block over 4 MB":   {setup: hugeBlock, trees: 1, once: true, rows: []row{{"a.conllu", "read", "more than the limit"}}},
		"tags that are words": one("a.conllu", "1\tx\tx\t"+strings.Repeat("LONG", 5000)+"\tx\tA=\x01|=|B\t0\troot:"+strings.Repeat("y", 5000)+"\t_\t_\n", ""),
	})
}

// hugeBlock is a block of 33 MB between two sentences, one of which is cut
// off from it by a line of white space only.
func hugeBlock(t *testing.T, dir string) {
	long := wordLine("1", strings.Repeat("x", 1<<20), "0")
	text := strings.Repeat(long, 33) + " \t \n" + words(2)
	if err := os.WriteFile(filepath.Join(dir, "in", "a.conllu"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
