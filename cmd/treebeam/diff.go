package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/treebeam/treebeam/io/output"
	"github.com/treebeam/treebeam/io/view"
	"github.com/treebeam/treebeam/pipeline/diff"
	"github.com/treebeam/treebeam/pipeline/nightly"
)

const diffAbout = `
Compares two output folders (for a state: what is current), or two snapshots of a state
by their numbers (by default: the current one and the one before). Reports which
documents were added, removed or changed; how many heads, labels and tags changed in
sentences that both sides have (same document, same text); which kinds of arcs turned
into which others; and how far the mean confidence drifted. The exit status is 3 if the
difference exceeds a threshold that you set.`

// newDiff is treebeam diff.
func newDiff() *cobra.Command {
	cmd := newCommand("diff A B | diff --state FOLDER [N M]", "compare the trees of two outputs or nights", diffAbout)
	fs := cmd.Flags()
	state := fs.String("state", "", "compare snapshots of the state in `FOLDER`")
	asJSON := fs.Bool("json", false, "print the report as JSON")
	top := fs.Int("top", 10, "print the `N` most frequent migrations of arcs")
	var limits diffLimits
	limits.changed.percent = true
	fs.Var(&limits.changed, "max-changed", "exit with status 3 if the head or label of more than `P%` of the compared words changed")
	fs.Var(&limits.drift, "max-drift", "exit with status 3 if the mean head_marginal of all words drifted by more than `X`")
	cmd.Example = `
  treebeam diff out-fast out-accurate
  treebeam diff --state state --max-changed 5%`
	cmd.RunE = stoppable(func(ctx context.Context, others []string) error {
		if *top < 1 {
			return refuse("--top %d: must be at least 1", *top)
		}
		sides, err := diffSides(ctx, *state, others)
		if err != nil {
			return err
		}
		report, err := diff.Compare(ctx, sides[0], sides[1], *top)
		if err != nil {
			return err
		}
		if *asJSON {
			err = encodeJSON(stdout, report, "")
		} else {
			err = printDiff(stdout, report)
		}
		if err != nil {
			return err
		}
		return limits.check(report)
	})
	return cmd
}

// diffSides opens what is to be compared.
func diffSides(ctx context.Context, state string, args []string) (sides [2]diff.Side, err error) {
	if state != "" {
		return snapshotSides(ctx, state, args)
	}
	if len(args) != len(sides) {
		return sides, refuse("name two output folders, or --state FOLDER and the numbers of two snapshots; got %s", view.Many(len(args), "argument"))
	}
	for i, folder := range args {
		from, err := openOutput(ctx, folder)
		if err != nil {
			return sides, err
		}
		sides[i] = sideOf(from)
	}
	return sides, nil
}

// snapshotSides opens the snapshots of a state with the given numbers, or the last two.
func snapshotSides(ctx context.Context, state string, args []string) (sides [2]diff.Side, err error) {
	s, err := nightly.At(state)
	if err != nil {
		return sides, err
	}
	current, err := s.MustCurrent(ctx)
	if err != nil {
		return sides, err
	}
	switch {
	case len(args) != 0 && len(args) != len(sides):
		return sides, refuse("give the numbers of two snapshots, or none; got %s", view.Many(len(args), "argument"))
	case len(args) == 0 && current.Predecessor == "":
		return sides, refuse("%s has one snapshot only: there is nothing to compare it with", state)
	}
	for i := range sides {
		n := current.N - 1 + i
		if len(args) > 0 {
			if n, err = nightly.Number(args[i]); err != nil {
				return sides, err
			}
		}
		snapshot, err := s.Snapshot(ctx, n)
		if err != nil {
			return sides, err
		}
		sides[i] = sideOf(snapshot.Output())
	}
	return sides, nil
}

func sideOf(o *output.Reader) diff.Side {
	return diff.Side{Name: o.Name, Documents: o.Documents, Trees: o.Trees}
}

// diffLimits are the thresholds that were given.
type diffLimits struct{ changed, drift threshold }

// A threshold is the value of a flag that may be missing.
type threshold struct {
	text    string
	value   float64
	percent bool // % may follow the number
}

func (t *threshold) String() string { return t.text }
func (t *threshold) Type() string   { return "number" }

func (t *threshold) Set(s string) (err error) {
	t.text = s
	if t.percent {
		s = strings.TrimSuffix(s, "%")
	}
	t.value, err = strconv.ParseFloat(s, 64)
	if err != nil || !(t.value >= 0) {
		return errors.New("must be a number that is not negative")
	}
	return nil
}

func (l *diffLimits) check(r *diff.Report) error {
	over := false
	if p := r.Words.Percent(r.Words.Arcs); l.changed.text != "" && p > l.changed.value {
		say(os.Stderr, "%.2f%% of the arcs changed, more than --max-changed %s\n", p, l.changed.text)
		over = true
	} else if l.changed.text != "" && r.Words.Compared == 0 {
		say(os.Stderr, "no word was compared, so that --max-changed %s allows anything\n", l.changed.text)
	}
	if l.drift.text != "" && r.Confidence.HeadMarginal.OneSided() {
		say(os.Stderr, "one side has no words, and so no mean head_marginal for --max-drift %s\n", l.drift.text)
		over = true
	}
	if d := r.Confidence.HeadMarginal.Drift; l.drift.text != "" && math.Abs(d) > l.drift.value {
		say(os.Stderr, "the mean head_marginal drifted by %+.4f, more than --max-drift %s\n", d, l.drift.text)
		over = true
	}
	if over {
		return exitCode(exitFailures)
	}
	return nil
}

func printDiff(w io.Writer, r *diff.Report) error {
	var b strings.Builder
	d, s, c := &r.Documents, &r.Sentences, &r.Words
	fmt.Fprintf(&b, "A %s\nB %s\n\n", r.A, r.B)
	fmt.Fprintf(&b, "documents      %d same, %d changed, %d added, %d removed\n", d.Same, d.Changed, d.Added, d.Removed)
	for _, e := range []struct {
		what string
		ids  []string
	}{{"changed", d.Examples.Changed}, {"added", d.Examples.Added}, {"removed", d.Examples.Removed}} {
		for _, id := range e.ids {
			fmt.Fprintf(&b, "  %-10s %s\n", e.what, cell(id))
		}
	}
	fmt.Fprintf(&b, "sentences      %s in both, %s added, %s removed; %s in both with other words\n", view.Number(s.Both), view.Number(s.Added),
		view.Number(s.Removed), view.Number(s.Retokenised))
	fmt.Fprintf(&b, "words          %s compared: %s changed (%.2f%%), %s, %s; %s\n", view.Number(c.Compared), view.Many(c.Arcs, "arc"), c.Percent(c.Arcs),
		view.Many(c.Heads, "head"), view.Many(c.Labels, "label"), view.Many(c.Tags, "tag"))
	for _, m := range []struct {
		name      string
		all, both *diff.Means
	}{
		{"head_marginal", &r.Confidence.HeadMarginal, &r.Confidence.InBoth.HeadMarginal},
		{"tree_margin", &r.Confidence.TreeMargin, &r.Confidence.InBoth.TreeMargin},
	} {
		fmt.Fprintf(&b, "%-14s %.4f to %.4f (%+.4f); in sentences of both %.4f to %.4f (%+.4f)\n", m.name,
			m.all.A, m.all.B, m.all.Drift, m.both.A, m.both.B, m.both.Drift)
	}
	if len(r.Migrations) > 0 {
		fmt.Fprintf(&b, "\nthe most frequent of %s that became others:\n", view.Many(c.Arcs, "arc"))
	}
	for _, m := range r.Migrations {
		moved := ""
		if m.Head != "same" {
			moved = ", the head further " + m.Head
		}
		fmt.Fprintf(&b, "%9d  %s became %s%s\n", m.Count, arcText(m.From), arcText(m.To), moved)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// arcText writes a shape as "VERB -obl-> NOUN", the modifier on its side of the head.
func arcText(s diff.Shape) string {
	head, label, modifier := cell(s.Head), cell(s.Label), cell(s.Modifier)
	if s.Direction == "left" {
		return fmt.Sprintf("%s <-%s- %s", modifier, label, head)
	}
	return fmt.Sprintf("%s -%s-> %s", head, label, modifier)
}
