package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/treebeam/treebeam/io/conllu"
)

const treebank = `# newdoc
1	Ada	_	_	_	_	0	root	_	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	_	_	_	_	1	dep	_	_
3	n't	_	_	_	_	1	dep	_	_
4	pay	_	_	_	_	1	dep	_	_
5	$	_	_	_	_	1	dep	_	SpaceAfter=No
6	5	_	_	_	_	1	dep	_	_
7	--	_	_	_	_	1	dep	_	_
8	yet	_	_	_	_	1	dep	_	SpaceAfter=No
9	...	_	_	_	_	1	dep	_	_

`

func TestRun(t *testing.T) {
	folder := t.TempDir()
	path, texts := filepath.Join(folder, "a.conllu"), filepath.Join(folder, "a.txt")
	for name, text := range map[string]string{path: strings.Repeat(treebank, 12), texts: "Ada don't pay...\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := run(&out, options{train: files{path}, dev: path, texts: texts, seeds: 2}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain   sentences 100.00 (100.00 to 100.00)  tokens 100.00  words 100.00\n", "\nall ", "\n    Ada {don't} do n't pay ...\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if run(&out, options{dev: path, seeds: 1}) == nil || run(&out, options{train: files{path}, dev: path}) == nil {
		t.Error("no error without a treebank, or a seed")
	}
}

func TestWays(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.conllu")
	if err := os.WriteFile(path, []byte(treebank), 0o600); err != nil {
		t.Fatal(err)
	}
	gold, err := conllu.ReadAll(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"plain": "Ada {don't} do n't pay $ 5 -- yet ...", "curly": "Ada {don’t} do n’t pay $ 5 -- yet ...",
		"dashes": "Ada {don't} do n't pay $ 5 — yet ...", "all": "Ada {don’t} do n’t pay £ 5 — yet …",
	} {
		for i := range ways {
			if ways[i].name != name {
				continue
			}
			out := ways[i].apply(gold)
			if got := describe(&out[0]); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			if glued := out[0].Words[6].Misc == "SpaceAfter=No"; glued != (name == "dashes") {
				t.Errorf("%s: a space behind the dash is gone: %v", name, glued)
			}
		}
	}
	if describe(&gold[0]) != "Ada {don't} do n't pay $ 5 -- yet ..." {
		t.Error("the gold sentence has changed")
	}
}
