package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/treebeam/treebeam/io/parquet"
	"github.com/treebeam/treebeam/parser/syntax"
	"github.com/treebeam/treebeam/pipeline"
)

func init() {
	commands = append(commands, command{"show", "show FOLDER [--id ID] [--lowest N]", "trees as text", runShow})
}

const showAbout = `
Draws trees of an output folder: the first ones, those with an id, or the least
certain ones. Behind each word stand its tag, its label and, if it is not sure,
the probability of its head.`

func runShow(_ context.Context, args []string) error {
	fs := newFlags("show", "show FOLDER [flags]", showAbout)
	id := fs.String("id", "", "only the sentence with this `ID` (column sent_id)")
	lowest := fs.Int("lowest", 0, "the `N` sentences whose trees are least certain")
	count := fs.Int("count", 5, "the first `N` sentences")
	others, err := parseFlags(fs, args)
	if err != nil {
		return err
	}
	if len(others) != 1 {
		return refuse("want one output folder of treebeam parse, got %d arguments", len(others))
	}
	if *lowest < 0 || *count < 0 {
		return refuse("--lowest and --count must not be negative")
	}
	trees, err := chooseTrees(others[0], *id, *lowest, *count)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, t := range trees {
		drawTree(out, t)
	}
	return out.Flush()
}

var errEnough = errors.New("enough")

// chooseTrees reads the trees to show, in the order to show them.
func chooseTrees(output, id string, lowest, count int) ([]*parquet.Tree, error) {
	var list []*parquet.Tree
	_, err := pipeline.Convert(output, func(r *pipeline.Row) error {
		switch {
		case r.Tree == nil:
		case id != "":
			if r.Tree.SentID == id {
				list = append(list, r.Tree)
			}
		case lowest > 0:
			list = append(list, r.Tree)
			if len(list) >= 2*lowest {
				list = leastCertain(list, lowest)
			}
		case len(list) == count:
			return errEnough
		default:
			list = append(list, r.Tree)
		}
		return nil
	})
	if err != nil && err != errEnough {
		return nil, err
	}
	if id != "" && len(list) == 0 {
		return nil, refuse("no sentence of %s has the id %q; treebeam convert %s --to jsonl lists the ids", output, id, output)
	}
	if lowest > 0 {
		list = leastCertain(list, lowest)
	}
	return list, nil
}

func leastCertain(list []*parquet.Tree, n int) []*parquet.Tree {
	slices.SortStableFunc(list, func(a, b *parquet.Tree) int { return cmp.Compare(certainty(a), certainty(b)) })
	return list[:min(n, len(list))]
}

// certainty is tree_conf if the model is calibrated, else the least probable
// head's marginal, else the agreement of the restarts.
func certainty(t *parquet.Tree) float32 {
	switch {
	case t.TreeConf != nil:
		return *t.TreeConf
	case len(t.HeadMarginal) > 0:
		return slices.Min(t.HeadMarginal)
	}
	return t.TreeAgreement
}

// sure is the probability of a head from which on it is not shown.
const sure = 0.9

// drawTree writes the tree with children below their heads in word order.
func drawTree(w io.Writer, t *parquet.Tree) {
	fmt.Fprintf(w, "%s\n", t.SentID)
	if t.Text != "" {
		fmt.Fprintf(w, "%s\n", t.Text)
	}
	children := make([][]int, len(t.Tokens)+1)
	for i, h := range t.Head {
		if h >= syntax.Root && int(h) <= len(t.Tokens) {
			children[h] = append(children[h], i+1)
		}
	}
	type node struct {
		word   int
		indent string
		last   bool
	}
	var stack []node // depth first without recursion: chains can be long
	push := func(head int, indent string) {
		for i, c := range slices.Backward(children[head]) {
			stack = append(stack, node{c, indent, i == len(children[head])-1})
		}
	}
	push(syntax.Root, "")
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		branch, below := "├─ ", "│  "
		if n.last {
			branch, below = "└─ ", "   "
		}
		fmt.Fprintf(w, "%s%s%s\n", n.indent, branch, describe(t, n.word-1))
		push(n.word, n.indent+below)
	}
	fmt.Fprintln(w)
}

// describe is word i as one line.
func describe(t *parquet.Tree, i int) string {
	parts := []string{t.Tokens[i]}
	if i < len(t.UPOS) && t.UPOS[i] != "" {
		parts = append(parts, t.UPOS[i])
	}
	if i < len(t.Deprel) && t.Deprel[i] != "" {
		parts = append(parts, t.Deprel[i])
	}
	probability := t.HeadConf
	if len(probability) == 0 {
		probability = t.HeadMarginal
	}
	if i < len(probability) && probability[i] < sure {
		parts = append(parts, fmt.Sprintf("%.2f", probability[i]))
	}
	return strings.Join(parts, " ")
}
